// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here which generation and which schedule of a policy counts, who wrote it, and in which order policies win a node.
import { cleanupFinalizer } from '../../api/names.ts';
import type { GpuPartitionPolicy, GpuSelector, PolicySpec, PolicyStatus } from '../../api/types.ts';
import { deepEqual, omitUndefined, compareText } from '../text/json.ts';
import { meetsSelection, selectedKeys, selectionKey } from '../kubernetes/selectors.ts';
import type { FieldPath, Finding } from '../text/findings.ts';
import { explainWindow, stateOfWindows } from '../rollout/budget.ts';
import { timeText } from '../text/syntax.ts';

/** Whether a policy is being deleted and first makes its GPUs whole. */
export function isCleaningUp({ metadata, spec }: GpuPartitionPolicy): boolean {
  const isHeld = metadata.finalizers?.includes(cleanupFinalizer) === true;
  return metadata.deletionTimestamp !== undefined && spec.onDelete === 'DisableMig' && isHeld;
}

/**
 * A policy that is being deleted, as it is carried out: the GPUs that it decided over become whole again, within its budget.
 * Whatever could keep it from ever finishing no longer applies: windows, a pause, a budget of 0, a threshold.
 */
export function asDeleted(policy: GpuPartitionPolicy): GpuPartitionPolicy {
  const { sharing: _over, demand: _served, schedules: _switched, ...spec } = policy.spec;
  const { canary: _first, windows: _windows, maxUnavailable = 1, ...rollout } = spec.rollout ?? {};
  const isHold = maxUnavailable === 0 || maxUnavailable === '0%';
  const whole: PolicySpec = {
    ...spec,
    mode: 'Enforce',
    layouts: selectorsOf(policy.spec).map((gpus) => ({ ...(gpus && { gpus }), mig: 'Disabled' })),
    rollout: { ...rollout, maxUnavailable: isHold ? 1 : maxUnavailable, failureThreshold: '100%', paused: false },
  };
  return { ...policy, spec: whole };
}

/** Selectors of all GPUs over which any schedule of a policy decided; of equal selectors the one that takes the most. */
function selectorsOf(spec: PolicySpec): readonly (GpuSelector | undefined)[] {
  const [own, ...others] = variantsOf(spec).map(({ spec: { layouts = [{}] } }) => layouts.map(({ gpus }) => gpus));
  const found = [...(own ?? [])];
  for (const gpus of others.flat()) {
    const same = found.findIndex((one) => deepEqual(withoutCount(one), withoutCount(gpus)));
    if (same === -1) found.push(gpus);
    else if ((gpus?.count ?? Infinity) > (found[same]?.count ?? Infinity)) found[same] = gpus;
  }
  return found;
}

function withoutCount({ count: _count, ...gpus }: GpuSelector = {}): GpuSelector {
  return gpus;
}

/** The finalizers that a policy should have; undefined if it already has them. */
export function wantedFinalizers(
  { metadata, spec }: GpuPartitionPolicy,
  isDone: boolean,
): readonly string[] | undefined {
  const { finalizers = [], deletionTimestamp } = metadata;
  const isWanted = spec.onDelete === 'DisableMig' && !isDone;
  const isThere = finalizers.includes(cleanupFinalizer);
  // No finalizer can be added to an object that is being deleted.
  if (isWanted === isThere || (isWanted && deletionTimestamp !== undefined)) return undefined;
  return isWanted ? [...finalizers, cleanupFinalizer] : finalizers.filter((one) => one !== cleanupFinalizer);
}

/**
 * The generations of a policy that matter. A generation that is not accepted changes nothing: neither what becomes of a node, nor
 * which nodes the policy decides over.
 */
export interface PolicyVersions {
  /** The newest version, as its author last wrote it; if the policy is being deleted, as it is carried out. */
  readonly newest: GpuPartitionPolicy;
  readonly acceptedGeneration: number | undefined;
  /** The newest accepted generation with mode Enforce, with which it competes for nodes. Undefined if there is none. */
  readonly inForce: GpuPartitionPolicy | undefined;
  /** The schedule in force; undefined if none was ever judged. */
  readonly schedule?: ScheduleMark | undefined;
}

type StoredVersion = NonNullable<PolicyStatus['inForce']>;

