import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programPath } from '../../src/simulator/rig/process.ts';
import { median, printMetric } from './metric.ts';

const run = promisify(execFile);
const rounds = 15;

/** What one command of the simulated nvidia-smi costs: every figure of a roll contains it some dozens of times. */
export async function measureSimulator(): Promise<void> {
  const program = programPath('nvidia-smi-sim');
  const env = { NVIDIA_SMI_SIM_GPUS: 'A100-SXM4-40GB', NVIDIA_SMI_SIM_STATE: '/dev/null' };
  const ours: number[] = [];
  const bare: number[] = [];
  // In turn, so that both see the same noise.
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await time(() => run(process.execPath, [program, '-L'], { env })));
    bare.push(await time(() => run(process.execPath, ['-e', '0'], { env })));
  }
  printMetric({ metric: 'simulator: nvidia-smi -L, p50', value: median(ours), unit: 'ms', baseline: median(bare) });
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
