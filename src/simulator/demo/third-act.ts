import type { PolicySpec } from '../../api/types.ts';
import { describeDeployment } from '../rig/gpu-workload.ts';
import type { DemoPod } from './cluster-view.ts';
import { fleetApp, fleetBudget, fleetSelector } from './second-act.ts';

/** The small pods that stay, and the larger ones that come for those that go. */
export const shift = { small: 6, large: 18 } as const;
export const largeApp = 'train';

/** The policy of the second act, which now follows pods: nothing that runs is evicted. Its times are those of a demo. */
export function describeDemandPolicy(name: string): object {
  const spec: PolicySpec = {
    nodeSelector: fleetSelector,
    strategy: 'mixed',
    demand: {
      from: 'Pods',
      slices: [
        { name: 'small', profiles: ['1g.6gb'] },
        { name: 'large', profiles: ['2g.12gb'] },
      ],
      stabilization: '2s',
      cooldown: '5s',
    },
    rollout: { maxUnavailable: fleetBudget },
  };
  return { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name }, spec };
}

export function describeLargeWorkload(): object {
  const prefers = { key: 'pool', value: 'west' };
  return describeDeployment({ name: largeApp, resource: 'nvidia.com/mig-2g.12gb', replicas: shift.large, prefers });
}

/** The pods of an application that are not on their way out. */
export function listStaying(pods: readonly DemoPod[], app: string): readonly DemoPod[] {
  return pods.filter(({ metadata }) => metadata.name.startsWith(`${app}-`) && metadata.deletionTimestamp === undefined);
}

/** Whether the pods have shifted: as many of both kinds as there should be, and all of them run. */
export function hasShifted(pods: readonly DemoPod[]): boolean {
  const [small, large] = [listStaying(pods, fleetApp), listStaying(pods, largeApp)];
  const run = [...small, ...large].every(({ status }) => status.phase === 'Running');
  return run && small.length === shift.small && large.length === shift.large;
}
