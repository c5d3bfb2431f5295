const hourMs = 3_600_000;
/** No zone is further from UTC than 14 hours, and none has left out more than a day at once (Samoa, 2011). */
const farMs = 48 * hourMs;
const formats = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a time zone show. A reading is in ms, as if the clock showed UTC. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws RangeError if there is no such time zone */
  constructor(timeZone: string) {
    this.#format = formatOf(timeZone);
  }

  /** What the clocks show at a time, to the second. */
  reading(time: number): number {
    const parts = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const of = (part: Intl.DateTimeFormatPartTypes): number => parts.get(part) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  }

  /** When the clocks first show this reading or, where it is left out, a later one. */
  firstShowing(reading: number): number {
    const before = this.#offset(reading - farMs);
    const after = this.#offset(reading + farMs);
    if (before === after) return reading - before;
    const change = this.#change(reading - farMs, reading + farMs, before);
    return reading - before < change ? reading - before : Math.max(change, reading - after);
  }

  /** By how much the clocks are ahead of UTC, in ms. */
  #offset(time: number): number {
    return this.reading(time) - Math.floor(time / 1000) * 1000;
  }

  /** When clocks are changed between two times, to the second; `before` is the offset at the first. */
  #change(from: number, to: number, before: number): number {
    let [last, first] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (first - last > 1) {
      const middle = Math.floor((last + first) / 2);
      if (this.#offset(middle * 1000) === before) last = middle;
      else first = middle;
    }
    return first * 1000;
  }
}

/** Kept, because one is costly to make. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}
