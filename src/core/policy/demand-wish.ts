import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, GpuWish, PolicySpec, Wish } from '../../api/types.ts';
import { isRetiring } from './retirement.ts';
import { scheduleOf, variantsOf } from './schedules.ts';

/** What the last plan for a demand makes of GPUs, by UUID. */
export type DemandWishes = ReadonlyMap<string, GpuWish>;

/** In a wish: the layout was chosen for the demand of the node's policy. So a new leader continues with what the one before chose. */
export const demandEntry = 'demand';

/** In a wish: the demand does not need the GPU, and the layout is what becomes of the rest. It takes no eviction, whatever the demand says. */
export const restEntry = 'rest';

/** Whether a layout was chosen by a policy with a demand. */
export function isChosen({ entry }: GpuWish): boolean {
  return entry === demandEntry || entry === restEntry;
}

/**
 * What a policy with a demand makes of a node's GPUs: what the last plan chose, else what an earlier one did. A GPU that no plan has
 * seen is left alone.
 */
export function wishForDemand(
  gpus: readonly GpuReport[],
  current: Wish | undefined,
  chosen: DemandWishes = new Map(),
): readonly GpuWish[] {
  const earlier = new Map(current?.gpus.flatMap((one) => (isChosen(one) ? [[one.uuid, one]] : [])));
  return gpus.flatMap(({ uuid }) => chosen.get(uuid) ?? earlier.get(uuid) ?? []);
}

/** Whether a plan for a demand has chosen a layout of the node before. */
export function hasDemandWish(wish: Wish | undefined): boolean {
  return wish?.gpus.some(isChosen) === true;
}

/** The wish that a node has from the demand of this very policy, or of its schedule: what another one chose is not its own. */
export function ownWish({ metadata, spec }: GpuPartitionPolicy, partition: GpuNodePartition): Wish | undefined {
  const { policy, wish } = partition.spec;
  return policy?.uid === metadata.uid && policy?.schedule === scheduleOf(spec) ? wish : undefined;
}

/** Whether a policy with a demand may not evict. One that is being deleted wants whole GPUs, and keeps what it has promised to pods. */
export function evictsNever(policy: GpuPartitionPolicy | undefined): boolean {
  if (policy === undefined) return false;
  if (!isRetiring(policy)) return forbidsEviction(policy.spec);
  const { inForce } = policy.status ?? {};
  return inForce !== undefined && variantsOf(inForce.spec as PolicySpec).some(({ spec }) => forbidsEviction(spec));
}

function forbidsEviction({ demand }: PolicySpec): boolean {
  return demand !== undefined && demand.evict !== 'IfNeeded';
}
