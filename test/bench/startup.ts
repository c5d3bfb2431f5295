import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { projectRoot } from '../../src/simulator/rig/process.ts';
import { ownCluster } from '../support/cluster.ts';
import { printMetric, tell } from './metric.ts';

/** How long a user waits for the first picture. */
export async function measureStartup(): Promise<void> {
  // Once before, so that the programs are built and in the page cache.
  await (await ownCluster()).stop();
  const startedAt = performance.now();
  const controlPlane = await ownCluster();
  const controlPlaneSeconds = (performance.now() - startedAt) / 1000;
  await controlPlane.stop();
  printMetric({ metric: 'startup: control plane', value: controlPlaneSeconds, unit: 's' });
  tell('make demo …');
  const demoStartedAt = performance.now();
  const { code, stdout, stderr } = await runProgram('make', ['demo'], { cwd: projectRoot, timeoutMs: 300_000 });
  if (code !== 0) throw new Error(`make demo ended with ${code}:\n${(stdout + stderr).slice(-4000)}`);
  const demoSeconds = (performance.now() - demoStartedAt) / 1000;
  printMetric({ metric: 'startup: make demo', value: demoSeconds, unit: 's', baseline: controlPlaneSeconds });
}
