/**
 * Kills `gpu-partition node apply` with SIGKILL at every side effect of every transition, runs it again, and counts what came of
 * it: JSON lines on standard output, each violation and the progress on standard error. Exit 1 if there is a violation.
 *
 *   nice node test/bench/crash-matrix.ts [TRANSITION…]
 */
import {
  listPoints,
  observeCourse,
  runCrash,
  type Course,
  type CrashPoint,
  type CrashVerdict,
} from '../device/crash-case.ts';
import { crashTransitions } from '../device/crash-transition.ts';
import { printMetric, tell, type Metric } from './metric.ts';

interface CrashCase {
  readonly course: Course;
  readonly point: CrashPoint;
}

/** Cases at a time; each is one process at work and one that waits for it. */
const workers = 2;

/** @returns the number of violations */
export async function benchCrashes(print: (metric: Metric) => void, names: readonly string[] = []): Promise<number> {
  const cases: CrashCase[] = [];
  for (const transition of crashTransitions.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const course = await observeCourse(transition);
    cases.push(...listPoints(course).map((point) => ({ course, point })));
  }
  tell(`${cases.length} crash cases`);
  const verdicts = await runAll(cases);
  const redundant = verdicts.flatMap((verdict) => verdict.redundant ?? []);
  const violations = verdicts.flatMap((verdict) => verdict.violations);
  print({ metric: 'crash: cases', value: verdicts.length, unit: 'cases' });
  print({ metric: 'crash: converged', value: verdicts.filter(({ converged }) => converged).length, unit: 'cases' });
  print({ metric: 'crash: redundant operations, max', value: Math.max(0, ...redundant), unit: 'operations' });
  print({ metric: 'crash: redundant operations, mean', value: mean(redundant), unit: 'operations' });
  print({ metric: 'crash: violations', value: violations.length, unit: 'violations' });
  return violations.length;
}

async function runAll(cases: readonly CrashCase[]): Promise<readonly CrashVerdict[]> {
  const verdicts: CrashVerdict[] = [];
  const queue = cases.values();
  const work = async (): Promise<void> => {
    for (const { course, point } of queue) {
      const verdict = await runCrash(course, point);
      verdicts.push(verdict);
      const where = `${course.transition.name}, ${point.moment} ${point.effect}${point.reboots ? ', reboot' : ''}`;
      for (const violation of verdict.violations) tell(`${where}: ${violation}`);
      if (!verdict.converged) tell(`${where}: not converged`);
      if (verdicts.length % 20 === 0) tell(`${verdicts.length} of ${cases.length}`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return verdicts;
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

if (import.meta.main) process.exitCode = (await benchCrashes(printMetric, process.argv.slice(2))) > 0 ? 1 : 0;
