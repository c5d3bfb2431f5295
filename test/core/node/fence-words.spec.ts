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
    expect(verdict?.message).to.include('7 of the devices that it offers are gone');
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
  it('makes a failure of what was passing, says for how long, and what the plugin’s pods say', () => {
    const pending = {
      phase: 'Updating',
      reason: 'AdvertisePending',
      message: 'waiting',
      passing: true,
      again: 500,
    } as const;
    expect(fenceOverdue(pending, 6 * 60_000, ['pod a/b: container c is waiting'])).to.deep.equal({
      phase: 'Failed',
      reason: 'AdvertisePending',
      again: 500,
      message: 'for 6 min: waiting. pod a/b: container c is waiting',
    });
  });
});
