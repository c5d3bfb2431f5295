// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here who else owns the GPUs of a node, or gives way to us, and what mig-manager has left on it.
import type { NodeView } from '../kubernetes/node.ts';
import { deployLabelPrefix, migConfigStateLabel, migManagerLabel } from '../../api/names.ts';
import {
  hasEnded,
  type PodView,
  systemPods,
  foreignGpuResource,
  type ResourceSliceView,
  gpuDriver,
  type SliceDevice,
  attributeOf,
} from '../kubernetes/pod.ts';
import { usesGpu } from '../device/holders.ts';
import { driverUpgrade, hasStartupTaint, isUnfinished, pausedForDriverUpgrade } from './snapshot.ts';
import { type Lasting, runningTimer, timer } from './memory.ts';
import { lookAgainMs, type Outcome, type RuleInput, type Ruling, waitClosed, waitOpen } from './commands.ts';
import { joinWords } from '../text/words.ts';
import { borrowedLabelsOf, metadataOf, type NodeChange } from './node-patch.ts';
import {
  defaultClients,
  driverPodsOf,
  type LabelSelector,
  pausedForMigChange,
  pluginDeployLabel,
} from './plugin-pods.ts';
import { isZeroQuantity } from '../text/syntax.ts';
import { awaitSlot, nodeUnavailable, type SlotUse } from './rules/slot.ts';
import { clusterPods, namePods, pluginPods } from './rules/users.ts';

/** Blocks a node whose GPUs are not ours to touch now. */
export function foreignOwner(situation: RuleInput): Outcome | undefined {
  return upgradesDriver(situation) ?? hasOwner(situation) ?? givesBack(situation);
}

function upgradesDriver({ node }: RuleInput): Ruling | undefined {
  const message = driverUpgrade(node.metadata.labels ?? {});
  return message === undefined ? undefined : waitOpen('Waiting', 'DriverUpgrade', message);
}

function hasOwner({ node, claim, pods, slices, fresh, settings }: RuleInput): Outcome | undefined {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const { allocatable = {}, capacity = {} } = node.status ?? {};
  const takeOver = claim.winner?.spec.allow?.takeOver ?? [];
  // Only the pods tell whether these owners are in use and more than a label.
  const mustLook = foreignGpuResource in allocatable || (labels[migManagerLabel] ?? 'false') !== 'false';
  if (mustLook && pods === undefined) return { needs: 'Pods' };
  const { systemNamespaces } = settings;
  const resourceSlices = fresh?.resourceSlices ?? slices;
  const evidence = { node: name, labels, annotations, allocatable, capacity, pods, resourceSlices, systemNamespaces };
  const [owner] = findOwners(evidence, takeOver);
  if (!owner) return undefined;
  const message = `${owner.evidence}: two owners would undo each other's work, so nothing is touched. To hand over the GPUs: ${owner.handOver}`;
  return waitOpen('Failed', 'ForeignManager', message, lookAgainMs);
}

/** Another policy allowed a takeover, or this one did earlier: without the consent the label is restored. */
function givesBack({ node, claim }: RuleInput): Ruling | undefined {
  const allowed = claim.winner?.spec.allow?.takeOver ?? [];
  if (allowed.includes('mig-manager') || !(migManagerLabel in borrowedLabelsOf(metadataOf(node)))) return undefined;
  const message = 'mig-manager is coming back: the policy does not allow a takeover from it';
  const command = { name: 'PatchNode', change: { giveBack: [migManagerLabel] } } as const;
  return { ...waitClosed('Updating', 'TakingOver', message, 500), commands: [command] };
}

/** mig-manager's pods on the node, except those that have ended. */
function migManagerPods(pods: readonly PodView[]): readonly PodView[] {
  return pods.filter((pod) => pod.metadata.labels?.['app'] === 'nvidia-mig-manager' && !hasEnded(pod));
}

