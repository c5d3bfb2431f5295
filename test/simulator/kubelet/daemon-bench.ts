import { expect } from 'chai';
import type { KubeObject, Resource } from '../../../src/kube/watch.ts';
import {
  configMaps as configMapsResource,
  nodes as nodesResource,
  pods as podsResource,
} from '../../../src/api/resources.ts';
import type { PodObject } from '../../../src/simulator/kubelet/node.ts';
import type { KubeletTiming } from '../../../src/simulator/kubelet/pods.ts';
import { useSharedCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { GpuNodes } from '../../support/gpu-nodes.ts';
import { pluginConfigMap, type DaemonWish } from '../../support/nvidia-daemons.ts';

const daemonSetsResource: Resource = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet' };

/** GPU nodes on the shared cluster, and DaemonSets of NVIDIA's on them. */
export class DaemonBench {
  readonly nodes: GpuNodes;

  constructor(nodes: GpuNodes) {
    this.nodes = nodes;
  }

  /** Deploys a DaemonSet for one node, under the node's name. */
  async deploy(build: (wish: DaemonWish) => object, node: string, more: Partial<DaemonWish> = {}): Promise<void> {
    const { namespace, client } = this.nodes;
    const nodeSelector = { 'kubernetes.io/hostname': node, ...more.nodeSelector };
    const daemonSet = build({ name: node, namespace, ...more, nodeSelector });
    await client.create(daemonSetsResource, daemonSet as KubeObject);
  }

  async createConfigMap(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const object = pluginConfigMap(name, this.nodes.namespace, data);
    await this.nodes.client.create(configMapsResource, object as KubeObject);
  }

  async changeConfigMap(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    await this.nodes.client.merge({ resource: configMapsResource, namespace: this.nodes.namespace, name }, { data });
  }

  /** `null` takes a label away. The kubelet of a node that has just been booted may not have registered it yet. */
  async label(node: string, labels: Readonly<Record<string, string | null>>): Promise<void> {
    await eventually(
      async () => this.nodes.readNode(node),
      (seen) => seen !== undefined,
      { what: `the Node ${node}` },
    );
    await this.nodes.client.merge({ resource: nodesResource, name: node }, { metadata: { labels } });
  }

  /** The pod of the DaemonSet of this name. */
  async pod(daemonSet: string): Promise<PodObject | undefined> {
    const selection = { namespace: this.nodes.namespace, labelSelector: `test/daemon-set=${daemonSet}` };
    return (await this.nodes.client.list<PodObject>(podsResource, selection)).items[0];
  }

  /** Waits until the pod is Ready. */
  async waitForReady(daemonSet: string): Promise<PodObject> {
    return this.#waitFor(daemonSet, (pod) => {
      expect(readyOf(pod)).to.equal('True');
    });
  }

  /** Waits until the pod is not Ready since this container waits for this reason; gives the container's message. */
  async waitForTrouble(daemonSet: string, container: string, reason: string): Promise<string> {
    const pod = await this.#waitFor(daemonSet, (seen) => {
      expect(waitingOf(seen, container)).to.include({ reason });
      expect(readyOf(seen)).to.equal('False');
    });
    return waitingOf(pod, container)?.message ?? '';
  }

  /** Deletes the pod, and waits for another. */
  async replacePod(daemonSet: string): Promise<void> {
    const before = await this.pod(daemonSet);
    await this.nodes.deletePod(before?.metadata.name ?? '');
    await eventually(
      async () => this.pod(daemonSet),
      (pod) => pod !== undefined && pod.metadata.uid !== before?.metadata.uid && pod.status?.phase === 'Running',
      { what: `another pod of ${daemonSet}` },
    );
  }

  async #waitFor(daemonSet: string, check: (pod: PodObject | undefined) => void): Promise<PodObject> {
    const seen = await eventually(async () => {
      const pod = await this.pod(daemonSet);
      check(pod);
      return pod;
    });
    if (seen === undefined) throw new Error(`no pod of ${daemonSet}`);
    return seen;
  }
}

/** Registers the hooks of a suite with a bench of its own. */
export function useDaemonBench(timing: Partial<KubeletTiming> = {}): () => DaemonBench {
  const cluster = useSharedCluster();
  let bench: DaemonBench | undefined;
  before(async () => {
    bench = new DaemonBench(await GpuNodes.start(cluster(), { restartMs: 100, gfdIntervalMs: 200, ...timing }));
  });
  after(async () => bench?.nodes.stop());
  return () => {
    if (bench === undefined) throw new Error('the bench is there only within tests and hooks of the suite');
    return bench;
  };
}

export function readyOf(pod: PodObject | undefined): string | undefined {
  return pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

function waitingOf(pod: PodObject | undefined, container: string): { reason?: string; message?: string } | undefined {
  return pod?.status?.containerStatuses?.find(({ name }) => name === container)?.state?.waiting;
}
