import type { DemandState, GpuPartitionPolicy, PolicyDemand } from '../../src/api/types.ts';
import { NOBODY, type PoolGpu } from '../../src/core/demand/solver/pool.ts';
import { nameSlice, profilesServing, type DemandReport } from '../../src/core/policy/spec.ts';
import { planPool } from './follow-demand.ts';
import { resourceOf as resourceFor } from './plugin.ts';
import type { FleetMachine } from './fleet-machine.ts';
import { isAbsurd, isFor, resourceOf } from './fleet-pods.ts';
import type { FleetWorld } from './fleet-world.ts';

type Slice = PolicyDemand['slices'][number];

/** Instances that the largest GPU holds at most. */
const mostOfGpu = 16;

/** When all is quiet each demand is met, or it is true that there is no room. @returns what is wrong */
export function findDemandTrouble(world: FleetWorld): string | undefined {
  const [controller] = world.controllers;
  if (!controller) return 'there is no controller';
  const { fleet } = controller.cluster;
  for (const { name, policy, demand } of fleet.policies) {
    if (policy.spec.demand === undefined || policy.spec.mode === 'Plan') continue;
    const pool = [...world.machines.values()].filter((machine) => fleet.winnerOf(machine.name) === name);
    if (pool.length === 0) continue;
    if (!demand) return `nothing is known of the demand of ${name}`;
    const { reason, message } = demand.condition;
    if (!['DemandMet', 'NothingIdle', 'NoRoom', 'MaxReached'].includes(reason)) return `${name}: ${reason}: ${message}`;
    const why = isUnmet(demand) ? disprove(world, policy, demand, pool) : findLeft(world, policy, pool);
    if (why !== undefined) return `${name}: ${reason}: ${message}; ${why}`;
  }
  return undefined;
}

function isUnmet({ states }: DemandReport): boolean {
  return states.some(({ unmet }) => unmet > 0);
}

/** Whether the devices themselves could serve more than what is said to be possible. */
function disprove(
  world: FleetWorld,
  { spec }: GpuPartitionPolicy,
  { states }: DemandReport,
  pool: readonly FleetMachine[],
): string | undefined {
  const gpus = pool.flatMap(readGpus);
  const { product } = world.setup;
  const [{ device } = {}] = pool;
  if (!spec.demand || !device) return undefined;
  // Pods count by profile where a slice takes several: what is lacking then cannot be told from the numbers.
  if (spec.demand.from === 'Pods' && spec.demand.slices.some(({ profiles = [] }) => profiles.length > 1))
    return undefined;
  const parts = spec.demand.slices.flatMap((slice) => {
    const profiles = profilesServing(slice, device.model, product);
    const sizes = device.model.profiles.flatMap((one) => (profiles.includes(one.name) ? [one.memorySlices] : []));
    const name = nameSlice(slice);
    const state = states.find((one) => one.name === name);
    const { wanted = 0, unmet = 0 } = state ?? {};
    const spare = countSpare(slice, state);
    // All pods of a story are of priority 0.
    const outranks = slice.count === undefined ? NOBODY : 1;
    const part = { name, profiles, outranks, weight: slice.weight ?? Math.min(...sizes) };
    return [
      { ...part, isSpare: true, count: spare, unmet: Math.min(spare, unmet) },
      { ...part, isSpare: false, count: wanted - spare, unmet: Math.max(0, unmet - spare) },
    ];
  });
  // Spare ones go short first: one that is asked for weighs more than all that a GPU could hold of them.
  // A pod cannot use room on nodes where it may not run.
  const resources = new Set(parts.flatMap(({ profiles }) => profiles.map((profile) => resourceFor(profile))));
  const isPicky = (pod: PendingPod): boolean => resources.has(resourceOf(pod)) && !isForAll(pod, pool);
  if (spec.demand.from === 'Pods' && world.pendingPods().some(isPicky)) return undefined;
  const times =
    1 + mostOfGpu * Math.max(0, ...parts.map(({ isSpare, count, weight }) => (isSpare && count > 0 ? weight : 0)));
  const slices = parts.map(({ isSpare, name, weight, ...part }) => ({
    ...part,
    name: isSpare ? `${name}/spare` : name,
    weight: isSpare ? weight : weight * times,
  }));
  const evict = spec.demand.evict === 'IfNeeded' ? 'IfNeeded' : 'Never';
  const { cost } = planPool({ gpus, asked: { slices, evict } });
  const said = slices.reduce((sum, { unmet, weight }) => sum + unmet * weight, 0);
  return cost.unserved < said ? `${said} by weight are unmet, and it need be ${cost.unserved}` : undefined;
}

/** Of what is wanted of a slice, how many are spare: neither used nor waited for. */
function countSpare({ count, spare = 0, min = 0, max = Infinity }: Slice, state: DemandState | undefined): number {
  if (count !== undefined || state === undefined) return 0;
  const asked = state.used + (state.waiting ?? 0);
  const most = typeof spare === 'number' ? spare : Math.ceil((asked * Number.parseInt(spare, 10)) / 100);
  return Math.max(0, Math.min(most, state.wanted - Math.min(max, Math.max(min, asked))));
}

type PendingPod = ReturnType<FleetWorld['pendingPods']>[number];

/** Whether a pod goes to each node of a pool. */
function isForAll(pod: PendingPod, pool: readonly FleetMachine[]): boolean {
  return pool.every(({ node }) => node !== undefined && isFor(pod, node));
}

function readGpus(machine: FleetMachine): readonly PoolGpu[] {
  const holders = machine.holders();
  return machine.device.gpus.map(({ uuid, slices }) => ({
    id: `${machine.name}/${uuid}`,
    geometry: machine.device.model,
    instances: slices.map((one) => ({ profile: one.profile, start: one.start, busy: holders.has(one.uuid) })),
  }));
}

/**
 * A pod that waits although all is met. One that only some nodes of the pool could take may wait beside idle slices: a demand is of the
 * whole pool.
 */
function findLeft(world: FleetWorld, { spec }: GpuPartitionPolicy, pool: readonly FleetMachine[]): string | undefined {
  const [{ device } = {}] = pool;
  const { product } = world.setup;
  if (spec.demand?.from !== 'Pods' || !device) return undefined;
  const followed = spec.demand.slices.flatMap((slice) =>
    slice.count === undefined && slice.max === undefined
      ? profilesServing(slice, device.model, product).map((profile) => resourceFor(profile))
      : [],
  );
  const isLeft = (pod: PendingPod): boolean =>
    followed.includes(resourceOf(pod)) && !isAbsurd(pod) && isForAll(pod, pool);
  const left = world.pendingPods().find(isLeft);
  return left && `${left.metadata.name} waits for ${resourceOf(left)}`;
}
