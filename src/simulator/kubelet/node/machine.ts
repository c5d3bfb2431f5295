import { createHash, randomUUID } from 'node:crypto';

import type { Labels } from '../../../core/nvidia/labels/label-value.ts';
import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { Sharing } from '../../../core/nvidia/plugin-config/sharing.ts';
import { assembleGpus } from '../../nvidia-smi/nvml/gpu.ts';
import type { SimulatedGpu } from '../../nvidia-smi/nvml/gpu.ts';
import type { NodeState } from '../../nvidia-smi/state/node-state.ts';
import { readStateFile, updateStateFile } from '../../nvidia-smi/state/state-file.ts';
import { advertise, fileIdOf } from '../daemons/advertisement.ts';
import type { Advertisement } from '../daemons/advertisement.ts';
import {
  allocate,
  holdsClaims,
  holdsDevices,
  listRequests,
  readAllocation,
  refuseAfterReboot,
} from '../pods/allocation.ts';
import type { AdmissionFailure, PodAllocation } from '../pods/allocation.ts';
import type { PodClaims } from '../pods/pod-claims.ts';
import { holdsGpus, withHandlesOf, withoutHandlesOf } from '../pods/gpu-handle.ts';
import { withProcessesOf, withoutProcessesOf } from '../pods/gpu-process.ts';
import { listGpuDevices } from './gpu-devices.ts';
import type { GpuDevice } from './gpu-devices.ts';
import type { PodObject } from './kube-objects.ts';
import { DriverRegistration } from '../daemons/driver-registration.ts';
import { PluginRegistration } from '../daemons/plugin-registration.ts';
import { usualStrategyOf } from './simulated-node.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** One simulated node without the API server: its GPUs, what its plugin has registered, and who holds what. */
export class Machine {
  readonly node: SimulatedNode;
  readonly gpus: readonly SimulatedGpu[];
  readonly registration = new PluginRegistration();
  readonly driver = new DriverRegistration();
  readonly internalIp: string;
  bootId: string;
  /** False while the node is disconnected: its kubelet does nothing. */
  isRunning = true;
  isRegistered = false;
  /** Times of the last status report and the last Lease renewal, in `performance.now()`. */
  reportedAtMs = -Infinity;
  renewedAtMs = -Infinity;
  readonly #allocations = new Map<string, PodAllocation>();
  /** Pods that lost their devices in a reboot, by uid. */
  readonly #refused = new Map<string, AdmissionFailure>();
  /** Pods that have the GPUs open. */
  readonly #holders = new Set<string>();
  #changedAtMs: number | undefined;
  /** When a start or a stop will be done, in `performance.now()`, by uid. */
  readonly #starts = new Map<string, number>();
  readonly #stops = new Map<string, number>();

  /** @throws UnknownGpuError, RangeError for GPUs that cannot be simulated */
  constructor(node: SimulatedNode) {
    this.node = node;
    this.bootId = node.bootId ?? randomUUID();
    this.gpus = assembleGpus(node.gpus, node.gpuSeed);
    this.internalIp = addressOf(node.name);
  }

  get advertised(): Advertisement {
    return this.registration.advertised;
  }

  /** For a plugin that reads the devices at every change. */
  watchDevices(labels: Labels): void {
    // A real plugin that cannot read a device keeps what it knows.
    const seen = this.seeDevices(usualStrategyOf(this.node, labels), this.node.sharing);
    if (seen !== undefined) this.registration.replace(seen);
  }

  /** What a plugin would see now; undefined if the devices cannot be read. */
  seeDevices(strategy: MigStrategy, sharing: Sharing | undefined): Advertisement | undefined {
    const state = this.readState();
    return state && advertise(this.gpus, state, strategy, sharing, this.node.deviceIds && fileIdOf);
  }

  /** Undefined if the state cannot be read. */
  readState(): NodeState | undefined {
    try {
      return readStateFile(this.node.stateFile, this.gpus.length);
    } catch {
      return undefined;
    }
  }

  /** Milliseconds until a pending change may be shown; the time runs from the first call. */
  lagLeftMs(lagMs: number): number {
    this.#changedAtMs ??= performance.now();
    return this.#changedAtMs + lagMs - performance.now();
  }

  /** Everything is shown. */
  clearLag(): void {
    this.#changedAtMs = undefined;
  }

