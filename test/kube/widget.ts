import type { KubeClient } from '../../src/kube/client.ts';
import type { KubeObject, Resource } from '../../src/kube/watch.ts';
import { eventually } from '../support/eventually.ts';

/** A custom resource with a status subresource. */
export interface Widget extends KubeObject {
  readonly spec?: { readonly size: number; readonly [field: string]: unknown };
  readonly status?: { readonly phase?: string; readonly note?: string; readonly observedGeneration?: number };
}

export const widgets: Resource = { group: 'test.gpupartition.dev', version: 'v1', plural: 'widgets', kind: 'Widget' };

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
};

/** Installs the CRD of a resource and waits until the API server serves it. */
export async function installWidgets(client: KubeClient, resource: Resource = widgets): Promise<void> {
  const { group, version, plural, kind } = resource;
  const status = { type: 'object', properties: { phase: { type: 'string' }, note: { type: 'string' } } };
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec, status: { ...status, 'x-kubernetes-preserve-unknown-fields': true } },
  };
  await client.apply(
    { resource: definitions, name: `${plural}.${group}` },
    {
      spec: {
        group,
        scope: 'Cluster',
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: [
          { name: version, served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
        ],
      },
    },
    { force: true },
  );
  await eventually(() => client.list(resource), undefined, { what: `the API of ${plural}`, timeoutMs: 10_000 });
}

/** Removes the CRD of a resource and all its objects, and waits until it is gone. */
export async function uninstallWidgets(client: KubeClient, resource: Resource): Promise<void> {
  const ref = { resource: definitions, name: `${resource.plural}.${resource.group}` };
  await client.delete(ref);
  await eventually(
    () => client.find(ref),
    (found) => found === undefined,
    { what: 'the CRD', timeoutMs: 10_000 },
  );
}
