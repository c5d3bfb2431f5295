// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here which profiles serve a slice of a demand, and what was chosen for a demand before.
import type {
  PolicyDemand,
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  GpuWish,
  PolicySpec,
  Wish,
  DemandState,
  PolicyStatus,
} from '../../api/types.ts';
import { type Geometry, matchesGlob, findModel } from '../gpu/geometry.ts';
import { resolveProfile, WHOLE } from '../gpu/profiles.ts';
import { listByMemory } from '../gpu/layouts.ts';
import { durationMs, mebibytes } from '../text/syntax.ts';
import { isCleaningUp, scheduleOf, variantsOf } from './versions.ts';
import type { PolicyReason } from '../../api/names.ts';

/** A kind of slices that a policy wants. */
export type SliceEntry = PolicyDemand['slices'][number];

/** The name by which status and messages call a slice. */
export function nameSlice({ name, profiles, memory }: SliceEntry): string {
  return name ?? profiles?.[0] ?? memory ?? WHOLE;
}

/** Whether it stands for whole GPUs. */
export function isWholeGpu({ mig }: SliceEntry): boolean {
  return mig === 'Disabled';
}

/** Whether a demand speaks of whole GPUs: else it leaves those alone that are in use. */
export function countsWhole({ slices }: PolicyDemand): boolean {
  return slices.some(isWholeGpu);
}

interface Serving {
  readonly product: string;
  readonly names: readonly string[];
}

/**
 * A demand is read again and again, and asks for the same each time. It may outlive many a table: those that agents report come as other
 * objects every now and then.
 */
const known = new WeakMap<SliceEntry, WeakMap<Geometry, Serving>>();

/** The profiles of a GPU that serve a slice, as this GPU's geometry names them. @param product of the GPU, for names of other drivers */
export function profilesServing(slice: SliceEntry, geometry: Geometry, product: string): readonly string[] {
  const before = known.get(slice) ?? new WeakMap<Geometry, Serving>();
  known.set(slice, before);
  const last = before.get(geometry);
  if (last?.product === product) return last.names;
  const names = listServing(slice, geometry, product);
  before.set(geometry, { product, names });
  return names;
}

/** Lists the profiles of several kinds of GPUs that serve a slice, with {@link WHOLE} for whole GPUs. @param kinds each with a product */
export function servingAny(
  slice: SliceEntry,
  kinds: Iterable<readonly [geometry: Geometry, product: string]>,
): readonly string[] {
  if (isWholeGpu(slice)) return [WHOLE];
  return [...kinds].flatMap(([geometry, product]) => profilesServing(slice, geometry, product));
}

function listServing({ profiles = [], memory }: SliceEntry, geometry: Geometry, product: string): readonly string[] {
  if (memory !== undefined) return listHolding(geometry, memory);
  const model = findModel(product);
  const names = profiles.flatMap((wanted) =>
    /[*?]/.test(wanted)
      ? geometry.profiles.filter(({ name }) => meets(wanted, name)).map(({ name }) => name)
      : (resolveProfile(geometry, wanted, model)?.name ?? []),
  );
  return [...new Set(names)];
}

/** The profiles that serve a slice on a pool: by memory only those that have it on every GPU, since a pod requests just the profile. */
export function profilesServingAll(slice: SliceEntry, geometries: ReadonlyMap<Geometry, string>): readonly string[] {
  const serving = [...geometries].map(([geometry, product]) => ({
    geometry,
    names: profilesServing(slice, geometry, product),
  }));
  const names = [...new Set(serving.flatMap((one) => one.names))];
  if (slice.memory === undefined) return names;
  return names.filter((name) =>
    serving.every((one) => one.names.includes(name) || !one.geometry.profiles.some((profile) => profile.name === name)),
  );
}

/** The smallest first. Of what NVIDIA has not published it is not known that it holds as much. */
function listHolding(geometry: Geometry, memory: string): readonly string[] {
  const least = mebibytes(memory);
  return listByMemory(geometry).flatMap(({ profile, memoryMiB }) =>
    isPlain(profile) && memoryMiB >= least ? [profile] : [],
  );
}

