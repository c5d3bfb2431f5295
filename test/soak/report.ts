import type { SoakResult } from './soak.ts';
import type { Sample } from './gauges.ts';
import { slopeOf } from './slope.ts';
import { median, type Metric } from '../bench/metric.ts';

/** The figures of a soak, as `make bench` writes its own. */
export function describeSoak(result: SoakResult): readonly Metric[] {
  const { samples, options, seconds, logBytes, quietWrites, quietSeconds } = result;
  const hours = seconds / 3600;
  const lives = listLives(samples, options.warmUpMinutes * 60);
  const figures = (what: string, of: (life: Life) => number | undefined, unit: string): readonly Metric[] =>
    (['controller', 'agents'] as const).flatMap((who) => {
      const values = lives.filter((life) => life.who === who).flatMap((life) => of(life) ?? []);
      if (values.length === 0) return [];
      const metric = `soak: ${what} of ${who}`;
      return [
        { metric: `${metric}, median`, value: median(values), unit },
        { metric: `${metric}, most`, value: Math.max(...values), unit },
      ];
    });
  return [
    { metric: 'soak: nodes', value: options.nodes, unit: 'nodes' },
    { metric: 'soak: length', value: hours, unit: 'h' },
    { metric: 'soak: rounds', value: result.rounds, unit: 'rounds' },
    { metric: 'soak: rounds seen whole', value: result.completeRounds, unit: 'rounds' },
    { metric: 'soak: revisions judged', value: result.revisions, unit: 'revisions' },
    { metric: 'soak: deeds of users', value: total(result.deeds), unit: 'deeds' },
    { metric: 'soak: faults', value: total(result.faults), unit: 'faults' },
    { metric: 'soak: slowest return to rest', value: result.slowestRestSeconds, unit: 's' },
    ...figures('RSS slope', ({ rssSlope }) => rssSlope, 'MB/h'),
    ...figures('RSS at the end', ({ last }) => last.rssMB, 'MB'),
    ...figures('file descriptors, end less begin', ({ first, last }) => last.files - first.files, 'files'),
    ...figures('timers and handles, end less begin', ({ first, last }) => difference(first, last), 'handles'),
    { metric: 'soak: log', value: logBytes / 1e6 / hours, unit: 'MB/h' },
    { metric: 'soak: writes at rest', value: (quietWrites.length / quietSeconds) * 3600, unit: 'writes/h' },
    { metric: 'soak: violations', value: result.violations.length, unit: 'violations' },
  ];
}

/** The same for people. */
export function drawSoak(result: SoakResult): string {
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([what, count]) => `${what} ${count}`)
      .join(', ');
  const rows = describeSoak(result).map(
    ({ metric, value, unit }) => [metric.slice('soak: '.length), `${tidy(value)} ${unit}`] as const,
  );
  const width = Math.max(...rows.map(([what]) => what.length));
  return [
    `seed ${result.options.seed}`,
    ...rows.map(([what, value]) => `${what.padEnd(width)}  ${value}`),
    `users: ${list(result.deeds)}`,
    `faults: ${list(result.faults)}`,
    ...result.violations.map((violation) => `VIOLATION ${violation}`),
    '',
  ].join('\n');
}

interface Life {
  readonly who: 'controller' | 'agents';
  readonly first: Sample;
  readonly last: Sample;
  /** MB an hour, from the end of the warm-up on; undefined where it lived no longer. */
  readonly rssSlope: number | undefined;
}

/** Memory is only judged by what is long enough to tell growth from noise. */
const shortestSlopeSeconds = 1_200;

/** One for each process: a program that was killed begins another. */
function listLives(samples: readonly Sample[], warmUpSeconds: number): readonly Life[] {
  const byPid = Map.groupBy(samples, ({ program, pid }) => `${program} ${pid}`);
  return [...byPid.values()].flatMap((life) => {
    const settled = life.filter(({ ageSeconds }) => ageSeconds >= warmUpSeconds);
    const [first] = settled;
    const last = settled.at(-1);
    if (first === undefined || last === undefined) return [];
    const points = settled.map(({ ageSeconds, rssMB }) => ({ x: ageSeconds / 3600, y: rssMB }));
    return [
      {
        who: first.program.startsWith('agent') ? 'agents' : 'controller',
        first,
        last,
        rssSlope: last.ageSeconds - first.ageSeconds < shortestSlopeSeconds ? undefined : slopeOf(points),
      },
    ];
  });
}

function difference(first: Sample, last: Sample): number | undefined {
  return first.resources === undefined || last.resources === undefined ? undefined : last.resources - first.resources;
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function tidy(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
