import { repartitioningTaint, startupTaintKeys } from '../api/names.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { advertises } from '../core/nvidia/resources/advertised.ts';
import { pausedForMigChange, pluginDeployLabel } from '../core/pods/gpu-holders.ts';
import { devicePluginConfigLabel } from '../core/nvidia/labels/label-key.ts';
import { explainPluginPod } from '../core/nvidia/plugin-config/plugin-reason.ts';
import { decideFence, type FenceSituation, type FenceStep } from '../core/node/fence.ts';
import { evictionRefused, fenceOverdue, fenceVerdict, staleOffer } from '../core/node/fence-words.ts';
import { combine, fenceByZero } from '../core/node/node-marks.ts';
import type { NodeChange } from '../core/metadata/node-patch.ts';
import { isReady, type LabelSelector, pluginPodsOf, tolerates } from '../core/pods/plugin-pods.ts';
import { changeKey, formatRefreshMark, readRefreshMark, refreshedAnnotation } from '../core/node/refresh-mark.ts';
import type { KubeClient } from '../kube/client.ts';
import { isClosed, type NodeObject } from './cluster-objects.ts';
import { evictPod } from './evict-pod.ts';
import type { LabelChange } from './layout-labels.ts';
import type { NodeGate } from './node-gate.ts';
import { listNodePods, type NodePod } from './node-pods.ts';
import { changeNode, metadataOf, readNode } from './node-writer.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export interface RefreshSettings {
  /** How long a device plugin that follows a change by itself is given before its pod is replaced, in ms. */
  readonly refreshAfterMs: number;
  /** Labels of a device plugin's pods besides NVIDIA's own. */
  readonly pluginSelector?: LabelSelector | undefined;
  /** How long the layout may take to be advertised before the node counts as failed, in ms. It is waited for all the same. */
  readonly advertiseDeadlineMs: number;
}

/** What the node has to offer before pods may come. */
export interface Offer {
  readonly resources: Readonly<Record<string, number>>;
  /** Absent where no policy decides over the node any more. */
  readonly policy?: GpuPartitionPolicy;
  /** What else is changed on the node when it is opened for the plugin: above all the labels that tell of these resources. */
  readonly marks?: LabelChange;
}

/** What was seen of a node since its device was done, in ms of `performance.now()`. A restart forgets it, and only waits longer. */
interface Sight {
  readonly change: string;
  readonly since: number;
  differsAt?: number;
  /** The kubelet has offered devices that are gone. */
  offeredStale?: boolean;
  readyAt?: number;
}

/** Has the device plugin of a node replaced after a change, and says when pods may come; one step at each call. */
export class PluginRefresher {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #settings: RefreshSettings;
  readonly #gate: NodeGate;
  readonly #sights = new Map<string, Sight>();

  constructor(client: KubeClient, world: World, gate: NodeGate, settings: RefreshSettings) {
    this.#client = client;
    this.#gate = gate;
    this.#world = world;
    this.#settings = settings;
  }

