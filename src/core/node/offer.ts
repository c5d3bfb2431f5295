import type { NodeReason } from '../../api/names.ts';
import type { DeviceReport } from '../../api/types.ts';
import type { publishDevices } from '../device/holders.ts';
import { attributeOf, type ResourceSliceView, type SliceDevice, gpuDriver } from '../kubernetes/pod.ts';
import { isGpuResource } from '../kubernetes/pod.ts';
import { pausedForMigChange, pluginDeployLabel, describePluginSelectors, type LabelSelector } from './plugin-pods.ts';
import { MIG_STRATEGIES, type MigStrategy, migResourceName, type NodeDescription } from '../nvidia/labels.ts';
import type { Sharing } from '../nvidia/plugin-config.ts';
import { computeResources, findReplicas } from '../nvidia/predict.ts';
import { isZeroQuantity, wholeUnits } from '../text/syntax.ts';

/**
 * Whether a node advertises exactly these resources of NVIDIA's device plugin. The kubelet keeps the names of removed resources with
 * the amount 0, so 0 counts as absent; resources of other vendors are ignored.
 */
export function advertises(
  allocatable: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, number>>,
): boolean {
  const found = advertisedResources(allocatable);
  const names = new Set([...Object.keys(found), ...Object.keys(wanted).filter((name) => wanted[name] !== 0)]);
  return [...names].every((name) => (found[name] ?? 0) === (wanted[name] ?? 0));
}

/** The GPU resources in a node's allocatable, without those at 0. */
export function advertisedResources(allocatable: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(allocatable)
      .filter(([name, amount]) => isGpuResource(name) && !isZeroQuantity(amount))
      .map(([name, amount]) => [name, wholeUnits(amount)]),
  );
}

