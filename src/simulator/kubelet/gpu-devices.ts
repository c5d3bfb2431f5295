import {
  GPU_RESOURCE,
  migResourceName,
  type MigStrategy,
  type GpuDescription,
  type NodeDescription,
} from '../../core/nvidia/labels.ts';
import { driverOf } from '../nvidia-smi/board.ts';
import { migUuid, type SimulatedGpu, describeMigDevice, listMigDevices } from '../nvidia-smi/device.ts';
import { gpuStateOf, type NodeState } from '../nvidia-smi/state.ts';
import type { SimulatedNode } from './node.ts';
import type { NodeDaemons } from './daemons.ts';
import type { servePodResources } from './allocation.ts';
import type { Machine } from './machine.ts';
import { mkdirSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { computeResources, advertisedAs } from '../../core/nvidia/predict.ts';
import type { Sharing } from '../../core/nvidia/plugin-config.ts';
import type { DriverDevice } from '../dra-driver/devices.ts';

/** A device that a container can get: a whole GPU, or a MIG device (a compute instance). */
export interface GpuDevice {
  readonly uuid: string;
  readonly gpu: number;
  /** The instances of a MIG device; absent for a whole GPU. */
  readonly instance?: { readonly gi: number; readonly ci: number };
  /** Resource that advertises it, before sharing. */
  readonly resource: string;
}

/** What NVIDIA's tools would read on the node; the driver version is that of the simulated nvidia-smi. */
export function describeNode(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  { machine, driver: branch }: Pick<SimulatedNode, 'machine' | 'driver'> = {},
): NodeDescription {
  const { driver, cuda } = driverOf(gpus, branch);
  const [cudaMajor = 0, cudaMinor = 0] = cuda.split('.').map(Number);
  return {
    driverVersion: driver,
    cudaDriverVersion: [cudaMajor, cudaMinor],
    ...(machine !== undefined && { machine }),
    gpus: gpus.map((gpu): GpuDescription => {
      const [major = 0, minor = 0] = gpu.board.computeCapability.split('.').map(Number);
      return {
        name: gpu.board.productName,
        memoryMiB: gpu.board.memoryMiB,
        computeCapability: [major, minor],
        migCapable: gpu.board.model !== undefined,
        migEnabled: gpuStateOf(state, gpu.index).migCurrent,
        pciClass: '0x030200',
        migDevices: describeMigDevices(gpu, state).map(({ description }) => description),
      };
    }),
  };
}

/** The devices that a plugin with this strategy hands out, in index order. */
export function listGpuDevices(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  strategy: MigStrategy,
): readonly GpuDevice[] {
  return gpus.flatMap((gpu): readonly GpuDevice[] => {
    if (strategy === 'none' || !gpuStateOf(state, gpu.index).migCurrent) {
      return [{ uuid: gpu.uuid, gpu: gpu.index, resource: GPU_RESOURCE }];
    }
    return describeMigDevices(gpu, state).map(({ gi, ci, description }) => ({
      uuid: migUuid(gpu, gi, ci),
      gpu: gpu.index,
      instance: { gi, ci },
      resource: strategy === 'single' ? GPU_RESOURCE : migResourceName(description.profile),
    }));
  });
}

/** Describes one MIG device per compute instance; a GPU instance without any is not a device. */
function describeMigDevices(gpu: SimulatedGpu, state: NodeState) {
  return listMigDevices(gpu, state).flatMap((device) => {
    const facts = describeMigDevice(gpu, state, device);
    if (facts === undefined) return [];
    const { giProfile, ciProfile } = facts;
    const { copy, decoder, encoder, jpeg, ofa } = giProfile.engines;
    const attributes = {
      memory: giProfile.memoryMiB,
      multiprocessors: ciProfile.multiprocessors,
      'slices.gi': giProfile.computeSlices,
      'slices.ci': ciProfile.size,
      'engines.copy': copy,
      'engines.decoder': decoder,
      'engines.encoder': encoder,
      'engines.jpeg': jpeg,
      'engines.ofa': ofa,
    };
    return [{ gi: device.gi.id, ci: device.ci.id, description: { profile: ciProfile.name, attributes } }];
  });
}

/** A simulated node with all that runs on it. */
export interface Host {
  readonly machine: Machine;
  readonly daemons: NodeDaemons;
  /** Serves who holds what, as the kubelet does; undefined if it does not. */
  readonly server: Awaited<ReturnType<typeof servePodResources>> | undefined;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly listeners: Map<string, () => void>;
}

/**
 * Notifies about changes to files that other programs replace by rename. A watch on a file does not survive a rename, a watch
 * on its folder does; one watch serves all files of a folder.
 */
export class StateWatch {
  readonly #folders = new Map<string, Watched>();

  /** Calls `onChange` after each change, possibly more than once. Creates the folder if it does not exist. */
  add(file: string, onChange: () => void): void {
    const folder = dirname(file);
    const watched = this.#folders.get(folder) ?? this.#open(folder);
    watched.listeners.set(basename(file), onChange);
  }

  remove(file: string): void {
    const folder = dirname(file);
    const watched = this.#folders.get(folder);
    watched?.listeners.delete(basename(file));
    if (watched?.listeners.size !== 0) return;
    watched.watcher.close();
    this.#folders.delete(folder);
  }

  #open(folder: string): Watched {
    mkdirSync(folder, { recursive: true });
    const listeners = new Map<string, () => void>();
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null) for (const listener of listeners.values()) listener();
      else listeners.get(name)?.();
    });
    // The folder was removed under us: the reader finds the file absent.
    watcher.on('error', () => undefined);
    const watched = { watcher, listeners };
    this.#folders.set(folder, watched);
    return watched;
  }
}

