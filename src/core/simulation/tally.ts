import { compareText } from '../text/fingerprint.ts';
import { DAY } from './arrival.ts';
import { type Counted, type DayFigures, nothing, type ProfileFigures, quantile, sumFigures } from './figures.ts';

type Span = 'askedSeconds' | 'servedSeconds' | 'lostSeconds' | 'waitSeconds';

interface WaitingPod {
  readonly profile: string;
  readonly priority: number;
}

/** Adds up what happens, by day and profile. */
export class Tally {
  readonly #days: Map<string, Counted>[];
  readonly #waits = new Map<string, number[]>();
  readonly #waitsByPriority = new Map<number, number[]>();
  readonly #relayouts: number[];
  readonly #end: number;

  constructor(days: number) {
    this.#end = days * DAY;
    this.#days = Array.from({ length: days }, () => new Map<string, Counted>());
    this.#relayouts = Array.from({ length: days }, () => 0);
  }

  /** @param duration how long it runs, once it has its slice */
  arrive(profile: string, now: number, duration: number): void {
    this.#of(profile, now).pods += 1;
    this.#spend(profile, 'askedSeconds', now, now + duration);
  }

  start(pod: WaitingPod, since: number, now: number): void {
    this.#of(pod.profile, now).started += 1;
    this.#wait(pod, since, now);
  }

  /** It has run, to its end or to that of the simulation. */
  run(profile: string, since: number, until: number): void {
    this.#spend(profile, 'servedSeconds', since, until);
  }

  /** It has run in vain. */
  evict(profile: string, since: number, now: number): void {
    this.#of(profile, now).evictions += 1;
    this.#spend(profile, 'lostSeconds', since, now);
  }

  relay(now: number): void {
    const day = this.#dayOf(now);
    this.#relayouts[day] = (this.#relayouts[day] ?? 0) + 1;
  }

  /** It still waits at the end. */
  leaveWaiting(pod: WaitingPod, since: number): void {
    this.#wait(pod, since, this.#end);
  }

  /** GPUs re-laid, by day. */
  get relayouts(): readonly number[] {
    return this.#relayouts;
  }

  listDays(): readonly DayFigures[] {
    return this.#days.flatMap((profiles, day) =>
      [...profiles]
        .toSorted(([a], [b]) => compareText(a, b))
        .map(([profile, figures]) => ({ day: day + 1, profile, ...figures })),
    );
  }

  /** @param sizes memory slices by profile, in the order in which they are listed */
  listProfiles(
    sizes: ReadonlyMap<string, number>,
    stillWaiting: (profile: string) => number,
  ): readonly ProfileFigures[] {
    return [...sizes].flatMap(([profile, size]) => {
      const days = this.#days.flatMap((one) => one.get(profile) ?? []);
      if (days.length === 0) return [];
      const waits = (this.#waits.get(profile) ?? []).toSorted((a, b) => a - b);
      return [
        {
          profile,
          size,
          ...sumFigures(days),
          medianWaitSeconds: quantile(waits, 0.5),
          p95WaitSeconds: quantile(waits, 0.95),
          stillWaiting: stillWaiting(profile),
        },
      ];
    });
  }

  /** How long pods waited, ascending. */
  listWaits(): readonly number[] {
    return [...this.#waits.values()].flat().toSorted((a, b) => a - b);
  }

  /** By priority, how long pods waited, in seconds; an evicted pod that waits again counts twice. */
  get waitsByPriority(): ReadonlyMap<number, readonly number[]> {
    return this.#waitsByPriority;
  }

  #wait({ profile, priority }: WaitingPod, since: number, until: number): void {
    const wait = until - since;
    const alike = this.#waitsByPriority.get(priority) ?? [];
    this.#waitsByPriority.set(priority, alike);
    alike.push(wait);
    const figures = this.#of(profile, until);
    figures.longestWaitSeconds = Math.max(figures.longestWaitSeconds, wait);
    const waits = this.#waits.get(profile) ?? [];
    this.#waits.set(profile, waits);
    waits.push(wait);
    this.#spend(profile, 'waitSeconds', since, until);
  }

  /** What a stretch of time adds to each of its days. */
  #spend(profile: string, span: Span, since: number, until: number): void {
    for (let from = Math.max(0, since); from < Math.min(until, this.#end);) {
      const to = Math.min(until, this.#end, (Math.floor(from / DAY) + 1) * DAY);
      this.#of(profile, from)[span] += to - from;
      from = to;
    }
  }

  #of(profile: string, now: number): Counted {
    const day = this.#days[this.#dayOf(now)] ?? new Map<string, Counted>();
    const known = day.get(profile) ?? { ...nothing };
    day.set(profile, known);
    return known;
  }

  #dayOf(now: number): number {
    return Math.min(this.#days.length - 1, Math.floor(now / DAY));
  }
}