/**
 * The versions of a policy as the API server has it. What outlives the controller is in its status.
 *
 * @param known what was known of the same policy before: the watch may bring an edit before our own last write
 */
export function readVersions(given: GpuPartitionPolicy, known?: PolicyVersions): PolicyVersions {
  const { generation = 0, uid } = given.metadata;
  const before = known?.newest.metadata.uid === uid ? known : undefined;
  // A higher one is of a server that was restored from a backup since.
  const accepted = [given.status?.acceptedGeneration ?? 0, before?.acceptedGeneration ?? 0];
  const acceptedGeneration = Math.max(0, ...accepted.filter((one) => one <= generation)) || undefined;
  const found = newerOf(recall(given, given.status?.inForce), before?.inForce, generation);
  // Metadata changes without a new generation.
  const inForce = found && versionOf(given, found.metadata.generation, found.spec);
  const newest = readNewest(given, inForce, before?.newest);
  const isInForce = acceptedGeneration === generation && !isPlanned(newest);
  const schedule = laterMark(before?.schedule, given.status?.schedule);
  return { newest, acceptedGeneration, inForce: isInForce ? newest : inForce, schedule };
}

/** The versions as the schedule that is in force has them: this is the only place where a schedule becomes layouts or a demand. */
export function applySchedule(versions: PolicyVersions): PolicyVersions {
  const { newest, inForce, schedule } = versions;
  const show = (policy: GpuPartitionPolicy): GpuPartitionPolicy => ({
    ...policy,
    spec: specUnder(policy.spec, schedule?.name),
  });
  return { ...versions, newest: show(newest), inForce: inForce && show(inForce) };
}

function newerOf(
  recalled: GpuPartitionPolicy | undefined,
  known: GpuPartitionPolicy | undefined,
  newest: number,
): GpuPartitionPolicy | undefined {
  const [one, other] = [known, recalled].flatMap((version) =>
    version !== undefined && generationOf(version) <= newest ? [version] : [],
  );
  // Equal specs stay one object: what was worked out for it is kept.
  return one && other && generationOf(other) > generationOf(one) ? other : one;
}

function readNewest(
  given: GpuPartitionPolicy,
  inForce: GpuPartitionPolicy | undefined,
  before: GpuPartitionPolicy | undefined,
): GpuPartitionPolicy {
  if (before && isSameEdit(before, given)) return { ...given, spec: before.spec };
  if (!isCleaningUp(given) || !inForce) return given;
  // What it decided over becomes whole, not what a generation selects that was never accepted. How that goes may still be edited.
  const { onDelete, rollout, drain, allow } = given.spec;
  const { rollout: _pace, drain: _drain, allow: _allowed, ...what } = inForce.spec;
  return asDeleted({ ...given, spec: { ...what, ...omitUndefined({ onDelete, rollout, drain, allow }) } });
}

function generationOf({ metadata }: GpuPartitionPolicy): number {
  return metadata.generation ?? 0;
}

/** Whether two versions are the same edit, or deletion, of the same policy. */
export function isSameEdit({ metadata: a }: GpuPartitionPolicy, { metadata: b }: GpuPartitionPolicy): boolean {
  return a.uid === b.uid && a.generation === b.generation && a.deletionTimestamp === b.deletionTimestamp;
}

/** The same versions with the newest accepted. @param schedule that is then in force */
export function accept({ newest, inForce }: PolicyVersions, schedule?: ScheduleMark): PolicyVersions {
  const acceptedGeneration = newest.metadata.generation;
  return { newest, acceptedGeneration, inForce: !isPlanned(newest) ? newest : inForce, schedule };
}

export function isAccepted({ newest, acceptedGeneration }: PolicyVersions): boolean {
  return acceptedGeneration !== undefined && acceptedGeneration === newest.metadata.generation;
}

/** The version that its nodes are told: the newest if that is accepted, else the one in force, else the newest, which then only explains. */
export function currentOf(versions: PolicyVersions): GpuPartitionPolicy {
  return isAccepted(versions) ? versions.newest : (versions.inForce ?? versions.newest);
}

