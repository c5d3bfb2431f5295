import type { DeviceReport } from '../../../api/types.ts';
import { isGpuResource } from '../../pods/gpu-resource.ts';
import type { SharedResource, Sharing } from '../plugin-config/sharing.ts';
import { advertisedResources, advertises } from './advertised.ts';
import { findReplicas } from './replicas.ts';

/** What a node offers to pods, as its API object and its kubelet report. */
export interface OfferedResources {
  readonly allocatable: Readonly<Record<string, string>>;
  /** What the kubelet offers, by the agent; undefined if it cannot be asked. */
  readonly advertised: DeviceReport['advertised'];
  /** Of the Node. */
  readonly labels: Readonly<Record<string, string>>;
}

/** How to interpret that. */
export type Offer =
  /** Each device once. */
  | { readonly kind: 'Exact' }
  /** Each device several times, and no other: the device plugin shares them by settings that we did not make. */
  | { readonly kind: 'Shared'; readonly sharing: Sharing }
  /** It looks so, but the kubelet does not tell which devices they are: fewer devices may exist than before. */
  | { readonly kind: 'Multiples'; readonly sharing: Sharing }
  | { readonly kind: 'Nothing' }
  /** Devices that are outdated, of another strategy, or of another plugin. */
  | { readonly kind: 'Other' };

const mpsLabel = 'nvidia.com/mps.capable';

/**
 * Explains what a node advertises by its devices. If `Shared`, `{sharing}` is the plugin's config as far as these devices are
 * concerned: `computeResources` derives from it what is advertised, and `computeLabels` what GFD writes.
 *
 * @param expected what the plugin makes of the current devices, under the known settings
 */
export function explainOffer(
  { allocatable, advertised, labels }: OfferedResources,
  expected: Readonly<Record<string, number>>,
): Offer {
  if (advertises(allocatable, expected)) return { kind: 'Exact' };
  const found = advertisedResources(allocatable);
  if (Object.keys(found).length === 0) return { kind: 'Nothing' };
  const replicas = findReplicas(found, expected);
  if (replicas === undefined) return { kind: 'Other' };
  const sharing = {
    strategy: labels[mpsLabel] === 'true' ? 'mps' : 'time-slicing',
    renameByDefault: replicas.isRenamed,
    failRequestsGreaterThanOne: labels[mpsLabel] === 'true',
    resources: replicas.resources,
  } as const;
  if (advertised === undefined) return { kind: 'Multiples', sharing };
  const gpus = Object.entries(advertised.resources ?? {}).filter(([name]) => isGpuResource(name));
  const isSame = advertised.stale === 0 && advertises(allocatable, Object.fromEntries(gpus));
  return isSame ? { kind: 'Shared', sharing } : { kind: 'Other' };
}

/** `nvidia.com/gpu by 4, nvidia.com/mig-1g.5gb by 2` */
export function describeReplicas(resources: readonly SharedResource[]): string {
  return resources.map(({ name, replicas }) => `${name} by ${replicas}`).join(', ');
}
