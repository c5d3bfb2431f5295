import { repartitioningTaint, uninitializedTaint } from '../api/names.ts';
import { pods } from '../api/resources.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { advertises } from '../core/labels/advertised.ts';
import { decideFence, type FenceSituation, type FenceStep } from '../core/rollout/fence.ts';
import { evictionRefused, fenceVerdict } from '../core/rollout/fence-words.ts';
import { fenceByZero } from '../core/rollout/node-marks.ts';
import {
  isReady,
  type LabelSelector,
  type PluginPodView,
  pluginPodsOf,
  tolerates,
} from '../core/rollout/plugin-pods.ts';
import { changeKey, formatRefreshMark, readRefreshMark, refreshedAnnotation } from '../core/rollout/refresh-mark.ts';
import { ApiError, isConflict, isNotFound } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { type KubeObject, refOf } from '../kube/resource.ts';
import type { NodeObject } from './cluster-objects.ts';
import { changeNode, readNode } from './node-writer.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export interface RefreshSettings {
  /** How long a device plugin that follows a change by itself is given before its pod is replaced, in ms. */
  readonly refreshAfterMs: number;
  /** Labels of a device plugin's pods besides NVIDIA's own. */
  readonly pluginSelector?: LabelSelector | undefined;
}

type PluginPod = PluginPodView & KubeObject;

/** What was seen of a node since its device was done, in ms of `performance.now()`. A restart forgets it, and only waits longer. */
interface Sight {
  readonly change: string;
  differsAt?: number;
  readyAt?: number;
}

/** Has the device plugin of a node replaced after a change, and says when pods may come; one step at each call. */
export class PluginRefresher {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #settings: RefreshSettings;
  readonly #sights = new Map<string, Sight>();

  constructor(client: KubeClient, world: World, settings: RefreshSettings) {
    this.#client = client;
    this.#world = world;
    this.#settings = settings;
  }

  /** @returns why pods may not come yet; undefined when they may */
  async advance(
    node: NodeObject,
    partition: GpuNodePartition,
    wanted: Readonly<Record<string, number>>,
  ): Promise<Verdict | undefined> {
    const { name } = node.metadata;
    let situation = this.#situationOf(node, partition, wanted);
    let found: readonly PluginPod[] = [];
    let step = decideFence(situation);
    if (step.next === 'LookAtPods') {
      found = await this.#listPluginPods(name);
      situation = this.#withPods(name, situation, found);
      step = decideFence(situation);
    }
    const refusal = await this.#carryOut(step, node, partition, situation, found);
    if (step.next === 'Open') return undefined;
    return refusal ?? fenceVerdict(step, situation, partition.spec.strategy ?? 'none');
  }

  forget(name: string): void {
    this.#sights.delete(name);
  }

  async #carryOut(
    step: FenceStep,
    node: NodeObject,
    partition: GpuNodePartition,
    { mark }: FenceSituation,
    found: readonly PluginPod[],
  ): Promise<Verdict | undefined> {
    const { name } = node.metadata;
    if (step.next === 'TakeTaintsOff') {
      // Nothing but the zero keeps pods away from now on, so it is looked up at the API server and not in a cache.
      const fresh = await readNode(this.#client, name);
      if (!isSameAllocatable(fresh, node)) return undefined;
      const written = mark ?? { change: changeKey(partition), uids: [], tolerates: false };
      this.#world.nodeWritten(name, await changeNode(this.#client, fresh, fenceByZero(formatRefreshMark(written))));
      return undefined;
    }
    if (step.next !== 'Evict') return undefined;
    const old = found.filter(({ metadata }) => step.uids.includes(metadata.uid ?? ''));
    if (step.first) {
      const taints = (node.spec?.taints ?? []).filter(isOurs);
      const isTolerant = old.every((pod) => taints.every((taint) => tolerates(pod, taint)));
      const text = formatRefreshMark({ change: changeKey(partition), uids: step.uids, tolerates: isTolerant });
      const written = await changeNode(this.#client, node, { annotations: { [refreshedAnnotation]: text } });
      this.#world.nodeWritten(name, written);
    }
    const refusals = await Promise.all(old.map((pod) => this.#evict(pod)));
    const refusal = refusals.find((text) => text !== undefined);
    return refusal === undefined ? undefined : evictionRefused(refusal);
  }

  #situationOf(
    node: NodeObject,
    partition: GpuNodePartition,
    wanted: Readonly<Record<string, number>>,
  ): FenceSituation {
    const { name, annotations } = node.metadata;
    const allocatable = node.status?.allocatable ?? {};
    const taints = node.spec?.taints ?? [];
    const change = changeKey(partition);
    const changed = taints.some(({ key }) => key === repartitioningTaint.key);
    const isEqual = advertises(allocatable, wanted);
    let sight = this.#sights.get(name);
    if (sight?.change !== change) sight = { change };
    if (!isEqual) sight.differsAt ??= performance.now();
    if (isEqual && !changed) this.#sights.delete(name);
    else this.#sights.set(name, sight);
    return {
      wanted,
      allocatable,
      closed: taints.some(isOurs),
      changed,
      mark: readRefreshMark(annotations?.[refreshedAnnotation], change),
      differsMs: sight.differsAt === undefined ? undefined : performance.now() - sight.differsAt,
      readyMs: undefined,
      patienceMs: this.#settings.refreshAfterMs,
      pods: undefined,
    };
  }

  #withPods(name: string, situation: FenceSituation, found: readonly PluginPod[]): FenceSituation {
    const sight = this.#sights.get(name);
    const isNew = ({ metadata }: PluginPod): boolean => !situation.mark?.uids.includes(metadata.uid ?? '');
    if (sight && situation.mark && found.some((pod) => isNew(pod) && isReady(pod))) sight.readyAt ??= performance.now();
    return {
      ...situation,
      readyMs: sight?.readyAt === undefined ? undefined : performance.now() - sight.readyAt,
      pods: found.map((pod) => ({
        uid: pod.metadata.uid ?? '',
        leaving: pod.metadata.deletionTimestamp !== undefined,
      })),
    };
  }

  /** @returns the API server's refusal and the pod that it is about; undefined where the pod goes or is gone */
  async #evict(pod: PluginPod): Promise<string | undefined> {
    const { name, namespace = 'default', uid } = pod.metadata;
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      // A new pod of the same name is not the one that was looked at.
      deleteOptions: { preconditions: { uid } },
    };
    try {
      await this.#client.createSubresource(refOf(pods, pod, 'eviction'), body);
      return undefined;
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return undefined;
      if (!(error instanceof ApiError) || error.code === 0) throw error;
      // A disruption budget is named in the causes alone.
      const causes = (error.details?.causes ?? []).flatMap(({ message }) => message ?? []);
      return `${namespace}/${name}: ${[error.message, ...causes].join(' ')}`;
    }
  }

  /** Afresh, and of one node alone. */
  async #listPluginPods(node: string): Promise<readonly PluginPod[]> {
    const { items } = await this.#client.list<PluginPod>(pods, { fieldSelector: `spec.nodeName=${node}` });
    return pluginPodsOf(items, this.#settings.pluginSelector);
  }
}

function isOurs({ key }: { readonly key: string }): boolean {
  return key === repartitioningTaint.key || key === uninitializedTaint.key;
}

function isSameAllocatable(a: NodeObject, b: NodeObject): boolean {
  return JSON.stringify(a.status?.allocatable) === JSON.stringify(b.status?.allocatable);
}