/** Generations of a policy, by the API server alone: which its author wrote last, and which its nodes are told. */
export function readGenerations(policy: GpuPartitionPolicy): {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly told: number | undefined;
} {
  const { uid, generation } = policy.metadata;
  return { uid, generation, told: currentOf(readVersions(policy)).metadata.generation };
}

/** Whether a policy that is being deleted first makes the GPUs whole that it decides over. */
export function hasWorkLeft(versions: PolicyVersions): boolean {
  return isCleaningUp(versions.newest) && versions.inForce !== undefined;
}

/** What of the versions is kept in the policy's status. */
export function storeVersions({
  acceptedGeneration,
  inForce,
}: Omit<PolicyVersions, 'newest'>): Pick<PolicyStatus, 'acceptedGeneration' | 'inForce'> {
  return omitUndefined({ acceptedGeneration, inForce: inForce && storeVersion(inForce) });
}

function storeVersion(version: GpuPartitionPolicy): StoredVersion {
  return { generation: generationOf(version), spec: version.spec };
}

/** Whether a policy changes nothing, whatever it says. */
export function isPlanned(policy: GpuPartitionPolicy | undefined): boolean {
  return policy?.spec.mode === 'Plan';
}

function recall(given: GpuPartitionPolicy, stored: StoredVersion | undefined): GpuPartitionPolicy | undefined {
  return stored && isSpec(stored.spec) ? versionOf(given, stored.generation, stored.spec) : undefined;
}

/** Whether a stored spec has the form of one; the API server has checked it when it was the policy's own. */
function isSpec(spec: StoredVersion['spec']): spec is PolicySpec {
  const { nodeSelector, strategy, layouts, demand } = spec;
  return (
    typeof nodeSelector === 'object' &&
    nodeSelector !== null &&
    typeof strategy === 'string' &&
    (Array.isArray(layouts) || (typeof demand === 'object' && demand !== null))
  );
}

function versionOf(given: GpuPartitionPolicy, generation: number | undefined, spec: PolicySpec): GpuPartitionPolicy {
  const { generation: _newest, ...metadata } = given.metadata;
  return { ...given, metadata: { ...metadata, ...(generation !== undefined && { generation }) }, spec };
}

/** What an author would write to get this spec: without what the API server and the controller add. */
export function withoutServerFields(
  { apiVersion, kind, metadata }: GpuPartitionPolicy,
  spec: PolicySpec,
): GpuPartitionPolicy {
  return { apiVersion, kind, metadata: { name: metadata.name }, spec };
}

/** An entry of `metadata.managedFields`. */
interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Finds out who wrote a spec last, and when, by the field managers that the API server knows; empty if it knows none. */
export function writerOf({ metadata }: Pick<GpuPartitionPolicy, 'metadata'>): Pick<ManagedFields, 'manager' | 'time'> {
  const writers = ((metadata['managedFields'] ?? []) as readonly ManagedFields[])
    .filter(({ fieldsV1 = {}, subresource = '' }) => subresource === '' && 'f:spec' in fieldsV1)
    .toSorted((a, b) => compareText(b.time ?? '', a.time ?? ''));
  const { manager, time } = writers[0] ?? {};
  return omitUndefined({ manager, time });
}

/** Keeps, of a policy's managed fields, which are half of the object, only who wrote its spec. */
export function keepWriter<Policy extends GpuPartitionPolicy>(policy: Policy): Policy {
  const writer = writerOf(policy);
  const managedFields = writer.manager === undefined ? [] : [{ ...writer, fieldsV1: { 'f:spec': {} } }];
  return { ...policy, metadata: { ...policy.metadata, managedFields } };
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

/** The later of two marks, by the time of the switch: the watch may bring a mark that is older than our own write. */
export function laterMark(known: ScheduleMark | undefined, given: ScheduleMark | undefined): ScheduleMark | undefined {
  if (known === undefined || given === undefined) return given ?? known;
  return Date.parse(known.since) >= Date.parse(given.since) ? known : cut(given);
}

function cut({ name, since }: ScheduleMark): ScheduleMark {
  return { ...(name !== undefined && { name }), since };
}

/** Whether a policy hands GPUs out by claims, or does where it finds the DRA driver. */
export function mayUseClaims({ backend }: { readonly backend?: unknown }): boolean {
  return backend === 'DRA' || backend === 'Auto';
}
