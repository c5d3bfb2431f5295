// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what a policy says, under each of its schedules: which nodes it selects and in which order policies win a node, which profiles serve a slice of its demand, and what was chosen for it before.
import { cleanupFinalizer, namespaceNameLabel, type PolicyReason } from '../../api/names.ts';
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
import { compareText } from '../text/json.ts';
import { meetsSelection, selectedKeys, selectionKey } from '../kubernetes/node.ts';
import type { FieldPath, Finding } from '../text/words.ts';
import { explainWindow, stateOfWindows } from '../rollout/budget.ts';
import { mebibytes, timeText } from '../text/syntax.ts';

/** Whether a policy is being deleted and first makes its GPUs whole. */
export function isCleaningUp({ metadata, spec }: GpuPartitionPolicy): boolean {
  const isHeld = metadata.finalizers?.includes(cleanupFinalizer) === true;
  return metadata.deletionTimestamp !== undefined && spec.onDelete === 'DisableMig' && isHeld;
}

/** Whether a policy changes nothing, whatever it says. */
export function isPlanned(policy: GpuPartitionPolicy | undefined): boolean {
  return policy?.spec.mode === 'Plan';
}

/** Order in which policies win a node: higher priority first, then older, then by name. */
export function byPrecedence(a: GpuPartitionPolicy, b: GpuPartitionPolicy): number {
  return (
    (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

/**
 * Whether a node's labels match the selector. The CRD refuses an invalid or empty one, but an object may be older than the rule:
 * neither is ever read as "the whole fleet", as `DoesNotExist` of an impossible key would be.
 */
export function selectsNode(selector: PolicySpec['nodeSelector'], labels: Readonly<Record<string, string>>): boolean {
  return selectedKeys(selector).length > 0 && meetsSelection(selector, labels);
}

/** What decides between policies on a node; with equal keys only age and name decide. */
export function claimKey({ nodeSelector, priority = 0 }: PolicySpec): string {
  return `${priority} ${selectionKey(nodeSelector)}`;
}

type Schedule = NonNullable<PolicySpec['schedules']>[number];

/** A policy's spec as it is at a time. Nothing that reads it knows of schedules. */
interface Variant {
  /** The schedule's name; undefined for the policy's own layouts or demand. */
  readonly name: string | undefined;
  /** The path of its layouts or demand in the policy. */
  readonly place: FieldPath;
  readonly spec: PolicySpec;
}

/** Worked out once: who compares specs by identity sees a switch, and no other change. */
const variants = new WeakMap<PolicySpec, readonly Variant[]>();
const places = new WeakMap<PolicySpec, Pick<Variant, 'name' | 'place'>>();
const own: FieldPath = ['spec'];

/** Everything that a spec can be: its own layouts or demand first, then those of its schedules. */
export function variantsOf(spec: PolicySpec): readonly Variant[] {
  const known = variants.get(spec);
  if (known) return known;
  const { schedules } = spec;
  const made = schedules === undefined ? [{ name: undefined, place: own, spec }] : splitSpec(spec, schedules);
  for (const { spec: one, name, place } of made) places.set(one, { name, place });
  variants.set(spec, made);
  return made;
}

/** A spec while a schedule is in force. @param name of the schedule; one that it does not have leaves its own layouts or demand */
export function specUnder(spec: PolicySpec, name: string | undefined): PolicySpec {
  const [first, ...others] = variantsOf(spec);
  return (others.find((one) => one.name === name) ?? first)?.spec ?? spec;
}

/** A policy as the schedule has it that its status says is in force. */
export function asScheduled<Policy extends GpuPartitionPolicy>(policy: Policy): Policy {
  const spec = specUnder(policy.spec, policy.status?.schedule?.name);
  return policy.spec.schedules === undefined ? policy : { ...policy, spec };
}

/** Labels of namespaces, beside their names, by which the demands of policies choose whose pods count: keys. */
export function namespaceKeysOf(policies: readonly GpuPartitionPolicy[]): ReadonlySet<string> {
  const specs = policies.flatMap(({ spec, status }) => [
    spec,
    ...(status?.inForce ? [status.inForce.spec as PolicySpec] : []),
  ]);
  const keys = specs
    .flatMap(variantsOf)
    .flatMap(({ spec: { demand } }) => selectedKeys(demand?.namespaceSelector ?? {}))
    .filter((key) => key !== namespaceNameLabel);
  return new Set(keys);
}

/** The path of a spec's layouts or demand in its policy, for messages: `spec`, or `spec.schedules[1]`. */
export function layoutsPath(spec: PolicySpec): FieldPath {
  return places.get(spec)?.place ?? own;
}

/** The schedule that makes a spec what it is; undefined for the policy's own layouts or demand. */
export function scheduleOf(spec: PolicySpec): string | undefined {
  return places.get(spec)?.name;
}

function splitSpec(spec: PolicySpec, schedules: readonly Schedule[]): readonly Variant[] {
  const { schedules: _switched, ...always } = spec;
  const { layouts: _layouts, demand: _demand, ...common } = always;
  return [
    { name: undefined, place: own, spec: always },
    ...schedules.map(({ name, layouts, demand }, index) => ({
      name,
      place: [...own, 'schedules', index],
      spec: { ...common, ...(layouts && { layouts }), ...(demand && { demand }) },
    })),
  ];
}

/** Windows and schedules of a policy that are wrong, where they stand and why. */
export function listBadWindows({ rollout, schedules = [] }: PolicySpec): readonly Pick<Finding, 'path' | 'message'>[] {
  return [
    ...(rollout?.windows ?? []).map((window, index) => ({ window, path: [...own, 'rollout', 'windows', index] })),
    ...schedules.map((window, index) => ({ window, path: [...own, 'schedules', index] })),
  ].flatMap(({ window, path }) => {
    const message = explainWindow(window);
    return message === undefined ? [] : [{ path, message }];
  });
}

/** The schedule in force, and since when: kept in the policy's status, so that a new leader continues with it. */
type ScheduleMark = Pick<NonNullable<PolicyStatus['schedule']>, 'name' | 'since'>;

interface ScheduleTimes {
  readonly mark: ScheduleMark;
  readonly next: NonNullable<PolicyStatus['schedule']>['next'];
  /** The time of the next judgement, in ms since the epoch; undefined if nothing ever changes. */
  readonly judgeAt: number | undefined;
}

/** A clock that is set back, or that of the next leader, may be this far behind the last switch: it stays. */
const believedMs = 3_600_000;
/** Windows that follow each other without a gap make no switch: so many are looked through for the next one. */
const mostBounds = 100;

/**
 * Which schedule is in force, and which one follows. Undefined for a policy without schedules.
 *
 * @param known what the status says
 */
export function judgeSchedules(
  { schedules }: PolicySpec,
  known: ScheduleMark | undefined,
  now: number,
): ScheduleTimes | undefined {
  if (schedules === undefined) return undefined;
  const since = Date.parse(known?.since ?? '');
  const time = since - now <= believedMs ? Math.max(since, now) : now;
  const sweep = new Sweep(schedules, time);
  const { name } = sweep;
  const mark = known && known.name === name ? known : { ...(name !== undefined && { name }), since: timeText(now) };
  for (let left = mostBounds; left > 0 && sweep.advance(); left -= 1) {
    if (sweep.name === name) continue;
    const next = { ...(sweep.name !== undefined && { name: sweep.name }), time: timeText(sweep.time) };
    return { mark: cut(mark), next, judgeAt: sweep.time };
  }
  return { mark: cut(mark), next: undefined, judgeAt: sweep.time > time ? sweep.time : undefined };
}

/** Goes through the times at which schedules begin and end. */
class Sweep {
  time: number;
  readonly #states: { readonly schedule: Schedule; isOpen: boolean; until: number | undefined }[];

  constructor(schedules: readonly Schedule[], time: number) {
    this.time = time;
    this.#states = schedules.map((schedule) => ({ schedule, ...stateOfWindows([schedule], time) }));
  }

  /** The name of the first schedule that is open. */
  get name(): string | undefined {
    return this.#states.find(({ isOpen }) => isOpen)?.schedule.name;
  }

  /** @returns false if nothing ever changes */
  advance(): boolean {
    const bounds = this.#states.flatMap(({ until }) => until ?? []);
    if (bounds.length === 0) return false;
    const time = Math.min(...bounds);
    for (const state of this.#states)
      if (state.until === time) Object.assign(state, stateOfWindows([state.schedule], time));
    this.time = time;
    return true;
  }
}

function cut({ name, since }: ScheduleMark): ScheduleMark {
  return { ...(name !== undefined && { name }), since };
}

/** Whether a policy hands GPUs out by claims, or does where it finds the DRA driver. */
export function mayUseClaims({ backend }: { readonly backend?: unknown }): boolean {
  return backend === 'DRA' || backend === 'Auto';
}

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

interface Serving {
  readonly product: string;
  readonly names: readonly string[];
}

/**
 * A demand is read again and again, and asks for the same each time. It may outlive many a table: those that agents report come as other
 * objects every now and then.
 */
const servings = new WeakMap<SliceEntry, WeakMap<Geometry, Serving>>();

/** The profiles of a GPU that serve a slice, as this GPU's geometry names them. @param product of the GPU, for names of other drivers */
export function profilesServing(slice: SliceEntry, geometry: Geometry, product: string): readonly string[] {
  const before = servings.get(slice) ?? new WeakMap<Geometry, Serving>();
  servings.set(slice, before);
  const last = before.get(geometry);
  if (last?.product === product) return last.names;
  const names = listServing(slice, geometry, product);
  before.set(geometry, { product, names });
  return names;
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

/** The wish of a node from which a plan for its demand continues; undefined if no plan has chosen a layout of it yet. @param chosen by the last plan */
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

/** How the quotas in Kueue stand that a policy has kept: its part of the status. */
export interface QuotaReport {
  readonly type: 'KueueQuota';
  readonly status: 'True' | 'False';
  readonly reason: PolicyReason;
  readonly message: string;
}
