import type { NodeMetadata } from '../metadata/node-patch.ts';
import { loansOf } from '../metadata/borrowed-labels.ts';

/**
 * When the pods of a client must go: a change of MIG mode or a reset (`ModeChange`), a change that failed because the GPU is in
 * use (`InUse`), every change once it is done, to look at the devices anew (`AfterChange`).
 */
export const clientOccasions = ['AfterChange', 'ModeChange', 'InUse'] as const;
export type ClientOccasion = (typeof clientOccasions)[number];

/** A program on GPU nodes that holds GPUs without asking for them: it keeps NVML open, or remembers devices of the past. */
export interface GpuClient {
  readonly name: string;
  /** Label that its DaemonSet selects nodes by, `true` where it runs: it is taken away by changing the value. */
  readonly deployLabel?: string;
  /** Labels of its pods. */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** Name of a container by which its pods are known, where their labels are those of others too. */
  readonly container?: string;
  /** Empty: its pods never have to go. */
  readonly goes: readonly ClientOccasion[];
}

/** Value that mig-manager gives a deploy label, and tools know, while MIG is changed (mig-parted `cmd/nvidia-mig-manager`). */
export const pausedForMigChange = 'paused-for-mig-change';

export const pluginDeployLabel = 'nvidia.com/gpu.deploy.device-plugin';

const always: readonly ClientOccasion[] = ['AfterChange', 'ModeChange', 'InUse'];

/**
 * The clients that mig-manager pauses, under the labels of gpu-operator. The device plugin does not go after a change: its
 * restart is the refresh, which every change ends with.
 */
export const defaultClients: readonly GpuClient[] = [
  { name: 'device-plugin', deployLabel: pluginDeployLabel, goes: ['ModeChange', 'InUse'] },
  // The device plugin's chart gives the pods of both the same labels.
  {
    name: 'gpu-feature-discovery',
    deployLabel: 'nvidia.com/gpu.deploy.gpu-feature-discovery',
    container: 'gpu-feature-discovery-ctr',
    goes: always,
  },
  { name: 'dcgm', deployLabel: 'nvidia.com/gpu.deploy.dcgm', goes: always },
  {
    name: 'dcgm-exporter',
    deployLabel: 'nvidia.com/gpu.deploy.dcgm-exporter',
    podLabels: { 'app.kubernetes.io/name': 'dcgm-exporter' },
    goes: always,
  },
  { name: 'nvsm', deployLabel: 'nvidia.com/gpu.deploy.nvsm', goes: ['ModeChange', 'InUse'] },
  { name: 'client', deployLabel: 'nvidia.com/gpu.deploy.client', goes: ['ModeChange', 'InUse'] },
];

/** What a node's next change needs of the clients. Both false: a change that nobody has to make room for. */
export interface PauseOccasion {
  /** The plan changes the MIG mode of a GPU, or resets it: nobody may have it open. */
  readonly modeChange: boolean;
  /** The last try failed since somebody had a GPU open. */
  readonly inUse: boolean;
}

export interface ClientPause {
  /** Deploy labels to borrow, each with {@link pausedForMigChange}. */
  readonly labels: Readonly<Record<string, string>>;
  /** Clients whose pods must be gone before anything is granted. */
  readonly clients: readonly GpuClient[];
  /** Those among them whose pods go by eviction, since no label of this node takes them away. */
  readonly evict: readonly GpuClient[];
}

/**
 * Which clients have to go, and how. A deploy label is changed only from `true`: `false` means that the client is not here,
 * and any other value is somebody else's pause, which ends when they say so.
 */
export function clientsToPause(
  clients: readonly GpuClient[],
  { modeChange, inUse }: PauseOccasion,
  labels: Readonly<Record<string, string>>,
): ClientPause {
  const going = clients.filter(
    ({ goes }) => (modeChange && goes.includes('ModeChange')) || (inUse && goes.includes('InUse')),
  );
  const keys = going.flatMap(({ deployLabel }) => deployLabel ?? []).filter((key) => labels[key] === 'true');
  return {
    labels: Object.fromEntries(keys.map((key) => [key, pausedForMigChange])),
    clients: going,
    evict: going.filter(({ deployLabel }) => deployLabel === undefined || labels[deployLabel] === undefined),
  };
}

/** Label keys that are on loan for a pause of ours. */
export function resumeLoans(node: Pick<NodeMetadata, 'annotations'>): readonly string[] {
  return Object.entries(loansOf(node))
    .filter(([, { set }]) => set === pausedForMigChange)
    .map(([key]) => key);
}
