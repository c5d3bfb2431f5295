/**
 * How long it takes to plan a pool for a demand, as a program of its own does it: from the bundled solver, in a process with the
 * settings that our programs are started with, which measures how long its event loop waits and what memory it takes.
 */
import { build } from 'esbuild';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { COST_FIGURES } from '../../src/core/demand/solver/pool.ts';
import type { DemandRun } from './demand-run.ts';
import { printMetric, tell } from './metric.ts';

const sizes = [8, 64, 1000, 10_000];

export async function measureDemand(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-demand-'));
  const program = join(folder, 'run.mjs');
  await build({
    entryPoints: ['test/bench/demand-run.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    define: { GPU_PARTITION_SOLVER: JSON.stringify(pathToFileURL('dist/demand-solver.mjs').href) },
    logLevel: 'warning',
  });
  for (const gpus of sizes) {
    report(`demand: plan of ${gpus} GPUs`, await runAlone(program, String(gpus)));
    report(`demand: plan of ${gpus} GPUs, whole ones and sizes too`, await runAlone(program, String(gpus), 'mixed'));
  }
  await rm(folder, { recursive: true });
}

async function runAlone(program: string, ...argv: readonly string[]): Promise<DemandRun> {
  const settings = ['--expose-gc', '--max-semi-space-size=1'];
  const { code, stdout, stderr } = await runProgram(process.execPath, [...settings, program, ...argv]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as DemandRun;
}

function report(name: string, run: DemandRun): void {
  tell(`${name}: ${JSON.stringify(run)}`);
  printMetric({ metric: name, value: run.planMs, unit: 'ms' });
  printMetric({ metric: `${name}, first call`, value: run.firstMs, unit: 'ms' });
  printMetric({ metric: `${name}: figures proven`, value: run.proven, unit: `of ${COST_FIGURES.length}` });
  printMetric({
    metric: `${name}: longest turn of the event loop`,
    value: run.longestTurnMs,
    unit: 'ms',
    baseline: run.idleTurnMs,
  });
  printMetric({ metric: `${name}: RSS while planning, above that before`, value: run.peakMb, unit: 'MB' });
  printMetric({ metric: `${name}: RSS of the solver's process`, value: run.solverMb, unit: 'MB' });
  printMetric({ metric: `${name}: RSS afterwards, above that before`, value: run.keptMb, unit: 'MB' });
}
