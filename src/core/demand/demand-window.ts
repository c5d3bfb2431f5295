/** How a demand is steadied before anything is planned for it, in milliseconds. */
export interface Steadiness {
  /** A higher demand must last this long. */
  readonly riseMs: number;
  /** A lower one this long; no less than a higher one. */
  readonly fallMs: number;
}

/**
 * The steady demand for one slice: it rises to what was wanted throughout the last `riseMs`, and falls to the most that was wanted
 * within the last `fallMs`. A pod that comes and goes moves nothing.
 */
export class DemandWindow {
  readonly #least: WindowExtreme;
  readonly #most: WindowExtreme;
  readonly #fallMs: number;
  #steady = 0;
  #sinceMs: number | undefined;

  constructor({ riseMs, fallMs }: Steadiness) {
    this.#least = new WindowExtreme(riseMs, (old, count) => old < count);
    this.#most = new WindowExtreme(fallMs, (old, count) => old > count);
    this.#fallMs = fallMs;
  }

  /**
   * @param nowMs not before that of the last call
   * @returns the steady demand, now that so many are wanted
   */
  observe(count: number, nowMs: number): number {
    const risen = this.#least.observe(count, nowMs);
    const fallen = this.#most.observe(count, nowMs);
    this.#steady = Math.min(Math.max(this.#steady, risen), fallen);
    this.#sinceMs ??= nowMs;
    return this.#steady;
  }

  get isUnused(): boolean {
    return this.#sinceMs === undefined;
  }

  get steady(): number {
    return this.#steady;
  }

  /** Whether it has been observed for so long that what is not wanted has not been for a while. */
  isSettled(nowMs: number): boolean {
    return this.#sinceMs !== undefined && nowMs >= this.#sinceMs + this.#fallMs;
  }
}

/** The least or the most that a number was within a time before now. */
class WindowExtreme {
  readonly #lengthMs: number;
  readonly #isFurther: (old: number, count: number) => boolean;
  /** Numbers that no later one outdoes, the most extreme first, with the time until which they held; the last one still does. */
  readonly #standing: { readonly count: number; untilMs: number }[] = [];

  constructor(lengthMs: number, isFurther: (old: number, count: number) => boolean) {
    this.#lengthMs = lengthMs;
    this.#isFurther = isFurther;
  }

  observe(count: number, nowMs: number): number {
    const standing = this.#standing;
    const last = standing.at(-1);
    if (last !== undefined) last.untilMs = nowMs;
    while (standing.length > 0 && !this.#isFurther(standing.at(-1)?.count ?? 0, count)) standing.pop();
    standing.push({ count, untilMs: Infinity });
    while ((standing[0]?.untilMs ?? Infinity) <= nowMs - this.#lengthMs) standing.shift();
    return standing[0]?.count ?? count;
  }
}
