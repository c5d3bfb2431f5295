import type { GpuPartitionPolicy } from '../../api/types.ts';
import { readMembers } from '../advice/read-members.ts';
import { type ClusterFacts, type GpuNode, isPlanned, listGpuNodes } from '../explain/cluster-facts.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { type LabelSelection, meetsSelection } from '../metadata/label-selector.ts';
import { byPrecedence, selectsNode } from '../policy/precedence.ts';
import { resolveNode } from '../policy/resolve-node.ts';
import { findCap } from '../rollout/cap.ts';
import type { StartNode } from './fleet.ts';
import { wholeLayout } from './gpu-change.ts';
import { listSwitches, type SchedulePhase, ScheduledPolicies, type SimulatedTime } from './phase.ts';
import type { SideStart } from './side.ts';

/** The GPU nodes of a snapshot, as far as they are simulated. */
export function listSimulated(facts: ClusterFacts, selection?: LabelSelection): readonly GpuNode[] {
  return listGpuNodes(facts).filter(({ labels }) => selection === undefined || meetsSelection(selection, labels));
}

/** A node that cannot take the layouts of its policy, and stays as it is. */
export interface RefusedNode {
  readonly node: string;
  readonly policy: string;
  readonly message: string;
}

/** How a fleet starts under the policies of its snapshot, and given ones before them, and how their schedules continue. */
export function startSide(
  facts: ClusterFacts,
  gpuNodes: readonly GpuNode[],
  given: readonly GpuPartitionPolicy[],
  time: SimulatedTime,
): { readonly side: SideStart; readonly refused: readonly RefusedNode[]; readonly ignored: readonly string[] } {
  const policies = withGenerations(facts.policies, given);
  const scheduled = new ScheduledPolicies(policies);
  const wants = new Map<string, Wanted>();
  const phases = listSwitches(policies, time).map((at) => {
    const then = scheduled.at(time.startMs + at * 1000);
    const key = then.map(({ status }) => status?.schedule?.name ?? '').join('\n');
    const known = wants.get(key) ?? readWanted(gpuNodes, then);
    wants.set(key, known);
    return { at, policyOf: known.policyOf, layouts: known.layouts };
  });
  const policyOf = phases[0]?.policyOf;
  const side = {
    nodes: gpuNodes.map((one) => readNode(one, policyOf?.get(one.name))),
    phases,
    changeSeconds: new Map(policies.flatMap((policy) => paceOf(policy, facts.policies))),
    cap: findCap(facts.policies, facts.partitions),
  };
  const played = new Set([...wants.values()].flatMap(({ policyOf }) => [...policyOf.values()]));
  return {
    side,
    refused: [...wants.values()].flatMap(({ refused }) => refused),
    ignored: [...listIdle(given, [...played]), ...new Set([...played].flatMap(listIgnored))],
  };
}

/** A wrong node selector looks like a policy that is as good as none. */
function listIdle(given: readonly GpuPartitionPolicy[], played: readonly GpuPartitionPolicy[]): readonly string[] {
  const nameOf = ({ metadata }: GpuPartitionPolicy) => metadata.name;
  const names = given.map(nameOf);
  if (names.length === 0 || played.some((policy) => names.includes(nameOf(policy)))) return [];
  return [`these nodes are not those of policy ${names.join(', ')}: what is there now is played`];
}

/** What a policy says and a simulation does not do, in words. */
function listIgnored({ metadata: { name }, spec }: GpuPartitionPolicy): readonly string[] {
  const { sharing, demand: { rest = 'Keep' } = {} } = spec;
  return [
    ...(rest === 'Keep' ? [] : [`demand.rest: ${rest} of policy ${name} is not played: idle GPUs stay as they are`]),
    ...(sharing === undefined ? [] : [`sharing of policy ${name} is not played: each slice takes one pod`]),
  ];
}

interface Wanted extends Omit<SchedulePhase, 'at'> {
  readonly refused: readonly RefusedNode[];
}

function readWanted(gpuNodes: readonly GpuNode[], policies: readonly GpuPartitionPolicy[]): Wanted {
  const refused: RefusedNode[] = [];
  const policyOf = new Map<string, GpuPartitionPolicy>();
  const layouts = new Map<string, Layout>();
  for (const { name, labels, partition } of gpuNodes) {
    const policy = policies.find(({ spec }) => selectsNode(spec.nodeSelector, labels));
    if (policy === undefined) continue;
    policyOf.set(name, policy);
    const { device } = partition?.status ?? {};
    if (device === undefined || policy.spec.layouts === undefined) continue;
    const resolved = resolveNode(policy.spec, device, partition?.spec.wish);
    if ('refusal' in resolved)
      refused.push({ node: name, policy: policy.metadata.name, message: resolved.refusal.message });
    for (const gpu of 'wish' in resolved ? resolved.wish.gpus : [])
      layouts.set(`${name}/${gpu.uuid}`, gpu.mig === 'Disabled' ? wholeLayout : (gpu.profiles ?? {}));
  }
  return { policyOf, layouts, refused };
}

/** Given policies before those of the snapshot, of which the ones that only plan do not count. By precedence. */
function withGenerations(
  present: readonly GpuPartitionPolicy[],
  given: readonly GpuPartitionPolicy[],
): readonly GpuPartitionPolicy[] {
  const names = new Set(given.map(({ metadata }) => metadata.name));
  const edited = given.map((policy) => {
    const before = present.find(({ metadata }) => metadata.name === policy.metadata.name);
    const generation = (before?.metadata.generation ?? 0) + 1;
    return { ...policy, metadata: { ...policy.metadata, generation } };
  });
  const kept = present.filter((policy) => !names.has(policy.metadata.name) && !isPlanned(policy));
  return [...edited.toSorted(byPrecedence), ...kept.toSorted(byPrecedence)];
}

/** As fast as its last changes; a policy that has changed nothing yet, as fast as the others. */
function paceOf(
  { metadata }: GpuPartitionPolicy,
  present: readonly GpuPartitionPolicy[],
): readonly (readonly [string, number])[] {
  const known = present.flatMap(({ metadata: { name }, status }) =>
    status?.pace !== undefined && status.pace.nodes > 0
      ? [{ name, seconds: Math.max(1, Math.round(status.pace.seconds / status.pace.nodes)) }]
      : [],
  );
  const [first] = [...known.filter(({ name }) => name === metadata.name), ...known];
  return first === undefined ? [] : [[metadata.name, first.seconds]];
}

/** @param policy that decides over it here, which may be another than in the cluster */
function readNode({ name, partition }: GpuNode, policy: GpuPartitionPolicy | undefined): StartNode {
  if (partition === undefined) return { name, gpus: [] };
  // What a change was about to make of it does not happen: the simulation starts from what is there.
  const { granted: _granted, wish: _wish, ...spec } = partition.spec;
  const gpus = readMembers(policy, { partition: { ...partition, spec } }, 'IfNeeded', true).map(
    ({ gpu, product, present, wish }) => ({
      uuid: wish.uuid,
      product,
      geometry: gpu.geometry,
      instances: present,
      isFixed: gpu.isResting === true,
      keepsMode: gpu.keepsMode === true,
    }),
  );
  return { name, gpus };
}