/** What mig-manager has left on a node, and what we have not borrowed. */
interface MigManagerMarks {
  /** Its pods on the node, in whatever namespace. */
  readonly pods: readonly PodView[];
  /** Deploy labels with its pause: the pods that they deploy stay away until somebody restores the labels. */
  readonly paused: readonly string[];
  /** `pending`, `rebooting`, `success` or `failed`; undefined: the node has no such label, or it is ours. */
  readonly state: string | undefined;
}

/** Finds the marks of mig-manager on a node. @param pods those of the node */
export function findMigManagerMarks(node: NodeView, pods: readonly PodView[]): MigManagerMarks {
  const { labels, annotations } = metadataOf(node);
  const borrowed = borrowedLabelsOf({ annotations });
  const paused = Object.keys(labels).filter(
    (key) => key.startsWith(deployLabelPrefix) && labels[key] === pausedForMigChange && !Object.hasOwn(borrowed, key),
  );
  const state = Object.hasOwn(borrowed, migConfigStateLabel) ? undefined : labels[migConfigStateLabel];
  return { pods: migManagerPods(pods), paused: paused.toSorted(), state };
}

/** What mig-manager has left on a node where nobody ends it. A pause of ours is on loan, and never in it. */
interface Debris {
  /** Deploy labels with its pause. */
  readonly paused: readonly string[];
  /** `pending` or `rebooting`, by its state label or by what we would restore that to; undefined: neither. */
  readonly state: string | undefined;
  /** Whether the state label is ours for now. */
  readonly isLent: boolean;
}

/** What mig-manager pauses, and we may resume: other keys are somebody else's, who may know mig-manager's word too. */
const resumable: readonly string[] = defaultClients.flatMap(({ deployLabel }) => deployLabel ?? []);

/** What mig-manager has left on a node, provided that it is not at work there; undefined: nothing. */
function findDebris(node: NodeView): Debris | undefined {
  const { paused: all, state } = findMigManagerMarks(node, []);
  const paused = all.filter((key) => resumable.includes(key));
  const lent = borrowedLabelsOf(metadataOf(node))[migConfigStateLabel];
  const found = lent === undefined ? state : (lent.was ?? undefined);
  const stale = found === 'pending' || found === 'rebooting' ? found : undefined;
  const isLent = lent !== undefined;
  return paused.length === 0 && stale === undefined ? undefined : { paused, state: stale, isLent };
}

/** `nvidia.com/gpu.deploy.dcgm=paused-for-mig-change and nvidia.com/mig.config.state=pending` */
function describeDebris({ paused, state }: Debris): string {
  const marks = paused.map((key) => `${key}=${pausedForMigChange}`);
  return joinWords([...marks, ...(state === undefined ? [] : [`${migConfigStateLabel}=${state}`])]);
}

/** The change that repairs what mig-manager has left: gpu-operator deploys with `true`, and leaves any other value alone. */
function clearDebris({ paused, state, isLent }: Debris): NodeChange {
  const labels = Object.fromEntries(paused.map((key) => [key, 'true']));
  if (state === undefined) return { labels };
  return isLent
    ? { labels, forget: [migConfigStateLabel] }
    : { labels: { ...labels, [migConfigStateLabel]: undefined } };
}

/** What a change of a Node has repaired of that, in words; undefined if nothing. */
export function describeCleared({ labels = {}, forget = [] }: NodeChange): string | undefined {
  const resumed = Object.keys(labels).filter((key) => key.startsWith(deployLabelPrefix) && labels[key] === 'true');
  const cleared = [
    ...resumed.map((key) => `${key} is true again`),
    ...(migConfigStateLabel in labels ? [`${migConfigStateLabel} no longer says that a change is under way`] : []),
    ...(forget.includes(migConfigStateLabel) ? [`${migConfigStateLabel} will be removed with the policy`] : []),
  ];
  return cleared.length === 0 ? undefined : `what mig-manager had left was repaired: ${joinWords(cleared)}`;
}

