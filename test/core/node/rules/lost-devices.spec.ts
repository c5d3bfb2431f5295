import { expect } from 'chai';
import { listHolderNamespaces } from '../../../../src/core/node/snapshot.ts';
import {
  aDrain,
  aPod,
  close,
  drainOf,
  drainProfiles,
  evictionsOf,
  goes,
  stays,
  stepUntil,
  withHolders,
} from '../../../support/drain-world.ts';
import { demandEntry } from '../../../../src/core/policy/spec.ts';
import { uuidOf } from '../../../support/builders.ts';
import { aBarePod, aManagedPartition, aNode, aSlicingPolicy } from '../../../support/node-builders.ts';
import type { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/kubernetes/pod.ts';

const id = 'MIG-destroyed';
const loss = `it holds ${id}, which no longer exists, and cannot work`;
/** Somebody has destroyed the instance of `ns/goes`; nothing else has to go. */
const free = withHolders({ '3g.20gb@4': ['ns/stays'] });
const lost = { ...free, lostDevices: [{ id, pods: ['ns/goes'] }] };

function aLoss(drain: Parameters<typeof aDrain>[0] = {}, pods: readonly PodView[] = [goes, stays]): NodeWorld {
  const world = aDrain(drain, { pods });
  world.report(lost);
  return world;
}

describe('a pod whose device was destroyed', () => {
  it('is announced with the device that it has lost, then evicted, and the change continues', () => {
    const world = close(aLoss());
    const announced = world.step();
    expect(announced.verdict).to.include({ phase: 'Updating', reason: 'Draining' });
    expect(announced.verdict.message).to.equal(`ns/goes will be evicted; ns/goes: ${loss}`);
    expect([drainOf(world), evictionsOf(world)]).to.deep.equal([['uid-goes'], []]);
    world.step(1000);
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
    expect(stepUntil(world, 'Applying').verdict.phase).to.equal('Updating');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
  });

  it('keeps its place where its disruption budget says so, named with the device', () => {
    const world = aLoss();
    world.refusals = { 'uid-goes': 'the budget allows none' };
    close(world);
    const { message } = stepUntil(world, 'EvictionBlocked').verdict;
    expect(message).to.include(`ns/goes: ${loss}`).and.include('the budget allows none');
  });

  it('is waited for with the node open where no eviction moves it, and the message says why and what to do', () => {
    const world = aLoss({}, [aBarePod('goes'), stays]);
    const { verdict } = world.step();
    expect(verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
    expect(verdict.message)
      .to.include(`ns/goes: ${loss}; ns/goes: it has no controller`)
      .and.include('delete it yourself');
    expect([world.taintKeys, evictionsOf(world)]).to.deep.equal([[], []]);
    world.pods = [stays];
    world.report(free);
    expect(stepUntil(world, 'Applying').verdict.phase).to.equal('Updating');
  });

  it('is waited for where the policy evicts nobody', () => {
    const world = close(aLoss({ scope: 'None' }));
    const { verdict } = world.step();
    expect(verdict).to.include({ phase: 'Updating', reason: 'PodsUseGpus' });
    expect(verdict.message).to.match(/they end on their own; ns\/goes: it holds MIG-destroyed/);
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('is waited for where a demand evicts nobody, and no other layout is promised', () => {
    const world = aLoss();
    const { spec, ...policy } = aSlicingPolicy();
    const { layouts: _none, ...rest } = spec;
    world.policy = { ...policy, spec: { ...rest, demand: { slices: [{ profiles: ['1g.5gb'], count: 3 }] } } };
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: drainProfiles, entry: demandEntry }] };
    world.partition = aManagedPartition({ device: lost, wish });
    const { verdict } = stepUntil(world, 'PodsUseGpus');
    expect(verdict.message).to.equal(
      `ns/goes: ${loss}. The demand of policy ${policy.metadata.name} evicts no pod (demand.evict: Never): delete it yourself`,
    );
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('is not told to go if it has come since the reading: it is read first', () => {
    const readTime = '2026-01-05T12:00:00.000Z';
    const world = aLoss({}, [aPod('goes', { creationTimestamp: '2026-01-05T12:00:05Z' }), stays]);
    world.report({ ...lost, readTime });
    close(world);
    const { verdict } = world.step();
    expect(verdict.message).to.equal('the agent does not know yet which GPUs ns/goes uses');
    expect([drainOf(world), evictionsOf(world)]).to.deep.equal([[], []]);
  });

  it('is left alone if it uses no GPU, whatever an agent says', () => {
    const web: PodView = { ...aPod('web'), spec: { containers: [] } };
    const world = aLoss({}, [web, stays]);
    world.report({ ...free, lostDevices: [{ id, pods: ['ns/web'] }] });
    close(world);
    expect(stepUntil(world, 'Applying').verdict.phase).to.equal('Updating');
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('goes even if its node does not have its resource any more', () => {
    const world = aLoss();
    world.node = aNode({ allocatable: { 'nvidia.com/mig-3g.20gb': '1' } });
    close(world);
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
  });

  it('has its budgets read before anything is closed', () => {
    const { partition } = aLoss();
    expect(listHolderNamespaces(partition, undefined)).to.deep.equal(['ns']);
  });
});
