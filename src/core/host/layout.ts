import { reportDevice } from '../device/report.ts';
import type { GpuReport, GpuSelector, PolicyLayout, Strategy, GpuWish, PolicySpec } from '../../api/types.ts';
import { canonicalJson } from '../text/json.ts';
import { layoutOf } from '../device/plan.ts';
import type { DeviceState, MigMode } from '../gpu/device-state.ts';
import type { DeviceError, DeviceErrorCode } from '../gpu/device-error.ts';
import { resolveNode } from '../policy/resolve-node.ts';
import type { GpuTarget } from '../gpu/plan.ts';

// The door to layouts of one host: what a file asks of its GPUs (NodeLayout), their live layout as a file, and faults in the words of a
// program on the host.

/** How the entries of an export identify their GPUs: UUIDs only match this machine, indices also match identical ones. */
type ExportBy = 'uuids' | 'indices';

interface ExportedGpu {
  readonly index: number;
  readonly uuid: string;
  readonly pciBusId: string;
  readonly product: string;
  /** Null for a GPU without MIG. */
  readonly mig: MigMode | null;
  readonly instances: readonly {
    readonly profile: string;
    readonly start: number;
    readonly size: number;
    readonly computeInstances: readonly string[];
    readonly busy: boolean;
  }[];
}

/** The live layout; the shape of `export -o json`, which `-f` accepts. */
export interface NodeExport {
  readonly layouts: readonly PolicyLayout[];
  readonly device: { readonly driverVersion: string; readonly gpus: readonly ExportedGpu[] };
}

interface Group {
  readonly gpus: readonly GpuReport[];
  readonly content: PolicyLayout;
}

/** Exports the live layout, with what it does not say as comments: which GPUs these are, and where their instances are. */
export function exportDevice(device: DeviceState, by: ExportBy) {
  const groups = groupGpus(device);
  const others = device.gpus.filter(({ mig }) => mig === undefined);
  const file: NodeExport = {
    layouts: groups.map(({ gpus, content }) => ({ gpus: select(gpus, by), ...content })),
    device: { driverVersion: device.driverVersion, gpus: device.gpus.map(describeGpu) },
  };
  return {
    file,
    /** A line for each GPU of each entry. */
    comments: groups.map(({ gpus }) => gpus.map(({ uuid }) => commentOn(device, uuid))),
    /** A line for each GPU without MIG. */
    others: others.map(({ uuid }) => commentOn(device, uuid)),
  };
}

/** Exports a mig-parted config file; GPUs without MIG are omitted, unless there are no others. */
export function exportMigParted(device: DeviceState, config: string): unknown {
  const specs = groupGpus(device).map(({ gpus, content }) => ({
    devices: gpus.length === device.gpus.length ? 'all' : gpus.map(({ index }) => index),
    'mig-enabled': content.mig === undefined,
    'mig-devices': content.profiles ?? {},
  }));
  return { version: 'v1', 'mig-configs': { [config]: specs } };
}

/** What an export leaves out, one sentence each: applying it would destroy such instances. */
export function listUnexported({ gpus, lost }: DeviceState): readonly string[] {
  return [
    ...lost.map(({ pciBusId, fault }) => `GPU at ${pciBusId} does not answer: ${fault.message}`),
    ...gpus.flatMap(({ index, fault }) =>
      fault === undefined ? [] : [`GPU ${index} cannot be read: ${fault.code}: ${fault.message}`],
    ),
    ...gpus.flatMap(({ index, instances }) =>
      instances
        .filter(({ computeInstances }) => computeInstances.length === 0)
        .map(({ profile, start }) => `GPU ${index}: ${profile} at ${start} has no compute instance and is left out`),
    ),
  ];
}

function groupGpus(device: DeviceState): readonly Group[] {
  const groups = new Map<string, Group>();
  const readable = (reportDevice(device).gpus ?? []).filter(({ error }) => error === undefined);
  const capable = readable.filter(({ mig }) => mig !== undefined);
  // No file may be without an entry.
  for (const gpu of capable.length > 0 ? capable : readable) {
    const content = contentOf(gpu);
    const key = canonicalJson(content);
    groups.set(key, { content, gpus: [...(groups.get(key)?.gpus ?? []), gpu] });
  }
  return [...groups.values()];
}

function contentOf(gpu: GpuReport): PolicyLayout {
  if (gpu.mig !== 'Enabled') return { mig: 'Disabled' };
  const profiles = layoutOf(gpu);
  return Object.keys(profiles).length === 0 ? { preset: 'all-enabled' } : { profiles };
}

function select(gpus: readonly GpuReport[], by: ExportBy): GpuSelector {
  return by === 'uuids' ? { uuids: gpus.map(({ uuid }) => uuid) } : { indices: gpus.map(({ index }) => index) };
}

function describeGpu({ index, uuid, pciBusId, product, mig, instances }: DeviceState['gpus'][number]): ExportedGpu {
  return {
    index,
    uuid,
    pciBusId,
    product,
    mig: mig?.current ?? null,
    instances: instances.map(({ profile, start, size, computeInstances, processes }) => ({
      profile,
      start,
      size,
      computeInstances: computeInstances.map((part) => part.profile),
      busy: processes.length > 0,
    })),
  };
}

