import { geometriesOf, sumRequests } from '../../core/advice/pool-pods.ts';
import { byProfile } from '../../core/advice/asked-slices.ts';
import type { ClusterFacts, GpuNode } from '../../core/explain/cluster-facts.ts';
import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { resolveProfile } from '../../core/gpu/geometry/profile-lookup.ts';
import type { Arrival } from '../../core/simulation/arrival.ts';
import { arriveByDemand } from '../../core/simulation/demand-arrivals.ts';
import type { StartNode } from '../../core/simulation/fleet.ts';
import { sizesOf } from '../../core/simulation/simulation.ts';
import { fillDays, profileFor, superpose, type TraceMapping } from '../../core/simulation/trace.ts';
import { countPresent } from '../../core/supply/count.ts';
import { isWaiting } from '../../core/supply/pod-demand.ts';
import { GPU_RESOURCE } from '../../core/nvidia/labels/label-key.ts';
import { couldTake } from '../../core/explain/judge.ts';
import { CliError } from '../exit.ts';
import type { TraceFile, TraceRow } from './trace-file.ts';
import { WHOLE } from '../../core/gpu/geometry/profile-name.ts';

export interface Load {
  readonly running: readonly Arrival[];
  readonly arrivals: readonly Arrival[];
}

interface Time {
  readonly days: number;
  readonly seed: number;
}

/** Pods like those of the snapshot. @throws CliError if it has none */
export function loadByDemand(
  facts: ClusterFacts,
  gpuNodes: readonly GpuNode[],
  nodes: readonly StartNode[],
  time: Time & { readonly meanSeconds: number },
): Load {
  const geometries = geometriesOf({ nodes: gpuNodes });
  const own = (facts.pods ?? []).filter((pod) => isWaiting(pod) && gpuNodes.some(({ node }) => couldTake(node, pod)));
  const requests = sumRequests(own);
  const waiting = new Map([...byProfile(requests, geometries), ...wholeOf(requests)]);
  const instances = nodes.flatMap(({ gpus }) => gpus.flatMap((gpu) => gpu.instances));
  const inUse = countPresent(instances.filter(({ busy }) => busy));
  const profiles = [...new Set([...inUse.keys(), ...waiting.keys()])];
  if (profiles.length === 0)
    throw new CliError('no pod uses or waits for a slice, so that none would come: give the pods with --trace');
  const demand = profiles.map((profile) => ({
    profile,
    inUse: inUse.get(profile) ?? 0,
    waiting: waiting.get(profile) ?? 0,
  }));
  return arriveByDemand(demand, time);
}

function wholeOf(requests: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const count = requests.get(GPU_RESOURCE) ?? 0;
  return count > 0 ? [[WHOLE, count]] : [];
}

/** Recorded pods; those of the snapshot do not count. @throws CliError for a profile that no GPU has */
export function loadByTrace(
  { name: file, tasks, days: traceDays }: TraceFile,
  nodes: readonly StartNode[],
  { days, seed, mapping, load }: Time & { readonly mapping: TraceMapping; readonly load: number | undefined },
): Load {
  const sizes = sizesOf({ nodes });
  const gpus = nodes.flatMap((node) => node.gpus);
  const geometries = [...new Set(gpus.map(({ geometry }) => geometry))].filter(({ profiles }) => profiles.length > 0);
  const [most] = geometries.toSorted((a, b) => count(b) - count(a));
  if (most === undefined) throw new CliError('no agent has reported a GPU with MIG: there is nothing to simulate');
  function count(geometry: Geometry): number {
    return gpus.filter((gpu) => gpu.geometry === geometry).length;
  }
  const named = new Map<string | number, string>();
  const nameOf = ({ asked, line }: TraceRow): string => {
    const name = named.get(asked) ?? findProfile(asked, most, geometries, mapping);
    if (name === undefined)
      throw new CliError(
        `${file}:${line}: profile is ${JSON.stringify(asked)}, which no GPU here has: give ${writeKnown(geometries)}`,
      );
    named.set(asked, name);
    return name;
  };
  const arrivals = tasks.map((task) => ({ start: task.arrival, duration: task.duration, profile: nameOf(task) }));
  const slices = gpus.reduce((sum, { geometry, isFixed }) => sum + (isFixed ? 0 : geometry.memorySlices), 0);
  const sizeOf = (profile: string): number => sizes.get(profile) ?? 0;
  const once =
    load === undefined ? arrivals : superpose(arrivals, { slices: load * slices, sizeOf, days: traceDays, seed });
  return { running: [], arrivals: fillDays(once, traceDays, days) };
}

function findProfile(
  asked: string | number,
  most: Geometry,
  geometries: readonly Geometry[],
  mapping: TraceMapping,
): string | undefined {
  if (asked === WHOLE) return WHOLE;
  if (typeof asked === 'number') return profileFor(most, asked, mapping) ?? '';
  for (const geometry of geometries) {
    const found = resolveProfile(geometry, asked);
    if (found !== undefined) return found.name;
  }
  return undefined;
}

function writeKnown(geometries: readonly Geometry[]): string {
  return [...new Set(geometries.flatMap(({ profiles }) => profiles.map(({ name }) => name))), WHOLE].join(', ');
}
