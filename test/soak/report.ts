import { growthOf, type Life, listLives } from './lives.ts';
import type { SoakResult } from './soak-options.ts';
import { slopeOf } from './slope.ts';
import { median, type Metric } from '../bench/metric.ts';

/** The figures of a soak, as `make bench` writes its own. */
export function describeSoak(result: SoakResult): readonly Metric[] {
  const { samples, options, seconds, quietSeconds } = result;
  const hours = seconds / 3600;
  const quietHours = quietSeconds / 3600;
  const lives = listLives(samples, options.warmUpMinutes * 60);
  const ofBoth = (describe: (lives: readonly Life[], who: string) => readonly Metric[]): readonly Metric[] =>
    (['controller', 'agents'] as const).flatMap((who) =>
      describe(
        lives.filter((life) => life.who === who),
        who,
      ),
    );
  const figures = (what: string, of: (life: Life) => number | undefined, unit: string): readonly Metric[] =>
    ofBoth((some, who) => {
      const values = some.flatMap((life) => of(life) ?? []);
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
    ...ofBoth(describeSlope),
    ...figures('RSS at the end', ({ last }) => last.rssMB, 'MB'),
    ...figures('file descriptors at rest, last less first', ({ filesAtRest }) => growthOf(filesAtRest), 'files'),
    ...figures(
      'timers and handles at rest, last less first',
      ({ handlesAtRest }) => growthOf(handlesAtRest),
      'handles',
    ),
    ...figures('promises at rest, last less first', ({ promisesAtRest }) => growthOf(promisesAtRest), 'promises'),
    { metric: 'soak: log', value: result.logBytes / 1e6 / hours, unit: 'MB/h' },
    { metric: 'soak: log at rest', value: result.quietLogBytes / 1e6 / quietHours, unit: 'MB/h' },
    { metric: 'soak: writes at rest', value: result.quietWrites.length / quietHours, unit: 'writes/h' },
    { metric: 'soak: violations', value: result.violations.length, unit: 'violations' },
  ];
}

/** What all processes have in common: each has a level of its own. */
function describeSlope(lives: readonly Life[], who: string): readonly Metric[] {
  const found = slopeOf(lives.map(({ memory }) => memory));
  if (found === undefined) return [];
  return [
    { metric: `soak: RSS slope of ${who}`, value: found.slope, unit: 'MB/h' },
    { metric: `soak: RSS slope of ${who}, give or take`, value: found.uncertainty, unit: 'MB/h' },
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

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function tidy(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
