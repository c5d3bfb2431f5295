import { expect } from 'chai';
import { fenceOverdue, staleOffer } from '../../../src/core/node/fence-words.ts';

const wanted = { 'nvidia.com/mig-1g.5gb': 7 };

describe('staleOffer', () => {
  it('finds nothing where the kubelet offers the layout, or cannot be asked', () => {
    expect(staleOffer({ stale: 0, resources: wanted }, wanted)).to.equal(undefined);
    expect(staleOffer(undefined, wanted)).to.equal(undefined);
    expect(staleOffer({ stale: 0 }, {})).to.equal(undefined);
  });

  it('does not believe right counts of devices that are gone', () => {
    const verdict = staleOffer({ stale: 7, resources: wanted }, wanted);
    expect(verdict).to.include({ phase: 'Updating', reason: 'AdvertisePending' });
    expect(verdict?.message).to.include('7 of the devices that it offers no longer exist');
  });

  it('says what is offered instead', () => {
    const before = { stale: 0, resources: { 'nvidia.com/gpu': 1 } };
    expect(staleOffer(before, wanted)?.message).to.include(
      'it offers nvidia.com/gpu 1 instead of nvidia.com/mig-1g.5gb 7',
    );
    expect(staleOffer({ stale: 0 }, wanted)?.message).to.include('it offers nothing instead of');
  });
});

describe('fenceOverdue', () => {
  it('names each pod once', () => {
    const state = 'pod a/b: container c is waiting';
    const told = { phase: 'Updating', reason: 'AdvertisePending', message: `waiting. ${state}` } as const;
    const { message } = fenceOverdue(told, Date.parse('2026-01-01T12:00:00Z'), [state, 'pod a/d is terminating']);
    expect(message).to.equal(`since 2026-01-01T12:00:00Z: waiting. ${state}. pod a/d is terminating`);
  });

  it('makes a failure of what was passing, says since when, and what the plugin’s pods say', () => {
    const pending = {
      phase: 'Updating',
      reason: 'AdvertisePending',
      message: 'waiting',
      transient: true,
      requeueAfterMs: 500,
    } as const;
    expect(
      fenceOverdue(pending, Date.parse('2026-01-01T12:00:00Z'), ['pod a/b: container c is waiting']),
    ).to.deep.equal({
      phase: 'Failed',
      reason: 'AdvertisePending',
      requeueAfterMs: 500,
      message: 'since 2026-01-01T12:00:00Z: waiting. pod a/b: container c is waiting',
    });
  });
});
