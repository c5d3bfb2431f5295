import type { InstanceReport } from '../../../api/types.ts';

type ComputeInstanceReport = NonNullable<InstanceReport['computeInstances']>[number];

/** The compute instances of a reported GPU instance: a report lists them only where they are not one that takes all of it. */
export function computeInstancesOf(
  instance: Pick<InstanceReport, 'profile' | 'uuid' | 'computeInstances'>,
): readonly ComputeInstanceReport[] {
  const { profile, uuid, computeInstances } = instance;
  return computeInstances ?? [{ profile, ...(uuid !== undefined && { uuid }) }];
}
