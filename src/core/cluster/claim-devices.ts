// Room cluster: the cluster as it was read, and the one judge of its pods and nodes.
// Ask here for the devices of a node that a claim can have, and those that claims hold.
import { attributeOf, gpuDriver, type ResourceSliceView, type SliceDevice } from '../kubernetes/claims.ts';
import { predictSlice, findNamedDevice } from '../device/holders.ts';
import type { SelectableDevice } from '../kubernetes/device-selector.ts';
import type { Taint } from '../kubernetes/node-patch.ts';
import { todaysNameOf } from '../gpu/profiles.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels.ts';
import { memoize } from '../text/json.ts';
import { parseQuantity } from '../text/syntax.ts';
import { type ClusterFacts, type GpuNode, isDra } from './facts.ts';

/** A device that a DRA driver offers on a node. */
export interface ClaimableDevice extends SelectableDevice {
  readonly name: string;
  /** The device plugin's name of its kind. */
  readonly resource: string;
  /** The claim that has it, or the pods by the agent's report; undefined: free. */
  readonly holder: string | undefined;
  /**
   * Taints that the driver set, as on a GPU that is not well. A request gets such a device only with tolerations (Kubernetes 1.36, gate
   * DRADeviceTaints).
   */
  readonly taints: readonly Taint[];
}

interface OfferedDevice extends SliceDevice {
  readonly capacity?: Readonly<Record<string, { readonly value?: string }>>;
  readonly taints?: readonly Taint[];
}

/** The slice of a node as `kubectl get resourceslices` gives it. */
export interface NodeSlice {
  readonly spec: Omit<ResourceSliceView['spec'], 'devices'> & {
    readonly nodeName?: string;
    readonly devices?: readonly OfferedDevice[];
  };
}

/** What a node's DRA driver offers: by its ResourceSlices, else by what its device has. None with the device plugin. */
export function listDevices(gpuNode: GpuNode, { slices }: Pick<ClusterFacts, 'slices'>): readonly ClaimableDevice[] {
  if (!isDra(gpuNode)) return [];
  const report = gpuNode.partition?.status?.device ?? {};
  const found: readonly NodeSlice[] = slices ? (byNode(slices).get(gpuNode.name) ?? []) : [predictSlice(report)];
  const { taken } = gpuNode;
  const memories = new Map(
    (report.models ?? []).flatMap(({ profiles }) => profiles.map(({ name, memoryMiB }) => [name, memoryMiB] as const)),
  );
  return found.flatMap(({ spec }) =>
    (spec.devices ?? []).map((device): ClaimableDevice => {
      const names = Object.keys(device.attributes ?? {}).map((key) => key.replace(`${gpuDriver}/`, ''));
      const attributes = Object.fromEntries(names.map((name) => [name, attributeOf(device, name)]));
      const { profile, uuid, productName = '' } = attributes;
      const capacity: Record<string, bigint | undefined> = Object.fromEntries(
        Object.entries(device.capacity ?? {}).map(([key, { value = '' }]) => [
          key.replace(`${gpuDriver}/`, ''),
          parseQuantity(value),
        ]),
      );
      const memoryMiB = profile === undefined ? memoryOf(gpuNode, uuid) : memories.get(profile);
      if (memoryMiB !== undefined) capacity['memory'] ??= parseQuantity(`${memoryMiB}Mi`);
      const resource = profile === undefined ? GPU_RESOURCE : migResourceName(todaysNameOf(productName, profile));
      const holder = taken ? taken.get(device.name) : reportedHolder(gpuNode, device.name);
      const taints = (device.taints ?? []).filter(closesDevice);
      return { name: device.name, attributes, capacity, resource, holder, taints };
    }),
  );
}

/** Another effect, None, is for information. */
function closesDevice({ effect }: Taint): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute';
}

function memoryOf({ partition }: GpuNode, uuid: string | undefined): number | undefined {
  return partition?.status?.device?.gpus?.find((gpu) => gpu.uuid === uuid)?.memoryMiB;
}

/** The slices of NVIDIA's driver. Every node is asked for its own: they are sorted once. */
const byNode = memoize((slices: readonly NodeSlice[]) => {
  const own = slices.filter(({ spec }) => spec.driver === gpuDriver);
  return Map.groupBy(own, ({ spec }) => spec.nodeName);
});

/** The holder by the agent's report, where claims may not be listed. */
function reportedHolder({ partition }: GpuNode, device: string): string | undefined {
  const { gpus = [] } = partition?.status?.device ?? {};
  const uuid = findNamedDevice(device, { gpus })?.uuid;
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
