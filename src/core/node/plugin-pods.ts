// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here which pods are the device plugin or the DRA driver, how they are set, what they lack, and which programs hold GPUs unasked.
import { hasEnded, type PodView, isOfDaemonSet, type ContainerView, podName } from '../kubernetes/pod.ts';
import { isMigStrategy, MIG_STRATEGIES, type MigStrategy } from '../nvidia/labels.ts';
import { allocationPolicies } from '../nvidia/plugin-config.ts';
import { omitUndefined, isFields } from '../text/json.ts';
import { cutText } from '../text/words.ts';
import { isBorrowable } from './node-patch.ts';

export type LabelSelector = Readonly<Record<string, string>>;

/** Pods of NVIDIA's device plugin: gpu-operator's, the Helm chart's, the static manifest's. */
const knownPlugins: readonly LabelSelector[] = [
  { app: 'nvidia-device-plugin-daemonset' },
  { 'app.kubernetes.io/name': 'nvidia-device-plugin' },
  { name: 'nvidia-device-plugin-ds' },
];

/** Pods of NVIDIA's DRA driver that publish GPUs: its Helm chart's, and those of gpu-operator's GPUCluster. */
const knownDrivers: readonly LabelSelector[] = [
  { 'dra-driver-nvidia-gpu-component': 'kubelet-plugin' },
  { app: 'nvidia-dra-driver-kubelet-plugin' },
];

/** The part of the driver that hands out no GPUs, but channels between nodes: its chart may deploy it alone. */
const channelContainer = 'compute-domains';

/** The pods of NVIDIA's DRA driver that publish GPUs among those of a node. */
export function driverPodsOf(pods: readonly PodView[]): readonly PodView[] {
  return daemonPods(pods, knownDrivers).filter(({ spec }) =>
    (spec?.containers ?? []).some(({ name }) => name !== channelContainer),
  );
}

// The Helm chart gives its three DaemonSets the same labels; only the containers tell their pods apart.
const otherContainers = ['gpu-feature-discovery-ctr', 'mps-control-daemon-ctr'];

/**
 * The pods of the device plugin among those of a node. Only a DaemonSet's: other pods might not be recreated.
 *
 * @param more labels of a plugin that is not NVIDIA's
 */
export function pluginPodsOf(pods: readonly PodView[], more?: LabelSelector): readonly PodView[] {
  return daemonPods(pods, selectorsWith(more)).filter(
    ({ spec }) => !(spec?.containers ?? []).some(({ name }) => name !== undefined && otherContainers.includes(name)),
  );
}

function daemonPods(pods: readonly PodView[], selectors: readonly LabelSelector[]): readonly PodView[] {
  const isMeant = ({ metadata: { labels = {} } }: PodView): boolean =>
    selectors.some((selector) => Object.entries(selector).every(([key, value]) => labels[key] === value));
  return pods.filter((pod) => !hasEnded(pod) && isOfDaemonSet(pod) && isMeant(pod));
}

