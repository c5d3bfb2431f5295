import { repartitioningTaint, startupTaintKeys } from '../../src/api/names.ts';
import type { Recorded, RecordedNode, RecordedPartition, RecordedPod, Timeline } from './timeline.ts';

/** One change of a node's device, in revisions. */
export interface DeviceChange {
  readonly node: string;
  readonly epoch: number;
  /** The node was closed for it. */
  readonly closed: number;
  /** It was granted: no agent destroys anything before reading this. */
  readonly granted: number;
  /** The node showed the device's new state; Infinity if it never did. */
  readonly advertised: number;
}

/** A pod that asks for GPUs, put on a node. */
export interface Binding {
  readonly pod: string;
  readonly node: string;
  readonly revision: number;
  /** When it had ended or was gone; Infinity if it still exists. */
  readonly ended: number;
}

type Counts = Readonly<Record<string, number>>;

export function listChanges({ partitions, nodes }: Timeline, node: string): readonly DeviceChange[] {
  const events = partitions.eventsOf(node);
  const grants = events.flatMap(({ revision, object }, i) => {
    const epoch = object?.spec.granted?.epoch ?? 0;
    const isNew = epoch > (events[i - 1]?.object?.spec.granted?.epoch ?? 0);
    // What takes a grant back lets no agent act.
    return isNew && object?.spec.granted?.planHash !== '' ? [{ epoch, granted: revision }] : [];
  });
  return grants.map(({ epoch, granted }) => {
    const done = events.find(({ object }) => (object?.status?.device?.observedEpoch ?? 0) >= epoch);
    const states = nodes.eventsOf(node);
    const closed = states.filter((event, i) => event.revision <= granted && closes(event, states[i - 1])).at(-1);
    // The state of the node when the device was done counts too.
    const before = states.findLast(({ revision }) => done !== undefined && revision <= done.revision);
    const later = states.filter(({ revision }) => done !== undefined && revision > done.revision);
    const offer = offerOf(done?.object);
    const shown = [...(before ? [before] : []), ...later].find(({ object }) => sameCounts(advertisedBy(object), offer));
    return {
      node,
      epoch,
      closed: closed?.revision ?? Infinity,
      granted,
      advertised: done && shown ? Math.max(done.revision, shown.revision) : Infinity,
    };
  });
}

export function listBindings({ pods }: Timeline): readonly Binding[] {
  const uids = new Set(pods.events.map(({ object }) => object?.metadata.uid));
  return [...uids].flatMap((uid) => {
    const first = pods.events.find(
      ({ object }) => object?.metadata.uid === uid && object?.spec?.nodeName !== undefined,
    );
    if (uid === undefined || first?.object === undefined || gpusOf(first.object).length === 0) return [];
    const { key, revision } = first;
    const end = pods.events.find(
      (event) => event.key === key && event.revision > revision && hasEnded(event.object, uid),
    );
    const node = first.object.spec?.nodeName ?? '';
    return [{ pod: key, node, revision, ended: end?.revision ?? Infinity }];
  });
}

/**
 * What must never happen, one sentence each: a node could take, had or was given a GPU pod while its device changed, or
 * a kubelet rejected one.
 */
export function listFenceBreaks(timeline: Timeline): readonly string[] {
  return [...listAllChanges(timeline).flatMap((change) => listBreaksOf(timeline, change)), ...listRejected(timeline)];
}

/** The same for labels: a node that could take GPU pods had labels of a layout that no longer existed. */
export function listLabelLags(timeline: Timeline): readonly string[] {
  return listAllChanges(timeline).flatMap(({ node, epoch, advertised }) => {
    const next = listChanges(timeline, node).find((other) => other.epoch > epoch);
    return timeline.nodes
      .eventsOf(node)
      .filter(({ revision }) => revision >= advertised && revision < (next?.closed ?? Infinity))
      .filter(({ object }) => !isClosed(object) && !labelsFit(object, timeline.partitions.at(node, advertised)))
      .map(({ revision, object }) => `node ${node} was open at revision ${revision} with ${labelsText(object)}`);
  });
}

function listAllChanges(timeline: Timeline): readonly DeviceChange[] {
  const names = [...new Set(timeline.partitions.events.map(({ key }) => key))];
  return names.flatMap((name) => listChanges(timeline, name));
}

