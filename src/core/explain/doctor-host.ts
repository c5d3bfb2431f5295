// Room explain: why a pod or a claim waits, and what is wrong around a cluster's GPUs.
// Ask here for a diagnosis of one machine by what it shows of its driver: GPUs, CDI specs, device nodes, NUMA nodes.
import { type DeviceState, listUuids } from '../gpu/device-state.ts';
import { reportDevice } from '../device/agent.ts';
import { isGpuResource } from '../kubernetes/pod.ts';
import { fieldsOf, listOf } from '../text/json.ts';
import { asDiagnosis, type Diagnosis, judgeGpus } from './doctor.ts';

/** What a machine shows of its GPUs. */
export interface HostReading {
  readonly device: DeviceState;
  readonly host: HostEvidence;
  /** The number of NUMA nodes of the machine, and the one of each GPU by its index; undefined: not read. */
  readonly numa: { readonly count: number; readonly ofGpu: ReadonlyMap<number, number> } | undefined;
}

/** Of the facts of a host that a self-test collects, those that are judged here. */
interface HostEvidence {
  /** Files of `/proc/driver/nvidia`, by their path in it. */
  readonly driver: Readonly<Record<string, string>>;
  readonly deviceNodes: readonly { readonly path: string }[];
  readonly cdi: readonly {
    readonly file: string;
    readonly kind: string;
    readonly devices: readonly { readonly name: string }[];
  }[];
  /** Answers of the kubelet, decoded. */
  readonly podResources: readonly { readonly method: string; readonly answer?: unknown }[];
  /** What could not be read, and why, a sentence each. */
  readonly notRead: readonly string[];
}

type Answer = Diagnosis['findings'][number] | Diagnosis['notChecked'][number];

/** Finds what is wrong with the GPUs of this machine, and with what containers get of them. */
export function diagnoseHost(reading: HostReading): Diagnosis {
  const gpus = reportDevice(reading.device).gpus ?? [];
  return asDiagnosis([
    ...judgeGpus(gpus, { isChanging: false }),
    ...findStaleSpecs(reading),
    ...findMissingNodes(reading),
    ...judgePersistence(reading),
    ...judgeNuma(reading),
  ]);
}

/** Specs name MIG devices by UUID, or by the indices of GPU and device. */
function findStaleSpecs({ device, host }: HostReading): readonly Answer[] {
  const code = 'StaleCdi';
  const unread = host.notRead.find((sentence) => sentence.startsWith('CDI specs'));
  if (unread !== undefined) return [{ code, why: unread }];
  if (device.lost.length > 0 || device.gpus.some(({ fault }) => fault !== undefined))
    return host.cdi.length === 0 ? [] : [{ code, why: 'a GPU cannot be read: a device of a spec may be on it' }];
  const uuids = listUuids(device);
  const counts = new Map(
    device.gpus.map(({ index, instances }) => [
      index,
      instances.reduce((sum, { computeInstances }) => sum + computeInstances.length, 0),
    ]),
  );
  const isGone = (name: string): boolean => {
    if (name.startsWith('MIG-') || name.startsWith('GPU-')) return !uuids.has(name);
    const [, gpu, at] = /^(\d+):(\d+)$/.exec(name) ?? [];
    return gpu !== undefined && Number(at) >= (counts.get(Number(gpu)) ?? 0);
  };
  return host.cdi.flatMap(({ file, kind, devices }): readonly Answer[] => {
    const gone = devices.map(({ name }) => name).filter(isGone);
    const [first] = gone;
    if (first === undefined) return [];
    const more = gone.length > 1 ? ` and ${gone.length - 1} more` : '';
    const evidence = `CDI spec ${file} (${kind}) names ${first}${more}, which nvidia-smi -L does not list`;
    const remedy = kind.startsWith('k8s.device-plugin')
      ? 'restart the pod of the device plugin on this node: it writes this spec when it starts'
      : `write it again, into the folder that it is in (/etc/cdi, /var/run/cdi): nvidia-ctk cdi generate --output=/var/run/cdi/${file}`;
    return [{ code, evidence, remedy }];
  });
}

const capability = /^capabilities\/(gpu\d+\/mig\/gi\d+(?:\/ci\d+)?)\/access$/;