/** The labels that identify a device plugin, in words: `a=b, c=d or e=f`. */
export function describePluginSelectors(more?: LabelSelector): string {
  const texts = selectorsWith(more).map((selector) =>
    Object.entries(selector)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  );
  return `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

function selectorsWith(more: LabelSelector | undefined): readonly LabelSelector[] {
  return more === undefined ? knownPlugins : [...knownPlugins, more];
}

/** A setting, and its origin in words for people; its value is undefined if the API does not reveal it (`valueFrom`). */
interface PluginSetting {
  readonly value: string | undefined;
  readonly from: string;
}

interface PluginSettings {
  /** MIG strategy by argument or environment, which override the config file; absent: the file decides, else the default. */
  readonly strategy?: PluginSetting;
  /** Path of the config file, if there is one. */
  readonly configFile?: PluginSetting;
  /** ConfigMap that the config file comes from. */
  readonly configMap?: {
    readonly name: string;
    /** Whether the label `nvidia.com/device-plugin.config` selects the file, and changing it restarts the plugin. */
    readonly hasConfigManager: boolean;
    /** Key of the file on a node without that label, as the config manager was told (`DEFAULT_CONFIG`); absent: the one named `default`. */
    readonly defaultKey?: string;
  };
}

const pluginContainers: readonly string[] = ['nvidia-device-plugin-ctr', 'nvidia-device-plugin'];

/**
 * How a device plugin is configured. Precedence is upstream's: argument, then environment, then config file, then the default
 * `none`. The names are those of gpu-operator's DaemonSet, the Helm chart, and the static manifests.
 */
export function readPluginSettings(pod: PodView): PluginSettings {
  const { containers = [], initContainers = [], volumes = [] } = pod.spec ?? {};
  const plugin = findPlugin(containers);
  const configMap = findConfigMap(plugin, [...containers, ...initContainers], volumes);
  if (plugin === undefined) return omitUndefined({ configMap });
  const operator =
    pod.metadata.labels?.['app'] === 'nvidia-device-plugin-daemonset'
      ? ' (gpu-operator sets it from spec.mig.strategy of the ClusterPolicy, or from spec.devicePlugin.env)'
      : '';
  const strategy = readSetting(plugin, 'mig-strategy', 'MIG_STRATEGY', operator);
  const configFile = readSetting(plugin, 'config-file', 'CONFIG_FILE', '');
  return omitUndefined({ strategy, configFile: configFile?.value === '' ? undefined : configFile, configMap });
}

/**
 * Why the settings of a plugin's pod do not serve a policy, and what to do; undefined if they do, or if that is unknown.
 *
 * @param wanted the policy's strategy, the ConfigMap from which the label on the node is to choose a file, if there is one, and which shared
 *   slice pods are to get
 */
export function findMisfit(
  pod: PodView,
  wanted: {
    readonly strategy: MigStrategy;
    readonly configMap?: string | undefined;
    readonly allocation?: keyof typeof allocationPolicies | undefined;
  },
): { readonly reason: 'StrategyMismatch' | 'SharingRefused'; readonly message: string } | undefined {
  const settings = readPluginSettings(pod);
  // What a plugin other than NVIDIA's does without settings is unknown.
  if (settings.strategy === undefined && pluginPodsOf([pod]).length === 0) return undefined;
  const mismatch = strategyMismatch(settings, wanted.strategy);
  if (mismatch !== undefined) return { reason: 'StrategyMismatch', message: mismatch };
  const gap =
    (wanted.configMap === undefined ? undefined : findConfigManagerGap(settings, wanted.configMap)) ??
    (wanted.allocation === undefined ? undefined : findAllocationGap(pod, wanted.allocation));
  return gap === undefined ? undefined : { reason: 'SharingRefused', message: gap };
}

/** Why the plugin advertises the devices differently from what the policy wants; undefined if it does not, or if that is unknown. */
function strategyMismatch(
  { strategy, configFile, configMap }: PluginSettings,
  wanted: MigStrategy,
): string | undefined {
  if (strategy !== undefined) {
    if (strategy.value === undefined) return undefined;
    return describeSetting(strategy.value, strategy.from, wanted);
  }
  // Nobody here has read its file; one of ours gets the policy's strategy as soon as the layout is there.
  if (configFile !== undefined || configMap !== undefined) return undefined;
  return describeSetting('none', 'the default: neither --mig-strategy nor MIG_STRATEGY is set', wanted);
}

/** Why the label `nvidia.com/device-plugin.config` would have no effect on this plugin; undefined if it has one. */
function findConfigManagerGap({ configMap }: PluginSettings, wanted: string): string | undefined {
  if (configMap?.hasConfigManager !== true) {
    return (
      `the device plugin's pod has no config manager, so the label nvidia.com/device-plugin.config has no effect: ` +
      `give it the ConfigMap ${wanted} (Helm chart: config.name; gpu-operator: spec.devicePlugin.config.name of the ClusterPolicy)`
    );
  }
  if (configMap.name === wanted) return undefined;
  return `the device plugin takes its config files from ConfigMap ${configMap.name}, not from ${wanted}: use the same one in both`;
}

/** The first minor version of the plugin with a choice (k8s-device-plugin#1621); earlier ones ignore it and distribute. */
const firstWithChoice = 20;

