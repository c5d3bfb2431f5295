import type { KubeObject } from '../../kube/watch.ts';
import {
  ciProfilesOf,
  driverOf,
  type DriverBranch,
  type DriverVersions,
  findGiProfile,
  type GiProfile,
  listGiProfiles,
} from '../nvidia-smi/board.ts';
import { migUuid, type SimulatedGpu } from '../nvidia-smi/device.ts';
import { gpuStateOf, type GpuInstance, type NodeState } from '../nvidia-smi/state.ts';
import { randomBytes } from 'node:crypto';
import { resourceSlices } from '../../api/resources.ts';
import type { KubeClient } from '../../kube/client.ts';

/** The part of a ResourceClaim that a kubelet and a driver read. */
export interface ClaimObject extends KubeObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: {
        readonly results?: readonly {
          readonly request: string;
          readonly driver: string;
          readonly pool: string;
          readonly device: string;
          /** A monitor's access, which excludes nobody. */
          readonly adminAccess?: boolean;
        }[];
      };
    };
    readonly reservedFor?: readonly { readonly uid: string }[];
  };
}

/** Devices of the claims that the driver has prepared and not unprepared, by the uid of the claim; without those of monitors. */
export type HeldDevices = ReadonlyMap<string, readonly string[]>;

/** Why the driver does not prepare a claim beside those that it has prepared, in its words; undefined if it does. */
export function refuseHeld(uid: string, devices: readonly string[], held: HeldDevices): string | undefined {
  for (const [other, own] of held) {
    const device = other === uid ? undefined : devices.find((one) => own.includes(one));
    if (device === undefined) continue;
    return `unable to prepare claim ${uid}: requested device ${device} is already allocated to different claim ${other}`;
  }
  return undefined;
}

type Attribute = { readonly string: string } | { readonly version: string };

/** A device as a ResourceSlice offers it. */
export interface OfferedDevice {
  readonly name: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly capacity: Readonly<Record<string, { readonly value: string }>>;
  /** Counters that the device takes; only with the gate DynamicMIG. */
  readonly consumesCounters?: readonly {
    readonly counterSet: string;
    readonly counters: Readonly<Record<string, { readonly value: string }>>;
  }[];
}

/** A device that the driver has found at its start. */
export interface DriverDevice {
  readonly offered: OfferedDevice;
  readonly uuid: string;
}

/** Why the driver's process exits, with status 1. */
interface DriverFailure {
  readonly failure: string;
}

/**
 * What NVIDIA's DRA driver finds with static MIG. A GPU instance without a compute instance is not offered, nor is a GPU whose MIG
 * mode is on.
 */
export function findDevices(
  gpus: readonly SimulatedGpu[],
  state: NodeState,
  branch?: DriverBranch,
): readonly DriverDevice[] | DriverFailure {
  const versions = driverOf(gpus, branch);
  const devices: DriverDevice[] = [];
  for (const gpu of gpus) {
    const { migCurrent, gpuInstances } = gpuStateOf(state, gpu.index);
    if (!migCurrent) devices.push(describeGpu(gpu, versions));
    for (const instance of migCurrent ? gpuInstances : []) {
      if (instance.computeInstances.length === 0) continue;
      const device = describeSlice(gpu, instance, versions);
      if ('failure' in device) return device;
      devices.push(device);
    }
  }
  return devices;
}

function describeGpu(gpu: SimulatedGpu, versions: DriverVersions): DriverDevice {
  const { uuid, index, board } = gpu;
  const attributes = { ...commonAttributes(gpu, versions), type: { string: 'gpu' }, uuid: { string: uuid } };
  const capacity = { memory: { value: formatMebibytes(board.memoryMiB) } };
  return { uuid, offered: { name: `gpu-${index}`, attributes, capacity } };
}

