import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { policies } from '../../../src/api/resources.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { loadKubeConfig } from '../../../src/kube/kubeconfig.ts';
import { collectionPath } from '../../../src/kube/watch.ts';
import type { ControlPlane } from '../../../src/simulator/control-plane/start.ts';
import { type Guard, startGuard } from '../../../src/simulator/control-plane/run.ts';
import { installApi } from '../../../src/simulator/rig/install.ts';
import { makeController, type RigProcess } from '../../../src/simulator/rig/process.ts';
import { ownCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { FleetRecorder } from '../../support/fleet-recorder.ts';
import { waitForQuiet } from '../audited-writes.ts';
import { fleetLayout, fleetPolicy } from '../fleet-objects.ts';
import { tell } from '../metric.ts';
import { RolloutWatch } from './rollout-watch.ts';
import { SimulatedFleet } from './simulated-fleet.ts';

/** Kubelets that say nothing are not dead; the pods of the DaemonSets are made here, under owners that are not there. */
const controllerManagerArguments = [
  '--node-monitor-grace-period=24h',
  '--controllers=-garbage-collector-controller,-daemonset-controller',
];

/** A whole control plane, the controller as it is shipped with its usual settings, and a fleet of nodes that one policy has in line. */
export class FleetCluster implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly fleet: SimulatedFleet;
  readonly controllers: readonly RigProcess[];
  readonly rollout: RolloutWatch;
  readonly recorder: FleetRecorder;
  readonly size: number;
  readonly #stack: AsyncDisposableStack;
  #generation = 1;

  private constructor(
    parts: Pick<FleetCluster, 'controlPlane' | 'fleet' | 'controllers' | 'rollout' | 'recorder' | 'size'>,
    stack: AsyncDisposableStack,
  ) {
    this.controlPlane = parts.controlPlane;
    this.fleet = parts.fleet;
    this.controllers = parts.controllers;
    this.rollout = parts.rollout;
    this.recorder = parts.recorder;
    this.size = parts.size;
    this.#stack = stack;
  }

  static async start(size: number): Promise<FleetCluster> {
    await using stack = new AsyncDisposableStack();
    const startedAt = performance.now();
    const since = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    const controlPlane = stack.use(await ownCluster({ auditLog: true, controllerManagerArguments }));
    await installApi(controlPlane);
    const fleet = stack.use(await SimulatedFleet.start(controlPlane, size));
    tell(`${size} nodes are made after ${since()}`);
    const controllers = await startControllers(controlPlane, stack);
    const body = fleetPolicy(fleetLayout);
    await controlPlane.client.demand({ method: 'POST', path: collectionPath(policies), body });
    const client = new KubeClient(loadKubeConfig({ kubeconfig: await controlPlane.kubeconfigFile() }), 'watcher');
    stack.defer(async () => client.config.close());
    const rollout = stack.adopt(await RolloutWatch.start(client), async (watch) => watch.stop());
    const recorder = stack.adopt(await FleetRecorder.start(client), async (watch) => watch.stop());
    const cluster = new FleetCluster({ controlPlane, fleet, controllers, rollout, recorder, size }, stack.move());
    await cluster.waitUntilReady(600_000);
    await waitForQuiet(controlPlane, 3_000);
    tell(`${size} nodes are in line after ${since()}`);
    return cluster;
  }

  /** Edits the policy; {@link waitUntilReady} then waits for this generation. */
  async edit(spec: Partial<PolicySpec>): Promise<void> {
    const path = `${collectionPath(policies)}/fleet`;
    const contentType = 'application/merge-patch+json';
    const edited = await this.controlPlane.client.demand({ method: 'PATCH', path, contentType, body: { spec } });
    this.#generation = (edited as GpuPartitionPolicy).metadata.generation ?? 0;
  }

  /** Waits until the policy says of its newest generation that it is Ready. */
  async waitUntilReady(timeoutMs: number): Promise<void> {
    try {
      await eventually(
        () => this.rollout.policy,
        (policy) => policy !== undefined && isReady(policy, this.#generation),
        { timeoutMs, what: 'the policy' },
      );
    } catch (error) {
      for (const controller of this.controllers) tell((await controller.readLog()).slice(-4_000));
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** One that leads, and one that stands by and is not started. */
async function startControllers(
  controlPlane: ControlPlane,
  stack: AsyncDisposableStack,
): Promise<readonly RigProcess[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-bench-'));
  const guard = stack.adopt<Guard>(startGuard(folder), (one) => one.release());
  const make = (identity: string) => makeController({ controlPlane, nodes: [] }, guard, folder, identity);
  const controllers = await Promise.all(['controller-0', 'controller-1'].map(make));
  for (const controller of controllers) stack.adopt(controller, async (one) => one.stop('SIGTERM'));
  controllers[0]?.start();
  return controllers;
}

function isReady({ status }: GpuPartitionPolicy, generation: number): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === generation;
}
