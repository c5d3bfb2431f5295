import type { SideFigures } from '../plan/simulation/play.ts';
import { describeDuration } from '../text/syntax.ts';
import { drawTable, type Line, span } from './lines.ts';

/** A simulation as people read it. */
export interface SimulationView {
  readonly title: string;
  readonly days: number;
  readonly sides: readonly { readonly name: string; readonly figures: SideFigures }[];
}

/** Rows of the picture; longer times are drawn in spans of several days. */
const mostRows = 31;
const barWidth = 20;

export function drawSimulation({ title, days, sides }: SimulationView): readonly Line[] {
  return [
    [span(title, 'title')],
    [],
    ...drawTotals(sides),
    [],
    ...drawProfiles(sides),
    [],
    [span('Served by day, of what pods asked for on it; more than 100 % where earlier ones are served too', 'title')],
    ...drawDays(sides, days),
  ];
}

function drawTotals(sides: SimulationView['sides']): readonly Line[] {
  const rows = sides.map(({ name, figures: { total } }) => [
    span(name, 'title'),
    span(percent(total.servedShare)),
    span(wait(total.medianWaitSeconds)),
    span(wait(total.p95WaitSeconds)),
    span(wait(total.longestWaitSeconds)),
    span(String(total.stillWaiting), total.stillWaiting > 0 ? 'warn' : 'plain'),
    span(String(total.evictions), total.evictions > 0 ? 'warn' : 'plain'),
    span(percent(total.lostShare), total.lostShare > 0 ? 'warn' : 'plain'),
    span(String(total.relayouts)),
    span(total.relayoutsPerGpuMonth.toFixed(1)),
  ]);
  return drawTable(
    [
      '',
      'SERVED',
      'MEDIAN WAIT',
      '95 % WAIT',
      'LONGEST',
      'STILL WAITING',
      'EVICTED',
      'LOST',
      'GPUS RE-LAID',
      'PER GPU-MONTH',
    ],
    rows,
  );
}

function drawProfiles(sides: SimulationView['sides']): readonly Line[] {
  const names = [...new Set(sides.flatMap(({ figures }) => figures.profiles.map(({ profile }) => profile)))];
  const rows = names.flatMap((profile) =>
    sides.flatMap(({ name, figures }, index) => {
      const one = figures.profiles.find((other) => other.profile === profile);
      if (one === undefined) return [];
      return [
        [
          span(index === 0 ? profile : ''),
          span(index === 0 ? String(one.pods) : ''),
          span(name),
          span(percent(one.askedSeconds === 0 ? 1 : one.servedSeconds / one.askedSeconds)),
          span(wait(one.medianWaitSeconds)),
          span(wait(one.p95WaitSeconds)),
          span(wait(one.longestWaitSeconds)),
          span(String(one.stillWaiting), one.stillWaiting > 0 ? 'warn' : 'plain'),
          span(String(one.evictions), one.evictions > 0 ? 'warn' : 'plain'),
        ],
      ];
    }),
  );
  return drawTable(
    ['SLICE', 'PODS', '', 'SERVED', 'MEDIAN WAIT', '95 % WAIT', 'LONGEST', 'STILL WAITING', 'EVICTED'],
    rows,
  );
}

function drawDays(sides: SimulationView['sides'], days: number): readonly Line[] {
  const each = Math.ceil(days / mostRows);
  const spans = Array.from({ length: Math.ceil(days / each) }, (_, index) => ({
    from: index * each + 1,
    to: Math.min(days, (index + 1) * each),
  }));
  const rows = spans.map(({ from, to }) => [
    span(from === to ? String(from) : `${from}–${to}`),
    ...sides.map(({ figures }) => span(drawBar(shareOf(figures, from, to)))),
  ]);
  return drawTable([each === 1 ? 'DAY' : 'DAYS', ...sides.map(({ name }) => name)], rows);
}

/** The share of the requested time that was served on some days, by memory slices, like the total. */
function shareOf({ days, profiles }: SideFigures, from: number, to: number): number {
  const sizes = new Map(profiles.map(({ profile, size }) => [profile, size]));
  const own = days.filter(({ day }) => day >= from && day <= to);
  const sum = (value: (one: (typeof own)[number]) => number): number =>
    own.reduce((all, one) => all + value(one) * (sizes.get(one.profile) ?? 0), 0);
  const asked = sum((one) => one.askedSeconds);
  return asked === 0 ? 1 : sum((one) => one.servedSeconds) / asked;
}

function drawBar(share: number): string {
  const full = Math.min(barWidth, Math.round(share * barWidth));
  return `${'█'.repeat(full)}${'·'.repeat(barWidth - full)} ${percent(share)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function wait(seconds: number): string {
  return seconds === 0 ? '0' : describeDuration(seconds);
}

const columns = [
  'side',
  'day',
  'profile',
  'pods',
  'asked_slice_s',
  'served_slice_s',
  'lost_slice_s',
  'wait_slice_s',
  'started',
  'longest_wait_s',
  'evictions',
  'gpus_relaid',
] as const;

/** Writes one row for each side, day and profile, and one without a profile for the GPUs that were re-laid that day. */
export function writeSimulationCsv({ sides }: SimulationView): readonly string[] {
  const rows = sides.flatMap(({ name, figures }) =>
    figures.relayouts.flatMap((relaid, index) => [
      ...figures.days
        .filter(({ day }) => day === index + 1)
        .map((one) => [
          name,
          one.day,
          one.profile,
          one.pods,
          one.askedSeconds,
          one.servedSeconds,
          one.lostSeconds,
          one.waitSeconds,
          one.started,
          one.longestWaitSeconds,
          one.evictions,
          '',
        ]),
      [name, index + 1, '', '', '', '', '', '', '', '', '', relaid],
    ]),
  );
  return [columns.join(','), ...rows.map((row) => row.map(writeCell).join(','))];
}

function writeCell(value: string | number): string {
  return typeof value === 'string' && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value);
}
