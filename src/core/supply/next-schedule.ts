import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import type { GpuNode } from '../explain/cluster-facts.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { servingAny } from '../policy/demand-profiles.ts';
import { layoutFor } from '../policy/gpu-layout.ts';
import { asScheduled, specUnder } from '../policy/schedules.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { isOfProfile } from './pod-demand.ts';
import { nameProfile } from './prospect-words.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** The kinds of GPUs on some nodes, with their product. */
type Kinds = ReadonlyMap<Geometry, string>;

/**
 * That slices of a resource come with the next schedule of a policy, and when; undefined if they do not, or if it has them now.
 *
 * @param policy as it is written, with all its schedules
 * @param nodes over which it decides
 */
export function explainNext(
  policy: GpuPartitionPolicy,
  nodes: readonly GpuNode[],
  resource: string,
): string | undefined {
  const next = policy.status?.schedule?.next;
  // Under the other strategies nvidia.com/gpu may be a slice of any size.
  if (next === undefined || policy.spec.strategy !== 'mixed') return undefined;
  const kinds = listKinds(nodes);
  if (offers(asScheduled(policy).spec, kinds, resource)) return undefined;
  if (!offers(specUnder(policy.spec, next.name), kinds, resource)) return undefined;
  const who = next.name === undefined ? 'its own layouts or demand' : `its schedule ${next.name}`;
  const verb = next.name === undefined ? 'have' : 'has';
  const what = resource === GPU_RESOURCE ? 'whole GPUs' : nameProfile(resource);
  return `${who} ${verb} ${what}, from ${next.time}`;
}

function listKinds(nodes: readonly GpuNode[]): Kinds {
  const reports = nodes.flatMap(({ partition }) => partition?.status?.device ?? []);
  return new Map(
    reports.flatMap((device) =>
      (device.gpus ?? []).flatMap((gpu) => {
        const geometry = liveGeometry(device, gpu);
        return geometry === undefined ? [] : [[geometry, gpu.product] as const];
      }),
    ),
  );
}

function offers({ layouts = [], demand }: PolicySpec, kinds: Kinds, resource: string): boolean {
  const profiles = [...kinds].flatMap(([geometry, product]) => [
    ...layouts.flatMap((entry) => {
      const layout = layoutFor(entry, geometry, product);
      return 'profiles' in layout ? Object.keys(layout.profiles) : 'mig' in layout ? [WHOLE] : [];
    }),
    ...(demand?.slices ?? []).flatMap((slice) => servingAny(slice, [[geometry, product]])),
  ]);
  return profiles.some((profile) => isOfProfile(resource, profile));
}
