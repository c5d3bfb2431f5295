import { type Prediction, predictDevice } from '../../nvidia/predict.ts';
import { startupTaintKeys } from '../../../api/names.ts';
import { advertisedResources, resourcesText, advertises, listSliceDevices } from '../offer.ts';
import {
  driverDeployLabel,
  pausedForMigChange,
  pluginDeployLabel,
  driverPodsOf,
  readPluginSettings,
} from '../plugin-pods.ts';
import { usesGpu, publishDevices } from '../../device/holders.ts';
import { countWords } from '../../text/words.ts';
import {
  asksForClaims,
  type Backend,
  backendOf,
  configOf,
  isFoundOut,
  nameBackend,
  isUnfinished,
} from '../snapshot.ts';
import {
  type Outcome,
  refuseNode,
  type Ruling,
  type RuleInput,
  waitOpen,
  lookAgainMs,
  waitClosed,
} from '../commands.ts';
import { clusterPods, listClaimUsers, pluginPods, namePods } from './users.ts';
import { type PodView, gpuDriver, type ResourceSliceView } from '../../kubernetes/pod.ts';
import { type DevicePluginConfig, parseDevicePluginConfig, managedConfig } from '../../nvidia/plugin-config.ts';
import { isMigStrategy, MIG_STRATEGIES, type MigStrategy, strategyByLabels } from '../../nvidia/labels.ts';
import { deepEqual } from '../../text/json.ts';
import type { DeviceReport } from '../../../api/types.ts';
import { listManagedLabels } from './labels.ts';
import { metadataOf } from '../node-patch.ts';

const deployLabels: Readonly<Record<Backend, string>> = { DevicePlugin: pluginDeployLabel, DRA: driverDeployLabel };

/** Finds out what hands out the GPUs of a node. Until that is known, and that the cluster supports it, the node is asked for nothing. */
export function findBackend(situation: RuleInput): Outcome | undefined {
  const found = isFoundOut(situation) ? find(situation) : backendOf(situation);
  if (typeof found !== 'string') return found;
  if (found === 'DevicePlugin' || situation.draApi !== 'Missing') return undefined;
  return refuseNode(
    'NoDraApi',
    `the API server does not serve resource.k8s.io/v1, with which the DRA driver hands GPUs out: it needs Kubernetes 1.34 or later, ` +
      'with that API switched on. Upgrade the cluster, or set spec.backend: DevicePlugin',
  );
}

/** What a node's object says of its backend, which {@link findBackend} let pass; undefined: nothing, as of a device plugin by policy. */
export function backendToTell(situation: RuleInput): Backend | undefined {
  if (!isFoundOut(situation)) return backendOf(situation) === 'DRA' ? 'DRA' : undefined;
  const found = find(situation);
  return typeof found === 'string' ? found : situation.partition.spec.backend;
}

/**
 * What was found is kept, since a stack that restarts shows nothing for a moment: until its GPUs are in nobody’s hands and the other
 * stack is there instead.
 */
function find(situation: RuleInput): Backend | Outcome {
  const { node, partition, draApi, hasSlices, pods } = situation;
  const { backend: known } = partition.spec;
  if (draApi === 'Missing' && known !== 'DRA') return 'DevicePlugin';
  const advertised = resourcesText(advertisedResources(node.status?.allocatable ?? {}));
  if (pods === undefined) {
    const isPlugin = advertised !== 'nothing';
    if (known === 'DRA' && !isPlugin) return known;
    return known === 'DevicePlugin' && isPlugin && hasSlices !== true ? known : { needs: 'Pods' };
  }
  const signs = listSigns(situation, pods, advertised);
  const there = (['DevicePlugin', 'DRA'] as const).filter((one) => signs[one].length > 0);
  const [only] = there;
  if (there.length > 1) return refuseBoth(situation, signs);
  if (known === undefined) return only ?? byLabel(situation) ?? awaitStack(situation);
  const isPaused = node.metadata.labels?.[deployLabels[known]]?.startsWith('paused-for-') === true;
  // Our taint keeps away a driver that does not tolerate it, and the kubelet may offer what a plugin has left behind.
  const isLeftBehind = only === 'DevicePlugin' && isUnfinished(node) && pluginPods(situation, pods).length === 0;
  if (only === undefined || only === known || isPaused || isLeftBehind) return known;
  const left = listUsersOf(known, situation, pods);
  if (left.length === 0) return only;
  // Their claims may be for devices of other drivers.
  const isToAsk = situation.fresh === undefined && asksForClaims(situation);
  return isToAsk ? { needs: 'All' } : refuseChange(known, only, signs, left);
}

