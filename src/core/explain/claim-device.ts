import { attributeOf, gpuDriver, type ResourceSliceView } from '../dra/resource-slice.ts';
import { foreseeSlice, findNamedUuid } from '../dra/published-devices.ts';
import type { SelectableDevice } from '../dra/device-selector.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels/label-key.ts';
import { parseQuantity } from '../text/quantity.ts';
import { type ClusterFacts, type GpuNode, isDra } from './cluster-facts.ts';

/** A device that a DRA driver offers on a node. */
export interface ClaimableDevice extends SelectableDevice {
  readonly name: string;
  /** The device plugin's name of its kind. */
  readonly resource: string;
  /** The claim that has it, or the pods by the agent's report; undefined: free. */
  readonly holder: string | undefined;
}

/** The slice of a node as `kubectl get resourceslices` gives it. */
export type NodeSlice = ResourceSliceView & {
  readonly spec: ResourceSliceView['spec'] & {
    readonly nodeName?: string;
    readonly devices?: readonly { readonly capacity?: Readonly<Record<string, { readonly value?: string }>> }[];
  };
};

/** What a node's DRA driver offers: by its ResourceSlices, else by what its device has. None with the device plugin. */
export function listDevices(gpuNode: GpuNode, { slices }: Pick<ClusterFacts, 'slices'>): readonly ClaimableDevice[] {
  if (!isDra(gpuNode)) return [];
  const report = gpuNode.partition?.status?.device ?? {};
  const found = slices ? (byNode(slices).get(gpuNode.name) ?? []) : [foreseeSlice(report)];
  const { taken } = gpuNode;
  const memories = new Map(
    (report.models ?? []).flatMap(({ profiles }) => profiles.map(({ name, memoryMiB }) => [name, memoryMiB] as const)),
  );
  return found.flatMap(({ spec }) =>
    (spec.devices ?? []).map((device): ClaimableDevice => {
      const names = Object.keys(device.attributes ?? {}).map((key) => key.replace(`${gpuDriver}/`, ''));
      const attributes = Object.fromEntries(names.map((name) => [name, attributeOf(device, name)]));
      const { profile, uuid } = attributes;
      const capacity: Record<string, bigint | undefined> = Object.fromEntries(
        Object.entries(capacityOf(device)).map(([key, { value = '' }]) => [
          key.replace(`${gpuDriver}/`, ''),
          parseQuantity(value),
        ]),
      );
      const memoryMiB = profile === undefined ? memoryOf(gpuNode, uuid) : memories.get(profile);
      if (memoryMiB !== undefined) capacity['memory'] ??= parseQuantity(`${memoryMiB}Mi`);
      const resource = profile === undefined ? GPU_RESOURCE : migResourceName(profile);
      const holder = taken ? taken.get(device.name) : reportedHolder(gpuNode, device.name);
      return { name: device.name, attributes, capacity, resource, holder };
    }),
  );
}

function capacityOf(device: object): Readonly<Record<string, { readonly value?: string }>> {
  return (device as { readonly capacity?: Readonly<Record<string, { readonly value?: string }>> }).capacity ?? {};
}

function memoryOf({ partition }: GpuNode, uuid: string | undefined): number | undefined {
  return partition?.status?.device?.gpus?.find((gpu) => gpu.uuid === uuid)?.memoryMiB;
}

const ownSlices = new WeakMap<readonly NodeSlice[], ReadonlyMap<string | undefined, readonly NodeSlice[]>>();

/** The slices of NVIDIA's driver. Every node is asked for its own: they are sorted once. */
function byNode(slices: readonly NodeSlice[]): ReadonlyMap<string | undefined, readonly NodeSlice[]> {
  const known = ownSlices.get(slices);
  if (known) return known;
  const own = slices.filter(({ spec }) => spec.driver === gpuDriver);
  const sorted = Map.groupBy(own, ({ spec }) => spec.nodeName);
  ownSlices.set(slices, sorted);
  return sorted;
}

/** Where claims may not be listed. */
function reportedHolder({ partition }: GpuNode, device: string): string | undefined {
  const { gpus = [] } = partition?.status?.device ?? {};
  const uuid = findNamedUuid(device, { gpus });
  const places = gpus.flatMap((gpu) => [
    { busy: gpu.busy, pods: gpu.pods, uuids: [gpu.uuid] },
    ...gpu.instances.map((one) => ({
      busy: one.busy,
      pods: one.pods,
      uuids: [one.uuid, ...(one.computeInstances ?? []).map((part) => part.uuid)],
    })),
  ]);
  const place = places.find(({ uuids }) => uuid !== undefined && uuids.includes(uuid));
  return place?.busy === true ? (place.pods?.[0] ?? 'a process') : undefined;
}
