import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { demoNodes } from '../../src/simulator/demo/screen.ts';
import { Rig } from '../../src/simulator/rig/rig.ts';
import { ownCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { waitForQuiet } from './audited-writes.ts';
import { tell } from './metric.ts';

/** The node with the most GPUs, which the others never wait for. */
export const slowestNode = 'sim-a100';

/** Layouts of the A100s that the measurements change between. */
export const layouts = {
  sample: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 },
  /** The sample with its 2g.10gb replaced by two 1g.5gb; the other three instances can stay. */
  split: { '1g.5gb': 4, '3g.20gb': 1 },
} as const satisfies Record<string, Readonly<Record<string, number>>>;

export type LayoutName = keyof typeof layouts;

/** The cluster of the demo: a whole control plane with its audit log, four nodes, our controller and four agents. */
export class BenchCluster implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly rig: Rig;

  private constructor(controlPlane: ControlPlane, rig: Rig) {
    this.controlPlane = controlPlane;
    this.rig = rig;
  }

  /** Ready when each agent has reported its GPUs and nothing is written any more. */
  static async start(): Promise<BenchCluster> {
    tell('starting a control plane, four nodes, the controller and four agents …');
    const controlPlane = await ownCluster({ auditLog: true });
    try {
      const cluster = new BenchCluster(controlPlane, await Rig.start({ controlPlane, nodes: demoNodes }));
      await cluster.#waitForReports();
      return cluster;
    } catch (error) {
      await controlPlane.stop();
      throw error;
    }
  }

  /** `kubectl apply -k samples`, as a user does it. */
  async applySamples(): Promise<void> {
    await this.#kubectl(['apply', '-k', new URL('../../samples', import.meta.url).pathname]);
  }

  /** Gives the A100s of the policy `inference` another layout. */
  async setLayout(name: LayoutName): Promise<void> {
    const patch = [{ op: 'replace', path: '/spec/layouts/0/profiles', value: layouts[name] }];
    await this.#kubectl(['patch', 'gpp', 'inference', '--type=json', '-p', JSON.stringify(patch)]);
  }

  /**
   * Waits until all policies are Ready at their newest generation and the A100s have the layout.
   * @returns how often a policy said so before the device was like that
   */
  async waitUntilReady(layout: LayoutName, timeoutMs = 120_000): Promise<number> {
    let early = 0;
    await this.#eventually(async () => {
      const isReady = await this.#arePoliciesReady();
      const isDone = await this.#hasLayout(layout);
      if (isReady && !isDone) early += 1;
      return isReady && isDone;
    }, timeoutMs);
    return early;
  }

  async listPartitions(): Promise<readonly GpuNodePartition[]> {
    return this.#list<GpuNodePartition>('gpunodepartitions');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig.stop();
    await this.controlPlane.stop();
  }

  async #waitForReports(): Promise<void> {
    await eventually(
      () => this.listPartitions(),
      (all) => all.length === demoNodes.length && all.every(({ status }) => (status?.device?.gpus ?? []).length > 0),
      { timeoutMs: 60_000, what: 'the list of partitions' },
    );
    await waitForQuiet(this.controlPlane, 2_500);
  }

  /** Shows what our programs say where it does not come to pass. */
  async #eventually(holds: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    try {
      await eventually(holds, (isSo) => isSo, { timeoutMs, intervalMs: 25, what: 'readiness' });
    } catch (error) {
      for (const program of [this.rig.controller, ...this.rig.agents]) {
        tell(`${program.name}, exit status ${program.exitCode ?? 'none'}:\n${(await program.readLog()).slice(-2_000)}`);
      }
      throw error;
    }
  }

  async #arePoliciesReady(): Promise<boolean> {
    const policies = await this.#list<GpuPartitionPolicy>('gpupartitionpolicies');
    return policies.every(({ metadata, status }) =>
      status?.conditions?.some(
        ({ type, status: holds, observedGeneration }) =>
          type === 'Ready' && holds === 'True' && observedGeneration === metadata.generation,
      ),
    );
  }

  /** By the state of the simulated device itself, which no report can gloss over. */
  async #hasLayout(name: LayoutName): Promise<boolean> {
    const gpus = demoNodes.find((node) => node.name === slowestNode)?.gpus.length ?? 0;
    const perGpu = Object.values<number>(layouts[name]).reduce((sum, count) => sum + count, 0);
    const lines = (await this.rig.deviceState(slowestNode)).split('\n');
    return lines.filter((line) => line.startsWith('gi ')).length === gpus * perGpu;
  }

  async #list<T>(plural: string): Promise<readonly T[]> {
    const answer = await this.controlPlane.client.demand({ path: `/apis/gpupartition.dev/v1alpha1/${plural}` });
    return (answer as { readonly items: readonly T[] }).items;
  }

  async #kubectl(args: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await this.controlPlane.kubectl(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${stderr || stdout}`);
  }
}
