import type { GpuReport, InstanceReport } from '../../../api/types.ts';
import { placeOf } from '../search/instance.ts';

/**
 * Processes on the GPUs, for messages: `pid 4242 (python3)`, by {@link userKey}. A report names none: on a busy node they come and
 * go, and each would cause a write.
 */
export type DeviceUsers = ReadonlyMap<string, readonly string[]>;

/** So many are named, then how many more there are. */
const mostNamed = 4;
const longestName = 64;

/** For a GPU outside of its instances, or for one of them. */
export function userKey(gpuUuid: string, instance?: Pick<InstanceReport, 'profile' | 'start'>): string {
  return instance ? `${gpuUuid} ${placeOf(instance)}` : gpuUuid;
}

/** For those who only look on at a GPU or an instance: beside the processes, since one of these may be theirs. */
export function monitorKey(...of: Parameters<typeof userKey>): string {
  return `monitors ${userKey(...of)}`;
}

/** For pods whose devices are not identified, each in a sentence: `pod ml/odd holds nvidia7 of nvidia.com/gpu`. */
export const unidentifiedKey = 'unidentified';

/** Pods that look on by claims with admin access, each with its claim. */
export function listMonitors(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): readonly string[] {
  return users.get(monitorKey(gpu.uuid, instance)) ?? [];
}

/** A process in a message. A process chooses its own name: characters that would move a terminal's cursor are removed. */
export function describeProcess({ pid, name }: { readonly pid: number | undefined; readonly name: string }): string {
  const plain = name.replaceAll(/\p{C}+/gu, ' ').trim();
  if (pid === undefined) return plain;
  return `pid ${pid} (${plain.length > longestName ? `${plain.slice(0, longestName - 1)}…` : plain})`;
}

/** Who uses a GPU, or one of its instances: the pods if the kubelet names any, else the processes. */
export function listUsers(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): readonly string[] {
  const { pods = [] } = instance ?? gpu;
  if (pods.length > 0) return pods;
  const processes = users.get(userKey(gpu.uuid, instance)) ?? [];
  const more = processes.length - mostNamed;
  return more > 0 ? [...processes.slice(0, mostNamed), `${more} more`] : processes;
}

/** To be followed by what is used: `pod team/train holds`, `pid 4242 (python3) runs on`. */
export function describeUse(users: DeviceUsers, gpu: GpuReport, instance?: InstanceReport): string {
  const names = listUsers(users, gpu, instance);
  if ((instance ?? gpu).pods?.length) return `pod ${names.join(', ')} holds`;
  return names.length > 1 ? `${names.join(', ')} run on` : `${names[0] ?? 'a process'} runs on`;
}
