import {
  type MigStrategy,
  isGfdLabelKey,
  dropInvalidLabels,
  type Labels,
  GFD_TIMESTAMP_KEY,
  computeLabels,
} from '../../core/nvidia/labels.ts';
import type { Sharing } from '../../core/nvidia/plugin-config.ts';
import type { JsonPatchOperation } from '../../core/text/json.ts';
import type { KubeletNode, PodObject } from './node.ts';
import type { KubeClient } from '../../kube/client.ts';
import { describeNode } from './gpu-devices.ts';
import { nodes as nodesResource } from '../../api/resources.ts';
import type { Machine } from './machine.ts';
import type { KubeletTiming } from './pods.ts';
import {
  findDevices,
  offerPossibleDevices,
  withoutIdleInstances,
  type DriverOffer,
  publishDevices,
} from '../dra-driver/devices.ts';
import { failureToOpen } from '../nvidia-smi/faults.ts';

/** A daemon's settings, from whatever source. */
interface WorkSettings {
  readonly strategy: MigStrategy;
  readonly sharing: Sharing | undefined;
}

/** Result of one run of work. */
export interface DaemonRunResult {
  /** Upstream's message on exit; absent if the program keeps running. */
  readonly failure?: string;
  /** Milliseconds until the program next works unasked; absent: it does not. */
  readonly againAfterMs?: number;
}

/** The work of a daemon's process. */
export interface DaemonWork {
  /** Called when the process starts, and again on SIGHUP. */
  start(settings: WorkSettings): DaemonRunResult;
  /** Called whenever anything happens on the node; the work knows when it is due. */
  continue(): Promise<DaemonRunResult>;
  /** The process is gone. */
  stop(): void;
}

/** The annotation in which NFD's master records which labels it owns. */
export const featureLabelsAnnotation = 'nfd.node.kubernetes.io/feature-labels';

/**
 * What NFD's master patches so that a Node carries these labels: its own keys that are now missing are removed, differing values
 * replaced, the rest stays. A value that Kubernetes would refuse is silently omitted. Empty if the Node already matches.
 */
export function patchFeatureLabels({ metadata }: KubeletNode, wanted: Labels): readonly JsonPatchOperation[] {
  const { labels = {}, annotations } = metadata;
  const kept = dropInvalidLabels(wanted);
  const owned = (annotations?.[featureLabelsAnnotation] ?? '').split(',').filter((key) => key !== '');
  // NFD's labels from other sources than GPU Feature Discovery stay as they are.
  const others = owned.filter((key) => !isGfdLabelKey(key));
  const gone = owned.filter((key) => isGfdLabelKey(key) && !Object.hasOwn(kept, key) && Object.hasOwn(labels, key));
  const differing = Object.entries(kept).filter(([key, value]) => labels[key] !== value);
  const note = [...others, ...Object.keys(kept)].toSorted().join(',');
  const changes: readonly JsonPatchOperation[] = [
    ...gone.map((key) => ({ op: 'remove', path: pathOf('labels', key) }) as const),
    ...differing.map(([key, value]) => ({ op: 'add', path: pathOf('labels', key), value }) as const),
  ];
  const annotated = annotations?.[featureLabelsAnnotation] === note ? [] : noteOf(metadata, note);
  return [...changes, ...annotated];
}

function noteOf(
  { annotations, resourceVersion }: KubeletNode['metadata'],
  note: string,
): readonly JsonPatchOperation[] {
  if (annotations !== undefined)
    return [{ op: 'add', path: pathOf('annotations', featureLabelsAnnotation), value: note }];
  // The first annotation of a Node must not overwrite those that another writer has added meanwhile.
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/metadata/annotations', value: { [featureLabelsAnnotation]: note } },
  ];
}

