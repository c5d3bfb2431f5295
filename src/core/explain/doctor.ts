// Room explain: why a pod or a claim waits, and what is wrong around a cluster's GPUs.
// Ask here for a diagnosis of a cluster: what programs around this operator do to it, each finding with its evidence and what to do.
import { acceleratorLabels, migConfigLabel, migConfigStateLabel, repartitioningTaint } from '../../api/names.ts';
import type { GpuNodePartition, GpuReport } from '../../api/types.ts';
import { type ClusterFacts, type GpuNode, listGpuNodes } from '../cluster/facts.ts';
import {
  defaultSystemNamespaces,
  type EventView,
  isOfDaemonSet,
  isReady,
  podName,
  type PodView,
  requestsOf,
  systemPods,
  tolerates,
} from '../kubernetes/pod.ts';
import { explainStaleLabels, waitedForPlugin } from '../node/commands.ts';
import { findHalfMade } from '../device/plan.ts';
import { DeviceError } from '../gpu/device-state.ts';
import { ownerOf } from '../node/eviction.ts';
import { findMigManagerMarks, findOwners } from '../node/owners.ts';
import { defaultClients, pluginPodsOf, readPluginSettings } from '../node/plugin-pods.ts';
import { clientPods } from '../node/rules/gpu-clients.ts';
import { driverUpgrade, isUnfinished } from '../node/snapshot.ts';
import { devicePluginConfigLabel, GPU_RESOURCE } from '../nvidia/labels.ts';
import { lintDevicePluginConfig } from '../nvidia/plugin-config.ts';
import { describeReport, predictNode } from '../nvidia/predict.ts';
import { isPlanned } from '../policy/spec.ts';
import { fieldsOf, memoize } from '../text/json.ts';
import { describeDuration } from '../text/syntax.ts';
import { countWords, joinWords } from '../text/words.ts';
import { isUnbound } from './claims.ts';
import { type CrdView, imageVersions, judgeCrds, judgeProfileNames, judgeVersions } from './doctor-versions.ts';

/** Codes of findings, in the order in which they are told. */
export const doctorCodes = [
  'TwoOwners',
  'MigManagerGone',
  'MigManagerStuck',
  'GpuFault',
  'ModePending',
  'HalfMade',
  'HostNotRestored',
  'StaleCdi',
  'CapsMissing',
  'LabelsMissing',
  'StaleLabels',
  'PluginConfig',
  'AcceleratorLabel',
  'NoScaleTemplate',
  'OperandReturns',
  'OperandKeptAway',
  'ProfileNames',
  'VersionSkew',
  'ClockSkew',
  'PersistenceOff',
  'NumaMissing',
] as const;
type DoctorCode = (typeof doctorCodes)[number];

/** Something that is wrong, or will be. */
export interface DoctorFinding {
  readonly code: DoctorCode;
  /** The node; absent: it is about the cluster, or this machine. */
  readonly node?: string;
  /** What shows it: names and values. */
  readonly evidence: string;
  /** What to do, with the command to type where there is one. */
  readonly remedy: string;
}

/** What could not be judged for want of evidence. */
interface UncheckedCode {
  readonly code: DoctorCode;
  readonly node?: string;
  readonly why: string;
}

type Answer = DoctorFinding | UncheckedCode;

/** What was found; the shape of `doctor -o json`. */
export interface Diagnosis {
  readonly findings: readonly DoctorFinding[];
  readonly notChecked: readonly UncheckedCode[];
}

/** Sorts answers into what is wrong and what could not be judged. */
export function asDiagnosis(answers: readonly Answer[]): Diagnosis {
  const rank = ({ code }: Answer): number => doctorCodes.indexOf(code);
  const sorted = answers.toSorted((a, b) => rank(a) - rank(b));
  return {
    findings: sorted.filter((one) => 'evidence' in one),
    notChecked: sorted.filter((one) => 'why' in one),
  };
}

/** An Event, and what it is about. */
type PodEvent = EventView & {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
};

