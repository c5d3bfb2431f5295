import { expect } from 'chai';
import type { PolicySpec } from '../../src/api/types.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { aDevice, aGpu, uuidOf, withPods } from './builders.ts';
import { type Answer, aGpuPod, aManagedPartition, aNode, aSlicingPolicy, aSlot } from './node-builders.ts';
import { NodeWorld } from './node-world.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

export const drainProfiles = { '1g.5gb': 3, '3g.20gb': 1 };
export const drainWish = { gpus: [{ uuid: uuidOf(0), profiles: drainProfiles }] };
/** A GPU with two slices, of which the policy keeps the second, as its agent reports and plans it. */
export const withHolders = (held: Readonly<Record<string, readonly string[]>>) => {
  const device = aDevice(withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), held));
  return { ...device, plan: planWish(device, drainWish).report };
};
export const heldDevice = withHolders({ '2g.10gb@0': ['ns/goes'], '3g.20gb@4': ['ns/stays'] });
const allocatable = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-2g.10gb': '1', 'nvidia.com/mig-3g.20gb': '1' };

/** A pod of a controller. */
export function aPod(
  name: string,
  { owner = `owner-of-${name}`, kind = 'ReplicaSet', ...metadata }: OwnedParts = {},
): PodView {
  const pod = aGpuPod(name);
  const ownerReferences = [{ apiVersion: 'apps/v1', kind, name: 'set', uid: owner, controller: true }];
  return { ...pod, metadata: { ...pod.metadata, ownerReferences, ...metadata } };
}
type OwnedParts = Partial<PodView['metadata']> & {
  readonly owner?: string;
  readonly kind?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

export const stays = aPod('stays');
export const goes = aPod('goes');

/** A node with a slot; `ns/goes` holds what has to go, `ns/stays` what stays. */
export function aDrain(
  drain: PolicySpec['drain'] = {},
  {
    pods = [goes, stays],
    timeoutMs = 600_000,
  }: { readonly pods?: readonly PodView[]; readonly timeoutMs?: number } = {},
): NodeWorld {
  const world = new NodeWorld({
    node: aNode({ allocatable }),
    partition: aManagedPartition({ device: heldDevice, wish: drainWish }),
    policy: aSlicingPolicy({ layouts: [{ profiles: drainProfiles }], drain }),
    pods,
  });
  world.slot = aSlotFrom(world.now, timeoutMs);
  return world;
}

export function aSlotFrom(now: number, timeoutMs: number): NonNullable<NodeWorld['slot']> {
  return { ...aSlot, startTime: new Date(now).toISOString(), deadline: new Date(now + timeoutMs).toISOString() };
}

/** Closes the node, and lets pods that were being bound show up. */
export function close(world: NodeWorld): NodeWorld {
  world.step();
  expect(world.taintKeys).to.deep.equal(['repartitioning']);
  world.step();
  world.now += 1000;
  return world;
}

/** Decides until it says so. */
export function stepUntil(world: NodeWorld, reason: string, stepMs = 1000, most = 100): Answer {
  for (let steps = 0; steps < most; steps += 1) {
    const answer = world.step(stepMs);
    if (answer.verdict.reason === reason) return answer;
  }
  throw new Error(`it never says ${reason}: ${world.done.join(', ')}`);
}

/** UIDs of the pods that are announced. */
export function drainOf({ partition }: NodeWorld): readonly string[] | undefined {
  return partition.spec.drain?.pods.map(({ uid }) => uid);
}

/** Evictions and deletions so far. */
export function evictionsOf(world: NodeWorld): readonly string[] {
  return world.done.filter((one) => /^(EvictPod|DeletePod)/.test(one));
}
