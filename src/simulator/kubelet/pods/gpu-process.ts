import type { GpuProcess, NodeState } from '../../nvidia-smi/state/node-state.ts';
import { uuidOfDeviceId } from '../../../core/pods/device-id.ts';
import type { PodAllocation } from './allocation.ts';
import type { GpuDevice } from '../node/gpu-devices.ts';
import type { PodObject } from '../node/kube-objects.ts';

/** Pods with this annotation hold their devices but run nothing on them: NVML shows no process, PodResources the pod. */
export const idleAnnotation = 'simulator.gpupartition.dev/idle';

const firstPid = 10_000;
const memoryMiB = 512;

/**
 * The state with one process for each of the pod's devices; its name identifies the pod, so that a restarted kubelet
 * finds it again. A device that no longer exists gets none.
 */
export function withProcessesOf(
  state: NodeState,
  pod: PodObject,
  given: PodAllocation,
  devices: readonly GpuDevice[],
): NodeState {
  if (hasProcessesOf(state, pod) || pod.metadata.annotations?.[idleAnnotation] === 'true') return state;
  const started = given.flatMap(({ container, deviceIds, claims = [] }) =>
    [
      ...Object.values(deviceIds)
        .flat()
        .map((id) => uuidOfDeviceId(id)),
      ...claims.flatMap((claim) => claim.devices).flatMap(({ uuid }) => uuid ?? []),
    ]
      .flatMap((wanted) => devices.find(({ uuid }) => uuid === wanted) ?? [])
      .filter((device) => isThere(state, device))
      .map(({ gpu, instance }) => ({ gpu, ...(instance && { instance }), name: `${prefixOf(pod)}${container}` })),
  );
  const lastPid = Math.max(firstPid - 1, ...state.processes.map(({ pid }) => pid));
  const processes = started.map((process, i): GpuProcess => ({ ...process, pid: lastPid + 1 + i, memoryMiB }));
  return { ...state, processes: [...state.processes, ...processes] };
}

/** The state without the pod's processes. */
export function withoutProcessesOf(state: NodeState, pod: PodObject): NodeState {
  return { ...state, processes: state.processes.filter(({ name }) => !name.startsWith(prefixOf(pod))) };
}

function hasProcessesOf(state: NodeState, pod: PodObject): boolean {
  return state.processes.some(({ name }) => name.startsWith(prefixOf(pod)));
}

function isThere(state: NodeState, { gpu, instance }: GpuDevice): boolean {
  if (instance === undefined) return true;
  const found = state.gpus[gpu]?.gpuInstances.find(({ id }) => id === instance.gi);
  return found?.computeInstances.some(({ id }) => id === instance.ci) ?? false;
}

function prefixOf({ metadata }: PodObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}/`;
}
