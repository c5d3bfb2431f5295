import type { SimulatedGpu } from '../../nvidia-smi/nvml/gpu.ts';
import type { NodeState } from '../../nvidia-smi/state/node-state.ts';
import type { PodObject } from '../node/kube-objects.ts';

/**
 * Pods with this annotation keep all GPUs of their node open, as DCGM does: no process is visible, and while they exist
 * neither MIG mode can be changed nor a GPU be reset.
 */
export const holdsGpusAnnotation = 'simulator.gpupartition.dev/holds-gpus';

export function holdsGpus({ metadata }: PodObject): boolean {
  return metadata.annotations?.[holdsGpusAnnotation] === 'true';
}

/** The state in which the pod has every GPU open. */
export function withHandlesOf(state: NodeState, pod: PodObject, gpus: readonly SimulatedGpu[]): NodeState {
  const { handles = [] } = withoutHandlesOf(state, pod);
  return { ...state, handles: [...handles, ...gpus.map(({ index }) => ({ gpu: index, name: nameOf(pod) }))] };
}

export function withoutHandlesOf(state: NodeState, pod: PodObject): NodeState {
  return { ...state, handles: (state.handles ?? []).filter(({ name }) => name !== nameOf(pod)) };
}

function nameOf({ metadata }: PodObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
