import type { GpuNodePartition, GpuPartitionPolicy, GpuReport } from '../../api/types.ts';
import { frozenWords } from '../rollout/gate.ts';
import { stateOfWindows } from '../rollout/windows.ts';
import { compareText } from '../text/fingerprint.ts';
import { timeText } from '../text/duration.ts';
import { headOf, urgencies, type Urgency } from './urgency.ts';

/** GPU instances of one profile in the whole fleet. */
export interface ProfileTotal {
  readonly profile: string;
  /** On nodes that take GPU pods: used or free. */
  readonly offered: number;
  /** By a pod or a process. */
  readonly used: number;
  readonly free: number;
  /** On nodes that are closed for a change. */
  readonly closed: number;
}

/** When the next node may start by the windows of the policies that have some and are not done. */
export interface NextWindow {
  readonly policy: string;
  /** Absent if a window is open now. RFC 3339. */
  readonly opensAt?: string;
}

/** The fleet in figures: what somebody asks first. */
export interface FleetTotals {
  readonly nodes: number;
  readonly byUrgency: readonly { readonly urgency: Urgency; readonly count: number }[];
  readonly gpus: number;
  /** GPUs that do not respond, or that their driver reports as unhealthy. */
  readonly sickGpus: number;
  /** By name. */
  readonly profiles: readonly ProfileTotal[];
  /** GPUs that are not in MIG mode, and of them those that are in use. */
  readonly whole: { readonly gpus: number; readonly used: number };
  /** Pods that planned changes evict. */
  readonly evictions: number;
  readonly window: NextWindow | undefined;
  /** Why no node of any policy starts; undefined if the controller is not frozen. */
  readonly frozen: string | undefined;
}

/** @param now in ms since 1970 */
export function countTotals(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
): FleetTotals {
  const levels = partitions.map(({ status }) => headOf(status).urgency);
  const gpus = partitions.flatMap(({ status }) => status?.device?.gpus ?? []);
  const whole = gpus.filter(isWhole);
  return {
    nodes: partitions.length,
    byUrgency: urgencies.flatMap((urgency) => {
      const count = levels.filter((one) => one === urgency).length;
      return count === 0 ? [] : [{ urgency, count }];
    }),
    gpus: gpus.length,
    sickGpus: gpus.filter(({ error, health }) => error !== undefined || health !== undefined).length,
    profiles: countProfiles(partitions),
    whole: { gpus: whole.length, used: whole.filter(({ busy, pods = [] }) => busy === true || pods.length > 0).length },
    evictions: policies.reduce((sum, policy) => sum + evictionsOf(policy), 0),
    window: nextWindow(policies, now),
    frozen: policies.map(freezeOf).find((words) => words !== undefined),
  };
}

function isWhole({ mig, error }: GpuReport): boolean {
  return mig !== 'Enabled' && error === undefined;
}

function countProfiles(partitions: readonly GpuNodePartition[]): readonly ProfileTotal[] {
  const totals = new Map<string, { offered: number; used: number; free: number; closed: number }>();
  for (const { status } of partitions) {
    const isOpen = status?.closed?.since === undefined && status?.phase !== 'Updating';
    for (const { mig, instances } of status?.device?.gpus ?? []) {
      if (mig !== 'Enabled') continue;
      for (const { profile, busy } of instances) {
        const total = totals.get(profile) ?? { offered: 0, used: 0, free: 0, closed: 0 };
        totals.set(profile, total);
        if (!isOpen) total.closed += 1;
        else {
          total.offered += 1;
          if (busy === true) total.used += 1;
          else total.free += 1;
        }
      }
    }
  }
  return [...totals]
    .map(([profile, total]) => ({ profile, ...total }))
    .toSorted((a, b) => compareText(a.profile, b.profile));
}

function evictionsOf({ spec, status }: GpuPartitionPolicy): number {
  return spec.mode === 'Plan' ? 0 : (status?.plan?.podsToEvict ?? 0);
}

/** The first to open, or one that is open. */
function nextWindow(policies: readonly GpuPartitionPolicy[], now: number): NextWindow | undefined {
  const windows = policies.flatMap(({ metadata, spec, status }): readonly NextWindow[] => {
    if ((spec.rollout?.windows ?? []).length === 0 || readyOf(status)?.status === 'True') return [];
    const state = stateOfWindows(spec.rollout?.windows, now);
    const policy = metadata.name;
    if (state.isOpen) return [{ policy }];
    return state.opensAt === undefined ? [] : [{ policy, opensAt: timeText(state.opensAt) }];
  });
  return windows.toSorted((a, b) => compareText(a.opensAt ?? '', b.opensAt ?? ''))[0];
}

/** Whatever else keeps a policy's nodes, its message ends with the freeze. Before that it may say anything, in the words of others. */
function freezeOf({ status }: GpuPartitionPolicy): string | undefined {
  const { message = '' } = readyOf(status) ?? {};
  const at = message.indexOf(frozenWords);
  const isFrozen = status?.summary?.split(', ').includes('frozen') === true;
  return at < 0 || !isFrozen ? undefined : message.slice(at);
}

function readyOf(status: GpuPartitionPolicy['status']) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