/** What a device plugin has registered with its kubelet. */
export interface Advertisement {
  /** Count by resource name, including replicas. */
  readonly resources: Readonly<Record<string, number>>;
  /** Device ids by resource; with time-slicing one id per replica, `UUID::0`, in the plugin's form. */
  readonly deviceIds: ReadonlyMap<string, readonly string[]>;
  readonly devices: readonly GpuDevice[];
  /** Why the plugin has exited; absent while it runs. */
  readonly failure?: string;
}

/** The advertisement of a node without a plugin. */
const nothingAdvertised: Advertisement = { resources: {}, deviceIds: new Map(), devices: [] };

/** The id of a device in a plugin that names device files, as GKE's does. */
export function fileIdOf({ gpu, instance }: GpuDevice): string {
  return `nvidia${gpu}${instance === undefined ? '' : `/gi${instance.gi}`}`;
}

/** What the plugin advertises for the devices that it finds at its start. */
export function advertise(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  strategy: MigStrategy,
  sharing?: Sharing,
  idOf: (device: GpuDevice) => string = ({ uuid }) => uuid,
): Advertisement {
  const config = sharing === undefined ? undefined : { sharing };
  const { resources, errors } = computeResources(describeNode(gpus, state), strategy, config);
  const [error] = errors;
  if (error !== undefined) return { ...nothingAdvertised, failure: error.message };
  const devices = listGpuDevices(gpus, state, strategy);
  const deviceIds = new Map<string, readonly string[]>();
  for (const device of devices) {
    const { name, replicas } = advertisedAs(device.resource, sharing);
    const id = idOf(device);
    const ids = replicas === 1 ? [id] : Array.from({ length: replicas }, (_, i) => `${id}::${i}`);
    deviceIds.set(name, [...(deviceIds.get(name) ?? []), ...ids]);
  }
  return { resources, deviceIds, devices };
}

/**
 * A faulty DRA driver. `NeverReady`: a new process starts, registers nothing and publishes nothing. `Stale`: a new process prepares
 * claims for the devices that it found, and publishes them only once the fault is lifted.
 */
export type DriverFault = 'NeverReady' | 'Stale';

/** What a node's DRA driver has registered with its kubelet. */
export class DriverRegistration {
  fault: DriverFault | undefined;
  #devices: readonly DriverDevice[] | undefined;
  #uid: string | undefined;
  #goneAtMs: number | undefined;

  /** The devices that the driver found at its start, for which it prepares claims; undefined without a driver. */
  get devices(): readonly DriverDevice[] | undefined {
    return this.#devices;
  }

  /** The time since when there has been no driver, in `performance.now()`; undefined while there is one, or never was. */
  get goneAtMs(): number | undefined {
    return this.#goneAtMs;
  }

  register(uid: string, devices: readonly DriverDevice[]): void {
    this.#uid = uid;
    this.#devices = devices;
    this.#goneAtMs = undefined;
  }

  /** The process in the pod with this uid is gone. */
  unregister(uid: string): void {
    if (this.#uid !== uid) return;
    this.#uid = undefined;
    this.#devices = undefined;
    this.#goneAtMs = performance.now();
  }

  /** Forgets the driver: nothing of it is left in the API. */
  forget(): void {
    this.#goneAtMs = undefined;
  }
}

/**
 * A faulty plugin. `Stale`: a new pod keeps advertising what its predecessor saw, ids and counts.
 * `NeverReady`: a new pod starts, is never Ready and advertises nothing.
 */
export type PluginFault = 'Stale' | 'NeverReady';

/** What a node's device plugins have registered with its kubelet. Of two with one resource name the last wins. */
export class PluginRegistration {
  fault: PluginFault | undefined;
  #advertised = nothingAdvertised;
  #lastSeen: Advertisement | undefined;
  #uid: string | undefined;

  get advertised(): Advertisement {
    return this.#advertised;
  }

  /** A plugin has read the devices, and registers. @returns what it advertises, which may be false under a fault */
  register(uid: string, seen: Advertisement): Advertisement {
    const told = this.fault === 'Stale' && this.#lastSeen !== undefined ? this.#lastSeen : seen;
    if (told.failure !== undefined) {
      this.unregister(uid);
      return told;
    }
    this.#uid = uid;
    this.#advertised = told;
    this.#lastSeen = told;
    return told;
  }

  /** The process with this uid is gone. */
  unregister(uid: string): void {
    if (this.#uid !== uid) return;
    this.#uid = undefined;
    this.#advertised = nothingAdvertised;
  }

  /** Replaces the advertisement, for a plugin that reads the devices at every change. */
  replace(seen: Advertisement): void {
    this.#advertised = seen;
  }
}
