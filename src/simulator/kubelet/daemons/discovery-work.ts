import { GFD_TIMESTAMP_KEY } from '../../../core/nvidia/labels/label-key.ts';
import { computeLabels } from '../../../core/nvidia/labels/node-labels.ts';
import type { KubeClient } from '../../../kube/client.ts';
import type { DaemonWork, WorkSettings } from './daemon-work.ts';
import { patchFeatureLabels } from './feature-labels.ts';
import { describeNode } from '../node/gpu-devices.ts';
import { nodesResource } from '../node/kube-objects.ts';
import type { KubeletNode } from '../node/kube-objects.ts';
import type { Machine } from '../node/machine.ts';
import type { KubeletTiming } from '../timing.ts';

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