function describeSlice(
  gpu: SimulatedGpu,
  instance: GpuInstance,
  versions: DriverVersions,
): DriverDevice | DriverFailure {
  const profile = findGiProfile(gpu.board, instance.profileId);
  const [compute] = instance.computeInstances;
  if (profile === undefined || compute === undefined) {
    return { failure: `error getting the profile of GPU instance ${instance.id} of gpu-${gpu.index}` };
  }
  const ciProfile = ciProfilesOf(gpu, instance).find(({ id }) => id === compute.profileId);
  if (ciProfile?.isDefault !== true) {
    return {
      failure:
        `error enumerating the MIG devices of gpu-${gpu.index}: GPU instance ${instance.id} (${profile.name}) has a compute ` +
        `instance that is smaller than itself (${ciProfile?.name ?? `profile ${compute.profileId}`})`,
    };
  }
  const uuid = migUuid(gpu, instance.id, compute.id);
  const { name, attributes, capacity } = describeProfile(gpu, profile, instance.start, versions);
  const memorySlices = Array.from(
    { length: instance.size },
    (_, i) => [`memorySlice${instance.start + i}`, { value: '1' }] as const,
  );
  return {
    uuid,
    offered: {
      name,
      attributes: { ...attributes, uuid: { string: uuid } },
      capacity: { ...capacity, ...Object.fromEntries(memorySlices) },
    },
  };
}

/** What slices of a profile at this start have in common, whether they exist or not. */
function describeProfile(
  gpu: SimulatedGpu,
  profile: GiProfile,
  start: number,
  versions: DriverVersions,
): OfferedDevice {
  const { copy, decoder, encoder, jpeg, ofa } = profile.engines;
  const counts = {
    copyEngines: copy,
    decoders: decoder,
    encoders: encoder,
    jpegEngines: jpeg,
    multiprocessors: profile.multiprocessors,
    ofaEngines: ofa,
  };
  const amounts = Object.entries(counts).map(([key, count]) => [key, { value: `${count}` }] as const);
  return {
    name: `gpu-${gpu.index}-mig-${nameOf(profile.name)}-${profile.id}-${start}`,
    attributes: {
      ...commonAttributes(gpu, versions),
      parentUUID: { string: gpu.uuid },
      profile: { string: profile.name },
      type: { string: 'mig' },
    },
    capacity: { memory: { value: formatMebibytes(profile.memoryMiB) }, ...Object.fromEntries(amounts) },
  };
}

/** `1g.5gb+me` as part of an RFC 1123 name: `1g5gb-me`. */
function nameOf(profile: string): string {
  return profile.replaceAll('.', '').replaceAll('+', '-').toLowerCase();
}

function commonAttributes(
  { board, busId }: SimulatedGpu,
  { driver, cuda }: DriverVersions,
): OfferedDevice['attributes'] {
  return {
    architecture: { string: board.architecture },
    brand: { string: 'Nvidia' },
    cudaComputeCapability: { version: semver(board.computeCapability) },
    cudaDriverVersion: { version: semver(cuda) },
    driverVersion: { version: semver(driver) },
    productName: { string: board.productName },
    'resource.kubernetes.io/pciBusID': { string: busId.slice(4).toLowerCase() },
  };
}

/** A quantity as the API server prints it: `19968Mi`, `80Gi`. */
function formatMebibytes(mebibytes: number): string {
  return mebibytes > 0 && mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}

/** `550.163.01` as 550.163.1: a semantic version has three numbers without leading zeros. */
function semver(version: string): string {
  const numbers = version.split('.').map(Number);
  return Array.from({ length: 3 }, (_, i) => numbers[i] ?? 0).join('.');
}

/** The memory slices of a GPU, which its possible devices share. */
interface CounterSet {
  readonly name: string;
  readonly counters: Readonly<Record<string, { readonly value: string }>>;
}

/**
 * What the driver offers with its gate DynamicMIG: each GPU and each slice that it could create, which consume counters. A slice that
 * does not exist has no UUID.
 */
export function offerPossibleDevices(gpus: readonly SimulatedGpu[], branch?: DriverBranch) {
  const versions = driverOf(gpus, branch);
  const devices = gpus.flatMap((gpu): readonly OfferedDevice[] => {
    const { offered } = describeGpu(gpu, versions);
    const { model } = gpu.board;
    if (model === undefined) return [offered];
    const slices = listGiProfiles(gpu.board).flatMap((profile) =>
      profile.starts.map((start) => ({
        ...describeProfile(gpu, profile, start, versions),
        ...consume(gpu, start, profile.size),
      })),
    );
    return [{ ...offered, ...consume(gpu, 0, model.memorySlices) }, ...slices];
  });
  const counters = gpus.flatMap((gpu): readonly CounterSet[] => {
    const { model } = gpu.board;
    return model === undefined ? [] : [{ name: setOf(gpu), counters: countersOf(0, model.memorySlices) }];
  });
  return { counters, devices };
}

