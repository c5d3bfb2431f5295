import { statusBounds } from '../../api/generated/gpu-partition-policy.bounds.ts';
import type { PolicyStatus } from '../../api/types.ts';
import { defragAnnotation } from '../../api/names.ts';
import type { DemandSlice } from '../demand/pool.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import { joinWords, writeLayout } from '../gpu/search/layout-words.ts';
import { countWords, fitWithin } from '../text/cut-text.ts';
import { compareText, sameJson } from '../text/fingerprint.ts';
import { countPresent, mostSlices } from './count.ts';
import type { DemandAsked } from './demand-question.ts';
import type { Shortfall } from './demand-report.ts';
import type { Member } from './member.ts';

/** How a request to free slices stands: part of a policy's status, so that it is carried out once, whoever leads. */
export type DefragState = NonNullable<PolicyStatus['defrag']>;

const beforeRequest = 1000;
const { request: requestBounds, message: messageBounds } = statusBounds.properties.defrag.properties;

/** Reads `3g.20gb=2,1g.5gb=1`. @returns what is wrong with it, in words, if something is */
export function readFree(text: string): Layout | { readonly error: string } {
  const free: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [, name = '', digits = ''] = /^\s*([^=\s]+)=(\d+)\s*$/.exec(part) ?? [];
    const count = Number(digits);
    if (count < 1) return { error: `${JSON.stringify(part)} is not PROFILE=COUNT, for example 3g.20gb=2` };
    const profile = parseProfile(name);
    if (isProfileNameError(profile)) return { error: profile.message };
    if (profile.computeInstanceSlices !== undefined)
      return { error: `${name} is a compute instance; ask for its GPU instance, ${profile.instanceProfile}` };
    const total = (free[profile.name] ?? 0) + count;
    if (total > mostSlices) return { error: `${profile.name}: more than ${mostSlices} slices` };
    free[profile.name] = total;
  }
  return free;
}

/** A request by the annotation of a policy. */
export interface FreeRequest {
  readonly request: string;
  readonly free: ReturnType<typeof readFree>;
}

/** A policy's annotations. */
type Annotations = Readonly<Record<string, string>> | undefined;

/** Whether a state is that of what a policy's annotation requests now. The status has as much of the text as it takes. */
export function isOfRequest(known: DefragState | undefined, annotations: Annotations): boolean {
  const text = annotations?.[defragAnnotation];
  return known?.request === (text === undefined ? undefined : fitWithin(text, requestBounds));
}

/** What a policy's annotation requests; undefined if nothing, or if it has been dealt with. */
export function requestedFree(annotations: Annotations, known: DefragState | undefined): FreeRequest | undefined {
  const text = annotations?.[defragAnnotation];
  if (text === undefined || (isOfRequest(known, annotations) && known?.state !== 'Making')) return undefined;
  // What follows the slices only tells one request from the next. People write blanks around the commas.
  const [slices = ''] = /^\s*[^\s,]*(?:\s*,\s*[^\s,]*)*/.exec(text) ?? [];
  return { request: fitWithin(text, requestBounds), free: readFree(slices) };
}

/**
 * The same question, with slices that are to be idle: whatever runs keeps a slice of its profile, so that a pod that is evicted finds
 * another, and as many more are offered. Slices that the policy wants idle count.
 */
export function askToFree({ slices, evict }: DemandAsked, free: Layout, members: readonly Member[]): DemandAsked {
  const instances = members.flatMap(({ gpu }) => gpu.instances);
  const left = new Map(countPresent(instances.filter(({ busy }) => busy)));
  const idle = new Map<string, number>();
  const take = (profile: string, most: number): number => {
    const taken = Math.min(most, left.get(profile) ?? 0);
    left.set(profile, (left.get(profile) ?? 0) - taken);
    return taken;
  };
  const exact = slices.flatMap((slice): readonly DemandSlice[] => {
    const [only, ...others] = slice.profiles;
    if (only !== undefined && others.length === 0) {
      idle.set(only, (idle.get(only) ?? 0) + slice.count - take(only, slice.count));
      return [slice];
    }
    // A pod's profile is fixed, though any of several serves the policy.
    let rest = slice.count;
    const used = slice.profiles.flatMap((profile): readonly DemandSlice[] => {
      const count = take(profile, rest);
      rest -= count;
      return count === 0 ? [] : [{ ...slice, name: `${slice.name}/used ${profile}`, profiles: [profile], count }];
    });
    return [...used, { ...slice, count: rest }];
  });
  const kept = [...left].flatMap(([profile, count]) => (count > 0 ? [sliceOf('used', profile, count, members)] : []));
  const freed = Object.entries(free).flatMap(([profile, count]) => {
    const lacking = count - (idle.get(profile) ?? 0);
    return lacking > 0 ? [sliceOf('free', profile, lacking, members)] : [];
  });
  return { slices: [...exact, ...kept, ...freed], evict };
}

function sliceOf(what: 'used' | 'free', profile: string, count: number, members: readonly Member[]): DemandSlice {
  const sizes = members.flatMap(({ gpu }) =>
    gpu.geometry.profiles.flatMap(({ name, memorySlices }) => (name === profile ? [memorySlices] : [])),
  );
  const size = sizes.length === 0 ? 1 : Math.max(1, Math.min(...sizes));
  // Where not everything fits, it is the request that goes short.
  const weight = what === 'used' ? beforeRequest * size : size;
  return { name: `${what} ${profile}`, profiles: [profile], count, weight };
}

