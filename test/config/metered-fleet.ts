import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { AgentMetrics } from '../../src/agent/metrics.ts';
import type { Device, WorkOptions } from '../../src/agent/open-device.ts';
import { ControllerMetrics } from '../../src/controller/metrics.ts';
import type { GpuNodePartition } from '../../src/api/types.ts';
import type { NodeReason } from '../../src/api/names.ts';
import type { Command, Verdict } from '../../src/core/node/commands.ts';
import { DeviceError, type DeviceState } from '../../src/core/gpu/device-state.ts';
import { createRegistry } from '../../src/process/health.ts';
import { aStatusNode } from '../core/view/status-stories.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { aGpu } from '../support/builders.ts';
import { aPolicyRecord, aWriteGrant } from '../support/node-builders.ts';
import type { ScrapeTarget } from '../support/prometheus.ts';
import { simulateFleet } from '../ui/simulated-fleet.ts';

const pools = ['a100', 'a100-spot'];
const counts = { lists: 1, reconnects: 0, events: 3, failures: 0, handlerErrors: 0 };
const watches = ['gpupartitionpolicies', 'nodes', 'gpunodepartitions', 'pods'];
const lost = new DeviceError('GpuLost', { tried: 'to read', found: 'nothing' });

/** What kube-state-metrics serves of a node and of a pod that waits for a slice, as its documentation has it. */
const stateMetrics: Pick<Registry, 'contentType' | 'metrics'> = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  metrics: async () => `
kube_node_status_allocatable{node="gpu-node-0000",resource="cpu",unit="core"} 64
kube_node_status_allocatable{node="gpu-node-0000",resource="nvidia_com_gpu",unit="integer"} 0
kube_node_status_allocatable{node="gpu-node-0000",resource="nvidia_com_mig_1g_5gb",unit="integer"} 24
kube_pod_container_resource_requests{namespace="team",pod="train-9",uid="u9",container="main",node="",resource="nvidia_com_mig_7g_40gb",unit="integer"} 2
kube_pod_container_resource_requests{namespace="team",pod="serve-1",uid="u1",container="main",node="gpu-node-0000",resource="nvidia_com_mig_1g_5gb",unit="integer"} 1
kube_pod_status_phase{namespace="team",pod="train-9",uid="u9",phase="Pending"} 1
kube_pod_status_phase{namespace="team",pod="train-9",uid="u9",phase="Running"} 0
kube_pod_status_phase{namespace="team",pod="serve-1",uid="u1",phase="Pending"} 0
kube_pod_status_phase{namespace="team",pod="serve-1",uid="u1",phase="Running"} 1
`,
};

/** What dcgm-exporter serves of the agent's slice, as in dcgm-exporter#544. */
const measured = 'UUID="GPU-1",gpu="0",device="nvidia0",GPU_I_PROFILE="1g.5gb",GPU_I_ID="7",Hostname="h"';
const sliceMeasures: typeof stateMetrics = {
  contentType: stateMetrics.contentType,
  metrics: async () => `
DCGM_FI_PROF_GR_ENGINE_ACTIVE{${measured}} 0.5
DCGM_FI_PROF_DRAM_ACTIVE{${measured}} 0.25
DCGM_FI_DEV_FB_USED{${measured}} 12
`,
};
/** What OpenCost serves of the agent's node, with the labels of its source. */
const prices: typeof stateMetrics = {
  contentType: stateMetrics.contentType,
  metrics: async () => `
node_gpu_hourly_cost{instance="gpu-node-0000",node="gpu-node-0000",instance_type="p4d.24xlarge",region="eu-1",provider_id="i-1",arch="amd64",uid="u0"} 4
`,
};
const slices = [
  { profile: '1g.5gb', gi: 7, start: 0, uuid: 'MIG-1', pods: ['team/serve-1'] },
  { profile: '2g.10gb', gi: 3, start: 2, uuid: 'MIG-2' },
];
const sliced = {
  spec: { policy: { name: 'inference' } },
  status: {
    device: {
      gpus: [{ uuid: 'GPU-1', product: 'NVIDIA A100-SXM4-40GB', index: 0, mig: 'Enabled', instances: slices }],
    },
  },
} as unknown as GpuNodePartition;

