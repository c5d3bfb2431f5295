import { expect } from 'chai';
import type { PolicySpec } from '../../../src/api/types.ts';
import { isRetiring, retire, wantedFinalizers } from '../../../src/core/policy/retirement.ts';
import { aPolicy } from '../../support/builders.ts';

const cleanup = 'gpupartition.dev/cleanup';
const deletionTimestamp = '2026-01-01T12:00:00Z';

function aGoing(spec: Partial<PolicySpec>, metadata: object = { deletionTimestamp, finalizers: [cleanup] }) {
  const policy = aPolicy(spec);
  return { ...policy, metadata: { ...policy.metadata, ...metadata } };
}

describe('a policy that makes its GPUs whole before it goes', () => {
  it('asks for whole GPUs where it had layouts, and for nothing elsewhere', () => {
    const layouts = [
      { gpus: { indices: [0] }, profiles: { '1g.5gb': 7 } },
      { gpus: { models: ['H100-*'] }, preset: 'all-balanced' as const },
    ];
    const { spec } = retire(aGoing({ layouts, mode: 'Plan', onDelete: 'DisableMig' }));
    expect(spec.layouts).to.deep.equal([
      { gpus: { indices: [0] }, mig: 'Disabled' },
      { gpus: { models: ['H100-*'] }, mig: 'Disabled' },
    ]);
    expect(spec.mode).to.equal('Enforce');
  });

  it('is held by no window, pause, canary, threshold or budget of 0, and keeps any other budget and its drain', () => {
    const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
    const drain = { scope: 'Node', timeout: '5m' } as const;
    for (const [maxUnavailable, kept] of [
      [0, 1],
      ['0%', 1],
      [3, 3],
      ['20%', '20%'],
      [undefined, 1],
    ] as const) {
      const rollout = {
        windows,
        paused: true,
        canary: { nodes: 1, soak: '1h' },
        failureThreshold: 1,
        ...(maxUnavailable !== undefined && { maxUnavailable }),
      };
      const { spec } = retire(aGoing({ rollout, drain }));
      expect(spec.rollout).to.deep.equal({ maxUnavailable: kept, failureThreshold: '100%', paused: false });
      expect(spec.drain).to.deep.equal(drain);
    }
  });

  it('is being deleted, says DisableMig, and has our finalizer', () => {
    const onDelete = 'DisableMig';
    expect(isRetiring(aGoing({ onDelete }))).to.equal(true);
    expect(isRetiring(aGoing({ onDelete: 'Keep' }))).to.equal(false);
    expect(isRetiring(aGoing({ onDelete }, { finalizers: [cleanup] }))).to.equal(false);
    expect(isRetiring(aGoing({ onDelete }, { deletionTimestamp, finalizers: ['other'] }))).to.equal(false);
  });

  it('has the finalizer as long as it says so and is not done, and no other policy has it', () => {
    const wanted = (onDelete: 'Keep' | 'DisableMig', metadata: object, isDone = false) =>
      wantedFinalizers(aGoing({ onDelete }, metadata), isDone);
    expect(wanted('DisableMig', { finalizers: ['other'] })).to.deep.equal(['other', cleanup]);
    expect(wanted('DisableMig', { finalizers: [cleanup] })).to.equal(undefined);
    expect(wanted('Keep', { finalizers: [cleanup, 'other'] })).to.deep.equal(['other']);
    expect(wanted('Keep', {})).to.equal(undefined);
    expect(wanted('DisableMig', { deletionTimestamp, finalizers: [cleanup, 'other'] }, true)).to.deep.equal(['other']);
    // The API server refuses a new finalizer then.
    expect(wanted('DisableMig', { deletionTimestamp, finalizers: ['other'] })).to.equal(undefined);
  });
});
