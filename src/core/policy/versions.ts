import type { GpuPartitionPolicy, PolicySpec, PolicyStatus } from '../../api/types.ts';
import { definedOnly } from '../text/defined-fields.ts';
import { isRetiring, retire } from './retirement.ts';
import { specUnder } from './schedules.ts';
import { laterMark, type ScheduleMark } from './timetable.ts';

/**
 * The generations of a policy that matter. A generation that is not accepted changes nothing: neither what becomes of a node, nor
 * which nodes the policy decides over.
 */
export interface PolicyVersions {
  /** As its author last wrote it; that of a policy that is being deleted as it is carried out. */
  readonly newest: GpuPartitionPolicy;
  readonly acceptedGeneration: number | undefined;
  /** The newest accepted generation with mode Enforce, with which it competes for nodes. Undefined if there is none. */
  readonly inForce: GpuPartitionPolicy | undefined;
  /** Which schedule is in force; undefined if none was ever judged. */
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
  const isInForce = acceptedGeneration === generation && enforces(newest);
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
  if (!isRetiring(given) || !inForce) return given;
  // What it decided over becomes whole, not what a generation selects that was never accepted. How that goes may still be edited.
  const { onDelete, rollout, drain, allow } = given.spec;
  const { rollout: _pace, drain: _drain, allow: _allowed, ...what } = inForce.spec;
  return retire({ ...given, spec: { ...what, ...definedOnly({ onDelete, rollout, drain, allow }) } });
}

function generationOf({ metadata }: GpuPartitionPolicy): number {
  return metadata.generation ?? 0;
}

/** Whether two versions are the same edit, or deletion, of the same policy. */
export function isSameEdit({ metadata: a }: GpuPartitionPolicy, { metadata: b }: GpuPartitionPolicy): boolean {
  return a.uid === b.uid && a.generation === b.generation && a.deletionTimestamp === b.deletionTimestamp;
}

/** The same versions once the newest is accepted. @param schedule that is then in force */
export function accept({ newest, inForce }: PolicyVersions, schedule?: ScheduleMark): PolicyVersions {
  const acceptedGeneration = newest.metadata.generation;
  return { newest, acceptedGeneration, inForce: enforces(newest) ? newest : inForce, schedule };
}

export function isAccepted({ newest, acceptedGeneration }: PolicyVersions): boolean {
  return acceptedGeneration !== undefined && acceptedGeneration === newest.metadata.generation;
}

/** The version that its nodes are told: the newest if that is accepted, else the one in force, else the newest, which then only explains. */
export function currentOf(versions: PolicyVersions): GpuPartitionPolicy {
  return isAccepted(versions) ? versions.newest : (versions.inForce ?? versions.newest);
}

/** Generations of a policy, by the API server alone: which its author wrote last, and which its nodes are told. */
export interface ReadGenerations {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly told: number | undefined;
}

export function readGenerations(policy: GpuPartitionPolicy): ReadGenerations {
  const { uid, generation } = policy.metadata;
  return { uid, generation, told: currentOf(readVersions(policy)).metadata.generation };
}

/** Whether a policy that is being deleted first makes the GPUs whole that it decides over. */
export function hasWorkLeft(versions: PolicyVersions): boolean {
  return isRetiring(versions.newest) && versions.inForce !== undefined;
}

/** What of the versions is kept in the policy's status. */
export function storeVersions({
  acceptedGeneration,
  inForce,
}: Omit<PolicyVersions, 'newest'>): Pick<PolicyStatus, 'acceptedGeneration' | 'inForce'> {
  return definedOnly({ acceptedGeneration, inForce: inForce && storeVersion(inForce) });
}

function storeVersion(version: GpuPartitionPolicy): StoredVersion {
  return { generation: generationOf(version), spec: version.spec };
}

export function enforces({ spec }: GpuPartitionPolicy): boolean {
  return spec.mode !== 'Plan';
}

function recall(given: GpuPartitionPolicy, stored: StoredVersion | undefined): GpuPartitionPolicy | undefined {
  return stored && isSpec(stored.spec) ? versionOf(given, stored.generation, stored.spec) : undefined;
}

/** Of the form in which it is stored; the API server has checked it when it was the policy's own. */
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