/** What is to be done about debris that the policy leaves alone, for the end of a message. */
export function adviseOnDebris({ node, claim }: Pick<RuleInput, 'node' | 'claim'>): string | undefined {
  const debris = findDebris(node);
  if (debris === undefined || debris.paused.length === 0) return undefined;
  const { allow, mode } = claim.winner?.spec ?? {};
  const isAllowed = allow?.takeOver?.includes('mig-manager') === true;
  if (isAllowed)
    return mode === 'Plan' ? `would repair what mig-manager has left (${describeDebris(debris)})` : undefined;
  const resume = debris.paused.map((key) => `${key}=true`).join(' ');
  return (
    `mig-manager has left ${describeDebris(debris)}, which keeps these programs off the node until somebody ends it: set ` +
    'spec.allow.takeOver: [mig-manager] in the policy, or run ' +
    `"kubectl label node ${node.metadata.name} ${resume} --overwrite"`
  );
}

/** Whether changing the label removes the pod. */
function obeysLabel({ spec }: PodView): boolean {
  return Object.hasOwn(spec?.nodeSelector ?? {}, migManagerLabel);
}

/** `SetLabel`: borrow {@link migManagerLabel} with `false`. `AwaitPod`: nothing to write, and nothing to grant yet. */
type TakeOverStep = 'SetLabel' | 'AwaitPod';

/**
 * What is left to do until mig-manager is off a node whose policy replaces it; undefined: nothing. Somebody else's pause
 * (`paused-for-driver-upgrade`) is never borrowed, since restoring it later would pause forever: we wait until it ends.
 */
function nextStep(situation: RuleInput): TakeOverStep | undefined {
  const { node, claim, pods } = situation;
  if (claim.winner?.spec.allow?.takeOver?.includes('mig-manager') !== true) return undefined;
  const value = node.metadata.labels?.[migManagerLabel];
  if (value === 'true') return 'SetLabel';
  if (value?.startsWith('paused-for-') === true) return 'AwaitPod';
  return pods && migManagerPods(clusterPods(situation, pods)).length > 0 ? 'AwaitPod' : undefined;
}

/** Turns mig-manager off where the policy replaces it, in the node's turn. @param use what the node wants its slot for */
export function takeOver(situation: RuleInput, use: SlotUse): Outcome | undefined {
  const step = nextStep(situation);
  if (step === undefined) return undefined;
  const waits = step === 'SetLabel' ? awaitSlot(situation, use) : undefined;
  if (waits) return waits;
  const debris = findDebris(situation.node);
  const then =
    debris === undefined ? '' : `. What it leaves is repaired once its pod has ended: ${describeDebris(debris)}`;
  const message = `mig-manager is being turned off on this node (${migManagerLabel}=false); it comes back when the policy is deleted${then}`;
  return takingOver(message, step === 'SetLabel' ? { borrow: { [migManagerLabel]: 'false' } } : undefined);
}

/** Whether mig-manager keeps programs off the node that a change needs, and has to be turned off before anything else is asked for. */
export function isInTheWay(situation: RuleInput): boolean {
  return nextStep(situation) !== undefined && (findDebris(situation.node)?.paused.length ?? 0) > 0;
}

function takingOver(message: string, change: NodeChange | undefined, requeueAfterMs = 500): Ruling {
  return {
    ...waitClosed('Updating', 'TakingOver', message, requeueAfterMs),
    ...(change && { commands: [{ name: 'PatchNode', change }] }),
  };
}

/** How long a repair is announced before it is made, in ms. */
const announcedMs = 5000;
/** How long a device plugin that was paused may take to come back, in ms. */
const comesBackMs = 30_000;

/**
 * Repairs what mig-manager has left on a node whose policy replaces it, once it is off the node. That takes nothing from anybody, and so
 * needs no slot. It comes before all that the missing programs would be asked for.
 */