type Signs = Readonly<Record<Backend, readonly string[]>>;

/** What shows that a stack is on the node, in words. */
function listSigns(situation: RuleInput, pods: readonly PodView[], advertised: string): Signs {
  const devices = listSliceDevices(situation.fresh?.resourceSlices ?? situation.slices ?? []).length;
  const name = (found: readonly PodView[]): readonly string[] =>
    found.length > 0 ? [`pod ${namePods(found, 3)}`] : [];
  return {
    DevicePlugin: [
      ...(advertised === 'nothing' ? [] : [`advertises ${advertised}`]),
      ...name(pluginPods(situation, pods)),
    ],
    DRA: [
      ...(devices === 0 ? [] : [`${countWords(devices, 'device')} in ResourceSlices of ${gpuDriver}`]),
      ...name(driverPodsOf(clusterPods(situation, pods))),
    ],
  };
}

/** The backend by gpu-operator's label, where neither is there yet, or is paused. A node that is closed may have to be opened for it. */
function byLabel({ node }: RuleInput): Backend | undefined {
  const { labels = {} } = node.metadata;
  const coming = (['DevicePlugin', 'DRA'] as const).filter((one) =>
    ['true', pausedForMigChange].includes(labels[deployLabels[one]] ?? ''),
  );
  return coming.length === 1 ? coming[0] : undefined;
}

/** A claim is none of the device plugin's. One may be for anything until claims have been listed. */
function listUsersOf(
  backend: Backend,
  { node, partition, fresh }: RuleInput,
  pods: readonly PodView[],
): readonly PodView[] {
  if (backend === 'DRA') {
    const users = listClaimUsers(node, fresh);
    return pods.filter((pod) => usesGpu(pod, { resources: {}, mayClaim: users?.has(pod.metadata.uid ?? '') ?? true }));
  }
  const offered = partition.status?.device?.advertised?.resources;
  return pods.filter((pod) => usesGpu(pod, { offered, resources: node.status?.allocatable, mayClaim: false }));
}

function awaitStack({ node }: RuleInput): Ruling {
  const startup = node.spec?.taints?.find(({ key }) => startupTaintKeys.includes(key))?.key;
  // The taint is there to keep pods off until the layout is made, and what the layout is to be handed out by is one of those pods.
  const closed =
    startup === undefined ? '' : `. Its pods stay off this node unless they tolerate the start-up taint ${startup}`;
  const refusal = refuseNode(
    'BackendUnknown',
    'waiting for what hands out the GPUs of this node (spec.backend: Auto): it advertises no GPUs, has no ResourceSlices of ' +
      `${gpuDriver}, and no pod of the device plugin or of NVIDIA’s DRA driver. Install one of them on the node, or set spec.backend ` +
      `to DevicePlugin or DRA${closed}`,
  );
  return { ...refusal, verdict: { ...refusal.verdict, phase: 'Pending' } };
}

function refuseBoth({ node }: RuleInput, signs: Signs): Ruling {
  const off = (backend: Backend): string =>
    `kubectl label node ${node.metadata.name} ${deployLabels[backend]}=false --overwrite`;
  return refuseNode(
    'BackendMismatch',
    `both are on this node: the device plugin (${signs.DevicePlugin.join(', ')}) and the DRA driver (${signs.DRA.join(', ')}), and each ` +
      `would give the same GPU to pods. Take one of them off the node (with gpu-operator: ${off('DevicePlugin')}; or ${off('DRA')})`,
  );
}

function refuseChange(known: Backend, other: Backend, signs: Signs, left: readonly PodView[]): Ruling {
  return refuseNode(
    'BackendMismatch',
    `the ${nameBackend(other)} is on this node now (${signs[other].join(', ')}), and pods still have GPUs that its ` +
      `${nameBackend(known)} gave them: ${namePods(left)}. End these pods, or put the ${nameBackend(known)} back`,
  );
}