function commentOn({ gpus }: DeviceState, uuid: string): string {
  const gpu = gpus.find((one) => one.uuid === uuid);
  if (gpu === undefined) return uuid;
  const places = gpu.instances.map(({ profile, start }) => `${profile} at ${start}`).join(', ');
  const state =
    gpu.mig === undefined ? 'no MIG' : gpu.mig.current === 'Disabled' ? 'MIG off' : places || 'no instances';
  return `GPU ${gpu.index}, ${gpu.product}, ${gpu.pciBusId}: ${state}`;
}

/** A device error as shown by a program on the host. */
export interface HostFault {
  readonly code: DeviceErrorCode;
  /** What was tried, what was found, who is in the way, what to do. */
  readonly message: string;
}

/** The driver's advice names a policy's fields where the command has options, or another meaning. */
const ADVICE: Partial<Readonly<Record<DeviceErrorCode, string>>> = {
  ResetRequired: 'allow a reset of this GPU with --allow-gpu-reset, or reset it while nothing uses it',
  RebootRequired: 'reboot this machine, then run this again; resetting a single GPU does not help here',
  ForeignInstance:
    'the GPU changed after the plan was printed, or has an instance that its driver lists no profile for; look at it and run this again',
  Stopped: 'run this again: it continues from the current state',
  Locked: 'wait until the other one is done; where an agent runs on this node, it holds the lock as long as it runs',
  JournalUnavailable: 'name a folder that this user may write with --state-dir, or free space on it',
};

export function explainFault(error: DeviceError): HostFault {
  const { code, message, advice } = error;
  return { code, message: message.replace(advice, ADVICE[code] ?? advice) };
}

/** What the GPUs of this node should become, from whatever file. */
export interface NodeLayout {
  /** Layouts as in a policy's spec: for each GPU the first matching entry decides. */
  readonly layouts: readonly PolicyLayout[];
  /** The strategy; undefined if the file does not say how the node advertises its slices: that is then not checked. */
  readonly strategy: Strategy | undefined;
  /** Position of an entry or the strategy: `layout.yaml:3:5: layouts[0]`. */
  readonly locate: (place: { readonly entry: number } | 'strategy') => string;
}

/** A layout of whole GPUs: the `reset` layout for all GPUs that the entries of a layout match, whatever their count, or for all. */
export function resetLayout(layout: NodeLayout | undefined): NodeLayout {
  if (layout === undefined) return { layouts: [{ mig: 'Disabled' }], strategy: undefined, locate: () => 'reset' };
  const layouts = layout.layouts.map(({ gpus }): PolicyLayout => {
    // Which GPUs an entry with a count has taken is not known here: the others are whole, and would now be taken.
    const { count: _count, ...selector } = gpus ?? {};
    return { gpus: selector, mig: 'Disabled' };
  });
  return { layouts, strategy: undefined, locate: layout.locate };
}

/** Why no part of a layout may be applied to this node, with the numbers. */
export interface NodeRefusal {
  /** `NoGpuMatches`, or the reason that a policy's condition would give. */
  readonly code: string;
  /** Starts with the position in the file. */
  readonly message: string;
}

type NodeTargets =
  | {
      readonly targets: readonly GpuTarget[];
      /** Entries that apply to no GPU of this node, and why; each starts with the position in the file. */
      readonly skipped: readonly string[];
    }
  | { readonly refusal: NodeRefusal };

/** The target of each GPU, by the rules of a policy; a refusal is about the whole node and nothing is touched. */
export function resolveTargets(layout: NodeLayout, device: DeviceState): NodeTargets {
  // The user of the command is responsible for the host: no instance is foreign to it.
  const allow = { replaceForeignInstances: true };
  const spec: PolicySpec = { nodeSelector: {}, strategy: layout.strategy ?? 'none', layouts: layout.layouts, allow };
  const resolved = resolveNode(spec, reportDevice(device), undefined);
  if ('wish' in resolved) {
    // For mig-parted a filter without a match is a success; the node would then not match the file.
    if (resolved.wish.gpus.length === 0) return { refusal: refuseNothing(layout, device) };
    const skipped = resolved.skipped.map(({ entry, message }) => `${layout.locate({ entry })}: ${message}`);
    return { targets: resolved.wish.gpus.map(toTarget), skipped };
  }
  const { entry, refusal } = resolved;
  const place = layout.locate(entry === undefined ? 'strategy' : { entry });
  return { refusal: { code: refusal.reason, message: `${place}: ${refusal.message}` } };
}

function toTarget({ uuid, mig, profiles }: GpuWish): GpuTarget {
  return { uuid, want: mig === 'Disabled' ? 'Disabled' : (profiles ?? {}) };
}

function refuseNothing({ locate }: NodeLayout, { gpus }: DeviceState): NodeRefusal {
  const names = gpus.map(({ index, product, pciDeviceId, migCapable }) => {
    return `GPU ${index} (${product}, ${pciDeviceId ?? 'unknown PCI id'}${migCapable ? '' : ', without MIG'})`;
  });
  const found = names.length === 0 ? 'it has no GPU' : `it has ${names.join(', ')}`;
  return { code: 'NoGpuMatches', message: `${locate({ entry: 0 })}: no entry applies to a GPU of this node: ${found}` };
}
