import { namespacedName } from '../text/syntax.ts';
import { nameDevices } from '../kubernetes/claims.ts';
import type { ClaimRequests } from '../cluster/claim-requests.ts';
import { describeRequest } from './node-verdict.ts';

/** What a pod requests in words: `1 device of DeviceClass mig.nvidia.com by claim team/train-gpu`. @param asked resources, and how many */
export function describeAsks(
  asked: ReadonlyMap<string, number>,
  { requests, sources, allocated }: Pick<ClaimRequests, 'requests' | 'sources' | 'allocated'>,
): string {
  const resources = [...asked].map(([resource, amount]) => `${amount} ${resource}`);
  const has = allocated.map((one) => `what claim ${namespacedName(one.metadata)} has (${nameDevices(one)})`);
  const by = sources.length === 0 ? '' : ` by ${sources.join(' and ')}`;
  const open = [...resources, ...requests.map(describeRequest)].join(' and ');
  return [...(open === '' ? [] : [`${open}${by}`]), ...has].join(' and ');
}
