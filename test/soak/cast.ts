import type { PolicySpec } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';

export type SoakPool = 'a' | 'b';
export const pools: readonly SoakPool[] = ['a', 'b'];

/** Nodes of a policy that may change at a time, in every spec of it, so that each revision can be judged. */
export const maxUnavailable = 2;
/** Of both policies together. */
export const maxConcurrentNodes = 3;

const models: Readonly<Record<SoakPool, string>> = { a: 'A100-SXM4-40GB', b: 'H100-80GB-HBM3' };

export type SoakProfiles = Readonly<Record<string, number>>;

export const layouts: Readonly<Record<SoakPool, readonly SoakProfiles[]>> = {
  a: [{ '1g.5gb': 7 }, { '3g.20gb': 2 }, { '2g.10gb': 3 }, { '3g.20gb': 1, '1g.5gb': 4 }],
  b: [{ '1g.10gb': 7 }, { '3g.40gb': 2 }, { '2g.20gb': 2, '3g.40gb': 1 }],
};

/** Valid by the schema, and impossible on any GPU. */
export const impossible: Readonly<Record<SoakPool, SoakProfiles>> = { a: { '7g.40gb': 2 }, b: { '7g.80gb': 2 } };

export function nodeName(index: number): string {
  return `s${String(index).padStart(3, '0')}`;
}

/** Pools in turn. A quarter have a device plugin that is a pod of a DaemonSet; that of the others follows the devices. */
export function describeNodes(count: number): readonly RigNode[] {
  return Array.from({ length: count }, (_, index) => {
    const pool: SoakPool = index % 2 === 0 ? 'a' : 'b';
    const hasPluginPod = index % 8 < 2;
    return {
      name: nodeName(index),
      gpus: [models[pool]],
      labels: { pool, ...(hasPluginPod && { plugin: 'pod' }) },
      strategy: 'mixed',
      ...(hasPluginPod && { plugin: 'pod' as const }),
    };
  });
}

export const pluginName = 'nvidia-device-plugin';

export function describePlugin(): object {
  return pluginDaemonSet({
    name: pluginName,
    namespace: 'kube-system',
    nodeSelector: { plugin: 'pod' },
    tolerations: [{ operator: 'Exists' }],
    env: { MIG_STRATEGY: 'mixed' },
  });
}

export interface PolicyWish {
  readonly profiles: SoakProfiles;
  readonly paused: boolean;
  readonly onDelete: PolicySpec['onDelete'];
}

export function describePolicy(pool: SoakPool, { profiles, paused, onDelete }: PolicyWish): object {
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: pool },
    spec: {
      strategy: 'mixed',
      nodeSelector: { matchLabels: { pool } },
      layouts: [{ profiles }],
      rollout: { maxUnavailable, failureThreshold: '100%', paused },
      drain: { timeout: '20s', onTimeout: 'Skip' },
      onDelete,
    },
  };
}
