import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuard } from '../../src/simulator/control-plane/run.ts';
import { RigProcess, programPath } from '../../src/simulator/rig/process.ts';
import { eventually } from '../support/eventually.ts';
import { waitForQuiet } from './audited-writes.ts';
import { BenchCluster, type LayoutName, slowestNode } from './bench-cluster.ts';
import { isOperation, listDeviceRuns } from './device-log.ts';
import { printMetric, tell } from './metric.ts';
import { Supervisor } from './supervisor.ts';

const outageMs = 5_000;

/** Something breaks while eight GPUs are being changed: how long until the whole is as it would have been anyway. */
export async function measureRecovery(): Promise<void> {
  await using cluster = await BenchCluster.start();
  await cluster.applySamples();
  await cluster.waitUntilReady('sample');
  const undisturbed = await roll(cluster, 'split', async () => undefined);
  printMetric({ metric: 'recovery: the same change undisturbed', value: undisturbed, unit: 's' });

  const { controlPlane, rig } = cluster;
  const programs = [rig.controller, ...rig.agents];
  using _supervisor = new Supervisor([rig.controller]);
  const report = (name: string, value: number): void =>
    printMetric({ metric: `recovery: ${name}, patch to Ready`, value, unit: 's', baseline: undisturbed });

  const outage = await roll(cluster, 'sample', async () => {
    await controlPlane.killApiServer();
    await sleep(outageMs);
    await controlPlane.startApiServer();
  });
  report(`API server killed for ${outageMs / 1000} s and started`, outage);
  const gaveUp = programs.reduce((sum, { crashes }) => sum + crashes, 0);
  printMetric({ metric: 'recovery: programs that gave up in the outage', value: gaveUp, unit: 'times' });

  const agent = await roll(cluster, 'split', () => restart(rig.agent(slowestNode)));
  report('agent killed and started', agent);

  const controller = await roll(cluster, 'sample', () => restart(rig.controller));
  report('controller killed and started, same identity', controller);

  await using standby = await startStandby(cluster);
  const failover = await roll(cluster, 'split', () => rig.controller.stop('SIGKILL'));
  report('leader killed, standby takes over (lease of 15 s)', failover);
  await standby.stop();
}

/** Changes the layout, breaks something once the device is being changed, and waits. @returns seconds in all */
async function roll(cluster: BenchCluster, layout: LayoutName, disturb: () => Promise<void>): Promise<number> {
  await waitForQuiet(cluster.controlPlane, 2_500);
  const startedMs = Date.now();
  await cluster.setLayout(layout);
  await eventually(
    () => listDeviceRuns(cluster.rig, slowestNode, startedMs),
    (runs) => runs.some(isOperation),
    { timeoutMs: 60_000, what: 'the device' },
  );
  tell(`the device is being changed after ${Date.now() - startedMs} ms`);
  await disturb();
  tell(`disturbed until ${Date.now() - startedMs} ms`);
  await cluster.waitUntilReady(layout);
  const seconds = (Date.now() - startedMs) / 1000;
  tell(`Ready after ${seconds} s`);
  return seconds;
}

async function restart(program: RigProcess): Promise<void> {
  await program.stop('SIGKILL');
  program.start();
}

interface Standby extends AsyncDisposable {
  stop(): Promise<void>;
}

/** A second controller that waits for the lease. */
async function startStandby({ controlPlane, rig }: BenchCluster): Promise<Standby> {
  const token = await controlPlane.serviceAccountToken('gpu-partition-system', 'gpu-partition-controller', {
    expirationSeconds: 3600,
  });
  const kubeconfig = await controlPlane.kubeconfigFile({ token });
  const unknown = ['--unknown-device-plugin', 'Await'];
  const argv = [programPath('controller'), ...unknown, '--kubeconfig', kubeconfig, '--identity', 'controller-1'];
  const guard = startGuard();
  const program = new RigProcess('standby', argv, join(rig.folder, 'standby.log'), guard);
  program.start();
  await eventually(
    () => program.readLog(),
    (log) => log.includes('standing for election'),
    { timeoutMs: 30_000, what: 'the log of the standby' },
  );
  const stop = async (): Promise<void> => {
    await program.stop('SIGTERM');
    guard.release();
  };
  return { stop, [Symbol.asyncDispose]: stop };
}