/** A cluster, and what only the doctor reads of it. */
export interface DoctorFacts extends ClusterFacts {
  /** Events about pods; undefined: they were not read. */
  readonly events: readonly PodEvent[] | undefined;
  /** Files of the ConfigMaps that device plugins take theirs from, parsed, by `NAMESPACE/NAME`; one that was not read is absent. */
  readonly configFiles: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Namespaces of the cluster's own GPU software; absent: those of the controller's default. */
  readonly systemNamespaces?: readonly string[];
  /** The cluster's CRDs, those of others among them; undefined: they were not read. */
  readonly crds: readonly CrdView[] | undefined;
  /** The version of this program. */
  readonly version: string;
}

interface World {
  readonly facts: DoctorFacts;
  readonly systemNamespaces: readonly string[];
  readonly nodes: readonly GpuNode[];
}

/** A GPU node whose pods are known. */
type Peopled = GpuNode & { readonly pods: readonly PodView[] };

interface Check {
  readonly find: (world: World) => readonly Answer[];
  /** Its codes for which pods have to be known. */
  readonly ofPods?: readonly DoctorCode[];
}

const checks: readonly Check[] = [
  { find: findTwoOwners, ofPods: ['TwoOwners'] },
  { find: judgeMigManager, ofPods: ['MigManagerGone', 'MigManagerStuck'] },
  { find: judgeDevices },
  { find: judgeLabels, ofPods: ['LabelsMissing'] },
  { find: judgePluginConfig, ofPods: ['PluginConfig'] },
  { find: findAcceleratorLabels, ofPods: ['AcceleratorLabel'] },
  { find: findMissingTemplates, ofPods: ['NoScaleTemplate'] },
  { find: judgeTolerations, ofPods: ['OperandReturns', 'OperandKeptAway'] },
  { find: (world) => judgeProfileNames(listPeopled(world)), ofPods: ['ProfileNames'] },
  { find: ({ facts, nodes }) => judgeVersions(facts, nodes), ofPods: ['VersionSkew'] },
  { find: ({ facts }) => judgeCrds(facts) },
  { find: judgeClocks },
];
const onlyOnHost: readonly DoctorCode[] = ['StaleCdi', 'CapsMissing', 'PersistenceOff', 'NumaMissing'];

/** Finds what is wrong around the GPUs of a cluster. @param node only this node; undefined: all */
export function diagnoseCluster(facts: DoctorFacts, node?: string): Diagnosis {
  const { systemNamespaces = defaultSystemNamespaces } = facts;
  const nodes = listGpuNodes(facts).filter(({ name }) => node === undefined || name === node);
  const unread = facts.pods === undefined ? checks.flatMap(({ ofPods = [] }) => ofPods) : [];
  const world = { facts, systemNamespaces, nodes };
  return asDiagnosis([
    ...checks.flatMap(({ find }) => find(world)),
    ...unread.map((code) => ({ code, why: 'you may not list pods' })),
    ...listUncheckedOfHosts(),
  ]);
}

function listPeopled({ nodes }: World): readonly Peopled[] {
  return nodes.filter((one): one is Peopled => one.pods !== undefined);
}

/** Whether a policy of ours acts on a node. */
function isEnforced({ policy }: GpuNode): boolean {
  return policy !== undefined && !isPlanned(policy);
}

function findTwoOwners(world: World): readonly Answer[] {
  const { facts, systemNamespaces } = world;
  return listPeopled(world).flatMap((one): readonly Answer[] => {
    const { name, node, labels, pods, policy } = one;
    const { allocatable = {}, capacity = {} } = node.status ?? {};
    const resourceSlices = facts.slices?.filter(({ spec }) => spec.nodeName === name);
    const annotations = node.metadata.annotations ?? {};
    const evidence = { node: name, labels, annotations, allocatable, capacity, pods, systemNamespaces, resourceSlices };
    const owners = findOwners(evidence, policy?.spec.allow?.takeOver ?? []);
    const [first] = owners;
    const named = [
      ...(policy && isEnforced(one) ? [`policy ${policy.metadata.name}`] : []),
      ...owners.map((owner) => owner.evidence),
    ];
    if (first === undefined || named.length < 2) return [];
    const remedy = `let one of them own the GPUs. Without the other: ${first.handOver}`;
    return [{ code: 'TwoOwners', node: name, evidence: joinWords(named), remedy }];
  });
}

