import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { demoNodes } from '../../src/simulator/demo/screen.ts';
import { programPath } from '../../src/simulator/rig/process.ts';
import { writeNvidiaSmiWrapper } from '../../src/simulator/nvidia-smi/wrapper.ts';
import { isOperation } from './device-log.ts';

/**
 * Milliseconds that commands of nvidia-smi take on a fresh copy of a node, one after another and nothing in between: what
 * a shell script with the right commands in it would take.
 */
export async function timeRawLoop(node: string, commands: readonly (readonly string[])[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-bench-'));
  try {
    const nvidiaSmi = writeNvidiaSmiWrapper(folder, {
      gpus: demoNodes.find(({ name }) => name === node)?.gpus ?? [],
      stateFile: join(folder, 'state'),
      seed: node,
      program: programPath('nvidia-smi-sim'),
      node: process.execPath,
    });
    const startedAt = performance.now();
    for (const argv of commands) {
      const { code, stdout } = await runProgram(nvidiaSmi, argv);
      // -lgi ends with 6 where there is no instance; an operation that does not work would make the time worthless.
      if (code !== 0 && isOperation({ argv }))
        throw new Error(`nvidia-smi ${argv.join(' ')} ended with ${code}: ${stdout}`);
    }
    return performance.now() - startedAt;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