/** Whether so many slices are idle now. */
export function isFree(free: Layout, members: readonly Member[]): boolean {
  const idle = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => !busy)));
  return Object.entries(free).every(([profile, count]) => (idle.get(profile) ?? 0) >= count);
}

/** That no GPU has one of the profiles, in words; undefined if some has each, or none is known yet. */
export function explainUnknown(free: Layout, members: readonly Member[]): string | undefined {
  const known = [...new Set(members.flatMap(({ gpu }) => gpu.geometry.profiles.map(({ name }) => name)))];
  const unknown = Object.keys(free).filter((profile) => !known.includes(profile));
  if (known.length === 0 || unknown.length === 0) return undefined;
  return `no GPU of the policy has profile ${joinWords(unknown)}; they have ${known.join(', ')}`;
}

/** How a request stands, and what is asked of the planner for it: nothing if it is done, or cannot be read. */
export function judgeRequest(
  { request, free }: FreeRequest,
  asked: DemandAsked,
  members: readonly Member[],
): { readonly defrag: DefragState; readonly freeing?: DemandAsked } {
  if (hasError(free)) return { defrag: { request, state: 'Refused', message: free.error } };
  const unknown = explainUnknown(free, members);
  if (unknown !== undefined) return { defrag: { request, state: 'Refused', message: unknown } };
  if (isFree(free, members)) return { defrag: { request, state: 'Done', message: `${writeLayout(free)} were idle` } };
  const message = `making ${writeLayout(free)} idle, ${underWay}`;
  return { defrag: { request, state: 'Making', message }, freeing: askToFree(asked, free, members) };
}

/** A request whose plan takes more than the command would: it is refused, by the same judge. @param why see `explainMoves` */
export function refuseMoves({ request, free }: FreeRequest, why: readonly string[]): DefragState {
  const slices = hasError(free) ? '' : writeLayout(free);
  return {
    request,
    state: 'Refused',
    message: fitWithin(`${slices} cannot be made idle: ${why.join('; ')}`, messageBounds),
  };
}

/**
 * What has become of a request that was planned: it is planned once, so that it takes no more than its bill, whatever pods take the slices
 * that it frees.
 *
 * @returns undefined while what was chosen is being made
 */
export function judgeMade({ request, free }: FreeRequest, members: readonly Member[]): DefragState | undefined {
  if (hasError(free) || isFree(free, members)) return undefined;
  const coming = members.some(({ gpu, present, lost, instead }) => {
    const there = lost?.counts === true ? [...present, ...lost.instances] : present;
    return instead === undefined && !sameJson(countsOf(gpu.instances), countsOf(there));
  });
  if (coming) return undefined;
  const failed = members.find(({ instead }) => instead !== undefined);
  const slices = writeLayout(free);
  return failed === undefined
    ? { request, state: 'Done', message: `${slices} were made idle as planned; pods have taken some of them since` }
    : {
        request,
        state: 'Refused',
        message: `${slices} could not be made idle: node ${failed.node} does not change now`,
      };
}

function countsOf(instances: Member['present']): readonly (readonly [string, number])[] {
  return [...countPresent(instances)].toSorted(([a], [b]) => compareText(a, b));
}

/** Whether a request was planned before, by this leader or another. */
export function wasPlanned({ request }: FreeRequest, known: DefragState | undefined): boolean {
  return known?.request === request && known.state === 'Making' && known.message.endsWith(underWay);
}

const underWay = 'within drain and rollout';

/** A request of whose plan only a part still stands, as GPUs have changed meanwhile: the rest is planned again. */
export function judgePart({ request, free }: FreeRequest): DefragState {
  const slices = hasError(free) ? '' : writeLayout(free);
  return { request, state: 'Making', message: `making ${slices} idle: a part is under way, the rest is planned again` };
}

/** A request that no plan serves: it is refused, unless GPUs are left alone for now. */
export function judgeShortage(
  { request, free }: FreeRequest,
  {
    members,
    shortfall: { lackingAtLeast, isSpared = true, isUnproven },
  }: { readonly members: readonly Member[]; readonly shortfall: Shortfall },
): DefragState {
  const slices = hasError(free) ? '' : writeLayout(free);
  const alone = members.filter(({ gpu }) => gpu.isResting === true).length;
  if (alone > 0) {
    const message = `making ${slices} idle waits: ${countWords(alone, 'GPU')} may not change now, and the others do not suffice`;
    return { request, state: 'Making', message };
  }
  const isHeld = lackingAtLeast !== undefined && Object.keys(lackingAtLeast).length === 0;
  const why = isHeld
    ? `that takes evictions${isSpared ? ', which demand.evict Never forbids' : ' of pods that cannot be evicted'}`
    : isUnproven === true
      ? 'no room was found in the time for a plan, and there may be some: ask again, or for fewer'
      : 'there is no room beside the demand and what runs';
  return { request, state: 'Refused', message: `${slices} cannot be made idle: ${why}` };
}

function hasError(free: FreeRequest['free']): free is { readonly error: string } {
  return typeof free['error'] === 'string';
}
