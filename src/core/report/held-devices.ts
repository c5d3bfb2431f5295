import type { GpuReport } from '../../api/types.ts';
import {
  type Holders,
  listGpuHolders,
  listInstanceClaims,
  listInstanceHolders,
  listUnresolved,
  listWholeClaims,
} from '../pods/slice-holders.ts';

/** Limits on names of pods and claims: per device, what the API takes; for all devices together, what leaves room for the rest of the report. */
const mostNamed = 16;
const mostNameBytes = 8_000;

/** The GPUs with the pods that hold them: a pod may hold a slice without running a process on it. */
export function withHolders(gpus: readonly GpuReport[], holders: Holders): readonly GpuReport[] {
  return gpus.map((gpu) => ({
    ...gpu,
    ...held(listGpuHolders(holders, gpu), listWholeClaims(holders, gpu)),
    instances: gpu.instances.map((instance) => ({
      ...instance,
      ...held(
        [...new Set([...listInstanceHolders(holders, instance), ...listUnresolved(holders)])],
        listInstanceClaims(holders, instance),
      ),
    })),
  }));
}

/** As many names as a report takes, at least one per device: busy without a name would mean a process. Plans use all names. */
export function cutHolders(gpus: readonly GpuReport[]): GpuReport[] {
  const lists = gpus
    .flatMap((gpu) => [gpu, ...gpu.instances])
    .flatMap(({ pods, claims }) => [pods ?? [], claims ?? []]);
  const bytesOf = (most: number): number =>
    lists.reduce((sum, names) => sum + names.slice(0, most).reduce((length, name) => length + name.length, 0), 0);
  let most = mostNamed;
  while (most > 1 && bytesOf(most) > mostNameBytes) most -= 1;
  return gpus.map((gpu) => ({ ...cut(gpu, most), instances: gpu.instances.map((one) => cut(one, most)) }));
}

function held(
  pods: readonly string[],
  claims: readonly string[],
): { readonly busy?: true; readonly pods?: readonly string[]; readonly claims?: readonly string[] } {
  return pods.length > 0 ? { busy: true, pods, ...(claims.length > 0 && { claims }) } : {};
}

function cut<Held extends Pick<GpuReport, 'pods' | 'claims'>>(one: Held, most: number): Held {
  const { pods, claims } = one;
  return {
    ...one,
    ...(pods && { pods: pods.slice(0, most) }),
    ...(claims && { claims: claims.slice(0, most) }),
  };
}
