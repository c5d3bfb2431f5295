import { definedOnly } from '../core/text/defined-fields.ts';
import type { ObjectMeta } from '../core/metadata/object-meta.ts';

/** A resource of the Kubernetes API, as `kubectl api-resources` lists it. */
export interface Resource {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** One object, or one of its subresources. */
export interface ObjectRef {
  readonly resource: Resource;
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly subresource?: string;
}

/** What all objects share. Programs add the parts of `spec` and `status` that they read. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** `group/version`, or `version` for the core group. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Path of a collection: `/apis/apps/v1/namespaces/a/deployments`. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === '' ? '/api' : '/apis';
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}/${apiVersionOf(resource)}${scope}/${resource.plural}`;
}

/** Path of an object or its subresource: `/api/v1/nodes/n1/status`. */
export function objectPath(ref: ObjectRef): string {
  if (['', '.', '..'].includes(ref.name))
    throw new Error(`${JSON.stringify(ref.name)} is not the name of a ${ref.resource.kind}`);
  const path = `${collectionPath(ref.resource, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return ref.subresource === undefined ? path : `${path}/${ref.subresource}`;
}

/** Key of an object within its resource: `namespace/name`, or `name` when cluster-scoped. */
export function keyOf(object: KubeObject): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Reference to an object that was read. */
export function refOf(resource: Resource, object: KubeObject, subresource?: string): ObjectRef {
  const { name, namespace } = object.metadata;
  return definedOnly({ resource, name, namespace, subresource });
}

/** What tells an object and its version from others. */
export function keepVersion({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): KubeObject {
  return { metadata: definedOnly({ name, namespace, uid, resourceVersion }) };
}
