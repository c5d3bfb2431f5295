import type { NodeMetadata } from '../metadata/node-change.ts';
import { borrowedLabelsOf } from '../metadata/borrowed-labels.ts';

/**
 * When the pods of a holder must go: a change of MIG mode or a reset (`ModeChange`), a change that failed because the GPU is in use
 * (`InUse`), every change once it is done, to read the devices again (`AfterChange`).
 */
export const holderOccasions = ['AfterChange', 'ModeChange', 'InUse'] as const;
export type HolderOccasion = (typeof holderOccasions)[number];

/** A program on GPU nodes that holds GPUs without requesting them: it keeps NVML open, or remembers previous devices. */
export interface GpuHolder {
  readonly name: string;
  /** Label by which its DaemonSet selects nodes, `true` where it runs: changing the value removes it. */
  readonly deployLabel?: string;
  /** Labels of its pods. */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** Name of a container that identifies its pods, if others have the same labels. */
  readonly container?: string;
  /** If empty, its pods never have to go. */
  readonly goes: readonly HolderOccasion[];
}

/** Value that mig-manager gives a deploy label while MIG changes; other tools know it (mig-parted `cmd/nvidia-mig-manager`). */
export const pausedForMigChange = 'paused-for-mig-change';

export const pluginDeployLabel = 'nvidia.com/gpu.deploy.device-plugin';
/** Where gpu-operator's GPUCluster deploys the DRA driver. */
export const driverDeployLabel = 'nvidia.com/gpu.deploy.dra-driver';

const always: readonly HolderOccasion[] = ['AfterChange', 'ModeChange', 'InUse'];

/**
 * The holders that mig-manager pauses, under the labels of gpu-operator. The device plugin does not go after a change: its restart
 * is the refresh with which every change ends.
 */
export const defaultHolders: readonly GpuHolder[] = [
  { name: 'device-plugin', deployLabel: pluginDeployLabel, goes: ['ModeChange', 'InUse'] },
  // It has to unprepare the claims of pods that go, and opens NVML only for a moment: away only where a GPU stays in use.
  { name: 'dra-driver', deployLabel: driverDeployLabel, goes: ['InUse'] },
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
  // The same two where a GPUCluster of gpu-operator (26.7) deploys them beside the DRA driver.
  { name: 'dcgm-dra', deployLabel: 'nvidia.com/gpu.deploy.dcgm-dra', goes: always },
  { name: 'dcgm-exporter-dra', deployLabel: 'nvidia.com/gpu.deploy.dcgm-exporter-dra', goes: always },
  { name: 'nvsm', deployLabel: 'nvidia.com/gpu.deploy.nvsm', goes: ['ModeChange', 'InUse'] },
  { name: 'client', deployLabel: 'nvidia.com/gpu.deploy.client', goes: ['ModeChange', 'InUse'] },
];

/** What a node's next change needs of the holders. Both false: no holder has to make room. */
export interface PauseOccasion {
  /** The plan changes the MIG mode of a GPU, or resets it: nothing may have it open. */
  readonly modeChange: boolean;
  /** The last try failed because a GPU was open. */
  readonly inUse: boolean;
}

export interface HolderPause {
  /** Deploy labels to borrow, each with {@link pausedForMigChange}. */
  readonly labels: Readonly<Record<string, string>>;
  /** Holders whose pods must be gone before anything is granted. */
  readonly holders: readonly GpuHolder[];
  /** Those all of whose pods are evicted, since no label of this node removes them. */
  readonly evict: readonly GpuHolder[];
}

/**
 * Which holders have to go, and how. A deploy label is changed only from `true`: `false` means that the holder does not run here,
 * and any other value is somebody else's pause, which they end.
 */
export function holdersToPause(
  holders: readonly GpuHolder[],
  { modeChange, inUse }: PauseOccasion,
  labels: Readonly<Record<string, string>>,
): HolderPause {
  const going = holders.filter(
    ({ goes }) => (modeChange && goes.includes('ModeChange')) || (inUse && goes.includes('InUse')),
  );
  const keys = going.flatMap(({ deployLabel }) => deployLabel ?? []).filter((key) => labels[key] === 'true');
  return {
    labels: Object.fromEntries(keys.map((key) => [key, pausedForMigChange])),
    holders: going,
    evict: going.filter(({ deployLabel }) => deployLabel === undefined || labels[deployLabel] === undefined),
  };
}

/** Label keys that we borrowed for a pause. */
export function pausedLabels(node: Pick<NodeMetadata, 'annotations'>): readonly string[] {
  return Object.entries(borrowedLabelsOf(node))
    .filter(([, { set }]) => set === pausedForMigChange)
    .map(([key]) => key);
}
