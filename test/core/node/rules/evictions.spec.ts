import { expect } from 'chai';
import { roundOf, terminationMs } from '../../../../src/core/node/rules/evictions.ts';
import type { Eviction } from '../../../../src/core/node/memory.ts';
import type { Situation } from '../../../../src/core/node/outcome.ts';
import { aPod, goes } from '../../../support/drain-world.ts';
import {
  aBarePod,
  aManagedPartition,
  aSlicingPolicy,
  aSnapshot,
  noMemory,
  noon,
} from '../../../support/node-builders.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

const partition = aManagedPartition();
const situationOf = (
  pods: readonly PodView[],
  evictions: Readonly<Record<string, Partial<Eviction>>> = {},
): Situation => {
  const all = Object.entries(evictions).map(([uid, one]) => [uid, { at: noon, refusal: undefined, ...one }] as const);
  return { ...aSnapshot({ partition }), partition, pods, memory: { ...noMemory, evictions: Object.fromEntries(all) } };
};

describe('how often a pod was evicted and came back', () => {
  const owned = (name: string) => aPod(name, { owner: 'set' });
  const gone = { owner: 'set' };

  it('is told by the pods of its owner that have gone, each once', () => {
    expect(roundOf(situationOf([owned('a')]), owned('a'))).to.equal(1);
    expect(roundOf(situationOf([owned('b')], { 'uid-a': { ...gone, round: 1 } }), owned('b'))).to.equal(2);
    expect(roundOf(situationOf([owned('c')], { 'uid-a': gone, 'uid-b': { ...gone, round: 2 } }), owned('c'))).to.equal(
      3,
    );
    expect(roundOf(situationOf([owned('b')], { 'uid-a': gone }), owned('b'))).to.equal(2);
  });

  it('does not change while the pod is there, whoever else of its owner goes', () => {
    const evictions = { 'uid-a': { ...gone, round: 1 }, 'uid-b': { ...gone, round: 1 } };
    expect(roundOf(situationOf([owned('b')], evictions), owned('b'))).to.equal(1);
  });

  it('is never for a pod without an owner: nothing makes it again', () => {
    expect(roundOf(situationOf([aBarePod('b')], { 'uid-a': { round: 2 } }), aBarePod('b'))).to.equal(1);
  });
});

describe('the time that deleted pods may take', () => {
  const graceful = (terminationGracePeriodSeconds: number): PodView => ({
    ...goes,
    spec: { ...goes.spec, terminationGracePeriodSeconds },
  });

  it('is that of the slowest, and half a minute for the kubelet to say so, but no more than an hour', () => {
    expect(terminationMs(situationOf([]), [goes])).to.equal(60_000);
    expect(terminationMs(situationOf([]), [graceful(600), goes])).to.equal(630_000);
    expect(terminationMs(situationOf([]), [graceful(90_000), goes])).to.equal(3630_000);
  });

  it('is the policy’s where that has one', () => {
    const policy = aSlicingPolicy({ drain: { gracePeriod: '2m' } });
    const situation = { ...situationOf([]), claim: aSnapshot({ policy, partition }).claim };
    expect(terminationMs(situation, [graceful(600)])).to.equal(150_000);
  });
});
