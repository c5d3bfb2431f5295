import { repartitioningTaint } from '../api/names.ts';
import type { GpuNodePartition } from '../api/types.ts';
import {
  clientPods,
  clientsAnnotation,
  evictablePods,
  formatClientsMark,
  podsThatGo,
  readClientsMark,
} from '../core/pods/holder-pods.ts';
import {
  type ClientPause,
  clientsToPause,
  type GpuClient,
  type PauseOccasion,
  resumeLoans,
} from '../core/pods/gpu-holders.ts';
import { borrow, giveBack } from '../core/metadata/borrowed-labels.ts';
import { namePods } from '../core/pods/gpu-pods.ts';
import { combine } from '../core/node/node-marks.ts';
import type { NodeChange } from '../core/metadata/node-patch.ts';
import { type LabelSelector, pluginPodsOf, tolerates } from '../core/pods/plugin-pods.ts';
import type { KubeClient } from '../kube/client.ts';
import { isClosed, type NodeObject } from './cluster-objects.ts';
import { evictPod } from './evict-pod.ts';
import { listNodePods, type NodePod } from './node-pods.ts';
import { changeNode, metadataOf } from './node-writer.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export interface ClientSettings {
  readonly gpuClients: readonly GpuClient[];
  /** How long the pods of clients that were told to go are waited for, in ms. */
  readonly clientsDeadlineMs: number;
  /** Labels of a device plugin's pods besides NVIDIA's own. */
  readonly pluginSelector?: LabelSelector | undefined;
}

/** Clients that did not go are asked again after so many ms. */
const restMs = 60_000;

/** What was done on a node for the change at hand. A restart forgets it, and only asks again. */
interface Memory {
  readonly since: number;
  readonly evicted: Set<string>;
}

/** Programs that hold GPUs without asking for them: out of the way where a change needs that, and back whatever happens. */
export class GpuClients {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #settings: ClientSettings;
  readonly #memories = new Map<string, Memory>();
  readonly #restarted = new Map<string, string>();
  /** Nodes whose clients did not go, and until when (ms of `performance.now()`) they are left in peace. */
  readonly #resting = new Map<string, { readonly until: number; readonly verdict: Verdict }>();

  constructor(client: KubeClient, world: World, settings: ClientSettings) {
    this.#client = client;
    this.#world = world;
    this.#settings = settings;
  }

  /** The note of the pods that look at the devices only when they start, for the write that closes the node. */
  mark(node: NodeObject, pods: readonly NodePod[]): NodeChange {
    const known = readClientsMark(node.metadata.annotations?.[clientsAnnotation]);
    const going = podsThatGo(this.#settings.gpuClients, 'AfterChange', pods).flatMap(
      ({ metadata }) => metadata.uid ?? [],
    );
    return { annotations: { [clientsAnnotation]: formatClientsMark([...known, ...going]) } };
  }

  /** Why clients that did not go are not asked again yet; undefined where nothing needs them gone, or where it is time to. */
  rest({ metadata }: NodeObject, partition: GpuNodePartition): Verdict | undefined {
    const resting = this.#resting.get(metadata.name);
    const { modeChange, inUse } = occasionOf(partition);
    const left = (resting?.until ?? 0) - performance.now();
    if (!resting || left <= 0 || !(modeChange || inUse)) return undefined;
    return { ...resting.verdict, again: left + 10 };
  }