/** The metrics of a controller, of an agent, of dcgm-exporter, OpenCost and kube-state-metrics, of a fleet to which something happens now and then, served as the programs serve them. */
export class MeteredFleet {
  readonly #registries = {
    controller: createRegistry({ program: 'controller' }),
    agent: createRegistry({ program: 'agent' }),
  };
  #now = 0;
  readonly #controller = new ControllerMetrics(
    this.#registries.controller,
    () => this.#now,
    () => new Map(watches.map((name) => [name, { counts, silenceMs: 1500, synced: true }])),
  );
  readonly #agent = new AgentMetrics(this.#registries.agent, new FakeClock(), true);
  readonly #servers: Server[] = [];

  constructor() {
    attachFleet(this.#controller);
    this.#agent.attach({
      queue: { depth: 0, longestRunMs: 0 },
      watch: { counts, silenceMs: 0 },
      serverClock: { skewMs: 0 },
      partition: () => sliced,
    });
  }

  /** @returns where they are scraped */
  async serve(): Promise<readonly ScrapeTarget[]> {
    const foreign = { 'kube-state-metrics': stateMetrics, 'dcgm-exporter': sliceMeasures, opencost: prices };
    const all = { ...this.#registries, ...foreign };
    const served = await Promise.all(Object.entries(all).map(([pod, registry]) => serve(pod, registry)));
    this.#servers.push(...served.map(({ server }) => server));
    return served.map(({ target }) => target);
  }

  /** A change from its wish until the node is ready, a node that fails, and an agent at work. */
  async happen(): Promise<void> {
    const steps: readonly (readonly [Verdict['phase'], NodeReason, ...Command[]])[] = [
      ['Pending', 'AwaitingPlan', wish],
      ['Pending', 'AwaitingSlot'],
      ['Updating', 'Draining', evict('refused'), evict('gone')],
      ['Updating', 'Applying', grant],
      ['Updating', 'AdvertisePending'],
      ['Ready', 'Ready'],
      ['Failed', 'Failed'],
    ];
    for (const [phase, reason, ...commands] of steps) {
      this.#take(phase, reason, commands);
      this.#now += 3000;
    }
    for (const queue of ['nodes', 'policies']) {
      const observer = this.#controller.observeQueue(queue);
      observer.started(5);
      observer.ended('success', 20);
    }
    this.#agent.operated('mig -i 0 -cgi 19:2 -C');
    await this.#agent.measure(device).read();
    await this.#agent.measure(device).apply([], [], {} as WorkOptions);
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  #take(phase: Verdict['phase'], reason: NodeReason, commands: readonly Command[]): void {
    const evictions = { refused: { at: 0, refusal: 'its budget' }, gone: { at: 0, refusal: undefined } };
    const verdict = { phase, reason, message: '' };
    // It takes no GPU pods from its drain until it is Ready.
    const closed = phase === 'Updating' ? { since: this.#now } : { lastSeconds: 9 };
    this.#controller.record({ node: 'n', verdict, commands, memory: { waits: {}, evictions, closed } });
  }
}

const nothing = { gpus: [] } as unknown as DeviceState;
const device: Device = {
  hostProblems: () => [],
  read: async () => nothing,
  apply: async () => ({
    results: [{ uuid: 'GPU-1', outcome: 'Failed', operations: 1, error: lost, undoError: undefined }],
    device: nothing,
  }),
};

const wish: Command = {
  name: 'WriteWish',
  fields: {
    policy: null,
    strategy: null,
    wish: { gpus: [], replaceForeignInstances: null, allowGpuReset: null },
    drain: null,
    repairs: null,
  },
};

const grant = aWriteGrant();

function evict(uid: string): Command {
  return { name: 'EvictPod', pod: { namespace: 'team', name: uid, uid }, round: 1 };
}

function attachFleet(controller: ControllerMetrics): void {
  const { policies, partitions } = simulateFleet(20);
  const sick = aGpu({ slices: ['7g.40gb@0'], health: { action: 'Reset', message: 'a reset is required' } });
  const unmanaged = aStatusNode({ name: 'gpu-node-other', policy: '', phase: 'Unmanaged', reason: 'NoPolicy' });
  const all = [...partitions, withError(aStatusNode({ name: 'gpu-node-sick', gpus: [sick] })), unmanaged];
  const idle = { depth: 0, longestRunMs: 0 };
  const records = policies.map(aPolicyRecord);
  controller.attach({
    queues: new Map(['nodes', 'policies'].map((name) => [name, idle])),
    // Each scrape goes over them again.
    fleet: {
      get policies() {
        return records.values();
      },
    },
    partitions: { list: () => all },
    nodes: { get: (name) => ({ metadata: { name, labels: { pool: pools[Number(name.slice(-1)) % 2] ?? 'a100' } } }) },
  });
}

function withError(partition: GpuNodePartition): GpuNodePartition {
  const error = { code: 'GpuLost', message: 'GPU 0 does not answer' };
  return { ...partition, status: { ...partition.status, device: { ...partition.status?.device, error } } };
}

async function serve(
  pod: string,
  registry: Pick<Registry, 'contentType' | 'metrics'>,
): Promise<{ readonly server: Server; readonly target: ScrapeTarget }> {
  const server = createServer((_request, response) => {
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // As in a cluster, only the agent runs on the node that its series are about.
  const node = pod === 'agent' ? 'gpu-node-0000' : 'other-node';
  return { server, target: { pod, port: (server.address() as AddressInfo).port, node } };
}