function listBreaksOf(timeline: Timeline, change: DeviceChange): readonly string[] {
  const { node, epoch, granted, advertised } = change;
  const what = `node ${node}, grant ${epoch} (revisions ${granted} to ${advertised})`;
  const states = timeline.nodes.eventsOf(node);
  const during = states.filter(({ revision }) => revision > granted && revision < advertised);
  const first = timeline.nodes.at(node, granted);
  const bindings = listBindings(timeline).filter((binding) => binding.node === node);
  return [
    ...(isClosed(first) ? [] : [`${what} was made while the node was open`]),
    ...during
      .filter(({ object }) => !isClosed(object) && Object.keys(advertisedBy(object)).length > 0)
      .map(({ revision, object }) => `${what}: open at ${revision} with ${JSON.stringify(advertisedBy(object))}`),
    ...bindings
      .filter(({ revision, ended }) => revision <= granted && ended > granted)
      .map(({ pod }) => `${what} was made while ${pod} was there`),
    ...bindings
      .filter(({ revision }) => revision > granted && revision < advertised)
      .map(({ pod, revision }) => `${what}: ${pod} was bound at ${revision}`),
  ];
}

/** Pods that a kubelet rejected: their devices did not exist. */
function listRejected({ pods }: Timeline): readonly string[] {
  const rejected = pods.events.filter(({ object }) => object?.status?.reason === 'UnexpectedAdmissionError');
  return rejected.map(({ key, revision }) => `${key} was turned away at ${revision}`);
}

/** The scheduler's messages on a pod that it could not place, between two revisions. */
export function listRefusals({ pods }: Timeline, pod: string, from: number, to: number): readonly string[] {
  return pods
    .eventsOf(pod)
    .filter(({ revision }) => revision >= from && revision <= to)
    .flatMap(({ object }) => object?.status?.conditions ?? [])
    .filter(({ type, status }) => type === 'PodScheduled' && status === 'False')
    .map(({ message = '' }) => message);
}

export function isClosed(node: RecordedNode | undefined): boolean {
  const ours = [repartitioningTaint.key, ...startupTaintKeys];
  return (node?.spec?.taints ?? []).some(({ key }) => ours.includes(key));
}

function closes({ object }: Recorded<RecordedNode>, before: Recorded<RecordedNode> | undefined): boolean {
  return isClosed(object) && !isClosed(before?.object);
}

/** GPU resources that a node offers; 0 is the same as absent. */
export function advertisedBy(node: RecordedNode | undefined): Counts {
  const entries = Object.entries(node?.status?.allocatable ?? {}).map(([key, count]) => [key, Number(count)] as const);
  return Object.fromEntries(entries.filter(([key, count]) => key.startsWith('nvidia.com/') && count > 0));
}

/** What a device plugin advertises for the devices that the agent has reported. */
function offerOf(partition: RecordedPartition | undefined): Counts {
  const names = (partition?.status?.device?.gpus ?? []).flatMap(({ mig, instances }) => {
    if (mig !== 'Enabled') return ['nvidia.com/gpu'];
    const isSingle = partition?.spec.strategy === 'single';
    return instances.map(({ profile }) => (isSingle ? 'nvidia.com/gpu' : `nvidia.com/mig-${profile}`));
  });
  return Object.fromEntries(Object.entries(Object.groupBy(names, (name) => name)).map(([k, v]) => [k, v?.length ?? 0]));
}

/** Whether the labels by which pods select a node describe this layout. */
function labelsFit(node: RecordedNode | undefined, partition: RecordedPartition | undefined): boolean {
  const labels = node?.metadata.labels ?? {};
  if (partition?.spec.strategy === 'single') {
    const profiles = (partition.status?.device?.gpus ?? []).flatMap(({ instances }) => instances.map((i) => i.profile));
    return profiles.every((profile) => labels['nvidia.com/gpu.product']?.endsWith(`-MIG-${profile}`));
  }
  const counts = Object.entries(labels).flatMap(([key, value]) => {
    const resource = /^(nvidia\.com\/mig-.+)\.count$/.exec(key)?.[1];
    return resource === undefined ? [] : [[resource, Number(value)] as const];
  });
  const { 'nvidia.com/gpu': _, ...slices } = offerOf(partition);
  return sameCounts(Object.fromEntries(counts), slices);
}

function labelsText(node: RecordedNode | undefined): string {
  const kept = Object.entries(node?.metadata.labels ?? {}).filter(([key]) => /\.count$|gpu\.product$/.test(key));
  return `the labels ${JSON.stringify(Object.fromEntries(kept))} and ${JSON.stringify(advertisedBy(node))}`;
}

function gpusOf(pod: RecordedPod): readonly string[] {
  return (pod.spec?.containers ?? [])
    .flatMap(({ resources }) => Object.keys(resources?.limits ?? {}))
    .filter((name) => name.startsWith('nvidia.com/'));
}

/** @param uid of the original pod: another of the same name does not count */
function hasEnded(pod: RecordedPod | undefined, uid: string): boolean {
  return pod?.metadata.uid !== uid || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

function sameCounts(a: Counts, b: Counts): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => a[name] === b[name]);
}
