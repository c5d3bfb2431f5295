import { createHash, randomUUID } from 'node:crypto';

import { isMigStrategy } from '../../core/labels/mig-strategy.ts';
import type { Logger } from '../../process/logger.ts';
import { assembleGpus } from '../nvidia-smi/gpu.ts';
import type { SimulatedGpu } from '../nvidia-smi/gpu.ts';
import type { NodeState } from '../nvidia-smi/node-state.ts';
import { readStateFile, updateStateFile } from '../nvidia-smi/state-file.ts';
import { advertise, nothingAdvertised } from './advertisement.ts';
import type { Advertisement } from './advertisement.ts';
import { allocate, holdsDevices, isAdmissionFailure, listRequests, readAllocation } from './allocation.ts';
import type { AdmissionFailure, PodAllocation } from './allocation.ts';
import { withProcessesOf, withoutProcessesOf } from './gpu-process.ts';
import type { NodeObject, PodObject } from './kube-objects.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** One simulated node apart from the API server: its GPUs, what its plugin has said, and who holds what. */
export class Machine {
  readonly node: SimulatedNode;
  readonly gpus: readonly SimulatedGpu[];
  readonly internalIp: string;
  readonly bootId = randomUUID();
  /** False while the node is cut off: its kubelet does nothing. */
  isRunning = true;
  isRegistered = false;
  /** Of `performance.now()`: the last report of the status, the last renewal of the Lease. */
  reportedAtMs = -Infinity;
  renewedAtMs = -Infinity;
  readonly #logger: Logger;
  readonly #allocations = new Map<string, PodAllocation>();
  #advertised: Advertisement = nothingAdvertised;
  #pluginUid: string | undefined;
  #changedAtMs: number | undefined;
  /** When a start or a stop will be done, of `performance.now()`, by uid. */
  readonly #starts = new Map<string, number>();
  readonly #stops = new Map<string, number>();

  /** @throws UnknownGpuError, RangeError for GPUs that cannot be simulated */
  constructor(node: SimulatedNode, logger: Logger) {
    this.node = node;
    this.gpus = assembleGpus(node.gpus, node.gpuSeed);
    this.internalIp = addressOf(node.name);
    this.#logger = logger.child({ node: node.name });
  }

  get advertised(): Advertisement {
    return this.#advertised;
  }

  /** Lets the plugin look at the devices if, in its mode, it does so now. `object` is the Node, for its labels. */
  refreshPlugin(object: NodeObject | undefined, plugins: readonly PodObject[]): Advertisement {
    if (this.node.plugin === 'pod') {
      const [plugin] = plugins;
      const hasNotLooked = plugin?.metadata.uid !== this.#pluginUid || this.#advertised.failure !== undefined;
      this.#pluginUid = plugin?.metadata.uid;
      if (plugin === undefined) this.#advertised = nothingAdvertised;
      else if (hasNotLooked) this.#advertised = this.#look(object);
    } else {
      this.#advertised = this.#look(object);
    }
    return this.#advertised;
  }

  /** Milliseconds until a change that is not shown yet may be shown; the time runs from the first call. */
  lagLeftMs(lagMs: number): number {
    this.#changedAtMs ??= performance.now();
    return this.#changedAtMs + lagMs - performance.now();
  }

  /** All is shown. */
  clearLag(): void {
    this.#changedAtMs = undefined;
  }

  /** Devices for a pod; what it has got already where it is known. */
  admit(pod: PodObject): PodAllocation | AdmissionFailure {
    const known = this.#allocations.get(uidOf(pod));
    if (known !== undefined) return known;
    const given = allocate(pod, this.#advertised, [...this.#allocations.values()]);
    if (isAdmissionFailure(given)) return given;
    this.#allocations.set(uidOf(pod), given);
    if (holdsDevices(given)) {
      const { devices } = this.#advertised;
      this.#changeState((state) => withProcessesOf(state, pod, given, devices));
    }
    return given;
  }

  /** Takes a pod that ran before this kubelet started, with its devices. */
  adopt(pod: PodObject): void {
    if (this.#allocations.has(uidOf(pod))) return;
    const asksForGpus = listRequests(pod).some(({ counts }) => counts.length > 0);
    this.#allocations.set(uidOf(pod), asksForGpus ? readAllocation(pod) : []);
  }

  /** The pod is gone, or has ended: so have its processes. */
  release(pod: PodObject): void {
    const given = this.#allocations.get(uidOf(pod));
    if (given !== undefined && holdsDevices(given)) this.#changeState((state) => withoutProcessesOf(state, pod));
    for (const kept of [this.#allocations, this.#starts, this.#stops]) kept.delete(uidOf(pod));
  }

  /** Milliseconds until the pod's containers run; the time runs from the first call. */
  startLeftMs(pod: PodObject, startMs: number): number {
    return timeLeftMs(this.#starts, uidOf(pod), startMs);
  }

  /** Milliseconds until they have ended. */
  stopLeftMs(pod: PodObject, stopMs: number): number {
    return timeLeftMs(this.#stops, uidOf(pod), stopMs);
  }

  /** What the pod with this uid holds. */
  allocationOf(uid: string): PodAllocation | undefined {
    return this.#allocations.get(uid);
  }

  #changeState(change: (state: NodeState) => NodeState): void {
    try {
      updateStateFile(this.node.stateFile, this.gpus.length, change);
    } catch (error) {
      this.#logger.warn('cannot change the state of the GPUs', { error: String(error) });
    }
  }

  #look(object: NodeObject | undefined): Advertisement {
    const label = object?.metadata.labels?.['nvidia.com/mig.strategy'];
    const strategy = this.node.strategy ?? (isMigStrategy(label) ? label : 'mixed');
    try {
      const state = readStateFile(this.node.stateFile, this.gpus.length);
      return advertise(this.gpus, state, strategy, this.node.sharing);
    } catch (error) {
      // A real plugin that cannot read a device goes on with what it knows.
      this.#logger.warn('cannot read the state of the GPUs', { error: String(error) });
      return this.#advertised;
    }
  }
}

function timeLeftMs(ends: Map<string, number>, uid: string, durationMs: number): number {
  const end = ends.get(uid) ?? performance.now() + durationMs;
  ends.set(uid, end);
  return end - performance.now();
}

function uidOf(pod: PodObject): string {
  return pod.metadata.uid ?? '';
}

/** An address of 10.0.0.0/8 that follows from the name. */
function addressOf(name: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha1').update(name).digest();
  return `10.${a}.${b}.${c}`;
}
