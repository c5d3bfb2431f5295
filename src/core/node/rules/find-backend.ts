import { startupTaintKeys } from '../../../api/names.ts';
import { gpuDriver, listSliceDevices } from '../../dra/resource-slice.ts';
import { advertisedResources, resourcesText } from '../../nvidia/resources/advertised.ts';
import { driverDeployLabel, pluginDeployLabel } from '../../pods/gpu-holders.ts';
import { usesGpu } from '../../pods/gpu-pods.ts';
import { driverPodsOf } from '../../pods/plugin-pods.ts';
import { countWords } from '../../text/cut-text.ts';
import { asksForClaims, type Backend, backendOf, isFoundOut, nameBackend } from '../backend.ts';
import { isUnfinished } from '../node-view.ts';
import { type Outcome, refuse, type Ruling, type Situation } from '../outcome.ts';
import { clusterPods, listClaimUsers, pluginPods } from './cluster-pods.ts';
import { namePods, type PodView } from '../../pods/pod-view.ts';

const deployLabels: Readonly<Record<Backend, string>> = { DevicePlugin: pluginDeployLabel, DRA: driverDeployLabel };

/** Nothing is asked of a node before it is known what hands out its GPUs, and that the cluster can. */
export function findBackend(situation: Situation): Outcome | undefined {
  const found = isFoundOut(situation) ? find(situation) : backendOf(situation);
  if (typeof found !== 'string') return found;
  if (found === 'DevicePlugin' || situation.draApi !== 'Missing') return undefined;
  return refuse(
    'NoDraApi',
    `the API server does not serve resource.k8s.io/v1, with which the DRA driver hands GPUs out: it needs Kubernetes 1.34 or later, ` +
      'with that API switched on. Upgrade the cluster, or set spec.backend: DevicePlugin',
  );
}

/** What a node's object says of its backend, which {@link findBackend} let pass; undefined: nothing, as of a device plugin by policy. */
export function backendToTell(situation: Situation): Backend | undefined {
  if (!isFoundOut(situation)) return backendOf(situation) === 'DRA' ? 'DRA' : undefined;
  const found = find(situation);
  return typeof found === 'string' ? found : situation.partition.spec.backend;
}

/**
 * What was found is kept, since a stack that restarts shows nothing for a moment: until its GPUs are in nobody’s hands and the other
 * stack is there instead.
 */
function find(situation: Situation): Backend | Outcome {
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
function listSigns(situation: Situation, pods: readonly PodView[], advertised: string): Signs {
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

/** Where neither is there yet: gpu-operator's label of the one that is to come. A node that is closed may have to be opened for it. */
function byLabel({ node }: Situation): Backend | undefined {
  const { labels = {} } = node.metadata;
  const coming = (['DevicePlugin', 'DRA'] as const).filter((one) => labels[deployLabels[one]] === 'true');
  return coming.length === 1 ? coming[0] : undefined;
}

/** A claim is none of the device plugin's. One may be for anything until claims have been listed. */
function listUsersOf(
  backend: Backend,
  { node, partition, fresh }: Situation,
  pods: readonly PodView[],
): readonly PodView[] {
  if (backend === 'DRA') {
    const users = listClaimUsers(node, fresh);
    return pods.filter((pod) => usesGpu(pod, { resources: {}, mayClaim: users?.has(pod.metadata.uid ?? '') ?? true }));
  }
  const offered = partition.status?.device?.advertised?.resources;
  return pods.filter((pod) => usesGpu(pod, { offered, resources: node.status?.allocatable, mayClaim: false }));
}

function awaitStack({ node }: Situation): Ruling {
  const startup = node.spec?.taints?.find(({ key }) => startupTaintKeys.includes(key))?.key;
  // The taint is there to keep pods off until the layout is made, and what the layout is to be handed out by is one of those pods.
  const closed =
    startup === undefined ? '' : `. Its pods stay off this node unless they tolerate the start-up taint ${startup}`;
  const refusal = refuse(
    'BackendUnknown',
    'waiting for what hands out the GPUs of this node (spec.backend: Auto): it advertises no GPUs, has no ResourceSlices of ' +
      `${gpuDriver}, and no pod of the device plugin or of NVIDIA’s DRA driver. Install one of them on the node, or set spec.backend ` +
      `to DevicePlugin or DRA${closed}`,
  );
  return { ...refusal, verdict: { ...refusal.verdict, phase: 'Pending' } };
}

function refuseBoth({ node }: Situation, signs: Signs): Ruling {
  const off = (backend: Backend): string =>
    `kubectl label node ${node.metadata.name} ${deployLabels[backend]}=false --overwrite`;
  return refuse(
    'BackendMismatch',
    `both are on this node: the device plugin (${signs.DevicePlugin.join(', ')}) and the DRA driver (${signs.DRA.join(', ')}), and each ` +
      `would give the same GPU to pods. Take one of them off the node (with gpu-operator: ${off('DevicePlugin')}; or ${off('DRA')})`,
  );
}

function refuseChange(known: Backend, other: Backend, signs: Signs, left: readonly PodView[]): Ruling {
  return refuse(
    'BackendMismatch',
    `the ${nameBackend(other)} is on this node now (${signs[other].join(', ')}), and pods still have GPUs that its ` +
      `${nameBackend(known)} gave them: ${namePods(left)}. End these pods, or put the ${nameBackend(known)} back`,
  );
}