export function endDebris(situation: RuleInput): Outcome | undefined {
  const { node, claim, pods } = situation;
  const { winner, hold } = claim;
  const isAllowed = winner?.spec.allow?.takeOver?.includes('mig-manager') === true;
  if (!isAllowed || winner.spec.mode === 'Plan' || winner.spec.rollout?.paused === true || hold !== undefined)
    return undefined;
  const debris = findDebris(node);
  if (debris === undefined) return awaitPlugin(situation, runningTimer(situation, 'Debris', 'repaired'));
  const owner = nodeUnavailable(situation) ?? foreignOwner(situation);
  if (owner) return 'needs' in owner ? owner : undefined;
  if (pods === undefined) return { needs: 'Pods' };
  if (nextStep(situation) !== undefined) return undefined;
  const words = describeDebris(debris);
  const { lastsMs, waits } = timer(situation, 'Debris', words);
  if (lastsMs < announcedMs) {
    const message = `mig-manager is off this node and has left ${words}: these labels will be repaired in ${announcedMs / 1000} s`;
    return keepAway(takingOver(message, undefined, announcedMs - lastsMs + 10), waits);
  }
  const change = clearDebris(debris);
  return keepAway(takingOver(describeCleared(change) ?? words, change), timer(situation, 'Debris', 'repaired').waits);
}

/** Clients that we have told to go stay away meanwhile. */
function keepAway(ruling: Ruling, waits: Ruling['waits']): Ruling {
  return { ...ruling, waits, clientsPaused: true };
}

/** A node that is open has its device plugin back in a moment, and would be found to have none until then. */
function awaitPlugin(situation: RuleInput, since: Lasting | undefined): Outcome | undefined {
  const { node, pods } = situation;
  if (since === undefined || since.lastsMs > comesBackMs) return undefined;
  if (isUnfinished(node) || hasStartupTaint(node) || node.metadata.labels?.[pluginDeployLabel] !== 'true')
    return undefined;
  if (pods === undefined) return { needs: 'Pods' };
  if (pluginPods(situation, pods).length > 0) return undefined;
  return keepAway(
    takingOver('what mig-manager had left was repaired; the device plugin is coming back', undefined, 1000),
    since.waits,
  );
}

/** Another party that partitions or hands out the GPUs of a node. */
export interface Owner {
  readonly name:
    | 'mig-manager'
    | 'dra'
    | 'hami'
    | 'nos'
    | 'aws-vgpu'
    | 'instaslice'
    | 'gke'
    | 'gpustack'
    | 'gpu-fractions'
    | 'vgpu-host';
  /** The objects that give the owner away, by name. */
  readonly evidence: string;
  /** The setting or the command that hands the GPUs over to us. */
  readonly handOver: string;
}

/** The objects of one node that can give another owner away. */
export interface OwnerEvidence {
  /** Name of the node, for the commands. */
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** The node's capacity: while a device plugin restarts, the kubelet offers nothing of it in allocatable and keeps this. */
  readonly capacity: Readonly<Record<string, string>>;
  /** The node's pods; undefined: they were not listed. */
  readonly pods: readonly PodView[] | undefined;
  /** Namespaces in which other owners run; a pod elsewhere is a tenant's, whatever its labels. */
  readonly systemNamespaces: readonly string[];
  /** Slices whose `spec.nodeName` is this node; undefined: they were not listed, or the cluster has none. */
  readonly resourceSlices: readonly ResourceSliceView[] | undefined;
}

/**
 * Finds all other owners of a node's GPUs, which we then leave alone. mig-manager is left out if the policy replaces it (`allow.takeOver`)
 * and the node's label can switch it off; see `takeOverStep`.
 */
export function findOwners(evidence: OwnerEvidence, takeOver: readonly string[]): readonly Owner[] {
  return [
    findMigManager(evidence, takeOver),
    findDra(evidence),
    findHami(evidence),
    findNos(evidence),
    findAwsVirtualGpu(evidence),
    findInstaslice(evidence),
    findGke(evidence),
    findGpuStack(evidence),
    findFractions(evidence),
    findVgpuHost(evidence),
  ].filter((owner) => owner !== undefined);
}

