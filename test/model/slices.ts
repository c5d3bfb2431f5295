import type { GpuReport } from '../../src/api/types.ts';
import { computeInstancesOf } from '../../src/core/gpu/device-state.ts';
import { findModel } from '../../src/core/gpu/geometry.ts';
import type { ResourceSliceView } from '../../src/core/kubernetes/pod.ts';

/** UUIDs of devices, by the name that the DRA driver gives them. */
export type NamedDevices = ReadonlyMap<string, string>;

/** The devices of a node as the DRA driver names them. Written independently, so that the product is not judged by its own names. */
export function nameDevices(gpus: readonly GpuReport[]): NamedDevices {
  return new Map(
    gpus.flatMap(({ error, mig, index, uuid, product, instances }): readonly (readonly [string, string])[] => {
      if (error !== undefined) return [];
      if (mig !== 'Enabled') return [[`gpu-${index}`, uuid]];
      const profiles = findModel(product)?.profiles ?? [];
      return instances.flatMap((instance) => {
        const { profile, start } = instance;
        const found = uuidOn(instance);
        if (found === undefined) return [];
        const id = profiles.find(({ name }) => name === profile)?.id;
        const kind = profile.replace('.', '').replace('+', '-');
        return [[`gpu-${index}-mig-${kind}-${id}-${start}`, found] as const];
      });
    }),
  );
}

/** UUID of the compute instance on a GPU instance; undefined if there is none. */
function uuidOn(instance: GpuReport['instances'][number]): string | undefined {
  return computeInstancesOf(instance)[0]?.uuid;
}

/** Counts each device, by its name and its UUID together. */
export function countSlices(devices: NamedDevices): Readonly<Record<string, number>> {
  return Object.fromEntries([...devices].map(([name, uuid]) => [`${name} ${uuid}`, 1]));
}

/** The same of what was read from the API server. */
export function readSlices(slices: readonly ResourceSliceView[] = []): NamedDevices {
  return new Map(
    slices.flatMap(({ spec }) =>
      (spec.devices ?? []).map(({ name, attributes }) => [name, attributes?.['uuid']?.string ?? ''] as const),
    ),
  );
}

/** A node's slice at the API server. */
export function toResourceSlice(node: string, gpus: readonly GpuReport[]): ResourceSliceView {
  const found = nameDevices(gpus);
  const devices = [...found].map(([name, uuid]) => {
    const gpu = gpus.find((one) => one.instances.some((part) => uuidOn(part) === uuid));
    const instance = gpu?.instances.find((part) => uuidOn(part) === uuid);
    const more = gpu && instance && { parentUUID: { string: gpu.uuid }, profile: { string: instance.profile } };
    return { name, attributes: { type: { string: instance ? 'mig' : 'gpu' }, uuid: { string: uuid }, ...more } };
  });
  return { metadata: { name: `${node}-gpu.nvidia.com-x` }, spec: { driver: 'gpu.nvidia.com', devices } };
}

/** Of a driver with DynamicMIG: what it could make, with counters, or at least without a UUID. */
export function toDynamicSlice(node: string, gpus: readonly GpuReport[], hasCounters: boolean): ResourceSliceView {
  const devices = gpus.flatMap(({ index, error }) =>
    error === undefined
      ? [0, 1].map((start) => ({
          name: `gpu-${index}-mig-1g5gb-19-${start}`,
          attributes: { type: { string: 'mig' } },
          ...(hasCounters && { consumesCounters: [{ counterSet: `gpu-${index}` }] }),
        }))
      : [],
  );
  const counters = hasCounters && { sharedCounters: [{ name: 'gpu-0' }] };
  return { metadata: { name: `${node}-${dynamicName}` }, spec: { driver: 'gpu.nvidia.com', ...counters, devices } };
}

const dynamicName = 'gpu.nvidia.com-dynamic';

/** Told by the name, so that the product is not judged by its own test. */
export function isDynamic(slices: readonly ResourceSliceView[] = []): boolean {
  return slices.some(({ metadata }) => metadata?.name?.endsWith(dynamicName) === true);
}
