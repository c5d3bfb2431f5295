import { computeGpuLabels } from './gpu-labels.ts';
import { toProductLabel } from '../../gpu/geometry/model-lookup.ts';
import type { Labels } from './label-value.ts';
import { computeMigLabels } from './mig-labels.ts';
import type { MigStrategy } from './mig-strategy.ts';
import type { GpuDescription, NodeDescription } from './node-description.ts';
import type { DevicePluginConfig } from '../plugin-config/sharing.ts';
import type { UpstreamError } from './upstream-error.ts';

/** What GPU Feature Discovery does on a node. */
export interface NodeLabels {
  /** Every label, sorted by key; `gfd.timestamp` is left out. Empty if GFD fails. Values may be too long for Kubernetes. */
  readonly labels: Labels;
  /** Keys with a random value, with the values that GFD may pick (nodes with several GPU models). */
  readonly undetermined: Readonly<Record<string, readonly string[]>>;
  /** Why GFD writes no labels at all; empty if it works. */
  readonly errors: readonly UpstreamError[];
}

/** No GPU: GFD stops before all its other labelers. */
const BARE_LABELS: Labels = { 'nvidia.com/vgpu.present': 'false' };

/** The labels that GPU Feature Discovery v0.20 writes on a node. */
export function computeLabels(node: NodeDescription, strategy: MigStrategy, config?: DevicePluginConfig): NodeLabels {
  if (node.gpus.length === 0) return { labels: BARE_LABELS, undetermined: {}, errors: [] };
  const error = findGfdError(node, config);
  if (error !== undefined) return { labels: {}, undetermined: {}, errors: [error] };
  const whole = computeGpuLabels(node.gpus, config?.sharing);
  const mig = computeMigLabels(node.gpus, strategy, config?.sharing);
  const labels: Labels = {
    'nvidia.com/gpu.machine': toProductLabel(node.machine?.trim() ?? 'unknown'),
    ...labelVersions(node),
    'nvidia.com/mig.capable': String(node.gpus.some((gpu) => gpu.migCapable)),
    'nvidia.com/mps.capable': String(config?.sharing?.strategy === 'mps'),
    ...whole.labels,
    ...mig,
    ...labelMode(node.gpus),
    ...(node.clique === undefined ? {} : { 'nvidia.com/gpu.clique': node.clique }),
    ...BARE_LABELS,
  };
  return {
    labels: sortByKey(labels),
    undetermined: Object.fromEntries(Object.entries(whole.undetermined).filter(([key]) => !Object.hasOwn(mig, key))),
    errors: [],
  };
}

function findGfdError(node: NodeDescription, config: DevicePluginConfig | undefined): UpstreamError | undefined {
  if (!/^[^.]*(?:\.[^.]*){1,2}$/.test(node.driverVersion)) {
    return {
      message:
        'error creating labeler: failed to construct version labeler: error getting driver version: ' +
        `Version "${node.driverVersion}" does not match format "X.Y[.Z]"`,
      advice: 'Give the driver version as the driver prints it, such as 550.54.15.',
    };
  }
  if (config?.sharing?.strategy === 'mps' && node.gpus.some((gpu) => gpu.migEnabled)) {
    return {
      message:
        'error creating labeler: error creating sharing labeler: failed to check MPS-capable: ' +
        'MPS sharing is not supported for mig devices',
      advice: 'Take sharing.mps out of the config of this node, or share slices with sharing.timeSlicing.',
    };
  }
  return undefined;
}

function labelVersions(node: NodeDescription): Labels {
  const [major = '', minor = '', revision = ''] = node.driverVersion.split('.');
  return {
    // The names without "-version" are deprecated upstream, but still written.
    'nvidia.com/cuda.driver.major': major,
    'nvidia.com/cuda.driver.minor': minor,
    'nvidia.com/cuda.driver.rev': revision,
    'nvidia.com/cuda.driver-version.major': major,
    'nvidia.com/cuda.driver-version.minor': minor,
    'nvidia.com/cuda.driver-version.revision': revision,
    'nvidia.com/cuda.driver-version.full': node.driverVersion,
    ...(node.cudaDriverVersion === undefined ? {} : labelCuda(node.cudaDriverVersion)),
  };
}

function labelCuda([major, minor]: readonly [number, number]): Labels {
  return {
    'nvidia.com/cuda.runtime.major': String(major),
    'nvidia.com/cuda.runtime.minor': String(minor),
    'nvidia.com/cuda.runtime-version.major': String(major),
    'nvidia.com/cuda.runtime-version.minor': String(minor),
    'nvidia.com/cuda.runtime-version.full': `${major}.${minor}`,
  };
}

/** `gpu.mode` from the PCI class, whose last byte (programming interface) does not count. */
function labelMode(gpus: readonly GpuDescription[]): Labels {
  const classes = new Set(gpus.map((gpu) => gpu.pciClass?.toLowerCase().slice(0, 6)));
  if (classes.has(undefined)) return {};
  const [only] = classes;
  if (classes.size === 1 && only === '0x0302') return { 'nvidia.com/gpu.mode': 'compute' };
  if (classes.size === 1 && only === '0x0300') return { 'nvidia.com/gpu.mode': 'graphics' };
  return { 'nvidia.com/gpu.mode': 'unknown' };
}

function sortByKey(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