/** Why a plugin would not give pods the shared slices that the policy says; undefined if it would, or if its version is not known. */
function findAllocationGap({ spec }: PodView, wanted: keyof typeof allocationPolicies): string | undefined {
  const plugin = findPlugin(spec?.containers ?? []);
  if (plugin === undefined) return undefined;
  const [, version = '', minor] = /:(v0\.(\d+)\.[^@]*)/.exec(plugin.image ?? '') ?? [];
  if (wanted === 'Packed' && minor !== undefined && Number(minor) < firstWithChoice)
    return (
      `the device plugin is ${version}, which distributes shared slices and ignores sharing.allocation: Packed: ` +
      `update it to v0.${firstWithChoice}.0 or newer, or leave allocation out`
    );
  const setting = readSetting(plugin, 'shared-devices-allocation-policy', 'SHARED_DEVICES_ALLOCATION_POLICY', '');
  const value = setting?.value ?? allocationPolicies[wanted];
  if (value === allocationPolicies[wanted]) return undefined;
  return `the policy wants sharing.allocation: ${wanted}, and ${value} is set by ${setting?.from}, which overrides the config file: remove it there`;
}

function describeSetting(value: string, from: string, wanted: MigStrategy): string | undefined {
  if (value === wanted) return undefined;
  const found = value === '' ? 'an empty text' : value;
  const invalid = isMigStrategy(value) ? '' : `, which is not one of ${MIG_STRATEGIES.join(', ')}`;
  return (
    `the device plugin's MIG strategy is ${found}${invalid} by ${from}, and the policy wants ${wanted}: ` +
    `set it to ${wanted} there, or set the policy’s spec.strategy to the plugin’s`
  );
}

function findPlugin(containers: readonly ContainerView[]): ContainerView | undefined {
  return (
    containers.find(({ name }) => name !== undefined && pluginContainers.includes(name)) ??
    containers.find((container) => words(container).some((word) => word.endsWith('nvidia-device-plugin'))) ??
    containers.find((container) => !isConfigManager(container))
  );
}

function isConfigManager(container: ContainerView): boolean {
  return words(container).some((word) => word === 'config-manager' || word.endsWith('/config-manager'));
}

/** The ConfigMap that the config manager selects from, else the one that contains the plugin's config file. */
function findConfigMap(
  plugin: ContainerView | undefined,
  containers: readonly ContainerView[],
  volumes: NonNullable<NonNullable<PodView['spec']>['volumes']>,
): PluginSettings['configMap'] {
  const configManager = containers.find(isConfigManager);
  const folder = configManager?.env?.find(({ name }) => name === 'CONFIG_FILE_SRCDIR')?.value;
  const chosen = folder === undefined ? undefined : configMapAt(configManager, folder, volumes);
  if (chosen !== undefined) {
    const defaultKey = configManager?.env?.find(({ name }) => name === 'DEFAULT_CONFIG')?.value;
    return { name: chosen, hasConfigManager: true, ...(defaultKey && { defaultKey }) };
  }
  const file = plugin === undefined ? undefined : readSetting(plugin, 'config-file', 'CONFIG_FILE', '')?.value;
  const fixed = file === undefined || file === '' ? undefined : configMapAt(plugin, file, volumes);
  return fixed === undefined ? undefined : { name: fixed, hasConfigManager: false };
}