/** `nvidia.com/gpu 1, nvidia.com/mig-1g.5gb 2`, or `nothing`. */
export function resourcesText(resources: Readonly<Record<string, number>>): string {
  const parts = Object.entries(resources)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`);
  return parts.length > 0 ? parts.join(', ') : 'nothing';
}

/** What a node offers to pods, as its API object and its kubelet report. */
export interface OfferedResources {
  readonly allocatable: Readonly<Record<string, string>>;
  /** What the kubelet offers, by the agent; undefined if it cannot be asked. */
  readonly advertised: DeviceReport['advertised'];
  /** Labels of the Node. */
  readonly labels: Readonly<Record<string, string>>;
}

/** How to interpret that. */
export type Offer =
  /** The node offers each device once. */
  | { readonly kind: 'Exact' }
  /** The node offers each device several times, and no other: the device plugin shares them by settings that we did not make. */
  | { readonly kind: 'Shared'; readonly sharing: Sharing }
  /** The node seems to share its devices, but the kubelet does not tell which they are: fewer devices may exist than before. */
  | { readonly kind: 'Multiples'; readonly sharing: Sharing }
  | { readonly kind: 'Nothing' }
  /** Devices that are outdated, of another strategy, or of another plugin. */
  | { readonly kind: 'Other' };

const mpsLabel = 'nvidia.com/mps.capable';

/**
 * Explains what a node advertises by its devices. If `Shared`, `{sharing}` is the plugin's config as far as these devices are
 * concerned: `computeResources` derives from it what is advertised, and `computeLabels` what GFD writes.
 *
 * @param expected what the plugin makes of the current devices, under the known settings
 */
export function explainOffer(
  { allocatable, advertised, labels }: OfferedResources,
  expected: Readonly<Record<string, number>>,
): Offer {
  if (advertises(allocatable, expected)) return { kind: 'Exact' };
  const found = advertisedResources(allocatable);
  if (Object.keys(found).length === 0) return { kind: 'Nothing' };
  const replicas = findReplicas(found, expected);
  if (replicas === undefined) return { kind: 'Other' };
  const sharing = {
    strategy: labels[mpsLabel] === 'true' ? 'mps' : 'time-slicing',
    renameByDefault: replicas.isRenamed,
    failRequestsGreaterThanOne: labels[mpsLabel] === 'true',
    resources: replicas.resources,
  } as const;
  if (advertised === undefined) return { kind: 'Multiples', sharing };
  const gpus = Object.entries(advertised.resources ?? {}).filter(([name]) => isGpuResource(name));
  const isSame = advertised.stale === 0 && advertises(allocatable, Object.fromEntries(gpus));
  return isSame ? { kind: 'Shared', sharing } : { kind: 'Other' };
}

/** `nvidia.com/gpu by 4, nvidia.com/mig-1g.5gb by 2` */
function describeReplicas(resources: Sharing['resources']): string {
  return resources.map(({ name, replicas }) => `${name} by ${replicas}`).join(', ');
}

type Quantities = Readonly<Record<string, string>>;

/** A change of a Node's status, in quantities by resource; null removes one. Only resources of NVIDIA's device plugin for GPUs. */
export interface OfferedStatus {
  readonly allocatable: Readonly<Record<string, string | null>>;
  readonly capacity: Readonly<Record<string, string | null>>;
}

/** The parts of a Node's status that the kubelet works out from what device plugins have registered. */
interface ResourceStatus {
  readonly allocatable?: Quantities;
  readonly capacity?: Quantities;
}

/**
 * What a kubelet that offers exactly these resources would change in its Node's status (`pkg/kubelet/nodestatus/setters.go`): removed
 * resources fall to 0 in allocatable and keep their capacity, which the kubelet itself forgets after five minutes.
 */
export function offerStatus(
  { allocatable = {}, capacity = {} }: ResourceStatus,
  offered: Readonly<Record<string, number>>,
): OfferedStatus {
  const wanted = Object.entries(offered).filter(([name, count]) => isGpuResource(name) && count > 0);
  const names = new Set(wanted.map(([name]) => name));
  const gone = Object.entries(allocatable).filter(
    ([name, amount]) => isGpuResource(name) && !names.has(name) && !isZeroQuantity(amount),
  );
  const differs = (shown: Quantities, name: string, count: number): boolean =>
    shown[name] === undefined || wholeUnits(shown[name]) !== count;
  return {
    allocatable: Object.fromEntries([
      ...wanted.flatMap(([name, count]) => (differs(allocatable, name, count) ? [[name, `${count}`]] : [])),
      ...gone.map(([name]) => [name, '0']),
    ]),
    capacity: Object.fromEntries(
      wanted.flatMap(([name, count]) =>
        capacity[name] === undefined || wholeUnits(capacity[name]) < count ? [[name, `${count}`]] : [],
      ),
    ),
  };
}

/** Resources at 0 in capacity and allocatable, of which the kubelet knows no device. */
export function listUnusedResources(
  { allocatable = {}, capacity = {} }: ResourceStatus,
  offered: Readonly<Record<string, number>>,
): readonly string[] {
  const isUnused = (name: string): boolean =>
    isGpuResource(name) &&
    offered[name] === undefined &&
    [allocatable, capacity].every((all) => isZeroQuantity(all[name] ?? 0));
  return [...new Set([...Object.keys(allocatable), ...Object.keys(capacity)])].filter(isUnused);
}

/** A node before anything on it is touched. */
export interface OfferSituation {
  /** Its current state: `describeReport` of the agent's report. */
  readonly device: NodeDescription;
  /** The strategy of the policy. */
  readonly strategy: MigStrategy;
  readonly offer: OfferedResources;
  /** The plugin takes strategy and sharing from our file as soon as the layout is there: what it offers now tells nothing about them. */
  readonly hasOwnConfig: boolean;
  /** Whether the node has a pod of a known device plugin that we may restart. */
  readonly hasPlugin: boolean;
  /** Whether a plugin outside of such pods is a gap: no one may restart it after the change. */
  readonly refusesUnknown?: boolean | undefined;
  /**
   * A taint of ours or a start-up taint is on the node, or a change of it has begun: a plugin that does not tolerate the taint comes
   * when it is removed, and what is advertised is outdated.
   */
  readonly isClosed: boolean;
  /** No GPU of the node is in MIG mode after the change: every strategy advertises such GPUs alike. */
  readonly becomesWhole: boolean;
  /** Labels of a plugin's pods besides the well-known ones. */
  readonly selector?: LabelSelector | undefined;
}

interface OfferGap {
  readonly reason: Extract<NodeReason, 'NoDevicePlugin' | 'StrategyMismatch' | 'SharingRefused'>;
  readonly message: string;
}

const untilThen = 'Nothing is touched until then';

/**
 * Why the slices of a new layout would not be advertised as the policy says, judged by how the node advertises its devices now;
 * undefined if that fits, or tells nothing: even then the plugin's settings may (`findMisfit`).
 */
export function findOfferGap(situation: OfferSituation): OfferGap | undefined {
  const { hasPlugin, isClosed, refusesUnknown = false } = situation;
  if (isClosed) return undefined;
  return findMisfit(situation) ?? (refusesUnknown && !hasPlugin ? describeUnknown(situation) : undefined);
}

function findMisfit(situation: OfferSituation): OfferGap | undefined {
  const { device, strategy, offer, hasPlugin, hasOwnConfig, becomesWhole } = situation;
  const { resources, errors } = computeResources(device, strategy);
  const explained: Offer = errors.length > 0 ? { kind: 'Other' } : explainOffer(offer, resources);
  if (explained.kind === 'Exact') return undefined;
  if (explained.kind === 'Nothing') return hasPlugin ? undefined : describeAbsence(situation, resources);
  if (hasOwnConfig) return undefined;
  const other = hasPlugin || becomesWhole ? undefined : findOtherStrategy(situation, explained);
  if (other !== undefined) return describeOffer(situation, resources, other);
  if (explained.kind !== 'Multiples') return undefined;
  const found = resourcesText(advertisedResources(offer.allocatable));
  return {
    reason: 'SharingRefused',
    message:
      `the node advertises ${found} for ${resourcesText(resources)}: the device plugin shares ${describeReplicas(explained.sharing.resources)}, ` +
      'by sharing.timeSlicing of its own config, and the kubelet cannot tell which devices these are. ' +
      'Mount the kubelet’s folder pod-resources into the agent, or share by spec.sharing.timeSlicing of the policy, ' +
      `or remove sharing from the plugin’s config (if the GPUs were changed manually, restart its pod). ${untilThen}`,
  };
}

/** The strategy by which the node advertises its devices, if it is a different one. */
function findOtherStrategy({ device, strategy, offer }: OfferSituation, explained: Offer): MigStrategy | undefined {
  const names = Object.keys(advertisedResources(offer.allocatable));
  if (names.length === 0) return undefined;
  const others = MIG_STRATEGIES.filter((one) => one !== strategy);
  const kinds = others.map((one) => {
    const { resources, errors } = computeResources(device, one);
    return errors.length > 0 ? 'Other' : explainOffer(offer, resources).kind;
  });
  // Seven GPUs may be seven slices, or one GPU shared by seven: nobody shares by exactly the number of slices.
  const exact = others.find((_, index) => kinds[index] === 'Exact');
  if (exact !== undefined || explained.kind !== 'Other') return exact;
  if (strategy !== 'mixed' && names.some((name) => name.startsWith(migResourceName('')))) return 'mixed';
  return others.find((_, index) => kinds[index] === 'Shared' || kinds[index] === 'Multiples');
}

function describeOffer(
  { strategy, offer }: OfferSituation,
  resources: Readonly<Record<string, number>>,
  other: MigStrategy,
): OfferGap {
  const found = resourcesText(advertisedResources(offer.allocatable));
  return {
    reason: 'StrategyMismatch',
    message:
      `the node advertises ${found}, as strategy ${other} does, and the policy wants ${strategy}, ` +
      `which gives ${resourcesText(resources)} for the same GPUs. ` +
      `Set the device plugin to ${strategy}, or spec.strategy of the policy to ${other}. ${untilThen}`,
  };
}

/** A plugin that has no pod, or none that a DaemonSet makes again. */
function describeUnknown({ offer, selector }: OfferSituation): OfferGap {
  const found = resourcesText(advertisedResources(offer.allocatable));
  return {
    reason: 'NoDevicePlugin',
    message:
      `the node advertises ${found}, and no pod of a known device plugin is on it (searched for: pods of a DaemonSet with ` +
      `${describePluginSelectors(selector)}): a plugin that is a systemd unit or a static pod would not be restarted to read the new slices. ` +
      'Name its labels with --device-plugin-selector; or have it restarted after each change by something else, and say so to the ' +
      `controller with --unknown-device-plugin Await. ${untilThen}`,
  };
}

/** The label alone is known here: with a pause of ours the node would be closed. */
const healed =
  ': it is a pause of mig-manager that nobody ends, and spec.allow.takeOver: [mig-manager] of the policy repairs it';

function describeAbsence(
  { strategy, offer, selector }: OfferSituation,
  resources: Readonly<Record<string, number>>,
): OfferGap {
  const deploy = offer.labels[pluginDeployLabel];
  const paused =
    deploy === undefined || deploy === 'true'
      ? ''
      : `The label ${pluginDeployLabel}=${deploy} keeps gpu-operator’s away${deploy === pausedForMigChange ? healed : ''}. `;
  return {
    reason: 'NoDevicePlugin',
    message:
      `the node advertises none of its GPUs (${resourcesText(resources)} under strategy ${strategy}), and no pod of a known device plugin is on it: ` +
      `nothing would offer the slices. Searched for: pods of a DaemonSet with ${describePluginSelectors(selector)}. ${paused}` +
      `Install the device plugin, or name its labels with --device-plugin-selector. ${untilThen}`,
  };
}

type PublishedDevice = ReturnType<typeof publishDevices>['devices'][number];

/** What a node's ResourceSlices offer, beside what its devices are. */
export interface SliceOffer {
  /** Every device once, with its UUID, and no other. */
  readonly isExact: boolean;
  readonly isNothing: boolean;
  /** The difference in words; empty if there is none. */
  readonly gap: string;
}

/** What a node offers, beside what it is to offer: by resources, unless slices are given, which say whether they match. */
interface OfferOfNode {
  readonly slices?: SliceOffer | undefined;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly wanted: Readonly<Record<string, number>>;
}

/** Whether the node offers what its device is, and nothing else. */
export function isExact({ slices, allocatable, wanted }: OfferOfNode): boolean {
  return slices?.isExact ?? advertises(allocatable, wanted);
}

/** Whether no pod can get a device of the node. */
export function isNothing({ slices, allocatable }: Omit<OfferOfNode, 'wanted'>): boolean {
  return slices?.isNothing ?? Object.keys(advertisedResources(allocatable)).length === 0;
}

/** The most devices of each kind that are named. */
const mostNamed = 3;

/**
 * Compares content, device by device. A name without its UUID proves nothing: an instance that is made again at the same place has the
 * same name.
 */
export function compareSlices(slices: readonly ResourceSliceView[], expected: readonly PublishedDevice[]): SliceOffer {
  const missing = [...expected];
  const found = listSliceDevices(slices);
  const strays = found.filter(isOfOurs).filter((device) => {
    const at = missing.findIndex((one) => isSame(device, one));
    if (at >= 0) missing.splice(at, 1);
    return at < 0;
  });
  const gap = [
    ...(missing.length > 0 ? [`lack ${nameSome(missing)}`] : []),
    ...(strays.length > 0
      ? [`have ${nameSome(strays.map((one) => ({ name: one.name, uuid: attributeOf(one, 'uuid') })))}, which is gone`]
      : []),
  ];
  return { isExact: gap.length === 0, isNothing: found.length === 0, gap: gap.join(' and ') };
}

/** Whether a device is of our types. `vfio` offers whole GPUs to virtual machines beside the others, and later drivers may have more. */
function isOfOurs(device: ReturnType<typeof listSliceDevices>[number]): boolean {
  const type = attributeOf(device, 'type');
  return type === undefined || type === 'gpu' || type === 'mig';
}

function isSame(device: ReturnType<typeof listSliceDevices>[number], one: PublishedDevice): boolean {
  return (
    (one.name === undefined || device.name === one.name) &&
    one.uuid !== undefined &&
    attributeOf(device, 'uuid') === one.uuid &&
    attributeOf(device, 'type') === one.type &&
    attributeOf(device, 'profile') === one.profile &&
    attributeOf(device, 'parentUUID') === one.parentUUID
  );
}

function nameSome(
  devices: readonly { readonly name: string | undefined; readonly uuid: string | undefined }[],
): string {
  const names = devices.map(({ name, uuid = 'no UUID' }) => (name === undefined ? uuid : `${name} (${uuid})`));
  const rest = names.length - mostNamed;
  return rest > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${rest} more` : names.join(', ');
}

/** Lists the devices that NVIDIA's driver offers in these slices. The pool's generation says nothing: it stays over changes of content. */
export function listSliceDevices(slices: readonly ResourceSliceView[]): readonly SliceDevice[] {
  return slices.filter(({ spec }) => spec.driver === gpuDriver).flatMap(({ spec }) => spec.devices ?? []);
}
