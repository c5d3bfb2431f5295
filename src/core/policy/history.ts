// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here for the generations that were in force, and what undoes the last edit.
import type { GpuPartitionPolicy, PolicySpec, PolicyStatus } from '../../api/types.ts';
import { cutText } from '../text/words.ts';
import { writePath } from '../text/findings.ts';
import { deepEqual } from '../text/json.ts';
import { readVersions, withoutServerFields, writerOf, type PolicyVersions } from './versions.ts';
import { fillDefaults } from './schema.ts';

/** The generations of a policy that came in force, newest first. */
export type PolicyHistory = NonNullable<PolicyStatus['history']>;

/** Most bytes of the history as JSON. A policy's object is stored as a whole, and etcd takes 1.5 MB. */
const mostBytes = 256 * 1024;
/** Most generations that the API keeps. */
const mostGenerations = 20;

/**
 * The history with the generation that is in force. What only pauses, resumes or previews is dropped first, then the oldest: behind
 * several emergency edits the last good one is still there. What is newer than the one in force is of a server that was restored since.
 *
 * @param time for a generation whose time of writing is unknown
 */
export function recordInForce(
  history: PolicyHistory,
  { newest, inForce }: Pick<PolicyVersions, 'newest' | 'inForce'>,
  time: string,
): PolicyHistory {
  if (inForce === undefined) return history;
  const { generation = 0 } = inForce.metadata;
  const earlier = history.filter((one) => one.generation < generation);
  const known = history.find((one) => one.generation === generation);
  // What the API server says of a policy's writers is about its newest generation.
  const writer = newest.metadata.generation === generation ? writerOf(newest) : undefined;
  const noted = known ?? { generation, time, ...writer, spec: inForce.spec };
  return shorten([noted, ...earlier]);
}

function shorten(history: PolicyHistory): PolicyHistory {
  let kept = history;
  while (kept.length > mostGenerations || countBytes(kept) > mostBytes) {
    const spare = kept.findLastIndex((one, index) => index > 0 && asksTheSame(one.spec, kept[index - 1]?.spec));
    kept = kept.toSpliced(spare === -1 ? kept.length - 1 : spare, 1);
  }
  return kept;
}

function countBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Whether two specs differ in nothing but `mode` and `rollout`: what becomes of nodes is the same, only when is not. */
function asksTheSame(one: object, other: object | undefined): boolean {
  return other !== undefined && deepEqual(askedBy(one), askedBy(other));
}

/**
 * The part of a spec that asks for something, with today's defaults: a newer CRD may have more of them than the one under which a spec was
 * stored.
 */
function askedBy(spec: object): object {
  const { mode: _mode, rollout: _rollout, ...asked } = fillDefaults(spec as PolicySpec);
  return asked;
}

/**
 * Whether a policy has asked for the same ever since an earlier generation came in force, but for `mode` and `rollout`. False where
 * that is not known.
 *
 * @param told the version that its nodes are told
 */
export function hasAskedSince(told: GpuPartitionPolicy, history: PolicyHistory, generation: number): boolean {
  const { generation: newest = 0 } = told.metadata;
  if (generation === newest) return true;
  const between = history.filter((one) => one.generation >= generation && one.generation < newest);
  return (
    between.some((one) => one.generation === generation) && between.every(({ spec }) => asksTheSame(spec, told.spec))
  );
}

/** The effect of `undo`. */
interface Undoing {
  /** The generation to which it goes back. */
  readonly generation: number;
  /** The spec of that generation, with `mode` and `rollout` as they are now. */
  readonly spec: PolicySpec;
  /** Whether the newest generation is itself an undoing, so that this brings back what was undone. */
  readonly isBack: boolean;
}

/**
 * What undoes the last edit of a policy: the last generation that came in force and asks for something else than the newest as written.
 * Of a pause, a resumption and a preview it undoes what they stopped or looked at, not the stop. Undefined if none is known.
 */
export function findUndoing({ newest, inForce }: PolicyVersions, isRefused: boolean): Undoing | undefined {
  const { history = [], acceptedGeneration } = newest.status ?? {};
  const { generation = 0 } = newest.metadata;
  const { mode, rollout } = newest.spec;
  const past = inForce ? [{ generation: inForce.metadata.generation ?? 0, spec: inForce.spec }, ...history] : history;
  const known = past.filter((one) => one.generation < generation);
  // A mistake in the rollout itself keeps the edit from taking effect: it goes, and a pause stays.
  const isRollout = isRefused && acceptedGeneration !== generation && asksTheSame(newest.spec, inForce?.spec);
  if (isRollout && inForce) {
    const paused = { ...inForce.spec.rollout, paused: rollout?.paused === true };
    return { generation: inForce.metadata.generation ?? 0, spec: { ...inForce.spec, rollout: paused }, isBack: false };
  }
  const index = known.findIndex(({ spec }) => !asksTheSame(spec, newest.spec));
  const found = known[index];
  if (found === undefined) return undefined;
  const { mode: _mode, rollout: _rollout, ...asked } = found.spec as PolicySpec;
  const spec = { ...asked, ...(mode && { mode }), ...(rollout && { rollout }) };
  const isBack = known.slice(index + 1).some((one) => asksTheSame(one.spec, newest.spec));
  return { generation: found.generation, spec, isBack };
}