  /**
   * Takes the clients away that the next grant cannot have.
   *
   * @param pods of the node, listed now
   * @returns why the grant has to wait; undefined where they are gone
   */
  async clear(node: NodeObject, partition: GpuNodePartition, pods: readonly NodePod[]): Promise<Verdict | undefined> {
    const { name, labels = {} } = node.metadata;
    const pause = clientsToPause(this.#settings.gpuClients, occasionOf(partition), labels);
    const memory = this.#memories.get(name) ?? { since: performance.now(), evicted: new Set() };
    this.#memories.set(name, memory);
    if (Object.keys(pause.labels).length > 0) {
      const change = borrow(metadataOf(node), pause.labels);
      this.#world.nodeWritten(name, await changeNode(this.#client, node, change));
    }
    const evicted = evictablePods(pause.evict.flatMap((client) => clientPods(client, pods)));
    const refusals = await this.#evict([...evicted, ...this.#awayFromPlugin(pause, pods)], memory);
    // A client that no label takes away may be made anew: those of before have to go, and what comes then, the agent will see.
    const isEvicted = ({ metadata }: NodePod): boolean => memory.evicted.has(metadata.uid ?? '');
    const held = pause.clients
      .filter((client) => !pause.evict.includes(client))
      .flatMap((client) => clientPods(client, pods));
    const staying = [...new Set([...held, ...pods.filter(isEvicted)])];
    if (staying.length === 0 && refusals.length === 0) {
      this.#memories.delete(name);
      return undefined;
    }
    const names = namePods(staying);
    const why = refusals.length > 0 ? `: ${refusals.join('; ')}` : '';
    if (performance.now() - memory.since <= this.#settings.clientsDeadlineMs) {
      const message = `waiting for the pods that hold the GPUs open to go: ${names}${why}`;
      return { phase: 'Updating', reason: 'ClientsStay', message, passing: true, again: 500 };
    }
    await this.resume(node);
    const message =
      `MIG mode cannot be changed while these pods hold the GPUs open, and they have not gone within ${this.#settings.clientsDeadlineMs / 1000} s: ` +
      `${names}${why}. Nothing was touched; it is tried again`;
    const verdict: Verdict = { phase: 'Failed', reason: 'ClientsStay', message };
    this.#resting.set(name, { until: performance.now() + restMs, verdict });
    return { ...verdict, again: 250 };
  }

  /**
   * The device plugin keeps NVML open as well. Without a label that takes it away, it is evicted if it stays away under our taint; one
   * that tolerates the taint would only come back.
   */
  #awayFromPlugin({ evict }: ClientPause, pods: readonly NodePod[]): readonly NodePod[] {
    if (!evict.some(({ name }) => name === 'device-plugin')) return [];
    const plugins = pluginPodsOf(pods, this.#settings.pluginSelector);
    return plugins.filter((pod) => !tolerates(pod, repartitioningTaint));
  }

  /** Lets the clients come back that we took away, with a note in the same write. */
  async resume(node: NodeObject, note: NodeChange = {}): Promise<void> {
    this.#memories.delete(node.metadata.name);
    if (!isPaused(node)) return;
    const change = combine(giveBack(metadataOf(node), resumeLoans(metadataOf(node))), note);
    this.#world.nodeWritten(node.metadata.name, await changeNode(this.#client, node, change));
  }

  /** Has the pods of before replaced, once, now that the devices are done. Nobody waits for them. */
  async restart(node: NodeObject): Promise<void> {
    const { name, annotations } = node.metadata;
    const note = annotations?.[clientsAnnotation];
    if (note === undefined || this.#restarted.get(name) === note) return;
    const uids = readClientsMark(note);
    const pods = (await listNodePods(this.#client, name)).filter(({ metadata }) => uids.includes(metadata.uid ?? ''));
    const staying = isClosed(node) ? this.#discoveryThatWouldStayAway(pods) : [];
    const refusals = await this.#evict(pods.filter((pod) => !staying.includes(pod)));
    // What a disruption budget refuses is asked for again as long as the node is not open.
    if (refusals.length === 0 && staying.length === 0) this.#restarted.set(name, note);
  }

  /**
   * GPU Feature Discovery labels anew every minute by itself. Evicted from a closed node it would not come back if it does not tolerate
   * our taint, and the labels, for which the node waits, would never be right.
   */
  #discoveryThatWouldStayAway(pods: readonly NodePod[]): readonly NodePod[] {
    const discovery = this.#settings.gpuClients.find(({ name }) => name === 'gpu-feature-discovery');
    if (!discovery) return [];
    return clientPods(discovery, pods).filter((pod) => !tolerates(pod, repartitioningTaint));
  }

  forget(name: string): void {
    this.#memories.delete(name);
    this.#resting.delete(name);
    this.#restarted.delete(name);
  }

  async #evict(pods: readonly NodePod[], memory?: Memory): Promise<readonly string[]> {
    const going = pods.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined && memory?.evicted.has(metadata.uid ?? '') !== true,
    );
    const refusals = await Promise.all(
      going.map(async (pod) => {
        const refusal = await evictPod(this.#client, pod);
        if (refusal === undefined) memory?.evicted.add(pod.metadata.uid ?? '');
        return refusal ?? [];
      }),
    );
    return refusals.flat();
  }
}

/** Whether a client of the node is away because of us. */
export function isPaused(node: NodeObject): boolean {
  return resumeLoans(metadataOf(node)).length > 0;
}

function occasionOf({ status }: GpuNodePartition): PauseOccasion {
  const { plan, step, error } = status?.device ?? {};
  return {
    modeChange: (plan?.modeChanges ?? 0) > 0,
    inUse: step === 'Failed' && (error?.code === 'InUse' || error?.code === 'Pending'),
  };
}
