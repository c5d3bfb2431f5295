import { nodes, policies, pods } from '../../src/api/resources.ts';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { trimNode } from '../../src/controller/watched-objects.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import { advertisedResources } from '../../src/core/node/offer.ts';
import { isReady, type PodView } from '../../src/core/kubernetes/pod.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';

/** A Node from one moment on, as a watch told it. */
export interface NodeMoment {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** It has our taint. */
  readonly closed: boolean;
  /** GPU resources in its allocatable, without those at 0. */
  readonly offered: Readonly<Record<string, number>>;
  /** GPU Feature Discovery's counts by key, as text. */
  readonly counts: string;
}

export interface PodMoment {
  readonly atMs: number;
  readonly what: 'created' | 'ready' | 'gone';
  readonly name: string;
  readonly app: string;
  readonly node: string;
}

type PodObject = KubeObject & PodView & { readonly spec?: PodView['spec'] & { readonly nodeName?: string } };

/** All that nodes, their pods and the policies went through, with the time at which a watch told it. */
export class NodeRecord implements AsyncDisposable {
  readonly #nodes = new Map<string, NodeMoment[]>();
  readonly #pods: PodMoment[] = [];
  readonly #ready = new Map<string, number>();
  readonly #watches: readonly { readonly stop: () => Promise<void> }[];

  private constructor(client: KubeClient) {
    const logger = silentLogger;
    this.#watches = [
      new Reflector<NodeObject>({
        client,
        logger,
        resource: nodes,
        trim: trimNode,
        onChange: ({ type, object }) => type === 'apply' && this.#onNode(object),
      }).start(),
      new Reflector<PodObject>({
        client,
        logger,
        resource: pods,
        onChange: (change) =>
          this.#onPod(change.object, change.type === 'apply' ? change.previous : undefined, change.type),
      }).start(),
      new Reflector<GpuPartitionPolicy & KubeObject>({
        client,
        logger,
        resource: policies,
        onChange: ({ type, object }) => type === 'apply' && this.#onPolicy(object),
      }).start(),
    ];
  }

  static async start(controlPlane: ControlPlane): Promise<NodeRecord> {
    const kubeconfig = await controlPlane.kubeconfigFile();
    return new NodeRecord(new KubeClient(loadKubeConfig({ kubeconfig }), 'bench'));
  }

  /** From `sinceMs` on, oldest first; the first one is what held at that time. */
  nodeMoments(node: string, sinceMs = 0): readonly NodeMoment[] {
    const all = this.#nodes.get(node) ?? [];
    const first = all.findLastIndex(({ atMs }) => atMs <= sinceMs);
    return all.slice(Math.max(0, first));
  }

  podMoments(node: string, sinceMs: number): readonly PodMoment[] {
    return this.#pods.filter((moment) => moment.node === node && moment.atMs >= sinceMs);
  }

  /** When a policy was first Ready at this generation. */
  readyAt(policy: string, generation: number): number | undefined {
    return this.#ready.get(`${policy}/${generation}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.stop()));
  }

  #onNode({ metadata, spec, status }: NodeObject): void {
    const moments = this.#nodes.get(metadata.name) ?? [];
    this.#nodes.set(metadata.name, moments);
    const counts = Object.entries(metadata.labels ?? {}).filter(([key]) => /^nvidia\.com\/mig-.*\.count$/.test(key));
    moments.push({
      atMs: Date.now(),
      closed: (spec?.taints ?? []).some(({ key }) => key === 'gpupartition.dev/repartitioning'),
      offered: advertisedResources(status?.allocatable ?? {}),
      counts: counts
        .map(([key, value]) => `${key}=${value}`)
        .sort()
        .join(' '),
    });
  }

  #onPod(pod: PodObject, previous: PodObject | undefined, type: 'apply' | 'delete'): void {
    const { name, labels } = pod.metadata;
    const note = (what: PodMoment['what']): void => {
      const node = pod.spec?.nodeName ?? '';
      if (node !== '') this.#pods.push({ atMs: Date.now(), what, name, app: labels?.['app'] ?? '', node });
    };
    if (type === 'delete') return note('gone');
    // The scheduler places a DaemonSet's pod too: it is of no node before.
    if (previous?.spec?.nodeName === undefined) note('created');
    if (isReady(pod) && !(previous && isReady(previous))) note('ready');
  }

  #onPolicy({ metadata, status }: GpuPartitionPolicy & KubeObject): void {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const key = `${metadata.name}/${ready?.observedGeneration}`;
    if (ready?.status === 'True' && !this.#ready.has(key)) this.#ready.set(key, Date.now());
  }
}
