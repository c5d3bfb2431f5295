import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClassLayout } from '../../core/demand/demand-plan.ts';
import type { CostGap, PoolInstance } from '../../core/demand/pool.ts';
import type { Geometry, Layout } from '../../core/gpu/geometry/geometry.ts';
import { prepareChange } from '../../core/plan/change-plan.ts';
import type { ClusterState, ControllerSetup } from '../../core/plan/cluster-state.ts';
import { judgeFate } from '../../core/pods/pod-fate.ts';
import { evictsNever } from '../../core/policy/demand-wish.ts';
import { countPresent } from '../../core/supply/count.ts';
import { askToFree, explainUnknown, isFree } from '../../core/supply/defrag.ts';
import { explainShortage } from '../../core/supply/defrag-words.ts';
import { explainMoves, listMoves, type PodMove } from '../../core/supply/defrag-moves.ts';
import { noPast } from '../../core/supply/demand-pool.ts';
import { askFor } from '../../core/supply/demand-question.ts';
import { indexHolders, weighGpus } from '../../core/supply/eviction-weight.ts';
import type { Member } from '../../core/supply/member.ts';
import { wantedSlices } from '../../core/supply/wanted-slices.ts';
import { planDemand } from '../../process/demand-solver.ts';
import { readMembers } from '../../process/pool-reading.ts';
import { CliError } from '../exit.ts';
import type { PodView } from '../../core/pods/pod-view.ts';

/** What becomes of a GPU. */
export interface DefragGpu {
  readonly node: string;
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  readonly profiles: Layout;
  readonly destroy: readonly PoolInstance[];
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
}

/** The moves that free slices, and their bill; the shape of `-o json`. */
export interface DefragAnswer {
  readonly policy: string;
  /** Whether the policy has a demand, so that the controller chooses its layouts. */
  readonly hasDemand: boolean;
  readonly free: Layout;
  /** They are idle already. */
  readonly isDone: boolean;
  readonly isPossible: boolean;
  /** Whether it is proven that no other plan is cheaper. */
  readonly optimal: boolean;
  readonly gap?: CostGap;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  readonly moves: readonly PodMove[];
  /** That change. */
  readonly gpus: readonly DefragGpu[];
  /** What is in the way. */
  readonly findings: readonly string[];
}

/** A changed GPU with what a picture of it takes. */
export interface PicturedGpu extends DefragGpu {
  readonly geometry: Geometry;
  readonly now: readonly PoolInstance[];
  readonly keep: readonly PoolInstance[];
}

/** @throws CliError if there is no plan */
export async function planDefrag(
  cluster: ClusterState,
  policy: GpuPartitionPolicy,
  free: Layout,
  setup: ControllerSetup,
  seconds: number,
): Promise<DefragAnswer & { readonly gpus: readonly PicturedGpu[] }> {
  const { fleet } = prepareChange(cluster, [policy], setup);
  const { name } = policy.metadata;
  const record = fleet.policy(name);
  if (!record) throw new CliError(`policy ${name} is being deleted`);
  const nodes = new Map(cluster.nodes.map((node) => [node.metadata.name, node]));
  const partitions = new Map(cluster.partitions.map((one) => [one.metadata.name, one]));
  const holders = indexHolders(cluster);
  const { partitionOf, podOf } = holders;
  const members = await readMembers({ fleet, nodes, partitions }, record, noPast);
  const unknown = explainUnknown(free, members);
  if (unknown !== undefined) throw new CliError(`--free: ${unknown}`);
  const gpus = members.map(({ gpu }) => gpu);
  const weighed = weighGpus(members, holders, record.policy.spec.drain);
  const { demand } = record.policy.spec;
  // What runs and waits beyond is the controller's to follow; what runs keeps its slices in any case.
  const wanted = demand ? wantedSlices(demand, members, { waiting: undefined, steady: (_, count) => count }) : [];
  const evict = evictsNever(record.policy) ? 'Never' : 'IfNeeded';
  const asked = askToFree({ ...askFor(record.policy, wanted), evict }, free, members);
  const best = await planDemand(weighed, { ...asked, seconds });
  const isHeld = weighed.some(({ instances }) => instances.some(({ stays }) => stays === true));
  // What is in the way, where that does not go.
  const plan = isHeld && Object.keys(best.unserved).length > 0 ? await planDemand(gpus, { ...asked, seconds }) : best;
  const pool = { members, layouts: plan.layouts, partitionOf };
  const moves = listMoves(pool, nodes, podOf);
  const isShort = Object.keys(plan.unserved).length > 0;
  const forced =
    isShort && evict === 'Never' ? await planDemand(gpus, { ...asked, evict: 'IfNeeded', seconds }) : undefined;
  const shortage = explainShortage(plan, forced, seconds);
  const stays = moves.flatMap(({ pod }) => explainStay(podOf(pod), pod, cluster, record.policy));
  const findings = [...(shortage === undefined ? [] : [shortage]), ...stays, ...explainMoves(pool, moves)];
  const pictures = members.flatMap((member, index) => pictureMember(member, plan.layouts[index], partitionOf));
  return {
    policy: name,
    hasDemand: demand !== undefined,
    free,
    isDone: isFree(free, members) && pictures.length === 0,
    isPossible: findings.length === 0,
    optimal: plan.gap === undefined,
    ...(plan.gap && { gap: plan.gap }),
    gpusChanged: plan.cost.gpusChanged,
    instancesDestroyed: plan.cost.instancesDestroyed,
    moves,
    gpus: pictures,
    findings,
  };
}

function explainStay(
  pod: PodView | undefined,
  name: string,
  { budgets }: ClusterState,
  { spec: { drain } }: GpuPartitionPolicy,
): readonly string[] {
  const { fate, message = 'spec.drain.scope None evicts nobody' } = pod
    ? judgeFate(pod, drain, { budgets })
    : { fate: 'Evicted' };
  return fate === 'Stays' || fate === 'Awaited' ? [`pod ${name} would have to go: ${message}`] : [];
}

function pictureMember(
  { node, product, gpu, wish }: Member,
  layout: ClassLayout | undefined,
  partitionOf: (node: string) => GpuNodePartition | undefined,
): readonly PicturedGpu[] {
  const { keep = [], destroy = [], create = [] } = layout ?? {};
  if (destroy.length + create.length === 0) return [];
  const gpus = partitionOf(node)?.status?.device?.gpus ?? [];
  const index = gpus.find(({ uuid }) => uuid === wish.uuid)?.index ?? 0;
  const profiles = Object.fromEntries(countPresent([...keep, ...create]));
  const { geometry, instances: now } = gpu;
  return [{ node, index, uuid: wish.uuid, product, profiles, destroy, create, geometry, now, keep }];
}
