import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyObject } from '../../src/simulator/rig/install.ts';
import type { TestRig } from './rig.ts';

const run = promisify(execFile);

/** A pod with one container that requests a GPU resource. */
export interface GpuPodWish {
  readonly name: string;
  readonly resource: string;
  /** How many of it; 1 if absent. */
  readonly amount?: string;
  /** The only suitable node: the scheduler's message on the pod is then about that node. */
  readonly node?: string;
  /** Labels that its node must have. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** A label of its node whose number must be greater. */
  readonly above?: { readonly key: string; readonly value: number };
}

export function gpuPod({ name, resource, amount = '1', node, nodeSelector = {}, above }: GpuPodWish): object {
  const term = {
    ...(node !== undefined && { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }),
    ...(above && { matchExpressions: [{ key: above.key, operator: 'Gt', values: [`${above.value}`] }] }),
  };
  const required = { nodeSelectorTerms: [term] };
  const isPicky = node !== undefined || above !== undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeSelector,
      ...(isPicky && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
      containers: [{ name: 'main', image: 'example.com/train:1', resources: { limits: { [resource]: amount } } }],
    },
  };
}

/** As `kubectl apply --server-side` of objects, in this order; throws the API server's message when one is refused. */
export async function applyObjects({ controlPlane }: TestRig, objects: readonly object[]): Promise<void> {
  for (const object of objects) await applyObject(controlPlane, object);
}

/** UUIDs of a pod's devices, as its node's kubelet reports them in PodResources. */
export function devicesOf({ rig }: TestRig, node: string, pod: string): readonly string[] {
  const holding = rig.fleet.listHoldings(node).find(({ name }) => name === pod);
  return (holding?.containers ?? []).flatMap(({ deviceIds }) => Object.values(deviceIds).flat());
}

/** UUIDs of a node's slices of a profile, as its nvidia-smi lists them. */
export async function slicesOf({ rig }: TestRig, node: string, profile: string): Promise<readonly string[]> {
  const { stdout } = await run(join(rig.folder, node, 'nvidia-smi'), ['-L']);
  return [...stdout.matchAll(/MIG (\S+)\s+Device.*\(UUID: (MIG-\S+)\)/g)].flatMap(([, name, uuid]) =>
    name === profile && uuid !== undefined ? [uuid] : [],
  );
}