/** A container without CAP_SYS_ADMIN opens a MIG device by the device nodes of its capabilities (NVIDIA's MIG guide). */
function findMissingNodes({ device, host }: HostReading): readonly Answer[] {
  const code = 'CapsMissing';
  if (!device.gpus.some(({ instances }) => instances.length > 0)) return [];
  const needed = Object.entries(host.driver).flatMap(([path, text]) => {
    const [, of] = capability.exec(path) ?? [];
    const [, minor] = /^DeviceFileMinor:\s*(\d+)/m.exec(text) ?? [];
    return of === undefined || minor === undefined ? [] : [{ of, path: `/dev/nvidia-caps/nvidia-cap${minor}` }];
  });
  if (needed.length === 0) return [{ code, why: 'the driver lists no capabilities in /proc/driver/nvidia' }];
  const present = new Set(host.deviceNodes.map(({ path }) => path));
  const missing = needed.filter(({ path }) => !present.has(path));
  const [first] = missing;
  if (first === undefined) return [];
  const more = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
  const evidence = `${first.path} (${first.of})${more}: the device node is missing, so a device plugin or a container without privileges cannot open the slice`;
  return [{ code, evidence, remedy: 'nvidia-ctk system create-device-nodes --control-devices' }];
}

function judgePersistence({ device }: HostReading): readonly Answer[] {
  const capable = device.gpus.filter(({ migCapable, fault }) => migCapable && fault === undefined);
  const listOf = (mode: boolean | undefined): readonly number[] =>
    capable.filter(({ isPersistent }) => isPersistent === mode).map(({ index }) => index);
  const [off, untold] = [listOf(false), listOf(undefined)];
  const code = 'PersistenceOff';
  return [
    ...(untold.length === 0
      ? []
      : [{ code, why: `GPU ${untold.join(', ')}: persistence mode is not reported` } as const]),
    ...(off.length === 0
      ? []
      : [
          {
            code,
            evidence: `GPU ${off.join(', ')}: persistence mode is off, so each nvidia-smi and each first process loads the GPU again`,
            remedy: 'systemctl enable --now nvidia-persistenced; until the next boot also: nvidia-smi -pm 1',
          } as const,
        ]),
  ];
}

/** A device that the kubelet offers without its NUMA node. */
interface Unplaced {
  readonly resourceName: string;
  readonly id: string;
}

/** The plugin does not tell the kubelet where MIG devices are (NVIDIA/k8s-device-plugin#1643). */
function judgeNuma({ device, host, numa }: HostReading): readonly Answer[] {
  const code = 'NumaMissing';
  if (numa !== undefined && numa.count < 2) return [];
  const answer = host.podResources.find(({ method }) => method === 'GetAllocatableResources');
  const offered = listOf(fieldsOf(answer?.answer)?.['devices']).map((one) => fieldsOf(one) ?? {});
  if (numa === undefined || offered.length === 0)
    return [{ code, why: numa === undefined ? 'NUMA nodes were not read' : 'the kubelet tells of no device' }];
  const slices = new Map(
    device.gpus.flatMap(({ index, instances }) =>
      instances.flatMap(({ computeInstances }) =>
        computeInstances.flatMap(({ uuid }) => (uuid === undefined ? [] : [[uuid, index] as const])),
      ),
    ),
  );
  const without = offered.flatMap(({ resourceName, deviceIds, topology }): readonly Unplaced[] => {
    if (typeof resourceName !== 'string' || !isGpuResource(resourceName)) return [];
    const isTold = listOf(fieldsOf(topology)?.['nodes']).length > 0;
    const ids = isTold ? [] : listOf(deviceIds).map((id) => String(id).replace(/::\d+$/, ''));
    return ids.filter((id) => numa.ofGpu.has(slices.get(id) ?? -1)).map((id) => ({ resourceName, id }));
  });
  const [first] = without;
  if (first === undefined) return [];
  const gpu = slices.get(first.id) ?? -1;
  const evidence =
    `${first.resourceName}: the kubelet has no NUMA node of ${first.id}${without.length > 1 ? ` and ${without.length - 1} more` : ''}; ` +
    `GPU ${gpu} is on NUMA node ${numa.ofGpu.get(gpu)} of ${numa.count}`;
  const remedy =
    'the Topology Manager cannot align pods with these slices (NVIDIA/k8s-device-plugin#1643): bind CPUs and memory in the workload, or use DRA';
  return [{ code, evidence, remedy }];
}