/** Whether a glob takes a profile. An author of `1g.*` does not expect the one slice with media engines. */
function meets(glob: string, name: string): boolean {
  return matchesGlob(glob, name) && (glob.includes('+') || glob.includes('-') || isPlain(name));
}

function isPlain(profile: string): boolean {
  return !/[+-]/.test(profile);
}

/** What the last plan for a demand makes of GPUs, by UUID. */
export type DemandWishes = ReadonlyMap<string, GpuWish>;

/**
 * The entry in a wish whose layout was chosen for the demand of the node's policy. So a new leader continues with what the one before
 * chose.
 */
export const demandEntry = 'demand';

/** The entry in a wish whose GPU the demand does not need; its layout is that of the rest. It takes no eviction, whatever the demand says. */
export const restEntry = 'rest';

/** Whether a layout was chosen by a policy with a demand. */
function isChosen({ entry }: GpuWish): boolean {
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
  const earlier = listChosen(current);
  return gpus.flatMap(({ uuid }) => chosen.get(uuid) ?? earlier.get(uuid) ?? []);
}

/** What plans for a demand have chosen for a node, as its wish says. */
function listChosen(wish: Wish | undefined): DemandWishes {
  return new Map(wish?.gpus.flatMap((one) => (isChosen(one) ? [[one.uuid, one]] : [])));
}

/** What plans for the demand of this very policy, or of its schedule, have chosen for a node before. */
export function chosenBefore(policy: GpuPartitionPolicy, partition: GpuNodePartition): DemandWishes {
  return listChosen(ownWish(policy, partition));
}

/** The wish of a node from which a plan for its demand goes on; undefined if no plan has chosen a layout of it yet. @param chosen by the last plan */
export function continuedWish(
  policy: GpuPartitionPolicy,
  partition: GpuNodePartition,
  chosen: DemandWishes | undefined,
): { readonly current: Wish | undefined } | undefined {
  const current = ownWish(policy, partition);
  return chosen !== undefined || current?.gpus.some(isChosen) === true ? { current } : undefined;
}

/** The wish that a node has from the demand of this very policy, or of its schedule: what another one chose is not its own. */
function ownWish({ metadata, spec }: GpuPartitionPolicy, partition: GpuNodePartition): Wish | undefined {
  const { policy, wish } = partition.spec;
  return policy?.uid === metadata.uid && policy?.schedule === scheduleOf(spec) ? wish : undefined;
}

/** How long pods must ask for less before the demand falls, and wait before others go for them, in ms. */
export function stabilizationMs({ stabilization = '10m' }: Pick<PolicyDemand, 'stabilization'>): number {
  return durationMs(stabilization);
}

/** Whether a policy with a demand may not evict. One that is being deleted wants whole GPUs, and keeps what it has promised to pods. */
export function evictsNever(policy: GpuPartitionPolicy | undefined): boolean {
  if (policy === undefined) return false;
  if (!isCleaningUp(policy)) return forbidsEviction(policy.spec);
  const { inForce } = policy.status ?? {};
  return inForce !== undefined && variantsOf(inForce.spec as PolicySpec).some(({ spec }) => forbidsEviction(spec));
}

function forbidsEviction({ demand }: PolicySpec): boolean {
  return demand !== undefined && demand.evict !== 'IfNeeded';
}

/** How a policy's demand stands: its part of the status. */
export interface DemandReport {
  /** The generation of the policy that is in force, which may be an earlier one than the newest. */
  readonly generation?: number | undefined;
  readonly states: readonly DemandState[];
  /** What pods have asked for long enough, by slice. */
  readonly steady?: PolicyStatus['steady'];
  /** What becomes of a request to free slices; absent if there is none. */
  readonly defrag?: PolicyStatus['defrag'];
  readonly condition: {
    readonly type: 'DemandMet';
    readonly status: 'True' | 'False';
    readonly reason: PolicyReason;
    readonly message: string;
  };
}