/** RFC 6901 writes `/` as `~1`. */
function pathOf(field: 'labels' | 'annotations', key: string): string {
  return `/metadata/${field}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * GPU Feature Discovery, and NFD's master that writes for it: labels the node at the start and at every interval.
 *
 * @param client with the field manager `nfd-master`
 */
export function discoveryWork(machine: Machine, client: KubeClient, timing: KubeletTiming): DaemonWork {
  let settings: WorkSettings | undefined;
  let timestamp = 0;
  let dueMs = 0;
  return {
    start: (given) => {
      settings = given;
      timestamp = Math.floor(Date.now() / 1000);
      dueMs = performance.now() + timing.gfdStartMs;
      return {};
    },
    continue: async () => {
      const waitMs = dueMs - performance.now();
      if (settings === undefined) return {};
      if (waitMs > 0) return { againAfterMs: waitMs };
      const failure = await labelNode(machine, client, settings, timestamp);
      if (failure !== undefined) return { failure };
      dueMs = performance.now() + timing.gfdIntervalMs;
      return { againAfterMs: timing.gfdIntervalMs };
    },
    // The labels stay, as in a cluster whose GFD is paused.
    stop: () => {
      settings = undefined;
    },
  };
}

/** @returns why it cannot */
async function labelNode(
  machine: Machine,
  client: KubeClient,
  { strategy, sharing }: WorkSettings,
  timestamp: number,
): Promise<string | undefined> {
  const { gpus, node } = machine;
  const state = machine.readState();
  if (state === undefined) return 'error creating labeler: ERROR_UNKNOWN';
  const { labels, errors } = computeLabels(describeNode(gpus, state, node), strategy, sharing && { sharing });
  const [error] = errors;
  if (error !== undefined) return error.message;
  const ref = { resource: nodesResource, name: node.name };
  const object = await client.find<KubeletNode>(ref);
  if (object === undefined) return undefined;
  const patch = patchFeatureLabels(object, { ...labels, [GFD_TIMESTAMP_KEY]: `${timestamp}` });
  if (patch.length > 0) await client.patch(ref, patch, { metadataOnly: true });
  return undefined;
}

/**
 * NVIDIA's DRA driver: reads the devices once, publishes them, and prepares claims for them until it ends. Its slice stays.
 *
 * @param client with the driver's own field manager
 */
export function driverWork(machine: Machine, client: KubeClient, pod: PodObject): DaemonWork {
  const { gpus, node, driver } = machine;
  const { uid = '' } = pod.metadata;
  const isDynamic = hasGate(pod, 'DynamicMIG');
  /** The offer that is still to be published. */
  let due: DriverOffer | undefined;
  return {
    start: () => {
      if (isDynamic) machine.changeState(withoutIdleInstances);
      const state = machine.readState();
      if (state === undefined) return { failure: 'error creating driver: error initializing NVML: ERROR_UNKNOWN' };
      const devices = isDynamic ? [] : findDevices(gpus, state, node.driver);
      if ('failure' in devices) return { failure: `error creating driver: ${devices.failure}` };
      driver.register(uid, devices);
      const found = { devices: devices.map(({ offered }) => offered) };
      due = isDynamic ? offerPossibleDevices(gpus, node.driver) : found;
      return {};
    },
    continue: async () => {
      if (due === undefined || driver.fault === 'Stale') return {};
      const ref = { resource: nodesResource, name: node.name };
      const offer = due;
      const nodeUid = (await client.find<KubeletNode>(ref))?.metadata.uid;
      if (nodeUid === undefined) return { failure: `error publishing resources: nodes "${ref.name}" not found` };
      await publishDevices(client, { name: ref.name, uid: nodeUid }, offer);
      due = undefined;
      return {};
    },
    stop: () => {
      due = undefined;
      driver.unregister(uid);
    },
  };
}

/** `FEATURE_GATES: DynamicMIG=true,…`, as the chart sets it. */
function hasGate({ spec }: PodObject, gate: string): boolean {
  const env = (spec?.containers ?? []).flatMap((container) => container.env ?? []);
  const gates = env.findLast(({ name }) => name === 'FEATURE_GATES')?.value ?? '';
  return gates.split(',').includes(`${gate}=true`);
}

/** The device plugin: reads the devices once, and advertises what it saw until it ends. */
export function pluginWork(machine: Machine, uid: string): DaemonWork {
  return {
    start: ({ strategy, sharing }) => {
      const unopened = failureToOpen(machine.gpus, machine.node.faultsFile);
      if (unopened !== undefined) return { failure: `error starting plugins: error building device map: ${unopened}` };
      const seen = machine.seeDevices(strategy, sharing);
      if (seen === undefined) return { failure: 'error starting plugins: error building device map: ERROR_UNKNOWN' };
      const { failure } = machine.registration.register(uid, seen);
      return failure === undefined ? {} : { failure: `error starting plugins: ${failure}` };
    },
    continue: () => Promise.resolve({}),
    stop: () => machine.registration.unregister(uid),
  };
}
