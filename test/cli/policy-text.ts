import { stringify } from 'yaml';

import type { GpuPartitionPolicy, PolicySpec } from '../../src/api/types.ts';

/** A policy that nothing is wrong with, changed by what a test is about. */
export function aPolicy(name: string, spec: Partial<PolicySpec> = {}): GpuPartitionPolicy {
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { pool: name } },
      strategy: 'mixed',
      layouts: [{ gpus: { models: ['A100-*-40GB'] }, profiles: { '1g.5gb': 2, '3g.20gb': 1 } }],
      ...spec,
    },
  };
}

/** Documents as a file holds them. */
export function yamlOf(...documents: readonly unknown[]): string {
  return documents.map((document) => `---\n${stringify(document)}`).join('');
}
