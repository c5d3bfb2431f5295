// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what a policy is under a schedule, and which schedule is in force at a time, in ms since the epoch.
import { explainWindow, stateOfWindow } from '../rollout/windows.ts';
import type { GpuPartitionPolicy, PolicySpec, PolicyStatus } from '../../api/types.ts';
import type { FieldPath, Finding } from '../text/findings.ts';
import { timeText } from '../text/syntax.ts';

type Schedule = NonNullable<PolicySpec['schedules']>[number];

/** A policy's spec as it is at a time. Nothing that reads it knows of schedules. */
export interface Variant {
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
export type ScheduleMark = Pick<NonNullable<PolicyStatus['schedule']>, 'name' | 'since'>;

export interface ScheduleTimes {
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
    this.#states = schedules.map((schedule) => ({ schedule, ...stateOfWindow(schedule, time) }));
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
      if (state.until === time) Object.assign(state, stateOfWindow(state.schedule, time));
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
