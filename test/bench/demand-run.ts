import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { COST_FIGURES, type DemandSlice, type PoolGpu } from '../../src/core/demand/solver/pool.ts';
import { findModel } from '../../src/core/gpu/geometry.ts';
import { planDemand } from '../../src/planner/solver-process.ts';
import { keepMaximalStates, listPlacedStates } from '../core/gpu/placed-states.ts';
import { Random } from '../model/random.ts';
import { WHOLE } from '../../src/core/gpu/profiles.ts';

/** What one process measured. */
export interface DemandRun {
  readonly firstMs: number;
  readonly planMs: number;
  /** Figures of the cost that are proven to be the least. */
  readonly proven: number;
  readonly longestTurnMs: number;
  /** Of the same time in which the process does nothing: how long the machine keeps it waiting. */
  readonly idleTurnMs: number;
  readonly peakMb: number;
  /** Of the solver's process. */
  readonly solverMb: number;
  readonly keptMb: number;
}

const PROFILES = ['1g.5gb', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'];
/** Of each profile, how many are wanted for each GPU of the pool: a little more than fits. */
const WANTED = { '1g.5gb': 3, '2g.10gb': 0.6, '3g.20gb': 0.5 };
const SIZES = { '1g.5gb': 1, '2g.10gb': 2, '3g.20gb': 4 };
const SECONDS = 60;

/** The same, and whole GPUs and slices of a size, which any of several profiles serves. */
const isMixed = process.argv[3] === 'mixed';
const gpus = drawPool(Number(process.argv[2]));
const named = (['1g.5gb', '2g.10gb', '3g.20gb'] as const).map((name): DemandSlice => ({
  name,
  profiles: [name],
  count: Math.round(WANTED[name] * gpus.length),
  weight: SIZES[name],
}));
const others: readonly DemandSlice[] = [
  { name: WHOLE, profiles: [WHOLE], count: Math.round(gpus.length / 8), weight: 8 },
  { name: 'size', profiles: PROFILES.slice(1), count: Math.round(gpus.length / 4), weight: 2 },
];
const slices = isMixed ? [...named, ...others] : named;
const ask = () => planDemand(gpus, { slices, evict: 'Never', seconds: SECONDS });

await sleep(500);
globalThis.gc?.();
const before = rssMb();
let peak = before;
let solverMb = 0;
const sampler = setInterval(() => {
  peak = Math.max(peak, rssMb());
  for (const child of listChildren()) solverMb = Math.max(solverMb, rssMb(child));
}, 5);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const startedAt = performance.now();
const plan = await ask();
const firstMs = performance.now() - startedAt;
const secondAt = performance.now();
await ask();
const planMs = performance.now() - secondAt;
const longestTurnMs = delay.max / 1e6;
clearInterval(sampler);
delay.reset();
await sleep(performance.now() - startedAt);
delay.disable();
globalThis.gc?.();
await sleep(1000);
globalThis.gc?.();
const result: DemandRun = {
  firstMs,
  planMs,
  proven: plan.gap === undefined ? COST_FIGURES.length : COST_FIGURES.indexOf(plan.gap.figure),
  longestTurnMs,
  idleTurnMs: delay.max / 1e6,
  peakMb: peak - before,
  solverMb,
  keptMb: rssMb() - before,
};
process.stdout.write(JSON.stringify(result));

/** GPUs in any full state, half of their instances busy: more kinds of GPUs than any real fleet has. */
function drawPool(size: number): readonly PoolGpu[] {
  const model = findModel('a100-40gb');
  if (model === undefined) throw new Error('the table has no A100');
  const states = keepMaximalStates(listPlacedStates(model, PROFILES));
  const random = new Random(1);
  return Array.from({ length: size }, (_, index) => ({
    id: `gpu-${index}`,
    geometry: model,
    instances: drawState(random, states).map((placed) => {
      const [profile = '', start = ''] = placed.split('@');
      return { profile, start: Number(start), busy: random.chance(0.5) };
    }),
  }));
}

/** A tenth of a mixed pool is whole. */
function drawState(random: Random, states: readonly (readonly string[])[]): readonly string[] {
  return isMixed && random.chance(0.1) ? [`${WHOLE}@0`] : (random.pick(states) ?? []);
}

function rssMb(pid = 'self'): number {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0;
    return (Number(kib) * 1024) / 1e6;
  } catch {
    // It has just ended.
    return 0;
  }
}

function listChildren(): readonly string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
}
