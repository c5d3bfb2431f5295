import { expect } from 'chai';
import { planWish } from '../../../src/core/device/plan.ts';
import {
  aDrain,
  aPod,
  close,
  drainOf,
  drainWish,
  evictionsOf,
  goes,
  heldDevice,
  stays,
  stepUntil,
  withHolders,
} from '../../support/drain-world.ts';
import { namesOf } from '../../support/node-builders.ts';
import type { NodeWorld } from '../../support/node-world.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

const readTime = '2026-01-01T11:59:00Z';
const created = (pod: PodView, creationTimestamp: string, uid = pod.metadata.uid): PodView => ({
  ...pod,
  metadata: { ...pod.metadata, creationTimestamp, ...(uid !== undefined && { uid }) },
});
const early = [goes, stays].map((pod) => created(pod, '2026-01-01T10:00:00Z'));
const [earlyGoes = goes, earlyStays = stays] = early;
/** Made after the agent's last reading, under the name of the pod that was read. */
const again = (name: string): PodView => created(aPod(name), '2026-01-01T11:59:50Z', `uid-${name}-again`);

/** The agent reads later; the plan stays, as the agent takes the pods that are told to go to be there. */
function readAgain(world: NodeWorld, held: Readonly<Record<string, readonly string[]>>): void {
  const { gpus = [] } = withHolders(held);
  const plan = planWish(heldDevice, drainWish).report;
  world.report({ gpus, plan, readTime: world.partition.spec.drain?.readAfter ?? readTime });
}

describe('a pod that was made again under the name of one that the agent has read', () => {
  function aLateWorld(pods: readonly PodView[]): NodeWorld {
    const world = aDrain({}, { pods });
    world.report({ readTime });
    return world;
  }

  it('counts as a different pod: it is not evicted before the agent has read again', () => {
    const world = aLateWorld([again('goes'), earlyStays]);
    close(world);
    const { verdict } = world.step();
    expect(verdict.message).to.equal('the agent does not know yet which GPUs ns/goes uses');
    expect(world.partition.spec.drain).to.deep.include({ pods: [], readAfter: '2026-01-01T11:59:53Z' });
    for (let seconds = 0; seconds < 20; seconds += 1) world.step(1000);
    expect(drainOf(world)).to.deep.equal([]);
    expect(evictionsOf(world)).to.deep.equal([]);
    readAgain(world, { '2g.10gb@0': ['ns/goes'], '3g.20gb@4': ['ns/stays'] });
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes-again']);
  });

  it('stays where it holds what stays', () => {
    const world = aLateWorld([again('goes'), earlyStays]);
    close(world);
    world.step();
    readAgain(world, { '3g.20gb@4': ['ns/goes', 'ns/stays'] });
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('stays where it holds no GPU at all', () => {
    const plain: PodView = { ...again('goes'), spec: { containers: [] } };
    const world = aLateWorld([plain, earlyStays]);
    close(world);
    world.step();
    readAgain(world, { '3g.20gb@4': ['ns/stays'] });
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('goes where the reading before showed the name on what stays', () => {
    const world = aLateWorld([earlyGoes, again('stays')]);
    close(world);
    world.step();
    expect(drainOf(world)).to.deep.equal([]);
    const held = withHolders({ '2g.10gb@0': ['ns/goes', 'ns/stays'] });
    world.report({ ...held, readTime: world.partition.spec.drain?.readAfter ?? readTime });
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes', 'EvictPod uid-stays-again']);
  });

  it('is looked at again where it comes in the middle of the drain', () => {
    const world = aLateWorld(early);
    world.refusals = { 'uid-goes': 'no' };
    close(world);
    world.step();
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
    world.step(1000);
    world.pods = [again('goes'), earlyStays];
    const { commands } = world.step(1000);
    expect(namesOf({ commands })).to.deep.equal(['WriteDrain']);
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
    readAgain(world, { '3g.20gb@4': ['ns/goes', 'ns/stays'] });
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
  });

  it('does not wait for another reading where it was there at the last one', () => {
    const world = aLateWorld(early);
    close(world);
    world.step();
    expect(world.partition.spec.drain).to.not.have.property('readAfter');
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
  });

  it('is not taken for the one that an earlier drain could not move', () => {
    const world = aLateWorld(early);
    world.refusals = { 'uid-goes': 'no' };
    close(world);
    const { verdict } = stepUntil(world, 'DrainTimeout', 10_000);
    expect(verdict.phase).to.equal('Waiting');
    expect(world.step(1000).verdict.reason).to.equal('DrainTimeout');
    world.pods = [created(aPod('goes'), new Date(world.now).toISOString(), 'uid-goes-again'), earlyStays];
    expect(world.step(5000).verdict.reason).to.not.equal('DrainTimeout');
  });
});