/** What keeps a policy from changing nodes because its author wrote so, and the edit that ends it; undefined if nothing does. */
function stopOf({ mode, rollout }: PolicySpec): { readonly words: string; readonly edit: object } | undefined {
  const [isPlan, isPaused] = [mode === 'Plan', rollout?.paused === true];
  if (!isPlan && !isPaused) return undefined;
  const words = [...(isPaused ? ['paused'] : []), ...(isPlan ? ['in mode Plan'] : [])].join(' and ');
  return { words, edit: { ...(isPlan && { mode: 'Enforce' }), ...(isPaused && { rollout: { paused: false } }) } };
}

/** The undoing of the last edit of a policy, for people and programs. */
export interface UndoAnswer {
  /** The earlier generation as its author would write it, with `mode` and `rollout` of the newest. */
  readonly policy: GpuPartitionPolicy;
  readonly generation: number;
  /** The newest generation. */
  readonly replaces: number;
  /** Whether it was written. */
  readonly isApplied: boolean;
  readonly message: string;
  /** What resumes a policy that is paused, or in mode Plan. Absent if it is neither. */
  readonly resume?: string;
}

/** What undoes the last edit of a policy, and how it still is stopped then; in words why nothing does. @param isApplied whether that is written */
export function undoEdit(
  policy: GpuPartitionPolicy,
  isApplied: boolean,
): { readonly answer: UndoAnswer; readonly stop: string | undefined } | string {
  const { name, generation: replaces = 0 } = policy.metadata;
  const versions = readVersions(policy);
  if (versions.inForce === undefined) return `no generation of policy ${name} was ever accepted with mode Enforce`;
  const undoing = findUndoing(versions, isRefused(policy));
  if (undoing === undefined)
    return `nothing to undo: no earlier generation of policy ${name} is known that asks for something else than generation ${replaces}, apart from mode and rollout`;
  const { generation, spec, isBack } = undoing;
  const inForce = versions.inForce.metadata.generation;
  const which = inForce === generation ? 'is in force' : 'was in force before';
  const instead = inForce === replaces ? ', which is in force' : '';
  const back = isBack ? `this brings back what the newest edit had undone: ` : '';
  const what = `generation ${generation} of policy ${name}, which ${which}, instead of generation ${replaces}${instead}`;
  const message = `${back}${isApplied ? 'wrote ' : ''}${what}${describeWriter(policy)}`;
  const stop = stopOf(spec);
  const resume = stop && `kubectl patch gpp ${name} --type=merge -p '${JSON.stringify({ spec: stop.edit })}'`;
  const answer = { policy: withoutServerFields(policy, spec), generation, replaces, isApplied, message };
  return { answer: { ...answer, ...(resume !== undefined && { resume }) }, stop: stop?.words };
}

/** Whether the controller has found its newest generation not to be valid. */
function isRefused({ metadata, status }: GpuPartitionPolicy): boolean {
  const valid = status?.conditions?.find(({ type }) => type === 'Valid');
  return valid?.status === 'False' && valid.observedGeneration === metadata.generation;
}

/** Names who wrote a version, since a change that GitOps applied comes back. */
function describeWriter(policy: GpuPartitionPolicy): string {
  const { manager, time } = writerOf(policy);
  return manager === undefined ? '' : `; ${manager} wrote that at ${time}: if it comes from Git, revert it there too`;
}

const longestValue = 60;

/** The fields in which two specs differ, each with its value before and after, such as `layouts[0].profiles["1g.5gb"]: 7 → 4`. */
export function listDifferences(before: object, after: object): readonly string[] {
  return compare(before, after, []);
}

function compare(before: unknown, after: unknown, path: readonly (string | number)[]): readonly string[] {
  if (deepEqual(before, after)) return [];
  const [these, those] = [partsOf(before), partsOf(after)];
  if (these === undefined || those === undefined || Array.isArray(before) !== Array.isArray(after))
    return [`${writePath(path)}: ${sayValue(before)} → ${sayValue(after)}`];
  const keys = [...new Set([...these.keys(), ...those.keys()])];
  return keys.flatMap((key) => compare(these.get(key), those.get(key), [...path, key]));
}

function partsOf(value: unknown): ReadonlyMap<string | number, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string | number, unknown>(Array.isArray(value) ? value.entries() : Object.entries(value));
}

function sayValue(value: unknown): string {
  return value === undefined ? 'none' : cutText(JSON.stringify(value), longestValue);
}
