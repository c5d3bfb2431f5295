import type { InstanceReport } from '../../api/types.ts';
import type { Instance } from '../gpu/search/instance.ts';

/** A reported instance in the planner's words. */
export function instanceOf({ profile, start, busy = false, computeInstances }: InstanceReport): Instance {
  return {
    profile,
    start,
    busy,
    // The driver's list calls a whole `1g.5gb+me` by the name `1g.5gb`; the planner wants the GPU instance's name.
    computeInstances: computeInstances.map((one) => (/^\dc\./.test(one.profile) ? one.profile : profile)),
  };
}