  /** @returns why pods may not come yet; undefined when they may */
  async advance(node: NodeObject, partition: GpuNodePartition, offer: Offer): Promise<Verdict | undefined> {
    const { name } = node.metadata;
    const { resources: wanted, policy } = offer;
    let situation = this.#situationOf(node, partition, wanted);
    let found: readonly NodePod[] = [];
    let step = decideFence(situation);
    if (step.next === 'LookAtPods') {
      found = await this.#listPluginPods(name);
      // One that is set up for another strategy would only fail when it is restarted.
      const unfit = policy && this.#gate.checkPlugin(policy, found);
      if (unfit) return unfit;
      situation = this.#withPods(name, situation, found);
      step = decideFence(situation);
    }
    const refusal = await this.#carryOut(step, node, partition, situation, found, offer);
    // The kubelet says it before the API server does, and knows which devices they are.
    const stale =
      step.next === 'Open' && situation.closed ? staleOffer(partition.status?.device?.advertised, wanted) : undefined;
    if (step.next === 'Open' && stale === undefined) return undefined;
    const verdict =
      refusal ?? stale ?? fenceVerdict(step, situation, partition.spec.strategy ?? 'none', troubleOf(node, found));
    const lastsMs = performance.now() - (this.#sights.get(name)?.since ?? performance.now());
    if (lastsMs <= this.#settings.advertiseDeadlineMs) return verdict;
    return fenceOverdue(
      verdict,
      lastsMs,
      found.flatMap((pod) => explainPluginPod(pod) ?? []),
    );
  }

  /** A plugin that was away while the devices changed, and comes back to them as they are, need not be replaced again. */
  noteFresh(node: NodeObject, partition: GpuNodePartition): NodeChange {
    const { annotations, labels } = node.metadata;
    const change = changeKey(partition, configOf(node));
    const isAway = labels?.[pluginDeployLabel] === pausedForMigChange;
    if (!isAway || readRefreshMark(annotations?.[refreshedAnnotation], change)) return {};
    return { annotations: { [refreshedAnnotation]: formatRefreshMark({ change, uids: [], tolerates: false }) } };
  }

  forget(name: string): void {
    this.#sights.delete(name);
  }

  async #carryOut(
    step: FenceStep,
    node: NodeObject,
    partition: GpuNodePartition,
    { mark }: FenceSituation,
    found: readonly NodePod[],
    { marks }: Offer,
  ): Promise<Verdict | undefined> {
    const { name } = node.metadata;
    if (step.next === 'TakeTaintsOff') {
      // Nothing but the zero keeps pods away from now on, so it is looked up at the API server and not in a cache.
      const fresh = await readNode(this.#client, name);
      if (!isSameAllocatable(fresh, node)) return undefined;
      const written = mark ?? { change: changeKey(partition, configOf(node)), uids: [], tolerates: false };
      // Pods may come as soon as the new plugin has told the kubelet, before we see it: they must not choose by labels of before.
      const change = combine(fenceByZero(formatRefreshMark(written)), marks?.(metadataOf(fresh)) ?? {});
      this.#world.nodeWritten(name, await changeNode(this.#client, fresh, change));
      return undefined;
    }
    if (step.next !== 'Evict') return undefined;
    const old = found.filter(({ metadata }) => step.uids.includes(metadata.uid ?? ''));
    if (step.first) {
      const taints = (node.spec?.taints ?? []).filter(isOurs);
      const isTolerant = old.every((pod) => taints.every((taint) => tolerates(pod, taint)));
      const text = formatRefreshMark({
        change: changeKey(partition, configOf(node)),
        uids: step.uids,
        tolerates: isTolerant,
      });
      const written = await changeNode(this.#client, node, { annotations: { [refreshedAnnotation]: text } });
      this.#world.nodeWritten(name, written);
    }
    const refusals = await Promise.all(old.map((pod) => evictPod(this.#client, pod)));
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
    const change = changeKey(partition, configOf(node));
    const changed = isClosed(node);
    const isEqual = advertises(allocatable, wanted);
    let sight = this.#sights.get(name);
    if (sight?.change !== change) sight = { change, since: performance.now() };
    if (!isEqual) sight.differsAt ??= performance.now();
    const { advertised } = partition.status?.device ?? {};
    const isStale = staleOffer(advertised, wanted) !== undefined;
    if (isStale) sight.offeredStale = true;
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
      followed: sight.offeredStale === true && advertised !== undefined && !isStale,
      patienceMs: this.#settings.refreshAfterMs,
      pods: undefined,
    };
  }

  #withPods(name: string, situation: FenceSituation, found: readonly NodePod[]): FenceSituation {
    const sight = this.#sights.get(name);
    const isNew = ({ metadata }: NodePod): boolean => !situation.mark?.uids.includes(metadata.uid ?? '');
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

  /** Afresh, and of one node alone. */
  async #listPluginPods(node: string): Promise<readonly NodePod[]> {
    return pluginPodsOf(await listNodePods(this.#client, node), this.#settings.pluginSelector);
  }
}

/** What keeps the plugin's pods from starting, in the kubelet's words. */
function troubleOf(node: NodeObject, found: readonly NodePod[]): readonly string[] {
  const trouble = found.flatMap((pod) => explainPluginPod(pod) ?? []).filter((text) => /BackOff|Error/.test(text));
  const config = configOf(node);
  const label = `the node's label ${devicePluginConfigLabel} names ${config}: is there such a key in its ConfigMap?`;
  return trouble.length > 0 && config !== undefined ? [...trouble, label] : trouble;
}

function configOf({ metadata }: NodeObject): string | undefined {
  return metadata.labels?.[devicePluginConfigLabel];
}

function isOurs({ key }: { readonly key: string }): boolean {
  return key === repartitioningTaint.key || startupTaintKeys.includes(key);
}

function isSameAllocatable(a: NodeObject, b: NodeObject): boolean {
  return JSON.stringify(a.status?.allocatable) === JSON.stringify(b.status?.allocatable);
}