/** Whether the files can be read among which that of the node's plugin is to be. */
export function checkPluginConfig(situation: RuleInput): Outcome | undefined {
  const { settings, claim, configFiles } = situation;
  if (!settings.pluginConfigMap || !claim.winner || backendOf(situation) === 'DRA') return undefined;
  if (configFiles === undefined) return { needs: 'Pods' };
  if (configFiles.state === 'Read') return undefined;
  const { namespace, name } = settings.pluginConfigMap;
  const message = `the device plugin’s ConfigMap ${namespace}/${name} cannot be read: ${configFiles.why}. Nothing is touched until then`;
  return waitOpen('Failed', 'ConfigUnavailable', message, lookAgainMs);
}

/** Makes sure that the file that the node's plugin is going to use exists before anything is touched. */
export function publishConfig(situation: RuleInput): Ruling | undefined {
  const { settings, claim, configFiles } = situation;
  if (!settings.pluginConfigMap || !claim.winner || backendOf(situation) === 'DRA') return undefined;
  if (configFiles?.state !== 'Read') return undefined;
  const { namespace, name } = settings.pluginConfigMap;
  const { key, file } = managedConfig(claim.winner.spec);
  if (deepEqual(configFiles.files[key], file)) return undefined;
  const message = `config file ${key} of the device plugin is being written to ConfigMap ${namespace}/${name}`;
  return {
    ...waitClosed('Pending', 'AwaitingGrant', message, 250),
    commands: [{ name: 'PublishConfig', key, file }],
  };
}

/** What the node's plugin runs with: the file that its label names, else its default. Undefined if there is none that can be read. */
function configInUse(situation: RuleInput): DevicePluginConfig | undefined {
  const { node, configFiles } = situation;
  const key = configOf(node) ?? defaultConfig(situation);
  if (key === undefined || configFiles?.state !== 'Read') return undefined;
  const parsed = parseDevicePluginConfig(configFiles.files[key]);
  return parsed.ok ? parsed.config : undefined;
}

/** What a plugin's config manager takes where no label names a file (facts: labels.md). A plugin that is not known may have one. */
function defaultConfig(situation: RuleInput): string | undefined {
  const { pods } = situation;
  if (pods === undefined) return undefined;
  const found = pluginPods(situation, pods).map((pod) => readPluginSettings(pod).configMap);
  if (found.length === 0) return 'default';
  const managed = found.find((one) => one?.hasConfigManager === true);
  return managed && (managed.defaultKey ?? 'default');
}

/** Two stacks on a node would each hand out the same GPU. */
export function checkBackend(situation: RuleInput): Ruling | undefined {
  const { claim, fresh, slices } = situation;
  const { backend: asked = 'DevicePlugin' } = claim.winner?.spec ?? {};
  // Its slices count for as long as the driver publishes them.
  if (backendOf(situation) === 'DRA' && asked !== 'DevicePlugin') return checkNoPlugin(situation);
  return checkNoDriver(situation, fresh?.resourceSlices ?? slices ?? []);
}

function checkNoPlugin({ node }: RuleInput): Ruling | undefined {
  const offered = resourcesText(advertisedResources(node.status?.allocatable ?? {}));
  if (offered === 'nothing') return undefined;
  return refuseNode(
    'BackendMismatch',
    `the policy hands GPUs out by claims (backend DRA), but a device plugin advertises ${offered} on this node, and each would give ` +
      `the same GPU to pods. Take the device plugin off the node (with gpu-operator: kubectl label node ${node.metadata.name} ` +
      `${pluginDeployLabel}=false --overwrite), or set spec.backend: DevicePlugin. If the plugin has gone already, restart the kubelet, ` +
      'which did not notice',
  );
}

/** A driver that restarts publishes nothing for a moment, and claims may have its devices. */
function checkNoDriver(situation: RuleInput, slices: readonly ResourceSliceView[]): Ruling | undefined {
  const { node, pods = [] } = situation;
  const devices = listSliceDevices(slices).length;
  const drivers = driverPodsOf(clusterPods(situation, pods));
  if (devices === 0 && drivers.length === 0) return undefined;
  const sign =
    devices > 0
      ? `publishes ${countWords(devices, 'device')} of this node`
      : `is on this node (${namePods(drivers, 3)})`;
  return refuseNode(
    'BackendMismatch',
    `the policy hands GPUs out by the device plugin (backend DevicePlugin), but the DRA driver ${gpuDriver} ${sign}, and each would give ` +
      'the same GPU to pods. Take the DRA driver off the node (with gpu-operator: kubectl label ' +
      `node ${node.metadata.name} ${driverDeployLabel}=false --overwrite), or set spec.backend: DRA`,
  );
}

