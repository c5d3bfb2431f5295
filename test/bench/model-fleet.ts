import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { policies } from '../../src/api/resources.ts';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { type Guard, startGuard } from '../../src/simulator/control-plane/run.ts';
import { installApi } from '../../src/simulator/rig/install.ts';
import { makeController, type RigProcess } from '../../src/simulator/rig/process.ts';
import { ownCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { copyModelNode, makeModelNode } from './copied-fleet.ts';
import { tell } from './metric.ts';

const timeoutMs = 600_000;

/** The controller as it is shipped, on a real API server, with a fleet that is copied from one node: it costs seconds, and no agents run. */
export class ModelFleet implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  /** Not started. */
  readonly controllers: readonly RigProcess[];
  readonly #stack: AsyncDisposableStack;
  #size = 1;

  private constructor(parts: Pick<ModelFleet, 'controlPlane' | 'controllers'>, stack: AsyncDisposableStack) {
    this.controlPlane = parts.controlPlane;
    this.controllers = parts.controllers;
    this.#stack = stack;
  }

  static async start(identities: readonly string[], { auditLog = false } = {}): Promise<ModelFleet> {
    await using stack = new AsyncDisposableStack();
    // Kubelets that say nothing are not dead here: there is no controller manager to declare them dead.
    const controlPlane = stack.use(await ownCluster({ auditLog, controllerManager: false, scheduler: false }));
    await installApi(controlPlane);
    const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-bench-'));
    const guard = stack.adopt<Guard>(startGuard(folder), (one) => one.release());
    const make = (identity: string) => makeController({ controlPlane, nodes: [] }, guard, folder, identity);
    const controllers = await Promise.all(identities.map(make));
    for (const controller of controllers) stack.adopt(controller, async (one) => one.stop('SIGTERM'));
    await makeModelNode(controlPlane);
    return new ModelFleet({ controlPlane, controllers }, stack.move());
  }

  /** Only while no controller runs. */
  async grow(size: number): Promise<void> {
    const startedAt = performance.now();
    if (size > this.#size) await copyModelNode(this.controlPlane, this.#size, size);
    this.#size = Math.max(size, this.#size);
    tell(`${size} nodes are made after ${Math.round(performance.now() - startedAt)} ms`);
  }

  async waitUntilReady(): Promise<void> {
    const what = 'nodes in line';
    await eventually(
      () => countReady(this.controlPlane),
      (ready) => ready === this.#size,
      { timeoutMs, what },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

async function countReady({ client }: ControlPlane): Promise<number> {
  const policy = (await client.demand({ path: `${collectionPath(policies)}/fleet` })) as GpuPartitionPolicy;
  const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? (policy.status?.nodes?.ready ?? 0) : 0;
}

/** Done when a process has used less than 0.1 s of CPU time in 5 s. */
export async function waitUntilIdle(pid: number): Promise<void> {
  let before = -Infinity;
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    // In ticks of 10 ms.
    if (user + system - before < 10) return;
    before = user + system;
    await sleep(5_000);
  }
}
