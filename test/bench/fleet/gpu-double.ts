import { setTimeout as sleep } from 'node:timers/promises';
import type { Device, WorkOptions } from '../../../src/agent/open-device.ts';
import type { NodeResult } from '../../../src/device/apply.ts';
import type { DeviceReport, GpuReport } from '../../../src/api/types.ts';
import { findModel, type GpuModel } from '../../../src/core/gpu/geometry.ts';
import type { Step } from '../../../src/core/gpu/plan.ts';
import type { GpuWork } from '../../../src/core/device/plan.ts';
import {
  DeviceError,
  type DeviceState,
  type GpuInstanceState,
  type GpuState,
} from '../../../src/core/gpu/device-state.ts';

/** What the GPUs of all nodes have in common; may be changed while they work. */
export interface GpuPace {
  /** What a change of a node takes, in ms. */
  workMs: number;
}

/** GPUs in memory: a change is done after a time, all at once, exactly as its plan says. */
export class GpuDouble implements Device {
  readonly #pace: Readonly<GpuPace>;
  readonly #onBegin: () => void;
  #state: DeviceState;
  /** Set: the next change fails, and leaves everything as it was. */
  isBroken = false;

  /** @param onBegin called when the first operation of a change begins */
  constructor(report: DeviceReport, pace: Readonly<GpuPace>, onBegin: () => void) {
    this.#pace = pace;
    this.#onBegin = onBegin;
    this.#state = {
      driverVersion: report.driverVersion ?? '',
      cudaVersion: report.cudaVersion,
      gpus: (report.gpus ?? []).map(stateOf),
      lost: [],
    };
  }

  hostProblems(): readonly string[] {
    return [];
  }

  read(): Promise<DeviceState> {
    return Promise.resolve(this.#state);
  }

  /** Devices as the device plugin hands them out under strategy mixed, their ids by resource. */
  listDevices(): ReadonlyMap<string, readonly string[]> {
    const instances = this.#state.gpus.flatMap((gpu) => gpu.instances);
    const byResource = Map.groupBy(instances, ({ profile }) => `nvidia.com/mig-${profile}`);
    return new Map([...byResource].map(([resource, ones]) => [resource, ones.flatMap(listUuids)]));
  }

  async apply(_wishes: unknown, work: readonly GpuWork[], { confirm }: WorkOptions): Promise<NodeResult> {
    await confirm();
    this.#onBegin();
    await sleep(this.#pace.workMs);
    const [first] = work;
    if (this.isBroken && first) {
      this.isBroken = false;
      const error = new DeviceError('DriverFailed', { tried: 'a change', found: 'a fault that was asked for' });
      const result = { uuid: first.uuid, outcome: 'Failed', operations: 1, error, undoError: undefined } as const;
      return { results: [result], device: this.#state };
    }
    const steps = new Map(work.map((one) => [one.uuid, one.steps]));
    const gpus = this.#state.gpus.map((gpu) => (steps.get(gpu.uuid) ?? []).reduce(takeStep, gpu));
    this.#state = { ...this.#state, gpus };
    return { results: [], device: this.#state };
  }
}

function listUuids({ computeInstances }: GpuInstanceState): readonly string[] {
  return computeInstances.flatMap(({ uuid }) => uuid ?? []);
}

function takeStep(gpu: GpuState, { action, profile, start }: Step): GpuState {
  const others = gpu.instances.filter((one) => one.start !== start);
  switch (action) {
    case 'DestroyInstance':
      return { ...gpu, instances: others };
    case 'CreateInstance': {
      const made = makeInstance(gpu.product, gpu.uuid, { profile, start });
      return { ...gpu, instances: [...others, made].toSorted((a, b) => a.start - b.start) };
    }
    case 'DestroyComputeInstances':
    case 'CreateComputeInstances':
      throw new Error(`no plan of this fleet has a step ${action}`);
  }
}

function stateOf(gpu: GpuReport): GpuState {
  const { mig = 'Enabled' } = gpu;
  return {
    index: gpu.index,
    uuid: gpu.uuid,
    pciBusId: gpu.pciBusId,
    pciDeviceId: gpu.pciDeviceId,
    pciClass: gpu.pciClass,
    product: gpu.product,
    memoryMiB: gpu.memoryMiB ?? 0,
    computeCapability: gpu.computeCapability,
    migCapable: true,
    mig: { current: mig, pending: mig },
    instances: gpu.instances.map((place) => makeInstance(gpu.product, gpu.uuid, place)),
    geometry: modelOf(gpu.product),
    processes: [],
    health: undefined,
    fault: undefined,
    tableSource: 'Own',
    vgpuHost: undefined,
  };
}

/** The UUID of a MIG device is the same again whenever it is made at the same place. */
function makeInstance(
  product: string,
  gpu: string,
  { profile: name, start }: { readonly profile: string; readonly start: number },
): GpuInstanceState {
  const profile = modelOf(product).profiles.find((one) => one.name === name);
  if (profile === undefined) throw new Error(`${product} has no profile ${name}`);
  const { id: profileId = 0, memorySlices: size, computeSlices, memoryMiB = 0, multiprocessors = 0, engines } = profile;
  const slices = { gpuInstance: computeSlices, computeInstance: computeSlices };
  const uuid = `MIG-${size}${start}${gpu.slice('GPU-00'.length)}`;
  const attributes = { memoryMiB, multiprocessors, engines, slices };
  const computeInstances = [{ id: 0, profile: name, uuid, attributes }];
  return { profile: name, profileId, id: 7 + start, start, size, computeInstances, processes: [] };
}

function modelOf(product: string): GpuModel {
  const model = findModel(product);
  if (model === undefined) throw new Error(`the table has no ${product}`);
  return model;
}
