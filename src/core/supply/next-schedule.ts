import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { asScheduled, specUnder } from '../policy/schedules.ts';
import { isOfProfile } from './pod-demand.ts';
import { nameProfile } from './prospect-words.ts';

/**
 * That slices of a resource come with the next schedule of a policy, and when; undefined if they do not, or if it has them now.
 *
 * @param policy as it is written, with all its schedules
 */
export function explainNext(policy: GpuPartitionPolicy, resource: string): string | undefined {
  const next = policy.status?.schedule?.next;
  if (next === undefined || lists(asScheduled(policy).spec, resource)) return undefined;
  if (!lists(specUnder(policy.spec, next.name), resource)) return undefined;
  const who = next.name === undefined ? 'its own layouts or demand' : `its schedule ${next.name}`;
  const verb = next.name === undefined ? 'have' : 'has';
  return `${who} ${verb} ${nameProfile(resource)}, from ${next.time}`;
}

function lists({ layouts = [], demand }: PolicySpec, resource: string): boolean {
  const profiles = [
    ...layouts.flatMap((layout) => Object.keys(layout.profiles ?? {})),
    ...(demand?.slices ?? []).flatMap((slice) => slice.profiles ?? []),
  ];
  return profiles.some((profile) => isOfProfile(resource, profile));
}
