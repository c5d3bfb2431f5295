import { type SimulatedGpu, assembleGpus } from '../nvidia-smi/device.ts';
import { type NodeState, type GpuProcess, readStateFile, updateStateFile } from '../nvidia-smi/state.ts';
import { type PodObject, usualStrategyOf, type SimulatedNode } from './node.ts';
import { uuidOfDeviceId } from '../../core/device/kubelet.ts';
import {
  type PodAllocation,
  allocate,
  holdsClaims,
  holdsDevices,
  listRequests,
  readAllocation,
  refuseClaims,
  refuseAfterReboot,
  type AdmissionFailure,
  type PodClaims,
} from './allocation.ts';
import {
  type GpuDevice,
  advertise,
  fileIdOf,
  type Advertisement,
  listGpuDevices,
  DriverRegistration,
  PluginRegistration,
} from './gpu-devices.ts';
import { createHash, randomUUID } from 'node:crypto';
import type { Labels, MigStrategy } from '../../core/nvidia/labels.ts';
import type { Sharing } from '../../core/nvidia/plugin-config.ts';

/**
 * Pods with this annotation keep all GPUs of their node open, as DCGM does: no process is visible, and while they exist
 * neither MIG mode can be changed nor a GPU be reset.
 */
export const holdsGpusAnnotation = 'simulator.gpupartition.dev/holds-gpus';

function holdsGpus({ metadata }: PodObject): boolean {
  return metadata.annotations?.[holdsGpusAnnotation] === 'true';
}

/** The state in which the pod has every GPU open. */
function withHandlesOf(state: NodeState, pod: PodObject, gpus: readonly SimulatedGpu[]): NodeState {
  const { handles = [] } = withoutHandlesOf(state, pod);
  return { ...state, handles: [...handles, ...gpus.map(({ index }) => ({ gpu: index, name: nameOf(pod) }))] };
}

function withoutHandlesOf(state: NodeState, pod: PodObject): NodeState {
  return { ...state, handles: (state.handles ?? []).filter(({ name }) => name !== nameOf(pod)) };
}

function nameOf({ metadata }: PodObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Pods with this annotation hold their devices but run nothing on them: NVML shows no process, PodResources the pod. */
export const idleAnnotation = 'simulator.gpupartition.dev/idle';

const firstPid = 10_000;
const memoryMiB = 512;

/**
 * The state with one process for each of the pod's devices; its name identifies the pod, so that a restarted kubelet
 * finds it again. A device that no longer exists gets none.
 */
function withProcessesOf(
  state: NodeState,
  pod: PodObject,
  given: PodAllocation,
  devices: readonly GpuDevice[],
): NodeState {
  if (hasProcessesOf(state, pod) || pod.metadata.annotations?.[idleAnnotation] === 'true') return state;
  const started = given.flatMap(({ container, deviceIds, claims = [] }) =>
    [
      ...Object.values(deviceIds)
        .flat()
        .map((id) => uuidOfDeviceId(id)),
      ...claims.flatMap((claim) => claim.devices).flatMap(({ uuid }) => uuid ?? []),
    ]
      .flatMap((wanted) => devices.find(({ uuid }) => uuid === wanted) ?? [])
      .filter((device) => isThere(state, device))
      .map(({ gpu, instance }) => ({ gpu, ...(instance && { instance }), name: `${prefixOf(pod)}${container}` })),
  );
  const lastPid = Math.max(firstPid - 1, ...state.processes.map(({ pid }) => pid));
  const processes = started.map((process, i): GpuProcess => ({ ...process, pid: lastPid + 1 + i, memoryMiB }));
  return { ...state, processes: [...state.processes, ...processes] };
}

/** The state without the pod's processes. */
function withoutProcessesOf(state: NodeState, pod: PodObject): NodeState {
  return { ...state, processes: state.processes.filter(({ name }) => !name.startsWith(prefixOf(pod))) };
}

function hasProcessesOf(state: NodeState, pod: PodObject): boolean {
  return state.processes.some(({ name }) => name.startsWith(prefixOf(pod)));
}

function isThere(state: NodeState, { gpu, instance }: GpuDevice): boolean {
  if (instance === undefined) return true;
  const found = state.gpus[gpu]?.gpuInstances.find(({ id }) => id === instance.gi);
  return found?.computeInstances.some(({ id }) => id === instance.ci) ?? false;
}

function prefixOf({ metadata }: PodObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}/`;
}

/** A simulated node without the API server: its GPUs, what its plugin has registered, and who holds what. */
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
  /** The times at which a start or a stop will be done, in `performance.now()`, by uid. */
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

  /** Watches the devices for a plugin that reads them at every change. */
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

  /** Reads the state of the GPUs; undefined if it cannot be read. */
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

  /** Why the node's DRA driver does not prepare the claims of a pod that is to be admitted. */
  refuse(claims: PodClaims): { readonly failure: string } | undefined {
    return refuseClaims(claims, this.#allocations.values());
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

  /** The devices that the pod with this uid holds; undefined if it is not known. */
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