  /** The devices that are there, as containers can get them. */
  readonly listDevices = (): readonly GpuDevice[] => {
    const state = this.readState();
    return state === undefined ? [] : listGpuDevices(this.gpus, state, 'mixed');
  };

  /** Allocates devices for a pod; a known pod keeps its devices. */
  admit(pod: PodObject, claims: PodClaims): PodAllocation | AdmissionFailure {
    const known = this.#allocations.get(uidOf(pod));
    if (known !== undefined) return known;
    const given = allocate(pod, this.advertised, [...this.#allocations.values()], claims);
    if ('reason' in given) return given;
    this.#allocations.set(uidOf(pod), given);
    if (holdsDevices(given)) {
      const devices = [...this.advertised.devices, ...(holdsClaims(given) ? this.listDevices() : [])];
      this.changeState((state) => withProcessesOf(state, pod, given, devices));
    }
    return given;
  }

  /** Adopts a pod that ran before this kubelet started, with its devices. */
  adopt(pod: PodObject, claims: PodClaims): PodAllocation {
    const known = this.#allocations.get(uidOf(pod));
    if (known !== undefined) return known;
    const asksForGpus = claims.size > 0 || listRequests(pod).some(({ counts }) => counts.length > 0);
    const given = asksForGpus ? readAllocation(pod, claims) : [];
    this.#allocations.set(uidOf(pod), given);
    return given;
  }

  /** The machine has rebooted: a pod that had started is admitted again, and refused if it holds devices. */
  losePod(pod: PodObject): void {
    const refusal = this.knows(pod) || pod.status?.phase === 'Running' ? refuseAfterReboot(pod) : undefined;
    this.closeGpus(pod);
    if (refusal === undefined) return;
    this.release(pod);
    this.#refused.set(uidOf(pod), refusal);
  }

  /** Why a pod that had started may not start again. */
  refusalOf(pod: PodObject): AdmissionFailure | undefined {
    return this.#refused.get(uidOf(pod));
  }

  /** Opens the GPUs for a pod that keeps them open while it exists. */
  openGpus(pod: PodObject): void {
    if (!holdsGpus(pod) || this.#holders.has(uidOf(pod))) return;
    this.#holders.add(uidOf(pod));
    this.changeState((state) => withHandlesOf(state, pod, this.gpus));
  }

  /** The pod's programs that kept the GPUs open have ended. */
  closeGpus(pod: PodObject): void {
    if (this.#holders.delete(uidOf(pod))) this.changeState((state) => withoutHandlesOf(state, pod));
  }

  /** The containers of the pod have ended, and their processes with them; what it holds stays allocated. */
  endProcesses(pod: PodObject): void {
    const given = this.#allocations.get(uidOf(pod));
    if (given !== undefined && holdsDevices(given)) this.changeState((state) => withoutProcessesOf(state, pod));
    this.closeGpus(pod);
  }

  /** The pod is gone, or has ended. */
  release(pod: PodObject): void {
    this.endProcesses(pod);
    for (const kept of [this.#allocations, this.#refused, this.#starts, this.#stops]) kept.delete(uidOf(pod));
  }

  /** Milliseconds until the pod's containers run; the time runs from the first call. */
  startLeftMs(pod: PodObject, startMs: number): number {
    return timeLeftMs(this.#starts, uidOf(pod), startMs);
  }

  /** Milliseconds until they have ended. */
  stopLeftMs(pod: PodObject, stopMs: number): number {
    return timeLeftMs(this.#stops, uidOf(pod), stopMs);
  }

  knows(pod: PodObject): boolean {
    return this.#allocations.has(uidOf(pod));
  }

  /** Whether the pod has a claim that is prepared, and no driver could unprepare it now. */
  isHeldByClaim(pod: PodObject): boolean {
    const given = this.#allocations.get(uidOf(pod));
    return given !== undefined && holdsClaims(given) && this.driver.devices === undefined;
  }

  /** What the pod with this uid holds. */
  allocationOf(uid: string): PodAllocation | undefined {
    return this.#allocations.get(uid);
  }

  /** Changes the GPUs as a program on the node does, if their state can be read. */
  changeState(change: (state: NodeState) => NodeState): void {
    try {
      updateStateFile(this.node.stateFile, this.gpus.length, change);
    } catch {
      // The driver does not answer: its state stays as it is.
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

/** An address in 10.0.0.0/8, derived from the name. */
function addressOf(name: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha1').update(name).digest();
  return `10.${a}.${b}.${c}`;
}
