import type { PolicyDemand } from '../../api/types.ts';
import { DemandWindow } from '../demand/demand-window.ts';
import { RelayRest } from '../demand/relay-rest.ts';
import type { SliceEntry } from '../policy/demand-profiles.ts';
import { podName, type PodView } from '../pods/pod-view.ts';
import type { DemandWishes } from '../policy/demand-wish.ts';
import { durationMs } from '../text/duration.ts';
import { sameJson } from '../text/fingerprint.ts';
import { areUnchanged, listChanged, type MemberLayout, wishesOf } from './demand-answer.ts';
import type { DemandAsked } from './demand-question.ts';
import { layRest } from './demand-rest.ts';
import type { Member } from './member.ts';
import { type Planned, planServed } from './pool-plan.ts';
import type { WaitingSlices } from './waiting-share.ts';
import { followsPods, steadyKeyOf, type WantedSlice, wantedSlices } from './wanted-slices.ts';

/** A plan that leaves something unserved is made again when the pool changes, but takes at most this part of the time. */
const mostShare = 0.1;
const usualCooldown = '30m';
const usualStabilization = '10m';
/** A higher demand must last this long, unless the stabilization is shorter. */
const longestRiseMs = 60_000;
/** How often waiting pods are read at most, and at least, in ms. */
const podsPace = { least: 1000, most: 10_000 };
/** How often it is looked whether GPUs have rested, or pods may be evicted by now, in ms. */
const restPaceMs = 30_000;
/** Priorities and disruption budgets change, which nothing tells: a shortage is planned again after so long, in ms. */
const weightsLastMs = 60_000;

/** What is to be done about a demand: nothing or what is known, later, or a plan must be made. */
type NextPlan = { readonly planned: Planned } | { readonly waitMs: number } | undefined;

/** What a plan makes of the nodes. */
export interface ChosenLayouts {
  readonly wishes: ReadonlyMap<string, DemandWishes>;
  /** The GPUs that it re-lays. */
  readonly touched: readonly Member[];
}

/**
 * What is remembered of the demand of one policy between plans. It is lost with the leader: GPUs then rest no longer, and what is asked
 * for now is taken for what was asked for lately. What was chosen is in the wishes of the nodes.
 */
export class DemandCourse {
  readonly #rest = new RelayRest();
  /** Whose pods have gone. */
  readonly #evicted = new RelayRest();
  /** What was asked for lately, by slice. */
  #windows: { readonly stabilization: string; readonly bySlice: Map<string, DemandWindow> } | undefined;
  /** The demand for which they were counted last: an edit makes another object. */
  #observed: PolicyDemand | undefined;
  #observedMs = 0;
  /** The last plan that left something unserved, and until when none is made for another pool. */
  #short: { readonly planned: Planned; readonly atMs: number; readonly untilMs: number } | undefined;

  /** Whether a GPU was re-laid a short while ago. */
  isResting({ cooldown = usualCooldown }: PolicyDemand, id: string, nowMs: number): boolean {
    return this.#rest.isResting(id, nowMs, durationMs(cooldown));
  }

  /** How old the list of waiting pods may be: the first counts at once, so a pod that runs by now must not be in it. */
  longestMs(demand: PolicyDemand): number {
    return this.#observed === demand ? podsPaceOf(demand) : 0;
  }

