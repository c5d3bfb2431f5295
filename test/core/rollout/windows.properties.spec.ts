import { expect } from 'chai';
import fc from 'fast-check';
import { stateOfWindows, type Window } from '../../../src/core/rollout/budget.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Days (UTC noon) on which a zone's clocks change: both ways, by half an hour, at midnight, and by a whole day. */
const changes = [
  { timeZone: 'Europe/Dublin', noon: '2026-03-29T12:00Z' },
  { timeZone: 'Europe/Dublin', noon: '2026-10-25T12:00Z' },
  { timeZone: 'Europe/Berlin', noon: '2026-03-29T12:00Z' },
  { timeZone: 'Europe/Berlin', noon: '2026-10-25T12:00Z' },
  { timeZone: 'America/New_York', noon: '2026-03-08T12:00Z' },
  { timeZone: 'America/New_York', noon: '2026-11-01T12:00Z' },
  { timeZone: 'America/Havana', noon: '2026-03-08T12:00Z' },
  { timeZone: 'America/Havana', noon: '2026-11-01T12:00Z' },
  { timeZone: 'Australia/Lord_Howe', noon: '2026-10-03T12:00Z' },
  { timeZone: 'Australia/Lord_Howe', noon: '2026-04-04T12:00Z' },
  { timeZone: 'Pacific/Apia', noon: '2011-12-30T12:00Z' },
  { timeZone: 'Asia/Kolkata', noon: '2026-03-29T12:00Z' },
] as const;

/** One field of a cron expression, as text and as the numbers that it stands for. */
interface Field {
  readonly text: string;
  readonly values: readonly number[];
}
const range = (from: number, to: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
const every = (from: number, to: number): Field => ({ text: '*', values: range(from, to) });

function field(from: number, to: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min: from, max: to });
  return fc.oneof(
    { weight: 3, arbitrary: value.map((one) => ({ text: String(one), values: [one] })) },
    {
      weight: 4,
      arbitrary: fc.array(value, { minLength: 2, maxLength: 5 }).map((all) => ({ text: all.join(','), values: all })),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(value, value).map(([one, other]) => {
        const [first, last] = one < other ? [one, other] : [other, one];
        return { text: `${first}-${last}`, values: range(first, last) };
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .integer({ min: 2, max: Math.min(12, to) })
        .map((step) => ({ text: `*/${step}`, values: range(from, to, step) })),
    },
    { weight: 3, arbitrary: fc.constant(every(from, to)) },
  );
}

const schedule = fc.record({
  minute: field(0, 59),
  // The hours in which clocks are changed, more often than others.
  hour: fc.oneof(
    field(0, 23),
    fc.integer({ min: 0, max: 3 }).map((hour) => ({ text: String(hour), values: [hour] })),
  ),
  weekday: fc.oneof({ weight: 3, arbitrary: fc.constant(every(0, 6)) }, { weight: 1, arbitrary: field(0, 6) }),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer Value> ? Value : never;

/** What a clock on the wall shows at a time, as if it showed UTC. */
function wallClock(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (time) => {
    const shown = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute);
  };
}

/** The wall clock of each minute of five days around a change, worked out once. */
const watched = changes.map(({ timeZone, noon }) => {
  const from = Date.parse(noon) - 2.5 * dayMs;
  const show = wallClock(timeZone);
  return {
    timeZone,
    noon,
    minutes: range(from, from + 5 * dayMs, minuteMs).map((time) => ({ time, wall: show(time) })),
  };
});

function matches({ minute, hour, weekday }: Schedule, wall: number): boolean {
  const shown = new Date(wall);
  return (
    minute.values.includes(shown.getUTCMinutes()) &&
    hour.values.includes(shown.getUTCHours()) &&
    weekday.values.includes(shown.getUTCDay())
  );
}

/**
 * The starts, by somebody who looks at the clock every minute: with `*` as the hour, whenever the clock shows a time of the schedule; else once
 * for each of its times, when the clock shows it for the first time or has just left it out.
 */
function startsOf(asked: Schedule, minutes: readonly { readonly time: number; readonly wall: number }[]): number[] {
  let latest = (minutes[0]?.wall ?? 0) - minuteMs;
  return minutes.flatMap(({ time, wall }) => {
    const passed = range(latest + minuteMs, wall, minuteMs);
    latest = Math.max(latest, wall);
    const isStart = asked.hour.text === '*' ? matches(asked, wall) : passed.some((reading) => matches(asked, reading));
    return isStart ? [time] : [];
  });
}

describe('any window @slow', () => {
  for (const { timeZone, noon, minutes } of watched) {
    it(`opens and closes in ${timeZone} around ${noon} as somebody would who looks at the clock every minute`, function () {
      fc.assert(
        fc.property(schedule, fc.integer({ min: 1, max: 200 }), (asked, length) => {
          const text = `${asked.minute.text} ${asked.hour.text} * * ${asked.weekday.text}`;
          const window: Window = { schedule: text, duration: `${length}m`, timeZone };
          const starts = startsOf(asked, minutes);
          // The days before only show what is still open, those after only what opens next.
          const looked = minutes.filter(({ time }) => Math.abs(time - Date.parse(noon)) <= 15 * hourMs);
          let next = 0;
          // Each hour and each minute beside a start or an end: all others are like the minute before.
          for (const [index, { time }] of looked.entries()) {
            while ((starts[next] ?? Infinity) <= time) next += 1;
            const sinceLast = time - (starts[next - 1] ?? -Infinity);
            const isEdge = [0, (length - 1) * minuteMs, length * minuteMs].includes(sinceLast);
            if (!isEdge && index % 60 !== 0) continue;
            const state = stateOfWindows([window], time);
            const at = `${text} for ${length}m at ${new Date(time).toISOString()}`;
            expect(state.isOpen, at).to.equal(sinceLast < length * minuteMs);
            if (!state.isOpen && starts[next] !== undefined) expect(state.until, at).to.equal(starts[next]);
          }
        }),
        { numRuns: 25 },
      );
    });
  }
});
