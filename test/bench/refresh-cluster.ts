import { dirname, join } from 'node:path';
import type { PolicySpec } from '../../src/api/types.ts';
import { advertises } from '../../src/core/node/offer.ts';
import { pick } from '../../src/simulator/control-plane/access.ts';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { Rig, type RigNode } from '../../src/simulator/rig/rig.ts';
import { ownCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { waitForQuiet } from './audited-writes.ts';
import { deployLabels, installOperands, operatorNamespace } from './gpu-daemons.ts';
import { createServiceAccount } from './kubernetes-objects.ts';
import { tell } from './metric.ts';
import { migManagerRules } from './mig-manager-sequence.ts';
import { NodeRecord } from './node-record.ts';
import { gpus, resourcesOf, type Shape, shapes } from './refresh-layout.ts';

/** Nodes, each a pool of its own: ours with either kind of plugin, and mig-manager's. */
export const pools = ['tolerant', 'stock', 'incumbent'] as const;
export type Pool = (typeof pools)[number];

/** A container that takes half a second to start, and a kubelet that tells the API server of a change after 0.8 s. */
const kubeletTiming = { startMs: 500, stopMs: 200, statusLagMs: 800 };

/** Three nodes with gpu-operator's programs on each, two of them under a policy of ours, the third without one and without an agent. */
export class RefreshCluster implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly rig: Rig;
  readonly record: NodeRecord;
  readonly migManagerToken: string;

  private constructor(parts: Pick<RefreshCluster, 'controlPlane' | 'rig' | 'record' | 'migManagerToken'>) {
    this.controlPlane = parts.controlPlane;
    this.rig = parts.rig;
    this.record = parts.record;
    this.migManagerToken = parts.migManagerToken;
  }

  /** Ready when all three nodes offer the layout `large`. */
  static async start(): Promise<RefreshCluster> {
    tell('starting a control plane, three nodes and gpu-operator’s DaemonSets …');
    const controlPlane = await ownCluster({ auditLog: true });
    try {
      const rig = await Rig.start({ controlPlane, nodes: pools.map(describeNode), kubeletTiming });
      const record = await NodeRecord.start(controlPlane);
      await installOperands(controlPlane, [
        { name: 'tolerant', pools: ['tolerant'], tolerations: [{ operator: 'Exists' }] },
        {
          name: 'stock',
          pools: ['stock', 'incumbent'],
          tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
        },
      ]);
      await createServiceAccount(controlPlane, operatorNamespace, 'mig-manager', migManagerRules);
      const migManagerToken = await controlPlane.serviceAccountToken(operatorNamespace, 'mig-manager');
      const cluster = new RefreshCluster({ controlPlane, rig, record, migManagerToken });
      await cluster.#prepare();
      return cluster;
    } catch (error) {
      await controlPlane.stop();
      throw error;
    }
  }

  /** Gives the first GPUs of a pool's node other layouts. @returns the policy's generation with them */
  async setShapes(pool: Pool, first: Shape, second: Shape = 'large'): Promise<number> {
    const body = [first, second].map((shape, at) => ({
      op: 'replace',
      path: `/spec/layouts/${at}/profiles`,
      value: shapes[shape].counts,
    }));
    const answer = await this.controlPlane.client.demand({
      method: 'PATCH',
      path: `/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies/${pool}`,
      body,
      contentType: 'application/json-patch+json',
    });
    return Number(pick(answer, 'metadata', 'generation'));
  }

  async waitUntilReady(pool: Pool, generation: number): Promise<number> {
    try {
      return await eventuallyDefined(() => this.record.readyAt(pool, generation), `policy ${pool} to be Ready`);
    } catch (error) {
      await this.#tellState(pool);
      throw error;
    }
  }

  /** @returns when the node first offered this and no more, at `sinceMs` or later */
  async waitUntilOffered(pool: Pool, wanted: Readonly<Record<string, number>>, sinceMs: number): Promise<number> {
    return eventuallyDefined(() => {
      const moments = this.record.nodeMoments(pool, sinceMs).filter(({ atMs }) => atMs >= sinceMs);
      return moments.find(({ offered }) => isSame(offered, wanted))?.atMs;
    }, `${pool} to offer its layout`);
  }

  nvidiaSmi(pool: Pool): string {
    return join(dirname(this.rig.stateFile(pool)), 'nvidia-smi');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.record[Symbol.asyncDispose]();
    await this.rig.stop();
    await this.controlPlane.stop();
  }

  /** What the controller says of a node, and our programs of themselves. */
  async #tellState(pool: Pool): Promise<void> {
    const path = `/apis/gpupartition.dev/v1alpha1/gpunodepartitions/${pool}`;
    const conditions = pick(await this.controlPlane.client.demand({ path }), 'status', 'conditions');
    tell(JSON.stringify(conditions, undefined, 2));
    for (const program of [this.rig.controller, this.rig.agent(pool)])
      tell(`${program.name}, exit status ${program.exitCode ?? 'none'}:\n${(await program.readLog()).slice(-2_000)}`);
  }

  async #prepare(): Promise<void> {
    await this.rig.agent('incumbent').stop('SIGTERM');
    for (const pool of ['tolerant', 'stock'] as const) {
      const metadata = { name: pool };
      const body = {
        apiVersion: 'gpupartition.dev/v1alpha1',
        kind: 'GpuPartitionPolicy',
        metadata,
        spec: specOf(pool),
      };
      const path = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';
      await this.controlPlane.client.demand({ method: 'POST', path, body });
    }
    await this.#partitionIncumbent();
    for (const pool of ['tolerant', 'stock'] as const) await this.waitUntilReady(pool, 1);
    for (const pool of pools) {
      await eventually(
        () => this.record.nodeMoments(pool).at(-1)?.offered ?? {},
        (offered) => isSame(offered, resourcesOf('large')),
        { timeoutMs: 30_000, what: `what ${pool} offers` },
      );
    }
    await waitForQuiet(this.controlPlane, 500);
  }

  /** By hand, and its plugin restarted by hand. */
  async #partitionIncumbent(): Promise<void> {
    const run = async (argv: readonly string[]): Promise<void> => {
      const { code, stdout } = await runProgram(this.nvidiaSmi('incumbent'), argv);
      if (code !== 0) throw new Error(`nvidia-smi ${argv.join(' ')} ended with ${code}: ${stdout}`);
    };
    for (const index of gpus.keys()) {
      await run(['-i', `${index}`, '-mig', '1']);
      await run(['mig', '-cgi', '9,9', '-C', '-i', `${index}`]);
    }
    const query = 'fieldSelector=spec.nodeName%3Dincumbent';
    const path = `/api/v1/namespaces/${operatorNamespace}/pods?${query}`;
    await this.controlPlane.client.demand({ method: 'DELETE', path });
  }
}

function describeNode(pool: Pool): RigNode {
  return { name: pool, gpus, labels: { pool, ...deployLabels }, strategy: 'mixed', plugin: 'pod' };
}

function specOf(pool: Pool): PolicySpec {
  return {
    nodeSelector: { matchLabels: { pool } },
    strategy: 'mixed',
    layouts: [
      { gpus: { indices: [0] }, profiles: shapes.large.counts },
      { gpus: { indices: [1] }, profiles: shapes.large.counts },
      { profiles: shapes.large.counts },
    ],
  };
}

function isSame(offered: Readonly<Record<string, number>>, wanted: Readonly<Record<string, number>>): boolean {
  const text = Object.fromEntries(Object.entries(offered).map(([name, count]) => [name, String(count)]));
  return advertises(text, wanted);
}

async function eventuallyDefined(read: () => number | undefined, what: string): Promise<number> {
  const value = await eventually(read, (found) => found !== undefined, { timeoutMs: 30_000, what });
  if (value === undefined) throw new Error(`${what}: nothing was found`);
  return value;
}
