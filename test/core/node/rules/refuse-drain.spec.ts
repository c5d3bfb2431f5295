import { expect } from 'chai';
import {
  aDrain,
  aPod,
  close,
  drainProfiles,
  drainWish,
  evictionsOf,
  stays,
  stepUntil,
  withHolders,
} from '../../../support/drain-world.ts';
import { aBarePod, aSlicingPolicy } from '../../../support/node-builders.ts';
import { planWish } from '../../../../src/core/wish/plan-wish.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

const bare = aBarePod('goes');
const unwanted = aPod('goes', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } });
const optedOut = aPod('goes', { annotations: { 'gpupartition.dev/evict': 'false' } });
const daemon = aPod('goes', { kind: 'DaemonSet' });
const mirror = aPod('goes', { kind: 'Node', annotations: { 'kubernetes.io/config.mirror': 'x' } });
const missingOwners = new Set(['owner-of-goes']);

describe('a drain of pods that no eviction moves', () => {
  it('is waited for with the node open and without a slot, with each pod and why it stays', () => {
    for (const [pod, why, advice] of [
      [bare, 'it has no controller: nothing would recreate it', /or set spec\.drain\.onTimeout: Force$/],
      [unwanted, 'it is annotated cluster-autoscaler.kubernetes.io/safe-to-evict: "false"', /Force$/],
      [optedOut, 'it is annotated gpupartition.dev/evict: "false"', /Force$/],
      [
        daemon,
        'it belongs to a DaemonSet, which would recreate it',
        / It may end on its own; otherwise delete it yourself$/,
      ],
      [mirror, 'it is a static pod, which no eviction ends', / It may end on its own; otherwise delete it yourself$/],
    ] as const) {
      for (const onTimeout of ['Skip', 'Wait'] as const) {
        const world = aDrain({ onTimeout }, { pods: [pod, stays] });
        for (let minutes = 0; minutes < 20; minutes += 1) {
          const { verdict } = world.step(60_000);
          expect(verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
          expect(verdict.message).to.include(`with the node open, for 1 pod that no eviction moves: ns/goes: ${why}`);
          expect(verdict.message).to.match(advice);
          expect(world.taintKeys).to.deep.equal([]);
          expect(world.rolloutState)
            .to.include({ isUnderWay: false, hasFailed: false })
            .and.not.have.property('request');
        }
        expect(world.done).to.deep.equal([]);
      }
    }
  });

  it('names force where that moves at least one of them', () => {
    const world = aDrain({ scope: 'Node' }, { pods: [bare, aPod('stays', { kind: 'DaemonSet' })] });
    expect(world.step().verdict.message).to.match(
      /for 2 pods .* They may end on their own; otherwise delete them yourself, or set spec\.drain\.onTimeout: Force$/,
    );
  });

  it('costs no other pod its place', () => {
    const world = aDrain({ scope: 'Node' }, { pods: [bare, stays] });
    expect(world.step().verdict.reason).to.equal('PodsUseGpus');
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('continues when they have ended', () => {
    const world = aDrain({}, { pods: [bare, stays] });
    world.step();
    world.pods = [stays];
    const free = withHolders({ '3g.20gb@4': ['ns/stays'] });
    world.report({ ...free, plan: planWish(free, drainWish).report });
    expect(stepUntil(world, 'Applying').verdict.phase).to.equal('Updating');
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('continues by force after the timeout if the policy says so, except for pods that even force cannot end', () => {
    for (const pod of [bare, unwanted, optedOut]) {
      const world = aDrain({ onTimeout: 'Force' }, { pods: [pod, stays] });
      close(world);
      for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
      expect(evictionsOf(world)).to.deep.equal([]);
      world.now += 600_000;
      for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
      expect(evictionsOf(world)).to.deep.equal(['DeletePod uid-goes']);
    }
    for (const pod of [daemon, mirror]) {
      const world = aDrain({ onTimeout: 'Force' }, { pods: [pod, stays] });
      expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
      expect(world.taintKeys).to.deep.equal([]);
    }
  });

  it('opens a node that such a pod has reached just before it was closed', () => {
    const world = aDrain();
    close(world);
    world.pods = [bare, stays];
    expect(stepUntil(world, 'PodsUseGpus').verdict.phase).to.equal('Waiting');
    world.settle();
    expect(world.taintKeys).to.deep.equal([]);
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('is not refused where the pods are leaving, or where the policy waits for them', () => {
    const leaving: PodView = { ...bare, metadata: { ...bare.metadata, deletionTimestamp: '2026-01-01T12:00:30Z' } };
    close(aDrain({}, { pods: [leaving, stays] }));
    close(aDrain({ scope: 'None' }, { pods: [bare, stays] }));
  });

  it('looks up the DaemonSet that a pod names: one that does not exist spares it nothing', () => {
    const world = aDrain({}, { pods: [daemon, stays] });
    world.drain = { missingOwners };
    const { verdict, reads } = world.step();
    expect(reads).to.include('Drain');
    expect(verdict.message).to.include('it belongs to DaemonSet set, which does not exist');
    expect(verdict.message).to.match(/Force$/);
    world.policy = aSlicingPolicy({ layouts: [{ profiles: drainProfiles }], drain: { onTimeout: 'Force' } });
    close(world);
    for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
    world.now += 600_000;
    for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
    expect(evictionsOf(world)).to.deep.equal(['DeletePod uid-goes']);
  });
});