function findMigManager(evidence: OwnerEvidence, takeOver: readonly string[]): Owner | undefined {
  const pods = migManagerPods(ownPods(evidence));
  // A DaemonSet that does not select by the label stays when the label is false: taking over would wait forever.
  const stubborn = pods.filter((pod) => !obeysLabel(pod));
  if (takeOver.includes('mig-manager') && stubborn.length === 0) return undefined;
  const value = evidence.labels[migManagerLabel];
  const deployed = value === 'true' || value === pausedForDriverUpgrade;
  // gpu-operator writes `true` even if it does not deploy mig-manager at all. A pause shows that it was there.
  const isElsewhere = value === 'true' && evidence.pods !== undefined;
  if (pods.length === 0 && (!deployed || isElsewhere)) return undefined;
  const seen = [
    ...(deployed ? [`label ${migManagerLabel}=${value}`] : []),
    ...(pods.length > 0 ? [`pod ${namePods(pods, 3)}`] : []),
  ];
  const handOver =
    stubborn.length > 0
      ? `take the DaemonSet of ${namePods(stubborn, 3)} off this node; its pods do not follow the label ${migManagerLabel}`
      : 'set spec.allow.takeOver: [mig-manager] in the policy, or run ' +
        `"kubectl label node ${evidence.node} ${migManagerLabel}=false --overwrite"`;
  return seenOwner('mig-manager', 'NVIDIA mig-manager', seen, handOver);
}

function seenOwner(name: Owner['name'], title: string, seen: readonly string[], handOver: string): Owner | undefined {
  return seen.length === 0 ? undefined : { name, evidence: `${title}: ${seen.join(', ')}`, handOver };
}

/**
 * Finds a DRA driver that owns the GPUs. Without its gate DynamicMIG it offers existing slices and creates none: then it hands them out and
 * owns nothing.
 */
function findDra(evidence: OwnerEvidence): Owner | undefined {
  const names = listDynamicSlices(evidence.resourceSlices ?? []).map(
    ({ metadata }) => metadata?.name ?? 'without a name',
  );
  const pods = driverPodsOf(ownPods(evidence)).filter(makesSlices);
  if (names.length + pods.length === 0) return undefined;
  const seen = [
    ...(names.length === 0
      ? []
      : [`counters, or devices without a UUID, of driver gpu.nvidia.com in ResourceSlice ${names.sort().join(', ')}`]),
    // A driver that has not published yet destroys slices too.
    ...(pods.length === 0 ? [] : [`FEATURE_GATES with DynamicMIG on in pod ${namePods(pods, 3)}`]),
  ];
  return {
    name: 'dra',
    evidence: `NVIDIA DRA driver with dynamic MIG: ${seen.join('; ')}`,
    handOver:
      'turn its gate off ("helm upgrade … --set featureGates.DynamicMIG=false" in the chart of the DRA driver) ' +
      'once no claim uses a slice that it created',
  };
}

function makesSlices({ spec }: PodView): boolean {
  const gates = (spec?.containers ?? []).flatMap(({ env = [] }) => env.filter(({ name }) => name === 'FEATURE_GATES'));
  return gates.some(({ value = '' }) => {
    const has = (gate: RegExp): boolean => value.split(',').some((one) => gate.test(one));
    return has(gateOn) || (has(allOn) && !has(gateOff));
  });
}

/** The gate in an argument, as Kubernetes reads it (`component-base/featuregate`, `strconv.ParseBool`). */
const gateOn = /^\s*dynamicmig\s*=\s*(1|t|true)\s*$/i;
const gateOff = /^\s*dynamicmig\s*=\s*(0|f|false)\s*$/i;
/** All gates of stage alpha that are not named themselves; this one is of that stage. */
const allOn = /^\s*allalpha\s*=\s*(1|t|true)\s*$/i;

const hamiRegistration = 'hami.io/node-nvidia-register';
// Without a vendor suffix this is the handshake of NVIDIA's plugin; HAMi's scheduler writes Deleted_… when the plugin has gone.
const hamiHandshake = 'hami.io/node-handshake';

