import type { Sample } from './gauges.ts';
import type { Point } from './slope.ts';

/** What was seen of one process; a program that was killed begins another. */
export interface Life {
  readonly who: 'controller' | 'agents';
  readonly program: string;
  readonly last: Sample;
  /** MB by hours, from the end of the warm-up on. */
  readonly memory: readonly Point[];
  /** The least that it held in each round at rest, oldest first. */
  readonly filesAtRest: readonly number[];
  readonly handlesAtRest: readonly number[];
  /** Of the rounds in which they were counted. */
  readonly promisesAtRest: readonly number[];
}

export function listLives(samples: readonly Sample[], warmUpSeconds: number): readonly Life[] {
  const byPid = Map.groupBy(samples, ({ program, pid }) => `${program} ${pid}`);
  return [...byPid.values()].flatMap((life) => {
    const last = life.at(-1);
    if (last === undefined) return [];
    const { program } = last;
    const settled = life.filter(({ ageSeconds }) => ageSeconds >= warmUpSeconds);
    return [
      {
        who: program.startsWith('agent') ? 'agents' : 'controller',
        program,
        last,
        memory: settled.map(({ ageSeconds, rssMB }) => ({ x: ageSeconds / 3600, y: rssMB })),
        filesAtRest: listLeast(life, ({ files }) => files),
        handlesAtRest: listLeast(life, ({ resources }) => resources),
        promisesAtRest: listLeast(life, ({ promises }) => promises),
      },
    ];
  });
}

/** How much more there is in the last round than in the first; undefined for a single round. */
export function growthOf(rounds: readonly number[]): number | undefined {
  const [first] = rounds;
  const last = rounds.at(-1);
  return first === undefined || last === undefined || rounds.length < 2 ? undefined : last - first;
}

function listLeast(life: readonly Sample[], of: (sample: Sample) => number | undefined): readonly number[] {
  const rounds = Map.groupBy(life, ({ restRound }) => restRound);
  return [...rounds].flatMap(([round, samples]) => {
    const values = samples.flatMap((sample) => of(sample) ?? []);
    return round === undefined || values.length === 0 ? [] : [Math.min(...values)];
  });
}
