import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import type { GpuNode } from '../explain/cluster-facts.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { isWhole, nameSlice, type SliceEntry } from '../policy/demand-profiles.ts';
import { findStop } from '../rollout/gate.ts';
import { describeDuration } from '../text/duration.ts';
import { riseMsOf } from './demand-course.ts';
import type { Member } from './member.ts';
import { followsPods } from './wanted-slices.ts';
import type { PodView } from '../pods/pod-view.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** `3g.20gb` of nvidia.com/mig-3g.20gb, `whole GPU` of nvidia.com/gpu */
export function nameProfile(resource: string): string {
  if (resource === GPU_RESOURCE) return 'whole GPU';
  return resource.replace(/^nvidia\.com\/mig-/, '');
}

/** What people call a profile of the planner. */
export function sayProfile(profile: string): string {
  return profile === WHOLE ? 'whole GPU' : profile;
}

/** `small (1g.5gb) and large (3g.20gb)` */
export function describeSlices({ slices }: PolicyDemand): string {
  return slices.map((slice) => `${nameSlice(slice)} (${whatServes(slice)})`).join(' and ');
}

function whatServes(slice: SliceEntry): string {
  const { profiles, memory } = slice;
  return isWhole(slice) ? 'whole GPUs' : (profiles?.join(', ') ?? `at least ${memory}`);
}

/** `node n1, GPU 0` */
export function describePlace({ node, wish }: Member, nodes: readonly GpuNode[]): string {
  const gpus = nodes.find(({ name }) => name === node)?.partition?.status?.device?.gpus ?? [];
  const gpu = gpus.find(({ uuid }) => uuid === wish.uuid);
  return gpu === undefined ? `node ${node}` : `node ${node}, GPU ${gpu.index}`;
}

export const elsewhere =
  ', where the pod may not run: a demand treats its nodes alike, so give those on which the pod may run a policy of their own';

interface Held {
  readonly pod: PodView;
  readonly policy: GpuPartitionPolicy;
  readonly demand: PolicyDemand;
  readonly now: number | undefined;
}

/** What a plan waits for before it is carried out; empty if nothing is known to be in its way. */
export function describeHold({ pod, policy, demand, now }: Held): string {
  const stop = findStop(policy, now);
  if (stop?.reason === 'WindowClosed') return `, but it is ${stop.message}`;
  if (stop && !closed.has(stop.reason)) return `, but ${stop.message}`;
  const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && closed.has(ready.reason)) return `, but its rollout waits: ${ready.message}`;
  return describeRise(pod, demand, now);
}

const closed: ReadonlySet<string> = new Set(['Frozen', 'Halted', 'CanarySoak', 'Capped', 'NodesUnavailable']);

/** More must be asked for a while before it is wanted. */
function describeRise({ metadata }: PodView, demand: PolicyDemand, now: number | undefined): string {
  if (!followsPods(demand) || metadata.creationTimestamp === undefined || now === undefined) return '';
  const riseMs = riseMsOf(demand);
  const leftMs = Date.parse(metadata.creationTimestamp) + riseMs - now;
  if (!(leftMs > 0)) return '';
  const words = [riseMs, leftMs].map((ms) => describeDuration(Math.ceil(ms / 1000)));
  return `, once it has waited ${words[0]} (demand.stabilization): in ${words[1]}`;
}
