import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { projectRoot } from '../../src/simulator/rig/process.ts';
import { ownCluster } from '../support/cluster.ts';
import { median, printMetric, tell } from './metric.ts';

/** How long a user waits for the first picture. */
export async function measureStartup(): Promise<void> {
  // Once before, so that the programs are built and in the page cache.
  await (await ownCluster()).stop();
  const startedAt = performance.now();
  const controlPlane = await ownCluster();
  const controlPlaneSeconds = (performance.now() - startedAt) / 1000;
  await controlPlane.stop();
  printMetric({ metric: 'startup: control plane', value: controlPlaneSeconds, unit: 's' });
  await measureExecutable();
  tell('make demo …');
  const demoStartedAt = performance.now();
  const { code, stdout, stderr } = await runProgram('make', ['demo'], { cwd: projectRoot, timeoutMs: 300_000 });
  if (code !== 0) throw new Error(`make demo ended with ${code}:\n${(stdout + stderr).slice(-4000)}`);
  const demoSeconds = (performance.now() - demoStartedAt) / 1000;
  printMetric({ metric: 'startup: make demo', value: demoSeconds, unit: 's', baseline: controlPlaneSeconds });
}

/** The command as one file beside its bundle, one after the other, so that both have the same machine. */
async function measureExecutable(): Promise<void> {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const executable = join(projectRoot, `dist/gpu-partition-linux-${architecture}`);
  if (!existsSync(executable)) return tell('no executable: make executable writes it');
  const seconds = async (program: string, ...args: readonly string[]): Promise<number> => {
    const startedAt = performance.now();
    const { code, stderr } = await runProgram(program, [...args, '--version']);
    if (code !== 0) throw new Error(stderr);
    return (performance.now() - startedAt) / 1000;
  };
  const pairs: (readonly [alone: number, bundle: number])[] = [];
  for (let pair = 0; pair < 15; pair += 1) {
    const alone = await seconds(executable);
    pairs.push([alone, await seconds(process.execPath, join(projectRoot, 'dist/gpu-partition.mjs'))]);
  }
  const [alone, bundle] = [median(pairs.map(([one]) => one)), median(pairs.map(([, other]) => other))];
  printMetric({ metric: 'startup: executable', value: alone, unit: 's', baseline: bundle });
}
