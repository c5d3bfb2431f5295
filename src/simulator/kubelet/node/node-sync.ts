import { isAlreadyExists } from '../../../kube/api-error.ts';
import type { KubeClient } from '../../../kube/client.ts';
import type { ReconcileResult } from '../../../kube/queue.ts';
import { deleteSlices } from '../../dra-driver/resource-slice.ts';
import { nodesResource } from './kube-objects.ts';
import type { KubeletNode } from './kube-objects.ts';
import type { Machine } from './machine.ts';
import { describeConditions, describeNodeObject, patchGpus } from './node-object.ts';
import type { NodeFacts } from './node-object.ts';
import type { KubeletTiming } from '../timing.ts';

export interface NodeSight {
  readonly client: KubeClient;
  /** The Node as last seen; undefined if it does not exist. */
  readonly shown: KubeletNode | undefined;
  readonly timing: KubeletTiming;
  readonly kubeletVersion: string;
}

/**
 * Reconciles a Node with its machine: registers it once, then shows what the plugin advertises, and reports. A deleted Node
 * is not registered again: a kubelet registers only when it starts.
 */
export async function syncNode(machine: Machine, sight: NodeSight): Promise<ReconcileResult> {
  const { client, shown, timing } = sight;
  if (machine.node.plugin !== 'pod') machine.watchDevices(shown?.metadata.labels ?? {});
  const { advertised } = machine;
  const retry = advertised.failure === undefined ? {} : { requeueAfterMs: timing.restartMs };
  if (shown === undefined) {
    await register(machine, sight);
    return retry;
  }
  const status = { resource: nodesResource, name: machine.node.name, subresource: 'status' };
  if (!machine.isRegistered) await takeOver(machine, sight);
  const patch = patchGpus(shown.status, advertised.resources);
  if (patch !== undefined) {
    const waitMs = machine.lagLeftMs(timing.statusLagMs);
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    await client.merge(status, patch, { metadataOnly: true });
  }
  machine.clearLag();
  await report(machine, sight);
  const wipeAfterMs = await wipeSlices(machine, sight);
  return { requeueAfterMs: Math.min(timing.reportMs, retry.requeueAfterMs ?? Infinity, wipeAfterMs) };
}

async function register(machine: Machine, { client, kubeletVersion }: NodeSight): Promise<void> {
  if (machine.isRegistered) return;
  const gpus = Object.entries(machine.advertised.resources).map(([name, count]) => [name, `${count}`] as const);
  const object = describeNodeObject(machine.node, factsOf(machine, kubeletVersion), Object.fromEntries(gpus));
  try {
    await client.create<KubeletNode>(nodesResource, object, { metadataOnly: true });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return;
  }
  machine.isRegistered = true;
  machine.reportedAtMs = performance.now();
}

/** A Node that existed before its kubelet started: from an earlier run, or created by a user. */
async function takeOver(machine: Machine, { client, shown, kubeletVersion }: NodeSight): Promise<void> {
  const { name } = machine.node;
  const { status } = describeNodeObject(machine.node, factsOf(machine, kubeletVersion), {});
  const capacity = { ...status?.capacity, ...shown?.status?.capacity };
  const allocatable = { ...status?.allocatable, ...shown?.status?.allocatable };
  const patch = { status: { ...status, capacity, allocatable } };
  await client.merge({ resource: nodesResource, name, subresource: 'status' }, patch, { metadataOnly: true });
  machine.isRegistered = true;
  machine.reportedAtMs = performance.now();
}

/** Deletes the ResourceSlices of a DRA driver that has been gone for long. @returns after how many milliseconds to look again */
async function wipeSlices({ driver, node }: Machine, { client, timing }: NodeSight): Promise<number> {
  if (driver.goneAtMs === undefined) return Infinity;
  const waitMs = driver.goneAtMs + timing.sliceWipeMs - performance.now();
  if (waitMs > 0) return waitMs;
  await deleteSlices(client, node.name);
  driver.forget();
  return Infinity;
}

/** In time, and at once if somebody says otherwise: the life cycle of nodes takes one for dead whose Lease it has not seen renewed. */
async function report(machine: Machine, { client, shown, timing }: NodeSight): Promise<void> {
  const isDenied =
    shown?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status !== 'True') === true;
  if (!isDenied && performance.now() - machine.reportedAtMs < timing.reportMs) return;
  const patch = { status: { conditions: describeConditions(new Date().toISOString()) } };
  const ref = { resource: nodesResource, name: machine.node.name, subresource: 'status' };
  await client.merge(ref, patch, { metadataOnly: true });
  machine.reportedAtMs = performance.now();
}

function factsOf(machine: Machine, kubeletVersion: string): NodeFacts {
  const { bootId, internalIp } = machine;
  return { kubeletVersion, bootId, internalIp, now: new Date().toISOString() };
}