function findHami(evidence: OwnerEvidence): Owner | undefined {
  const { annotations } = evidence;
  const handshake = annotations[hamiHandshake] ?? '';
  const seen = [
    ...((annotations[hamiRegistration] ?? '') === '' ? [] : [`annotation ${hamiRegistration}`]),
    ...(handshake === '' || handshake.startsWith('Deleted') ? [] : [`annotation ${hamiHandshake}=${handshake}`]),
    ...namedPods(evidence, [{ 'app.kubernetes.io/component': 'hami-device-plugin' }]),
  ];
  return seenOwner(
    'hami',
    'HAMi',
    seen,
    "take this node out of the nodeSelector of HAMi's device plugin (devicePlugin.nvidiaNodeSelector in its chart), then run " +
      `"kubectl annotate node ${evidence.node} ${hamiRegistration}- ${hamiHandshake}-", ` +
      "and let NVIDIA's device plugin run here",
  );
}

const nosLabel = 'nos.nebuly.com/gpu-partitioning';
const nosKinds: readonly string[] = ['mig', 'mps', 'hybrid'];

function findNos(evidence: OwnerEvidence): Owner | undefined {
  const kind = evidence.labels[nosLabel] ?? '';
  const seen = nosKinds.includes(kind) ? [`label ${nosLabel}=${kind}`] : [];
  return seenOwner('nos', 'nos', seen, `run "kubectl label node ${evidence.node} ${nosLabel}-"`);
}

/** Written by GPU Feature Discovery if the driver is NVIDIA's vGPU manager, and by people for gpu-operator's sandbox workloads. */
const hostDriverLabel = 'nvidia.com/vgpu.host-driver-version';
const workloadLabel = 'nvidia.com/gpu.workload.config';

/** A host of virtual machines: none of their processes is listed on the node, so every GPU would look idle. */
function findVgpuHost({ labels, ...evidence }: OwnerEvidence): Owner | undefined {
  const version = labels[hostDriverLabel] ?? '';
  const workload = labels[workloadLabel] ?? '';
  const seen = [
    ...(version === '' ? [] : [`label ${hostDriverLabel}=${version}`]),
    ...(workload.startsWith('vm-') ? [`label ${workloadLabel}=${workload}`] : []),
  ];
  return seenOwner(
    'vgpu-host',
    'virtual machines (vGPU host)',
    seen,
    'take the node out of the policy; or move its virtual machines away, ' +
      `run "kubectl label node ${evidence.node} ${workloadLabel}=container --overwrite", and install the driver for containers`,
  );
}

/** Leftover amounts do not indicate an owner: the kubelet keeps the names of resources that are no longer offered. */
function findAwsVirtualGpu(evidence: OwnerEvidence): Owner | undefined {
  const { allocatable, capacity, pods } = evidence;
  const offered = [allocatable, capacity]
    .map((amounts) => amounts[foreignGpuResource] ?? '0')
    .find((n) => !isZeroQuantity(n));
  if (offered === undefined) return undefined;
  const foreign = { resources: { [foreignGpuResource]: offered }, mayClaim: false };
  const users = pods?.filter((pod) => usesGpu(pod, foreign));
  if (users?.length === 0) return undefined;
  const use = users === undefined ? 'its users are unknown' : `used by ${namePods(users, 3)}`;
  return {
    name: 'aws-vgpu',
    evidence: `AWS virtual GPU device plugin: ${foreignGpuResource} ${offered}, ${use}`,
    handOver:
      `move the pods that ask for ${foreignGpuResource} to other nodes, ` +
      `then run "kubectl label node ${evidence.node} k8s.amazonaws.com/accelerator-"`,
  };
}

/** Resources and pods of the Dynamic Accelerator Slicer, and of its earlier form InstaSlice (openshift/instaslice-operator). */
const slicerResources = /^(mig\.das\.com\/|instaslice\.redhat\.com\/mig-)/;
const slicerPods: readonly LabelSelector[] = [{ app: 'das-daemonset' }, { name: 'instaslice-daemonset' }];

function findInstaslice(evidence: OwnerEvidence): Owner | undefined {
  const seen = [...namedResources(evidence, slicerResources), ...namedPods(evidence, slicerPods)];
  return seenOwner(
    'instaslice',
    'Dynamic Accelerator Slicer (InstaSlice)',
    seen,
    'uninstall its operator once no pod uses a slice that it created: it serves every MIG node of the cluster, ' +
      "and does not work beside NVIDIA's device plugin",
  );
}

