import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KubeClient } from '../../src/kube/client.ts';
import { KubeletFleet } from '../../src/simulator/kubelet/fleet.ts';
import { nodes as nodesResource, pods as podsResource } from '../../src/api/resources.ts';
import type { KubeletNode, PodObject, SimulatedNode } from '../../src/simulator/kubelet/node.ts';
import type { KubeletTiming } from '../../src/simulator/kubelet/pods.ts';
import { createKubeClient, createNamespace, requireControllers, uniqueName, type ControlPlane } from './cluster.ts';
import { eventually } from './eventually.ts';

export const a100 = 'NVIDIA A100-SXM4-40GB';

/** States of one A100-40GB, in the simulated nvidia-smi's format. */
export const states = {
  /** A 1g.5gb and a 3g.20gb. */
  twoSlices: [
    'gpu 0 mig 1 pending 1',
    'gi 0 13 profile 19 place 6:1',
    'ci 0 13 0 profile 0 place 0:1',
    'gi 0 1 profile 9 place 0:4',
    'ci 0 1 0 profile 2 place 0:3',
    '',
  ].join('\n'),
  /** A whole GPU. */
  whole: 'gpu 0 mig 0 pending 0\n',
  /** Seven 1g.5gb. */
  sevenSlices: [
    'gpu 0 mig 1 pending 1',
    ...[0, 1, 2, 3, 4, 5, 6].flatMap((i) => [
      `gi 0 ${7 + i} profile 19 place ${i}:1`,
      `ci 0 ${7 + i} 0 profile 0 place 0:1`,
    ]),
    '',
  ].join('\n'),
} as const;

export interface PodWish {
  /** A GPU resource of which it requests one; none if absent. */
  readonly resource?: string;
  /** Bound by hand; otherwise the scheduler binds it to a node of this bench. */
  readonly node?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Simulated GPU nodes on a cluster, with a namespace for their pods. The nodes carry the label `bench=NAMESPACE`, which
 * their pods select, so that suites on one cluster do not interfere.
 */
export class GpuNodes implements AsyncDisposable {
  readonly client: KubeClient;
  readonly fleet: KubeletFleet;
  readonly namespace: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'gpu-nodes-'));

  private constructor(client: KubeClient, fleet: KubeletFleet, namespace: string) {
    this.client = client;
    this.fleet = fleet;
    this.namespace = namespace;
  }

  /** @throws Error if the cluster has no controllers: without them a node never loses its not-ready taint */
  static async start(cluster: ControlPlane, timing: Partial<KubeletTiming> = {}): Promise<GpuNodes> {
    requireControllers(cluster);
    const fleet = await GpuNodes.startFleet(cluster, timing);
    return new GpuNodes(await createKubeClient(cluster), fleet, await createNamespace(cluster));
  }

  /** Kubelets alone, for a fleet that takes nodes over from another. */
  static async startFleet(cluster: ControlPlane, timing: Partial<KubeletTiming> = {}): Promise<KubeletFleet> {
    const fleet = new KubeletFleet({
      client: await createKubeClient(cluster, { token: cluster.kubeletToken }),
      timing,
    });
    await fleet.start();
    return fleet;
  }

  /** Boots a node with one A100-40GB in this state; MIG is off if it is empty. */
  async boot(state = '', more: Partial<SimulatedNode> = {}): Promise<SimulatedNode> {
    const name = more.name ?? uniqueName('node');
    const stateFile = join(this.folder, name, 'state');
    const node = { gpus: [a100], ...more, name, stateFile, labels: { bench: this.namespace, ...more.labels } };
    if (state !== '') this.writeState(stateFile, state);
    await this.fleet.addNode(node);
    return node;
  }

  /** Replaces a state as a whole, as the simulated nvidia-smi does. */
  writeState(file: string, state: string): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, state);
    renameSync(`${file}.new`, file);
  }

  async readNode(name: string): Promise<KubeletNode | undefined> {
    return this.client.find<KubeletNode>({ resource: nodesResource, name });
  }

  /** Allocatable GPU resources; 0 is the same as absent. */
  async readGpus(name: string): Promise<Readonly<Record<string, string>>> {
    const { status } = (await this.readNode(name)) ?? {};
    const gpus = Object.entries(status?.allocatable ?? {}).filter(([key]) => key.startsWith('nvidia.com/'));
    return Object.fromEntries(gpus.filter(([, count]) => count !== '0'));
  }

  async waitForGpus(name: string, wanted: Readonly<Record<string, string>>): Promise<void> {
    await eventually(
      async () => ({ exists: (await this.readNode(name)) !== undefined, gpus: await this.readGpus(name) }),
      ({ exists, gpus }) => exists && describeCounts(gpus) === describeCounts(wanted),
      { what: `allocatable of ${name}` },
    );
  }

  /** Creates a pod with one container and returns its name. */
  async createPod({ resource, node, labels = {}, annotations = {} }: PodWish): Promise<string> {
    const name = uniqueName('pod');
    const limits = resource === undefined ? {} : { [resource]: 1 };
    const pod = {
      metadata: { name, namespace: this.namespace, labels, annotations },
      spec: {
        containers: [{ name: 'main', image: 'example.com/train:1', resources: { limits } }],
        nodeSelector: { bench: this.namespace },
        ...(node !== undefined && { nodeName: node }),
      },
    };
    await this.client.create(podsResource, pod);
    return name;
  }

  async readPod(name: string): Promise<PodObject | undefined> {
    return this.client.find<PodObject>({ resource: podsResource, namespace: this.namespace, name });
  }

  async waitForPhase(name: string, phase: string): Promise<PodObject> {
    const read = async (): Promise<PodObject | undefined> => this.readPod(name);
    const pod = await eventually(read, (seen) => seen?.status?.phase === phase, { what: `the phase of ${name}` });
    if (pod === undefined) throw new Error(`${name} is gone`);
    return pod;
  }

  async deletePod(name: string, gracePeriodSeconds = 30): Promise<void> {
    await this.client.delete({ resource: podsResource, namespace: this.namespace, name }, { gracePeriodSeconds });
  }

  async waitForNoPod(name: string): Promise<void> {
    await eventually(
      async () => this.readPod(name),
      (seen) => seen === undefined,
    );
  }

  async stop(): Promise<void> {
    await this.fleet.stop();
    const { items } = await this.client.list<KubeletNode>(nodesResource, { labelSelector: `bench=${this.namespace}` });
    for (const { metadata } of items) await this.client.delete({ resource: nodesResource, name: metadata.name });
    rmSync(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function describeCounts(counts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(counts).map(([resource, count]) => `${resource}=${count}`);
  return lines.toSorted((a, b) => a.localeCompare(b)).join();
}
