import { setTimeout as sleep } from 'node:timers/promises';
import { NodeAgent } from '../../../src/agent/agent.ts';
import { kubeletOf } from '../../../src/agent/open-kubelet.ts';
import { agentManager } from '../../../src/api/names.ts';
import { nodes } from '../../../src/api/resources.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { type Credentials, PooledKubeConfig } from '../../../src/kube/kubeconfig.ts';
import { silentLogger } from '../../../src/process/log.ts';
import { programVersion } from '../../../src/process/options.ts';
import { fleetDevice } from '../fleet-objects.ts';
import { GpuDouble, type GpuPace } from './gpu-double.ts';

/** From the signal until the device plugin has told the kubelet, and the kubelet the API server. */
const pluginMs = 100;

/** A node of the fleet: the agent that is shipped, in this process, on GPUs, a device plugin and a kubelet that are doubles. */
export class NodeDouble {
  readonly name: string;
  readonly gpus: GpuDouble;
  readonly agent: NodeAgent;
  readonly #kubelet: KubeClient;
  /** Ids that the kubelet offers, by resource. */
  #offered: ReadonlyMap<string, readonly string[]>;

  /**
   * @param uid of the Node
   * @param kubelet a client that may write Nodes, and act as any agent
   * @param onBegin called when the first operation of a change begins
   */
  constructor(name: string, uid: string, kubelet: KubeClient, pace: Readonly<GpuPace>, onBegin: () => void) {
    const report = fleetDevice(name);
    this.name = name;
    this.#kubelet = kubelet;
    this.gpus = new GpuDouble(report, pace, onBegin);
    this.#offered = this.gpus.listDevices();
    const client = { list: async () => [], listAllocatable: async () => this.#offered };
    this.agent = new NodeAgent({
      client: new KubeClient(new AgentConfig(kubelet.config, name, uid), agentManager),
      device: this.gpus,
      kubelet: kubeletOf({ client, ignorePods: false, logger: silentLogger }),
      signalPods: (uids) => this.#follow(uids),
      endRegistration: () => Promise.resolve(true),
      askForReboot: () => Promise.resolve(),
      logger: silentLogger,
      nodeName: name,
      agentVersion: programVersion,
      bootID: report.bootID ?? '',
      machine: report.machine,
      readIntervalMs: 60_000,
    });
  }

  /** The kubelet says that it lives, as it does every five minutes. */
  async beat(): Promise<void> {
    const lastHeartbeatTime = new Date().toISOString();
    await this.#kubelet.request({
      method: 'PATCH',
      path: `/api/v1/nodes/${this.name}/status`,
      contentType: 'application/strategic-merge-patch+json',
      body: { status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] } },
    });
  }

  /** The device plugin looks again, and the agent does not wait for it. */
  #follow(uids: readonly string[]): Promise<readonly string[]> {
    void this.#offerAnew();
    return Promise.resolve(uids);
  }

  async #offerAnew(): Promise<void> {
    await sleep(pluginMs);
    const before = this.#offered;
    this.#offered = this.gpus.listDevices();
    const gone = [...before.keys()].map((resource) => [resource, '0']);
    const here = [...this.#offered].map(([resource, ids]) => [resource, String(ids.length)]);
    const resources = Object.fromEntries([...gone, ...here]);
    const ref = { resource: nodes, name: this.name, subresource: 'status' };
    await this.#kubelet.merge(ref, { status: { capacity: resources, allocatable: resources } }, { metadataOnly: true });
  }
}

/** The agent of a node, as the API server knows it by its token: on the connections of whoever may act as anybody. */
class AgentConfig extends PooledKubeConfig {
  readonly #connections: PooledKubeConfig;
  readonly #identity: Readonly<Record<string, string>>;

  constructor(connections: PooledKubeConfig, node: string, nodeUID: string) {
    super();
    this.#connections = connections;
    this.#identity = {
      'impersonate-user': 'system:serviceaccount:gpu-partition-agents:gpu-partition-agent',
      'impersonate-extra-authentication.kubernetes.io%2fnode-name': node,
      'impersonate-extra-authentication.kubernetes.io%2fnode-uid': nodeUID,
    };
  }

  override async credentials(): Promise<Credentials> {
    const { headers, ...rest } = await this.#connections.credentials();
    return { ...rest, headers: { ...headers, ...this.#identity } };
  }
}
