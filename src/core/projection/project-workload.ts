import type { KueueWorkload } from '../supply/kueue.ts';
import { isHeld } from '../supply/kueue.ts';
import { definedOnly } from '../text/defined-fields.ts';
import { projectWaitingPod } from './project-waiting-pod.ts';

/** A Workload of Kueue, reduced to the slices that it waits for. Of one that is not held back, only the name is kept. */
export function projectWorkload(workload: KueueWorkload): KueueWorkload {
  const { name, namespace } = workload.metadata;
  const metadata = definedOnly({ name, namespace });
  if (!isHeld(workload)) return { metadata, spec: { active: false } };
  const { queueName, podSets = [] } = workload.spec ?? {};
  const { admission, reclaimablePods } = workload.status ?? {};
  return {
    metadata,
    spec: {
      ...definedOnly({ queueName }),
      podSets: podSets.map(({ name: set, count, template }) => {
        const { spec } = projectWaitingPod({ metadata, ...(template?.spec && { spec: template.spec }) });
        return definedOnly({ name: set, count, template: spec && { spec } });
      }),
    },
    status: definedOnly({ admission, reclaimablePods }),
  };
}