/** GKE partitions the GPUs of such a pool at boot, and its plugin serves no other layout. */
const gkePartitionLabel = 'cloud.google.com/gke-gpu-partition-size';

function findGke(evidence: OwnerEvidence): Owner | undefined {
  const size = evidence.labels[gkePartitionLabel] ?? '';
  const seen = [
    ...(size === '' ? [] : [`label ${gkePartitionLabel}=${size}`]),
    ...namedPods(evidence, [{ 'k8s-app': 'nvidia-gpu-device-plugin' }]),
  ];
  return seenOwner(
    'gke',
    "GKE's device plugin",
    seen,
    'use a node pool without gpu-partition-size and with the node label gke-no-default-nvidia-gpu-device-plugin=true, ' +
      "and NVIDIA's device plugin",
  );
}

/** The device manager of GPUStack's operator makes an instance for each pod that asks for one of these. */
const gpuStackResources = /^nvidia\.com\/gpu\.partitioned/;

function findGpuStack(evidence: OwnerEvidence): Owner | undefined {
  const handOver =
    "take this node out of GPUStack's device manager once no pod uses an instance that it made, and let NVIDIA's device plugin run here";
  return seenOwner('gpustack', 'GPUStack', namedResources(evidence, gpuStackResources), handOver);
}

/**
 * Namespaces in which KAI, and Run:ai as KAI until its release 0.6, hold a whole GPU for pods with a fraction of it, of which the kubelet
 * knows nothing.
 */
const reservationNamespaces: readonly string[] = ['kai-resource-reservation', 'runai-reservation'];

function findFractions({ pods = [] }: OwnerEvidence): Owner | undefined {
  const found = pods.filter(
    (pod) => reservationNamespaces.includes(pod.metadata.namespace ?? '') && !hasEnded(pod) && usesGpu(pod),
  );
  const seen = found.length === 0 ? [] : [`reservation pod ${namePods(found, 3)}`];
  return seenOwner(
    'gpu-fractions',
    'GPU fractions of KAI or Run:ai',
    seen,
    'move the pods that share its GPUs to other nodes, and let none come back (a node pool without fractions): the reservation pods end with them',
  );
}

function namedResources({ capacity, allocatable }: OwnerEvidence, names: RegExp): readonly string[] {
  const resources = Object.entries({ ...capacity, ...allocatable })
    .filter(([name, amount]) => names.test(name) && !isZeroQuantity(amount))
    .map(([name, amount]) => `${name} ${amount}`)
    .sort();
  return resources.length === 0 ? [] : [`resources ${resources.join(', ')}`];
}

function namedPods(evidence: OwnerEvidence, selectors: readonly LabelSelector[]): readonly string[] {
  const found = ownPods(evidence).filter(
    (pod) => !hasEnded(pod) && selectors.some((selector) => carries(pod, selector)),
  );
  return found.length === 0 ? [] : [`pod ${namePods(found, 3)}`];
}

function ownPods({ pods = [], systemNamespaces }: OwnerEvidence): readonly PodView[] {
  return systemPods(pods, systemNamespaces);
}

function carries({ metadata }: PodView, selector: LabelSelector): boolean {
  return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

/**
 * Slices of a driver with its gate DynamicMIG: it creates instances for each claim, and at its start destroys those that it does not
 * know. They have counters, and devices without a UUID, since none of them exists before it is claimed.
 */
export function listDynamicSlices(slices: readonly ResourceSliceView[]): readonly ResourceSliceView[] {
  return slices.filter(({ spec }) => {
    if (spec.driver !== gpuDriver) return false;
    const { sharedCounters = [], devices = [] } = spec;
    return sharedCounters.length > 0 || devices.some((one) => (one.consumesCounters ?? []).length > 0 || isUnborn(one));
  });
}

/** Whether a device has no UUID yet. Only devices of these types come from the part of the driver that makes slices. */
function isUnborn(device: SliceDevice): boolean {
  const type = attributeOf(device, 'type');
  return (type === 'gpu' || type === 'mig') && attributeOf(device, 'uuid') === undefined;
}