  /**
   * Takes in what pods ask for now.
   *
   * @param waiting requests of pods that wait, by resource; undefined if the demand does not follow pods
   * @returns how much is wanted of each slice, by what has been asked for long enough
   */
  want(
    demand: PolicyDemand,
    members: readonly Member[],
    waiting: WaitingSlices | undefined,
    nowMs: number,
  ): readonly WantedSlice[] {
    const { stabilization = usualStabilization } = demand;
    const times = { riseMs: riseMsOf(demand), fallMs: durationMs(stabilization) };
    const before = this.#windows?.stabilization === stabilization ? this.#windows.bySlice : undefined;
    // What no pods are followed for any more is forgotten: once they are again, what they asked for in between is unknown.
    const bySlice = new Map<string, DemandWindow>();
    const steady = (slice: string, count: number, isPart = false): number => {
      // Who goes has run in vain: for that, others must have waited for longer than for what is idle.
      const window =
        before?.get(slice) ??
        new DemandWindow(isPart ? { ...times, riseMs: Math.max(times.riseMs, times.fallMs) } : times);
      if (isPart && before && !before.has(slice)) window.observe(0, this.#observedMs);
      bySlice.set(slice, window);
      return window.observe(count, nowMs);
    };
    this.#windows = { stabilization, bySlice };
    this.#observed = demand;
    this.#observedMs = nowMs;
    return wantedSlices(demand, members, { waiting, steady });
  }

  /** @returns undefined if a plan must be made */
  next(asked: DemandAsked, members: readonly Member[], nowMs: number): NextPlan {
    const served = planServed(members, asked);
    if (served) {
      this.#short = undefined;
      return { planned: served };
    }
    const known = this.#short;
    if (!known || !sameJson(known.planned.asked, asked)) return undefined;
    const { planned, atMs, untilMs } = known;
    const isSame = planned.members.length === members.length && areUnchanged(planned.members, members);
    if (isSame && (asked.evict === 'Never' || nowMs - atMs < weightsLastMs)) return { planned };
    return untilMs > nowMs ? { waitMs: untilMs - nowMs } : undefined;
  }

  /** Takes in a plan that was made between two moments. */
  takePlan(planned: Planned, startedMs: number, nowMs: number): void {
    const isShort = Object.keys(planned.shortfall.lacking).length > 0;
    this.#short = isShort ? { planned, atMs: nowMs, untilMs: nowMs + (nowMs - startedMs) / mostShare } : undefined;
  }

  /**
   * Takes a plan for the pool as it is now. GPUs that it re-lays rest from now on.
   *
   * @returns undefined if a GPU that it re-lays is not what it was: the plan is not taken
   */
  choose(demand: PolicyDemand, planned: Planned, current: readonly Member[], nowMs: number): ChosenLayouts | undefined {
    const { members } = planned;
    const layouts = this.#layRest(demand, planned, nowMs);
    const touched = listChanged(members, layouts);
    if (!areUnchanged(touched, current)) return undefined;
    for (const { gpu } of touched) this.relaid(gpu.id, nowMs);
    if (touched.length > 0) {
      const { cooldown = usualCooldown } = demand;
      this.#rest.forgetOthers(new Set(current.map(({ gpu }) => gpu.id)), nowMs, durationMs(cooldown));
    }
    return { wishes: wishesOf(members, layouts), touched };
  }

  /** Pods go, or are about to: they, and what replaces them, go for nobody else within the cooldown. */
  evict(pods: readonly PodView[], nowMs: number): void {
    for (const pod of pods) this.#evicted.relaid(replacedBy(pod), nowMs);
  }

  /** Whether a pod was evicted a short while ago, or replaces one that was. */
  isSpared({ cooldown = usualCooldown }: PolicyDemand, pod: PodView, nowMs: number): boolean {
    const cooldownMs = durationMs(cooldown);
    this.#evicted.forgetOthers(new Set(), nowMs, cooldownMs);
    return this.#evicted.isResting(replacedBy(pod), nowMs, cooldownMs);
  }

  /** A GPU is re-laid: it rests from now on. */
  relaid(id: string, nowMs: number): void {
    this.#rest.relaid(id, nowMs);
  }

  /** What the plan leaves as it is, by the demand's `rest`: once all is served, and it is known what has not been asked for lately. */
  #layRest(
    demand: PolicyDemand,
    { asked, members, layouts, shortfall }: Planned,
    nowMs: number,
  ): readonly (MemberLayout | undefined)[] {
    const isDone = Object.keys(shortfall.lacking).length === 0 && listChanged(members, layouts).length === 0;
    const isSettled = (slice: SliceEntry): boolean =>
      slice.count !== undefined || this.#windows?.bySlice.get(steadyKeyOf(slice))?.isSettled(nowMs) === true;
    return isDone && demand.slices.every(isSettled) ? layRest(demand.rest, asked, members) : layouts;
  }
}

/** What a pod has in common with those that are made in its place: its controller, or else its name. */
function replacedBy(pod: PodView): string {
  const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
  return controller?.uid ?? podName(pod);
}

/** How long more must be asked for before more is wanted. */
export function riseMsOf({ stabilization = usualStabilization }: Pick<PolicyDemand, 'stabilization'>): number {
  return Math.min(longestRiseMs, durationMs(stabilization));
}

/**
 * When to look at a demand again, in ms, though nothing tells of a change: what follows pods, GPUs that may be part of the rest once they
 * have rested, and pods that may be evicted by then.
 */
export function lookAgainAfter(demand: PolicyDemand, members: readonly Member[]): number | undefined {
  if (followsPods(demand)) return podsPaceOf(demand);
  const { rest = 'Keep', evict } = demand;
  const isResting = rest !== 'Keep' && members.some(({ rests }) => rests);
  return isResting || evict === 'IfNeeded' ? restPaceMs : undefined;
}

/** How often waiting pods are read: a demand that is to follow quickly is looked at often. */
export function podsPaceOf({ stabilization = usualStabilization }: PolicyDemand): number {
  return Math.min(podsPace.most, Math.max(podsPace.least, durationMs(stabilization) / 4));
}