/** The state after a start of the driver, which destroys what nobody uses: it takes it for leftovers of claims. */
export function withoutIdleInstances(state: NodeState): NodeState {
  const isBusy = (index: number, gi: number): boolean =>
    state.processes.some(({ gpu, instance }) => gpu === index && instance?.gi === gi);
  return {
    ...state,
    gpus: state.gpus.map((gpu, index) => ({
      ...gpu,
      gpuInstances: gpu.gpuInstances.filter(({ id }) => isBusy(index, id)),
    })),
  };
}

function consume(gpu: SimulatedGpu, start: number, size: GiProfile['size']): Pick<OfferedDevice, 'consumesCounters'> {
  return { consumesCounters: [{ counterSet: setOf(gpu), counters: countersOf(start, size) }] };
}

function countersOf(start: number, size: number): CounterSet['counters'] {
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [`memory-slice-${start + i}`, { value: '1' }]));
}

function setOf({ index }: SimulatedGpu): string {
  return `gpu-${index}-counter-set`;
}

export const driverName = 'gpu.nvidia.com';

/** The part of a ResourceSlice that the driver fills. */
export interface SliceSpec {
  readonly driver: string;
  readonly nodeName: string;
  readonly pool: { readonly name: string; readonly generation: number; readonly resourceSliceCount: number };
  readonly devices?: readonly OfferedDevice[];
  /** Counters that devices share; only with the gate DynamicMIG, and such a slice has no devices. */
  readonly sharedCounters?: readonly CounterSet[];
}

interface NodeRef {
  readonly name: string;
  readonly uid: string;
}

/** What the API server takes in one slice if the devices consume counters. */
const mostCounting = 64;

interface SliceObject extends KubeObject {
  readonly spec: SliceSpec;
}

/** The devices that a driver offers; counters only with the gate DynamicMIG. */
export interface DriverOffer {
  readonly devices: readonly OfferedDevice[];
  readonly counters?: readonly CounterSet[];
}

/**
 * Makes the API server offer these devices of a node: one slice, owned by the Node and changed in place, whose generation stays 1 as
 * the real driver's does. Counters are in a slice of their own, and more slices follow.
 */
export async function publishDevices(client: KubeClient, { name, uid }: NodeRef, offer: DriverOffer): Promise<void> {
  const contents = divide(offer);
  const pool = { name, generation: 1, resourceSliceCount: contents.length };
  const specs = contents.map((content) => ({ driver: driverName, nodeName: name, pool, ...content }));
  const found = await listSlices(client, name);
  const [spec] = specs;
  const [first] = found;
  if (first !== undefined && spec !== undefined && found.length === 1 && specs.length === 1) {
    const ref = { resource: resourceSlices, name: first.metadata.name };
    await client.replace<SliceObject>(ref, { ...first, spec }, { metadataOnly: true });
    return;
  }
  for (const { metadata } of found) await client.delete({ resource: resourceSlices, name: metadata.name });
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid, controller: true };
  for (const one of specs) {
    const metadata = { name: sliceName(name), ownerReferences: [owner] };
    await client.create<SliceObject>(resourceSlices, { metadata, spec: one }, { metadataOnly: true });
  }
}

function divide({ devices, counters }: DriverOffer): readonly Pick<SliceSpec, 'devices' | 'sharedCounters'>[] {
  if (counters === undefined) return [{ devices }];
  const parts = Array.from({ length: Math.ceil(devices.length / mostCounting) }, (_, i) => ({
    devices: devices.slice(i * mostCounting, (i + 1) * mostCounting),
  }));
  return counters.length > 0 ? [{ sharedCounters: counters }, ...parts] : parts;
}

/** What a kubelet does some time after a driver has gone. */
export async function deleteSlices(client: KubeClient, node: string): Promise<void> {
  for (const { metadata } of await listSlices(client, node)) {
    await client.delete({ resource: resourceSlices, name: metadata.name });
  }
}

async function listSlices(client: KubeClient, node: string): Promise<readonly SliceObject[]> {
  const fieldSelector = `spec.nodeName=${node},spec.driver=${driverName}`;
  return (await client.list<SliceObject>(resourceSlices, { fieldSelector })).items;
}

/** A name of a slice, as the API server completes the driver's `generateName`. */
function sliceName(node: string): string {
  return `00000-${driverName}-${node}-${randomBytes(3).toString('hex').slice(0, 5)}`;
}