/** What NVIDIA's tools make of the device as it is, whether it matches the wish or not. */
interface CurrentOffer {
  /** The strategy by which the device plugin offers the device; undefined for a DRA driver. */
  readonly strategy?: MigStrategy;
  readonly labels: Prediction;
  readonly resources: Readonly<Record<string, number>>;
  /** NVIDIA's plugin exits on this device: it offers nothing once it has been restarted. */
  readonly cannotStart: boolean;
}

export function currentOffer(situation: RuleInput): CurrentOffer {
  if (backendOf(situation) === 'DRA') {
    const labels = predictDevice(situation.partition.status?.device ?? {}, 'mixed', undefined);
    return {
      labels,
      resources: {},
      cannotStart: publishDevices(situation.partition.status?.device ?? {}).problem !== undefined,
    };
  }
  const config = configInUse(situation);
  const strategy = strategyInUse(situation, config);
  const labels = predictDevice(situation.partition.status?.device ?? {}, strategy, config);
  const { resources, errors } = labels.offer;
  return { strategy, labels, resources, cannotStart: errors.length > 0 };
}

/**
 * The strategy with which the node's plugin runs, which need not be what a policy asks for: by its own settings, else by its config
 * file, else by what its kubelet offers if all of that exists, else by the labels that were written when it was last
 * known, else by what the node advertises.
 */
function strategyInUse(situation: RuleInput, config: DevicePluginConfig | undefined): MigStrategy {
  const { partition, node } = situation;
  const isOurs = listManagedLabels(metadataOf(node)).length > 0;
  const byLabels = strategyByLabels(node.metadata.labels ?? {}, isOurs);
  const known = knownStrategy(situation, config);
  const likely = [byLabels, partition.spec.strategy].filter(isMigStrategy);
  return (
    known ?? strategyByKubelet(situation, likely) ?? byLabels ?? strategyByOffer(situation) ?? likely[0] ?? 'mixed'
  );
}

/** The strategy of the node's plugin by its own settings, else by its config file; undefined if neither is known. */
export function knownStrategy(situation: RuleInput, config = configInUse(situation)): MigStrategy | undefined {
  const { pods = [] } = situation;
  const bySettings = pluginPods(situation, pods).map((pod) => readPluginSettings(pod).strategy?.value);
  return [...bySettings, config?.migStrategy].find(isMigStrategy);
}

/**
 * The strategy by which the kubelet's offer makes sense, in the middle of a change: a policy that released the node has taken its plugin's
 * config file away, so that the plugin has read the devices with other settings than the labels tell.
 */
function strategyByKubelet({ node, partition }: RuleInput, likely: readonly MigStrategy[]): MigStrategy | undefined {
  const { device = {} } = partition.status ?? {};
  const offered = Object.entries(device.advertised?.resources ?? {});
  if (!isUnfinished(node) || device.advertised?.stale !== 0 || offered.length === 0) return undefined;
  return explainCurrentOffer(device, Object.fromEntries(offered.map(([name, count]) => [name, String(count)])), likely);
}

/** A node that is changing advertises what it was. */
function strategyByOffer({ partition, node }: RuleInput): MigStrategy | undefined {
  if (isUnfinished(node)) return undefined;
  const { strategy } = partition.spec;
  const likely = strategy === undefined ? [] : [strategy];
  return explainCurrentOffer(partition.status?.device ?? {}, node.status?.allocatable ?? {}, likely);
}

/** The first likely strategy that explains what is offered, as several may; else any. */
export function explainCurrentOffer(
  device: DeviceReport,
  offered: Readonly<Record<string, string>>,
  likely: readonly MigStrategy[],
): MigStrategy | undefined {
  return [...likely, ...MIG_STRATEGIES].find((one) => {
    const { errors, resources } = predictDevice(device, one, undefined).offer;
    return errors.length === 0 && advertises(offered, resources);
  });
}