/** Name of the ConfigMap that is mounted at a path or in a folder above it. */
function configMapAt(
  container: ContainerView | undefined,
  path: string,
  volumes: NonNullable<NonNullable<PodView['spec']>['volumes']>,
): string | undefined {
  const mount = (container?.volumeMounts ?? [])
    .filter(({ mountPath }) => path === mountPath || path.startsWith(`${mountPath.replace(/\/$/, '')}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0];
  return volumes.find(({ name }) => name === mount?.name)?.configMap?.name;
}

function readSetting(
  container: ContainerView,
  flag: string,
  variable: string,
  remark: string,
): PluginSetting | undefined {
  const name = container.name ?? 'without a name';
  const argument = readFlag(words(container), flag);
  if (argument !== undefined) return { value: argument, from: `argument --${flag} of container ${name}` };
  // Of several entries with one name the kubelet takes the last.
  const entry = (container.env ?? []).findLast((one) => one.name === variable);
  if (entry === undefined) return undefined;
  const from = `environment ${variable} of container ${name}${remark}`;
  const isKnown = entry.valueFrom === undefined && !(entry.value ?? '').includes('$(');
  return { value: isKnown ? (entry.value ?? '') : undefined, from };
}

/** Value of the last such flag; Go flags may have one dash or two. */
function readFlag(list: readonly string[], flag: string): string | undefined {
  const found = list.flatMap((word, index) => {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/.exec(word) ?? [];
    return name === flag ? [value ?? list[index + 1] ?? ''] : [];
  });
  return found.at(-1)?.replaceAll(/^["']|["']$/g, '');
}

/** Command and arguments, with a shell's line split at its spaces. */
function words({ command = [], args = [] }: ContainerView): readonly string[] {
  return [...command, ...args].flatMap((text) => text.split(/\s+/)).filter((word) => word !== '');
}

/** The end of a container's log or of an image error may be long; a condition's message is not the place for all of it. */
const longest = 300;

/** Why a device plugin's pod is not ready, as the kubelet and the scheduler word it; undefined for one that is. */
export function explainPluginPod(pod: PodView): string | undefined {
  const { metadata, status } = pod;
  const name = `pod ${podName(pod)}`;
  if (metadata.deletionTimestamp !== undefined) return `${name} is being terminated`;
  const { phase, conditions = [], initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded') {
    return `${name} has ended (${phase})${detail(status?.reason, status?.message)}`;
  }
  if (conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True')) return undefined;
  const unscheduled = conditions.find(({ type, status: value }) => type === 'PodScheduled' && value === 'False');
  if (unscheduled !== undefined) return `${name} has no node${detail(unscheduled.reason, unscheduled.message)}`;
  const init = initContainerStatuses.find(({ state }) => state?.terminated?.exitCode !== 0);
  if (init !== undefined) return `${name}: init container ${describeContainer(init, 'has not ended')}`;
  const container = containerStatuses.find(({ ready }) => ready !== true);
  if (container !== undefined) return `${name}: container ${describeContainer(container, 'is not ready')}`;
  return `${name} has not started yet`;
}

/** Whether one of its containers keeps failing, rather than being about to start. */
export function isFailing({ status }: PodView): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(
    ({ state, restartCount = 0 }) =>
      /BackOff|Err|Invalid/.test(state?.waiting?.reason ?? '') ||
      (restartCount > 0 && (state?.terminated?.exitCode ?? 0) !== 0),
  );
}

/** The kubelet forgets a container's restarts once it has run for so long: twice its longest delay, in ms (client-go `flowcontrol.Backoff`). */
const backoffEndMs = 600_000;

/** Whether the kubelet would delay the next restart of a container, since it has restarted it lately. */
export function isFreshRestart({ status }: PodView, now: number): boolean {
  return (status?.containerStatuses ?? []).some(({ state, restartCount = 0 }) => {
    const startedAt = Date.parse(state?.running?.startedAt ?? '');
    return restartCount > 0 && !(now - startedAt > backoffEndMs);
  });
}

type ContainerStatus = NonNullable<NonNullable<PodView['status']>['containerStatuses']>[number];

function describeContainer({ name, state, lastState, restartCount = 0 }: ContainerStatus, lacks: string): string {
  const last = lastState?.terminated;
  const before = last === undefined ? '' : `; it ended with ${last.exitCode}${detail(last.reason, last.message)}`;
  const often = restartCount === 0 ? '' : `; restarts: ${restartCount}`;
  const { waiting, terminated, running } = state ?? {};
  if (waiting !== undefined) return `${name} is waiting${detail(waiting.reason, waiting.message)}${before}${often}`;
  if (terminated !== undefined) {
    return `${name} ended with ${terminated.exitCode}${detail(terminated.reason, terminated.message)}${often}`;
  }
  return running === undefined ? `${name} has not started yet` : `${name} runs and ${lacks} yet${before}${often}`;
}

function detail(reason: string | undefined, message: string | undefined): string {
  const parts = [reason, message].map((part) => part?.trim() ?? '').filter((part) => part !== '');
  const text = parts.join(': ').replaceAll(/\s+/g, ' ');
  return text === '' ? '' : `: ${cutText(text, longest)}`;
}

/**
 * Occasions on which the pods of a client must go: a change of MIG mode or a reset (`ModeChange`), a change that failed because the GPU is
 * in use (`InUse`), every change once it is done, to read the devices again (`AfterChange`).
 */
const clientOccasions = ['AfterChange', 'ModeChange', 'InUse'] as const;
type ClientOccasion = (typeof clientOccasions)[number];

/** A program on GPU nodes that holds GPUs without requesting them: it keeps NVML open, or remembers previous devices. */
export interface GpuClient {
  readonly name: string;
  /** Label by which its DaemonSet selects nodes, `true` where it runs: changing the value removes it. */
  readonly deployLabel?: string;
  /** Labels of its pods. */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** Name of a container that identifies its pods, if others have the same labels. */
  readonly container?: string;
  /** Occasions on which its pods must go; if empty, they never have to. */
  readonly goes: readonly ClientOccasion[];
}

/** Value that mig-manager gives a deploy label while MIG changes; other tools know it (mig-parted `cmd/nvidia-mig-manager`). */
export const pausedForMigChange = 'paused-for-mig-change';

export const pluginDeployLabel = 'nvidia.com/gpu.deploy.device-plugin';
/** The label with which gpu-operator's GPUCluster deploys the DRA driver. */
export const driverDeployLabel = 'nvidia.com/gpu.deploy.dra-driver';

const always: readonly ClientOccasion[] = ['AfterChange', 'ModeChange', 'InUse'];

/**
 * The clients that mig-manager pauses, under the labels of gpu-operator. The device plugin does not go after a change: its restart
 * is the refresh with which every change ends.
 */
export const defaultClients: readonly GpuClient[] = [
  { name: 'device-plugin', deployLabel: pluginDeployLabel, goes: ['ModeChange', 'InUse'] },
  // It has to unprepare the claims of pods that go, and opens NVML only for a moment: away only where a GPU stays in use.
  { name: 'dra-driver', deployLabel: driverDeployLabel, goes: ['InUse'] },
  // The device plugin's chart gives the pods of both the same labels.
  {
    name: 'gpu-feature-discovery',
    deployLabel: 'nvidia.com/gpu.deploy.gpu-feature-discovery',
    container: 'gpu-feature-discovery-ctr',
    goes: always,
  },
  // gpu-operator 26.7.2 gives the pods of both a component, under whichever label it deploys them.
  {
    name: 'dcgm',
    deployLabel: 'nvidia.com/gpu.deploy.dcgm',
    podLabels: { 'app.kubernetes.io/component': 'nvidia-dcgm' },
    goes: always,
  },
  {
    name: 'dcgm-exporter',
    deployLabel: 'nvidia.com/gpu.deploy.dcgm-exporter',
    podLabels: { 'app.kubernetes.io/name': 'dcgm-exporter' },
    goes: always,
  },
  // The same two where a GPUCluster of gpu-operator (26.7) deploys them beside the DRA driver.
  { name: 'dcgm-dra', deployLabel: 'nvidia.com/gpu.deploy.dcgm-dra', goes: always },
  {
    name: 'dcgm-exporter-dra',
    deployLabel: 'nvidia.com/gpu.deploy.dcgm-exporter-dra',
    podLabels: { 'app.kubernetes.io/component': 'nvidia-dcgm-exporter' },
    goes: always,
  },
  { name: 'nvsm', deployLabel: 'nvidia.com/gpu.deploy.nvsm', goes: ['ModeChange', 'InUse'] },
  { name: 'client', deployLabel: 'nvidia.com/gpu.deploy.client', goes: ['ModeChange', 'InUse'] },
];

const fields: readonly string[] = ['name', 'deployLabel', 'podLabels', 'container', 'goes'];
/** Labels of gpu-operator; the part after the prefix is a client's name there. */
const operatorLabel = /^nvidia\.com\/gpu\.deploy\.[a-z0-9.-]+$/;
/** `PREFIX/NAME` as Kubernetes accepts it for a label key, the prefix a DNS subdomain. */
const qualifiedKey = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
/** What the controller's admission policy allows it to write (config/rbac/controller-admission.yaml). */
const ownDomains = ['nvidia.com/', 'gpupartition.dev/'];
const labelKey = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;

/**
 * The GPU clients of a `--gpu-clients` file, already parsed from YAML: {@link defaultClients}, each replaced by the file's entry
 * with its name, followed by the file's others. A string describes what is wrong with the file.
 */
export function checkClients(value: unknown): readonly GpuClient[] | string {
  if (!isFields(value)) return 'must be an object with a list "clients"';
  const unknown = Object.keys(value).find((key) => key !== 'clients');
  if (unknown !== undefined) return `unknown field ${quote(unknown)}; known: clients`;
  const entries = value['clients'];
  if (!Array.isArray(entries)) return 'clients: must be a list';
  const clients: GpuClient[] = [];
  for (const [index, entry] of entries.entries()) {
    const client = checkClient(entry, `clients[${index}]`);
    if (typeof client === 'string') return client;
    const first = clients.findIndex(({ name }) => name === client.name);
    if (first >= 0) return `clients[${index}].name: ${quote(client.name)} is already the name of clients[${first}]`;
    clients.push(client);
  }
  return mergeClients(clients);
}

function mergeClients(clients: readonly GpuClient[]): readonly GpuClient[] {
  const kept = defaultClients.map((standard) => clients.find(({ name }) => name === standard.name) ?? standard);
  return [...kept, ...clients.filter((client) => !kept.includes(client))];
}

function checkClient(entry: unknown, path: string): GpuClient | string {
  if (!isFields(entry)) return `${path}: must be an object with ${fields.join(', ')}`;
  const unknown = Object.keys(entry).find((key) => !fields.includes(key));
  if (unknown !== undefined) return `${path}: unknown field ${quote(unknown)}; known: ${fields.join(', ')}`;
  const { name, deployLabel, podLabels, container, goes } = entry;
  if (typeof name !== 'string' || name === '') return `${path}.name: must be a non-empty string`;
  const at = `${path} (${name})`;
  if (deployLabel === undefined && podLabels === undefined && container === undefined)
    return `${at}: needs deployLabel, podLabels or container, or several of them`;
  if (container !== undefined && (typeof container !== 'string' || container === ''))
    return `${at}.container: must be the name of a container`;
  const wrong =
    (deployLabel === undefined ? undefined : findDeployLabelError(deployLabel, `${at}.deployLabel`)) ??
    (podLabels === undefined ? undefined : findPodLabelsError(podLabels, `${at}.podLabels`)) ??
    findOccasionError(goes, `${at}.goes`);
  if (wrong !== undefined) return wrong;
  return {
    name,
    ...(typeof deployLabel === 'string' ? { deployLabel } : {}),
    ...(isTextMap(podLabels) ? { podLabels } : {}),
    ...(typeof container === 'string' ? { container } : {}),
    goes: isOccasionList(goes) ? goes : [],
  };
}

function findDeployLabelError(value: unknown, at: string): string | undefined {
  if (typeof value === 'string' && (operatorLabel.test(value) || qualifiedKey.test(value))) {
    if (isBorrowable(value) && ownDomains.some((domain) => value.startsWith(domain))) return undefined;
    return `${at}: ${quote(value)} is never changed: the controller may only change labels of ${ownDomains.join(' and ')}`;
  }
  return `${at}: must be a label key with a prefix, such as nvidia.com/gpu.deploy.client; found ${quote(value)}`;
}

function findPodLabelsError(value: unknown, at: string): string | undefined {
  if (!isTextMap(value) || Object.keys(value).length === 0) {
    return `${at}: must be an object of label key to value, not empty; found ${quote(value)}`;
  }
  const wrong = Object.entries(value).find(([key, text]) => !labelKey.test(key) || !labelValue.test(text));
  return wrong === undefined ? undefined : `${at}: ${quote(wrong.join('='))} is not a label`;
}

function findOccasionError(value: unknown, at: string): string | undefined {
  const hint = `must be a list of ${clientOccasions.join(', ')}; [] for a client that stays`;
  if (!Array.isArray(value)) return `${at}: ${hint}`;
  const wrong: unknown = value.find((item) => !isOccasion(item));
  return isOccasionList(value) ? undefined : `${at}: unknown occasion ${quote(wrong)}; ${hint}`;
}

function isOccasion(value: unknown): value is ClientOccasion {
  return clientOccasions.some((occasion) => occasion === value);
}

function isOccasionList(value: unknown): value is readonly ClientOccasion[] {
  return Array.isArray(value) && value.every(isOccasion);
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isFields(value) && Object.values(value).every((item) => typeof item === 'string');
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
