import { expect } from 'chai';
import { parseAllDocuments, stringify } from 'yaml';

import type { Validation } from '../../src/cli/validation.ts';
import { jsonRunner } from '../cli/run.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { kindOf } from './sample-files.ts';
import { type Fence, readFences } from './pages.ts';

const runJson = jsonRunner<Validation>();
const atLeast = 15;

/** Kinds that other programs serve: Argo CD, eksctl, kubeadm, Flux, the kubelet and Karpenter. */
const foreignKinds = [
  'Application',
  'ClusterConfig',
  'JoinConfiguration',
  'Kustomization',
  'KubeletConfiguration',
  'NodePool',
];

interface ShownObject {
  readonly title: string;
  readonly value: unknown;
}

function objectsOf({ page, line, text }: Fence): readonly ShownObject[] {
  return parseAllDocuments(text).map((document) => ({ title: `${page}:${line}`, value: document.toJS() as unknown }));
}

/** A part of a policy becomes the whole of one: `spec:` alone, the `layouts:` of host mode, or a `demand:`. */
function completePolicy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'kind' in value) return value;
  const part = 'spec' in value ? value.spec : 'layouts' in value || 'demand' in value ? value : undefined;
  if (typeof part !== 'object' || part === null) return value;
  const layouts = 'demand' in part ? {} : { layouts: [{ mig: 'Disabled' }] };
  const required = { nodeSelector: { matchLabels: { pool: 'a' } }, strategy: 'mixed', ...layouts };
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'shown' },
    spec: { ...required, ...part },
  };
}

/** What is in a namespace goes into one that every cluster has. */
function inDefaultNamespace(value: unknown): unknown {
  const { metadata } = value as { readonly metadata?: { readonly namespace?: string } };
  return metadata?.namespace === undefined
    ? value
    : { ...(value as object), metadata: { ...metadata, namespace: 'default' } };
}

describe('YAML shown in documents', () => {
  it('is YAML', async () => {
    for (const { page, line, text } of await readFences('yaml', atLeast)) {
      const errors = parseAllDocuments(text).flatMap((document) => document.errors);
      expect(errors, `${page}:${line}: ${text}`).to.deep.equal([]);
    }
  });

  it('has policies in which the command validate finds no fault', async () => {
    const shown = (await readFences('yaml', atLeast)).flatMap(objectsOf).map(({ title, value }) => ({
      title,
      value: completePolicy(value),
    }));
    const policies = shown.filter(({ value }) => kindOf(value) === 'GpuPartitionPolicy');
    expect(policies.length).to.be.at.least(4);
    for (const { title, value } of policies) {
      const { answer } = await runJson(['validate', '-f', '-'], { stdin: stringify(value) });
      expect(answer.findings, title).to.deep.equal([]);
    }
  });
});

describe('YAML shown in documents, on the real API server', () => {
  const cluster = useSharedCluster();

  it('is accepted, every object of a kind that is not of others', async () => {
    const shown = (await readFences('yaml', atLeast)).flatMap(objectsOf);
    const objects = shown.map(({ value }) => completePolicy(value)).filter((value) => kindOf(value) !== undefined);
    const known = objects.filter((value) => !foreignKinds.includes(kindOf(value) ?? ''));
    expect(known.length).to.be.at.least(7);
    expect(new Set(objects.map(kindOf))).to.include.all.keys(...foreignKinds);
    const { code, stderr } = await cluster().kubectl(['apply', '--dry-run=server', '-f', '-'], {
      input: known.map((value) => stringify(inDefaultNamespace(value))).join('---\n'),
    });
    expect(code, stderr).to.equal(0);
  });
});