/** How long mig-manager may take for a change, in ms: it waits for a reboot and for pods of the operator. */
const longPendingMs = 20 * 60_000;

function judgeMigManager(world: World): readonly Answer[] {
  return listPeopled(world).flatMap((one) => {
    const { name, node } = one;
    // Meanwhile pods go and labels change, and both come back.
    if (driverUpgrade(one.labels) !== undefined) return [];
    const { pods, paused, state } = findMigManagerMarks(node, one.pods);
    const isPending = state === 'pending' || state === 'rebooting';
    if (pods.length > 0) return judgeRunning(one, pods, { paused, state, isPending });
    const seen = [
      ...(paused.length > 0 ? [`${joinWords(paused)}=paused-for-mig-change`] : []),
      ...(isPending ? [`${migConfigStateLabel}=${state}`] : []),
    ];
    if (seen.length === 0) return [];
    const words = [...paused.map((key) => `${key}=true`), ...(isPending ? [`${migConfigStateLabel}-`] : [])];
    const evidence = `${seen.join(', ')}, and no pod of mig-manager is there to end it`;
    const remedy = `${labelCommand(name, words)}; ${adviseTakeOver(one)}`;
    return [{ code: 'MigManagerGone', node: name, evidence, remedy }] as const;
  });
}

/** The other way than by hand: a policy that replaces mig-manager repairs its labels. */
function adviseTakeOver({ policy }: GpuNode): string {
  const name = policy?.metadata.name;
  const field = 'spec.allow.takeOver: [mig-manager]';
  if (policy?.spec.allow?.takeOver?.includes('mig-manager') !== true)
    return `or let ${name === undefined ? 'a policy' : `policy ${name}`} repair them: ${field}`;
  return `policy ${name} does so by itself (${field}) unless it is paused, has mode Plan, or the node is cordoned or not Ready`;
}

function labelCommand(node: string, words: readonly string[]): string {
  return `kubectl label node ${node} ${words.join(' ')} --overwrite`;
}

function judgeRunning(
  { name, node, labels }: GpuNode,
  pods: readonly PodView[],
  { paused, state, isPending }: { paused: readonly string[]; state: string | undefined; isPending: boolean },
): readonly Answer[] {
  const say = (evidence: string): Answer => ({
    code: 'MigManagerStuck',
    node: name,
    evidence: `${evidence}; pod ${pods.map(podName).join(', ')}${describeImage(pods)}`,
    remedy:
      `find the cause in its log, then give ${migConfigLabel} another value and ${labels[migConfigLabel] ?? 'its own'} again: it tries only when ` +
      'that changes. Or have a policy take over: spec.allow.takeOver: [mig-manager]',
  });
  // After a failure it leaves its clients paused, or has put all of them back.
  if (state === 'failed' && paused.length > 0)
    return [
      say(`${migConfigStateLabel}=failed, and ${joinWords(paused)} ${paused.length === 1 ? 'is' : 'are'} still paused`),
    ];
  if (!isPending) return [];
  const since = labelWrittenMs(node.metadata.managedFields, migConfigStateLabel);
  const seen = node.status?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime;
  const seenMs = Date.parse(seen ?? '');
  if (since === undefined || Number.isNaN(seenMs)) {
    const why = `${migConfigStateLabel}=${state}: since when is in managedFields (kubectl get nodes --show-managed-fields)`;
    return [{ code: 'MigManagerStuck', node: name, why }];
  }
  const ms = seenMs - since;
  return ms < longPendingMs
    ? []
    : [say(`${migConfigStateLabel}=${state} for ${describeDuration(Math.floor(ms / 1000))} or more`)];
}

