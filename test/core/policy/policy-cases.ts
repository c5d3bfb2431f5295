/** A policy that nothing is wrong with, as the API server takes it; any part may be changed to any value. */
export function aPolicyObject(change: { readonly metadata?: unknown; readonly spec?: object } = {}): object {
  return {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'p' },
    ...change,
    spec: {
      nodeSelector: { matchLabels: { pool: 'x' } },
      strategy: 'mixed',
      layouts: [{ gpus: { models: ['A100-*-40GB'] }, profiles: { '1g.5gb': 2 } }],
      ...change.spec,
    },
  };
}

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };

/** Metadata that the API server takes, and that it refuses; one spec asks us, another one the server. */
export const goodMetadata: Readonly<Record<string, object>> = {
  'a creation time that is null': { name: 'p', creationTimestamp: null },
  'labels and annotations that are null': { name: 'p', labels: null, annotations: null },
  'values of labels and annotations that are null': { name: 'p', labels: { a: null }, annotations: { a: null } },
  'lists and other fields that are null': {
    name: 'p',
    namespace: null,
    uid: null,
    generation: null,
    finalizers: null,
    ownerReferences: null,
    managedFields: null,
    deletionGracePeriodSeconds: null,
    generateName: null,
  },
  'generateName without name': { generateName: 'p-' },
  'generateName beside a name that is null': { generateName: 'p-', name: null },
  'generateName of 200 characters': { generateName: `${'p'.repeat(199)}-` },
  'a namespace, which the server takes away': { name: 'p', namespace: 'x' },
  'what kubectl get -o yaml prints': {
    name: 'p',
    uid: 'u',
    generation: 5,
    resourceVersion: '7',
    selfLink: '',
    deletionGracePeriodSeconds: 3,
    creationTimestamp: '2026-01-31T12:00:00Z',
    deletionTimestamp: '2026-01-31T12:00:00.5+02:00',
    managedFields: [{ manager: 'm', operation: 'Update', time: null, fieldsV1: { 'f:spec': {} }, subresource: '' }],
  },
  'an annotation key in upper case': { name: 'p', annotations: { 'Example.COM/Key': '\u0000 \u202E' } },
  'annotations of 256 KiB, one of them null': { name: 'p', annotations: { a: null, b: 'x'.repeat(256 * 1024 - 2) } },
  'a finalizer': { name: 'p', finalizers: ['example.com/x'] },
  'an owner': { name: 'p', ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: null }] },
};

export const badMetadata: Readonly<Record<string, unknown>> = {
  'no name': {},
  'a name that is null': { name: null },
  'a name that is empty': { name: '' },
  'a name that is a number': { name: 5 },
  'a name in upper case': { name: 'P' },
  'a name of 64 characters': { name: 'p'.repeat(64) },
  'a generateName that is empty': { generateName: '' },
  'a generateName in upper case': { generateName: 'P-' },
  'an unknown field': { name: 'p', lables: { a: 'b' } },
  'a field with the name of what every object has': { name: 'p', constructor: 'x' },
  'an unknown field that is null': { name: 'p', clusterName: null },
  'a label key of two slashes': { name: 'p', labels: { 'a/b/c': 'x' } },
  'a label key with a prefix in upper case': { name: 'p', labels: { 'Example.COM/x': 'x' } },
  'a label value with a space': { name: 'p', labels: { a: 'x y' } },
  'a label that is a number': { name: 'p', labels: { a: 1 } },
  'labels in a list': { name: 'p', labels: ['a'] },
  'an annotation that is true': { name: 'p', annotations: { a: true } },
  'an annotation key with a space': { name: 'p', annotations: { 'a b': 'x' } },
  'annotations of more than 256 KiB': { name: 'p', annotations: { a: 'é'.repeat(128 * 1024) } },
  'a list': ['p'],
  'a text': 'p',
};