/** mig-parted#484 (v0.15.1) writes `failed` where earlier versions stay pending. */
function describeImage(pods: readonly PodView[]): string {
  const [version] = imageVersions(pods);
  return version === undefined ? '' : ` (${version}; it never retries, and up to 0.15.0 it may stay pending forever)`;
}

/** The time of the last write by whoever wrote a label, in ms since 1970: the label is as old as that or older. */
function labelWrittenMs(managedFields: readonly unknown[] = [], key: string): number | undefined {
  const times = managedFields.flatMap((entry) => {
    const { fieldsV1, time } = fieldsOf(entry) ?? {};
    const ofLabels = fieldsOf(fieldsOf(fieldsOf(fieldsV1)?.['f:metadata'])?.['f:labels']) ?? {};
    return Object.hasOwn(ofLabels, `f:${key}`) && typeof time === 'string' ? [Date.parse(time)] : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

function judgeDevices({ nodes }: World): readonly Answer[] {
  return nodes.flatMap(({ node, partition }) => (partition ? judgeReport(partition, isUnfinished(node)) : []));
}

/** What an agent reports of its node's GPUs and host. @param isChanging a mode may be pending for a moment */
function judgeReport({ metadata, spec, status }: GpuNodePartition, isChanging: boolean): readonly Answer[] {
  const { name } = metadata;
  const { gpus = [], hostProblems = [] } = status?.device ?? {};
  const covered = (spec.wish?.gpus ?? []).map(({ uuid }) => uuid);
  const sick = judgeGpus(gpus, { node: name, isChanging, covered });
  if (hostProblems.length === 0) return sick;
  const remedy = 'run on the node: gpu-partition doctor --host';
  return [...sick, { code: 'HostNotRestored', node: name, evidence: hostProblems.join('; '), remedy }];
}

/** The ConfigMaps that device plugins take their files from, as `NAMESPACE/NAME`. */
export function listPluginConfigMaps({
  pods = [],
  systemNamespaces = defaultSystemNamespaces,
}: DoctorSource): readonly string[] {
  const places = pluginPodsOf(systemPods(pods, systemNamespaces)).flatMap((pod) => {
    const { configMap } = readPluginSettings(pod);
    return configMap === undefined ? [] : [`${pod.metadata.namespace}/${configMap.name}`];
  });
  return [...new Set(places)];
}

type DoctorSource = Pick<DoctorFacts, 'pods' | 'systemNamespaces'>;

interface GpuCircumstances {
  readonly node?: string;
  /** A mode may be pending for a moment, or an instance half made. */
  readonly isChanging: boolean;
  /** UUIDs of GPUs that a policy brings to its layout. */
  readonly covered?: readonly string[];
}

/** What is wrong with GPUs, as an agent or this program reads them. */
export function judgeGpus(
  gpus: readonly GpuReport[],
  { node, isChanging, covered = [] }: GpuCircumstances,
): readonly Answer[] {
  const about = node === undefined ? {} : { node };
  const left = isChanging ? [] : findHalfMade(gpus.filter(({ uuid }) => !covered.includes(uuid)));
  const halfMade = left.map(({ evidence, command }): Answer => {
    const remedy = `${node === undefined ? '' : 'on the node: '}${command}; or cover the GPU by a policy`;
    return { code: 'HalfMade', ...about, evidence, remedy };
  });
  const faults = gpus.flatMap(({ index, product, pciBusId, error, health, mig, migPending }): readonly Answer[] => {
    const where = product === 'unknown' ? `at ${pciBusId}` : `${index} (${product.replace(/^NVIDIA /, '')})`;
    const gpu = `GPU ${where}`;
    const drain = node === undefined ? 'stop what uses the GPU' : `kubectl drain ${node} --ignore-daemonsets`;
    if (error !== undefined) {
      const known = DeviceError.codes.find((code) => error.startsWith(`${code}:`)) ?? 'GpuLost';
      const remedy = new DeviceError(known, { tried: '', found: '' }).advice;
      return [{ code: 'GpuFault', ...about, evidence: `${gpu} cannot be read: ${error}`, remedy }];
    }
    if (health !== undefined) {
      const remedy = `${cures[health.action]}; until then it is not repartitioned (${drain})`;
      return [{ code: 'GpuFault', ...about, evidence: `${gpu}: ${health.message}`, remedy }];
    }
    if (migPending === undefined || isChanging) return [];
    const evidence = `${gpu}: MIG mode is ${mig ?? 'unknown'}, and ${migPending} is pending`;
    const remedy = `end all that has it open, then: nvidia-smi --gpu-reset -i ${pciBusId}; or reboot`;
    return [{ code: 'ModePending', ...about, evidence, remedy }];
  });
  return [...faults, ...halfMade];
}

const cures: Readonly<Record<NonNullable<GpuReport['health']>['action'], string>> = {
  Drain: 'drain it and reset it when it is idle',
  Reset: 'reset it: nvidia-smi --gpu-reset',
  Reboot: 'reboot the machine',
  Replace: 'replace it',
  Unknown: 'ask nvidia-smi -q what it needs',
};

type Client = (typeof defaultClients)[number];

const discovery = defaultClients.find(({ name }) => name === 'gpu-feature-discovery');

function podsOfClient(client: Client | undefined, pods: readonly PodView[]): readonly PodView[] {
  return client === undefined ? [] : clientPods(client, pods);
}

function judgeLabels({ nodes, systemNamespaces }: World): readonly Answer[] {
  return nodes.flatMap((one): readonly Answer[] => {
    const { name, node, labels, partition, pods = [] } = one;
    const writers = podsOfClient(discovery, systemPods(pods, systemNamespaces)).filter(isReady);
    const restart = writers.map(({ metadata }) => `kubectl -n ${metadata.namespace} delete pod ${metadata.name}`);
    if (labels['nvidia.com/gpu.count'] === undefined && writers.length > 0 && !isUnfinished(node)) {
      const evidence = `${writers.map(podName).join(', ')} is ready, and the node has no label nvidia.com/gpu.count`;
      const remedy = `look whether Node Feature Discovery runs on it, then: ${restart.join('; ')}`;
      return [{ code: 'LabelsMissing', node: name, evidence, remedy }];
    }
    const stale = partition && explainStaleLabels(node, partition);
    if (stale === undefined) return [];
    const remedy = restart[0] ?? `see who writes them: kubectl describe gpn ${name}`;
    return [{ code: 'StaleLabels', node: name, evidence: `by the layout that the agent reports, ${stale}`, remedy }];
  });
}

function judgePluginConfig(world: World): readonly Answer[] {
  return listPeopled(world).flatMap((one) =>
    pluginPodsOf(systemPods(one.pods, world.systemNamespaces)).flatMap((pod) => judgeConfigOf(pod, one, world)),
  );
}

function judgeConfigOf(
  pod: PodView,
  { name, labels, partition, strategy }: Peopled,
  { facts }: World,
): readonly Answer[] {
  const unknown = (why: string): readonly Answer[] => [{ code: 'PluginConfig', node: name, why }];
  // Every pod of a cluster has a volume, with its token: a support bundle leaves them out.
  if (pod.spec?.volumes === undefined) return unknown('the volumes of the plugin’s pod are not in the snapshot');
  const { configMap } = readPluginSettings(pod);
  if (configMap === undefined) return [];
  const place = `${pod.metadata.namespace}/${configMap.name}`;
  const files = facts.configFiles.get(place);
  if (files === undefined) return unknown(`ConfigMap ${place} was not read (snapshot: add configmaps)`);
  const label = configMap.hasConfigManager ? labels[devicePluginConfigLabel] : undefined;
  const key = label ?? configMap.defaultKey ?? (Object.keys(files).length === 1 ? Object.keys(files)[0] : 'default');
  if (key === undefined || !Object.hasOwn(files, key))
    return label === undefined ? unknown(`which file of ConfigMap ${place} the plugin reads`) : [missingFile()];
  const file = files[key];
  const findings = lintDevicePluginConfig(file);
  const refused = findings.filter(({ severity, path }) => severity === 'error' || path === 'sharing.timeSlicing');
  const { device } = partition?.status ?? {};
  const isRead =
    device?.gpus !== undefined && strategy !== undefined && findings.every((one) => one.severity !== 'error');
  const errors = isRead ? predictNode(describeReport(device), strategy, { file: key, value: file }).errors : [];
  const words = [
    ...refused.map(({ path, message }) => `${path} ${message}`),
    ...new Set(errors.filter((message) => /\bMPS\b/.test(message))),
  ];
  if (words.length === 0) return [];
  const remedy = `kubectl -n ${pod.metadata.namespace} edit configmap ${configMap.name}: keep one of sharing.timeSlicing and sharing.mps, and none that slices do not allow`;
  return [{ code: 'PluginConfig', node: name, evidence: `${key} in ConfigMap ${place}: ${words.join('; ')}`, remedy }];

  function missingFile(): Answer {
    const evidence = `${devicePluginConfigLabel}=${label}, which ConfigMap ${place} does not have: ${joinWords(Object.keys(files ?? {}))}`;
    return { code: 'PluginConfig', node: name, evidence, remedy: labelCommand(name, [`${devicePluginConfigLabel}-`]) };
  }
}

function findAcceleratorLabels({ nodes, facts }: World): readonly Answer[] {
  const autoscaler = findAutoscaler(facts);
  return nodes.flatMap((one): readonly Answer[] => {
    const { name, labels, offers, strategy, isDra, partition } = one;
    const key = Object.values(acceleratorLabels).find((label) => labels[label] !== undefined);
    const isSliced = (partition?.status?.device?.gpus ?? []).some(({ mig }) => mig === 'Enabled');
    if (key === undefined || strategy !== 'mixed' || isDra || !isSliced || (offers[GPU_RESOURCE] ?? 0) > 0) return [];
    const seen = `label ${key}=${labels[key]}, strategy mixed, and no allocatable ${GPU_RESOURCE}`;
    if (autoscaler === undefined)
      return [
        { code: 'AcceleratorLabel', node: name, why: `${seen}: no sign of Cluster Autoscaler, which some clouds hide` },
      ];
    const evidence = `${seen}: ${autoscaler} counts it as unready forever (kubernetes-sigs/cluster-autoscaler#92)`;
    const remedy = `take the label off the node group and off the node: kubectl label node ${name} ${key}-; or keep a GPU whole, or use strategy single`;
    return [{ code: 'AcceleratorLabel', node: name, evidence, remedy }];
  });
}

/** What shows that Cluster Autoscaler is there; undefined: nothing does. */
function findAutoscaler({ pods = [], nodes, events = [] }: DoctorFacts): string | undefined {
  const word = 'cluster-autoscaler';
  const names = ['app', 'k8s-app', 'app.kubernetes.io/name'];
  const pod = pods.find(
    ({ metadata: { labels = {} }, spec }) =>
      names.some((key) => labels[key]?.endsWith(word)) ||
      (spec?.containers ?? []).some(({ image = '' }) => /\/cluster-autoscaler(?:-\w+)?[:@]/.test(image)),
  );
  if (pod !== undefined) return `Cluster Autoscaler (pod ${podName(pod)})`;
  const taints = nodes.flatMap(({ spec }) => spec?.taints ?? []).map(({ key }) => key);
  const taint = taints.find((key) => key.endsWith('OfClusterAutoscaler') || key.endsWith('ByClusterAutoscaler'));
  if (taint !== undefined) return `Cluster Autoscaler (taint ${taint})`;
  return events.some(({ reason }) => reason === 'NotTriggerScaleUp' || reason === 'TriggeredScaleUp')
    ? 'Cluster Autoscaler (its Events)'
    : undefined;
}

/** Policies whose demand waits, by name. */
function listUnmet({ policies }: ClusterFacts): readonly string[] {
  return policies
    .filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'DemandMet' && is === 'False'))
    .map(({ metadata }) => metadata.name);
}

/** Cluster Autoscaler names what its template of each node group lacks (NVIDIA/gpu-operator#693). */
function findMissingTemplates({ facts }: World): readonly Answer[] {
  const unmet = listUnmet(facts);
  if (unmet.length === 0 || facts.pods === undefined) return [];
  const code = 'NoScaleTemplate';
  if (facts.events === undefined) return [{ code, why: 'Events of pods were not read (snapshot: add events)' }];
  const waiting = new Map(facts.pods.filter(isUnbound).map((pod) => [podName(pod), pod]));
  const lacking = facts.events.flatMap(({ reason, message = '', involvedObject = {} }) => {
    const pod = waiting.get(`${involvedObject.namespace}/${involvedObject.name}`);
    if (reason !== 'NotTriggerScaleUp' || pod === undefined) return [];
    const asked = requestsOf(pod, (name) => name.startsWith('nvidia.com/mig-'));
    const named = [...message.matchAll(/Insufficient (nvidia\.com\/mig(?:[-.]\w+)+)/g)].map(([, name = '']) => name);
    return [...new Set(named)].filter((name) => asked.has(name)).map((resource) => ({ resource, pod: podName(pod) }));
  });
  return [...Map.groupBy(lacking, ({ resource }) => resource)].map(([resource, found]) => {
    const names = [...new Set(found.map(({ pod }) => pod))];
    const evidence =
      `pod ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}: NotTriggerScaleUp, Insufficient ` +
      `${resource}; the demand of policy ${joinWords(unmet)} waits`;
    const remedy =
      'tell the autoscaler what a new node will have, on AWS by a tag of its node group: ' +
      `k8s.io/cluster-autoscaler/node-template/resources/${resource}=N (docs/start-up-gate.md)`;
    return { code, evidence, remedy };
  });
}

/** A pod that tolerates our taint and should not, or the other way round, and what the cluster shows of what that costs. */
interface MisplacedPod {
  readonly pod: PodView;
  readonly code: 'OperandReturns' | 'OperandKeptAway';
  readonly cost: string;
}

/**
 * gpu-operator's DaemonSets tolerate `nvidia.com/gpu:NoSchedule` alone, and a node needs no more where the plugin follows a signal and the labels
 * stay right: what is kept away is a finding where a node has waited for it.
 */
function judgeTolerations(world: World): readonly Answer[] {
  const wrong = listPeopled(world)
    .filter(isEnforced)
    .flatMap((one) => [...listKeptAway(one, world), ...listReturning(one, world)])
    .filter(({ pod }) => isOfDaemonSet(pod));
  const bySet = Map.groupBy(wrong, ({ pod, code }) => `${pod.metadata.namespace}/${ownerOf(pod)?.name ?? ''} ${code}`);
  return [...bySet.values()].flatMap((found): readonly Answer[] => {
    const [first] = found;
    if (first === undefined) return [];
    const { pod, code, cost } = first;
    const { namespace } = pod.metadata;
    const set = ownerOf(pod)?.name ?? 'unknown';
    const what = `DaemonSet ${namespace}/${set} (${countWords(new Set(found.map((one) => podName(one.pod))).size, 'pod')})`;
    const { key, effect } = repartitioningTaint;
    const isKept = code === 'OperandKeptAway';
    const evidence = `${what} ${isKept ? 'does not tolerate' : 'tolerates'} ${key}:${effect}, and ${cost}`;
    const remedy = isKept
      ? `add {key: ${key}, operator: Exists, effect: ${effect}} to its tolerations (gpu-operator: daemonsets.tolerations; docs/device-plugin.md)`
      : `take the toleration, or one of every taint, from DaemonSet ${set}: kubectl -n ${namespace} edit daemonset ${set}`;
    return [{ code, evidence, remedy }];
  });
}

function mayStay({ spec }: PodView): boolean {
  return tolerates(spec?.tolerations, repartitioningTaint);
}

function listKeptAway({ name, node, pods: all, partition, isDra }: Peopled, world: World): readonly MisplacedPod[] {
  const pods = systemPods(all, world.systemNamespaces);
  const isUnlabelled = partition?.status?.conditions?.some(
    ({ type, reason }) => type === 'Ready' && reason === 'LabelsStale',
  );
  const keep = (found: readonly PodView[], cost: string): readonly MisplacedPod[] =>
    found.filter((pod) => !mayStay(pod)).map((pod) => ({ pod, code: 'OperandKeptAway', cost }));
  return [
    ...(waitedForPlugin(node) && !isDra
      ? keep(
          pluginPodsOf(pods),
          `the last change replaced its pod: each change that does waits some seconds longer for the new one`,
        )
      : []),
    ...(isUnlabelled === true
      ? keep(podsOfClient(discovery, pods), `node ${name} waits for its labels, up to a minute after each change`)
      : []),
  ];
}

function listReturning(one: Peopled, world: World): readonly MisplacedPod[] {
  const pods = systemPods(one.pods, world.systemNamespaces);
  const cost =
    'no deploy label removes it: an evicted pod comes straight back, keeps the GPUs open, and a change of MIG mode ends as ClientsStay';
  return defaultClients
    .filter(({ name }) => name.startsWith('dcgm'))
    .flatMap((client) => clientPods(client, pods).filter((pod) => !goesByLabel(client, pod, one)))
    .filter(mayStay)
    .map((pod) => ({ pod, code: 'OperandReturns', cost }));
}

/** Whether the controller removes a client's pod by its deploy label. */
function goesByLabel({ deployLabel }: Client, { spec }: PodView, { labels }: GpuNode): boolean {
  return (
    deployLabel !== undefined &&
    Object.hasOwn(spec?.nodeSelector ?? {}, deployLabel) &&
    labels[deployLabel] !== undefined
  );
}

function judgeClocks({ nodes }: World): readonly Answer[] {
  return nodes.flatMap(({ partition }) => (partition ? judgeClock(partition) : []));
}

function judgeClock({ metadata: { name }, status }: GpuNodePartition): readonly Answer[] {
  const seconds = status?.device?.clockSkewSeconds;
  if (seconds === undefined) return [];
  const evidence = `its agent measures that its clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the API server’s`;
  const remedy =
    'synchronize its clock (chronyc tracking, timedatectl): tokens, certificates and times in logs depend on it';
  return [{ code: 'ClockSkew', node: name, evidence, remedy }];
}

/** What only reports of agents show; they are judged again when an agent reports. */
const ofReports: readonly DoctorCode[] = ['GpuFault', 'ModePending', 'HalfMade', 'HostNotRestored', 'ClockSkew'];

const judgeAlone = memoize((partition: GpuNodePartition): readonly Answer[] => {
  const { closed, phase } = partition.status ?? {};
  const isChanging = closed?.since !== undefined || phase === 'Updating';
  return [...judgeReport(partition, isChanging), ...judgeClock(partition)];
});

/** Finds what is wrong by the reports of agents alone: for whoever watches them, and reads neither Nodes nor pods. */
export function diagnoseReports(partitions: readonly GpuNodePartition[]): Diagnosis {
  const others = doctorCodes.filter((code) => !ofReports.includes(code) && !onlyOnHost.includes(code));
  return asDiagnosis([
    ...partitions.flatMap(judgeAlone),
    ...others.map((code) => ({ code, why: 'Nodes and pods are not read here: gpu-partition doctor' })),
    ...listUncheckedOfHosts(),
  ]);
}

function listUncheckedOfHosts(): readonly UncheckedCode[] {
  return onlyOnHost.map((code) => ({ code, why: 'only the machine shows it: gpu-partition doctor --host' }));
}
