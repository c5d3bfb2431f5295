import type { JsonPatchOperation } from '../core/text/json.ts';
import { type AnswerKind, requireAnswer, ifNotFound, isGone, ApiError, isNotFound } from './api-error.ts';
import type { PooledKubeConfig } from './kubeconfig.ts';
import {
  type ApplyOptions,
  type StatusOptions,
  type CallOptions,
  type DeleteOptions,
  type List,
  type ListOptions,
  type Selection,
  type WriteOptions,
  readList,
  describeRequest,
  sendRequest,
  type ApiRequest,
  type Method,
  type Query,
} from './request.ts';
import { apiVersionOf, collectionPath, objectPath, type KubeObject, type ObjectRef, type Resource } from './watch.ts';
import type { Term } from './election.ts';
import { type KueueReading, trimWorkload } from '../core/demand/kueue.ts';

interface Page<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  /** Null in an empty list of metadata. */
  readonly items: readonly T[] | null;
}

const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
/** Limit of one answer that is read item by item: no node legitimately has more pods than that. */
const mostListBytes = 512 << 20;

const metadataAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/**
 * The verbs of the Kubernetes API on plain JSON. The type argument is the caller's claim about the parts that it
 * reads; nothing is converted. Every method throws ApiError, and NotSentError when its term is over.
 */
export class KubeClient {
  readonly config: PooledKubeConfig;
  /** Recorded by the server as the owner of our writes. */
  readonly fieldManager: string;

  readonly #term: Term | undefined;

  /** @param term for requests that only the leader may send: this client sends nothing after it, retries included */
  constructor(config: PooledKubeConfig, fieldManager: string, term?: Term) {
    this.config = config;
    this.fieldManager = fieldManager;
    this.#term = term;
  }

  get<T extends KubeObject>(ref: ObjectRef, options?: CallOptions): Promise<T> {
    return this.#send<T>({ method: 'GET', path: objectPath(ref), ...options });
  }

  /** Reads an object like `get`; one that does not exist is `undefined`. */
  async find<T extends KubeObject>(ref: ObjectRef, options?: CallOptions): Promise<T | undefined> {
    return this.get<T>(ref, options).catch(ifNotFound(undefined));
  }

  /** A complete, consistent list, read in pages; starts again if the server forgets the list halfway (410). */
  async list<T extends KubeObject>(
    resource: Resource,
    selection: Selection = {},
    options: ListOptions = {},
  ): Promise<List<T>> {
    for (let attempt = 1; ; attempt += 1) {
      const items: T[] = [];
      try {
        for await (const page of this.listPages<T>(resource, selection, options)) {
          // One by one: anybody may make pods, and a call takes no more than some 125,000 arguments.
          for (const item of page.items) items.push(item);
          if (page.isLast) return { items, resourceVersion: page.resourceVersion };
        }
      } catch (error) {
        if (!isGone(error) || attempt === 3) throw error;
      }
    }
  }

  /** The pages of a list. Until `isLast`, the list is partial and says nothing about what is absent. */
  async *listPages<T extends KubeObject>(
    resource: Resource,
    selection: Selection = {},
    options: ListOptions = {},
  ): AsyncGenerator<List<T> & { readonly isLast: boolean }> {
    const path = collectionPath(resource, selection.namespace);
    const { labelSelector, fieldSelector } = selection;
    const { pageSize = 500, paged = true, metadataOnly = false, trim, ...call } = options;
    const accept = metadataOnly ? { accept: metadataListAccept } : {};
    // The type of such a list's items is what the trimming function declares.
    const readBody =
      trim &&
      ((chunks: AsyncIterable<Uint8Array>) => readList(chunks, trim as (item: unknown) => unknown, mostListBytes));
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    let next: string | undefined;
    do {
      const query = { labelSelector, fieldSelector, limit: paged ? pageSize : undefined, continue: next };
      const read = { ...accept, ...(readBody && { readBody }), ...call };
      const request = { method: 'GET', path, query, timeoutMs: 60_000, ...read } as const;
      const page = await this.#send<Page<T>>(request, 'list');
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
      // The items of a list of a built-in type come without apiVersion and kind.
      const items = (page.items ?? []).map((item) => ({ ...type, ...item }));
      yield { items, resourceVersion: page.metadata.resourceVersion, isLast: next === undefined };
    } while (next !== undefined);
  }

  create<T extends KubeObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T> {
    const path = collectionPath(resource, object.metadata.namespace);
    return this.#write<T>('POST', path, withType(resource, object), options);
  }

  /** Creates a subresource such as `eviction` or `token`, and returns the server's answer. */
  createSubresource(ref: ObjectRef, body: unknown, options?: CallOptions): Promise<unknown> {
    const query = { fieldManager: this.fieldManager };
    return this.request({ method: 'POST', path: objectPath(ref), body, query, ...options });
  }

  /** Replaces an object as it was read; only for small objects that are entirely ours, such as a Lease. */
  replace<T extends KubeObject>(ref: ObjectRef, object: T, options?: WriteOptions): Promise<T> {
    return this.#write<T>('PUT', objectPath(ref), withType(ref.resource, object), options);
  }

  /** JSON merge patch: absent fields stay, `null` removes, lists are replaced. */
  merge<T extends KubeObject>(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<T> {
    return this.#write<T>('PATCH', objectPath(ref), patch, options, { contentType: 'application/merge-patch+json' });
  }

  /** Strategic merge patch, of built-in kinds only: as JSON merge patch, but a list of named items is merged by their names. */
  mergeItems<T extends KubeObject>(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<T> {
    const contentType = 'application/strategic-merge-patch+json';
    return this.#write<T>('PATCH', objectPath(ref), patch, options, { contentType });
  }

  /** JSON patch: all operations or none; a failed `test` is a 422. */
  patch<T extends KubeObject>(
    ref: ObjectRef,
    operations: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<T> {
    return this.#write<T>('PATCH', objectPath(ref), operations, options, {
      contentType: 'application/json-patch+json',
    });
  }

  /**
   * Server-side apply: the object then holds exactly these fields of ours; fields that we applied before and now leave
   * out are removed. Creates the object if absent. A resourceVersion in `metadata` is a precondition.
   */
  apply<T extends KubeObject>(ref: ObjectRef, fields: ApplyFields, options: ApplyOptions = {}): Promise<T> {
    const { force, fieldManager, ...rest } = options;
    const { name, namespace } = ref;
    const metadata = { ...fields.metadata, name, ...(namespace === undefined ? {} : { namespace }) };
    const body = withType(ref.resource, { ...fields, metadata });
    const extra = { contentType: 'application/apply-patch+yaml', query: { force, fieldManager } };
    return this.#write<T>('PATCH', objectPath(ref), body, rest, extra);
  }

  /** Server-side apply of the status subresource, taking the fields from their previous owners. */
  applyStatus<T extends KubeObject>(ref: ObjectRef, status: unknown, options: StatusOptions = {}): Promise<T> {
    const { resourceVersion, ...rest } = options;
    const fields = { status, ...(resourceVersion !== undefined && { metadata: { resourceVersion } }) };
    return this.apply<T>({ ...ref, subresource: 'status' }, fields, { force: true, ...rest });
  }

  /** Deletes an object; false if it did not exist. */
  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<boolean> {
    const { preconditions, gracePeriodSeconds, ...rest } = options;
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, gracePeriodSeconds };
    return this.request({ method: 'DELETE', path: objectPath(ref), body, ...rest }).then(() => true, ifNotFound(false));
  }

  /** Sends any other request, such as discovery or `/version`. */
  request(request: ApiRequest): Promise<unknown> {
    const term = this.#term;
    if (term === undefined) return sendRequest(this.config, request);
    const signal = request.signal === undefined ? term.signal : AbortSignal.any([term.signal, request.signal]);
    return sendRequest(this.config, { ...request, signal, beforeSend: () => term.requireLeadership() });
  }

  #write<T>(
    method: Method,
    path: string,
    body: unknown,
    { dryRun, metadataOnly, ...rest }: WriteOptions = {},
    extra: { readonly contentType?: string; readonly query?: Query } = {},
  ): Promise<T> {
    const query = {
      fieldManager: this.fieldManager,
      dryRun: dryRun === true ? 'All' : undefined,
      ...known(extra.query),
    };
    const accept = metadataOnly === true ? { accept: metadataAccept } : {};
    return this.#send<T>({ ...rest, ...extra, ...accept, method, path, body, query });
  }

  async #send<T>(request: ApiRequest, expected: AnswerKind = 'object'): Promise<T> {
    const answer = await this.request(request);
    requireAnswer(describeRequest(request), answer, expected);
    // The only place where JSON from the API server gets a type. The server has checked it against the schema.
    return answer as T;
  }
}

/** The verbs by which the controller reads and writes: a part of its work takes them from here, or from an API in memory. */
export type KubeVerbs = Pick<
  KubeClient,
  | 'find'
  | 'list'
  | 'create'
  | 'createSubresource'
  | 'merge'
  | 'mergeItems'
  | 'patch'
  | 'apply'
  | 'applyStatus'
  | 'delete'
  | 'request'
>;

/** What `apply` sends; name, namespace, apiVersion and kind are filled in. */
interface ApplyFields {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

function withType<T extends object>(resource: Resource, object: T): T {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function known(query: Query | undefined): Query {
  return Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== undefined));
}

interface GroupVersions {
  readonly versions: readonly { readonly version: string }[];
}

/** The versions in which the API server serves a group; none if it does not serve it. */
export async function listVersions(
  client: Pick<KubeClient, 'request'>,
  group: string,
  options: CallOptions = {},
): Promise<readonly string[]> {
  const request = { method: 'GET', path: `/apis/${group}`, ...options } as const;
  const found = await client.request(request).catch(ifNotFound({ versions: [] }));
  return (found as GroupVersions).versions.map(({ version }) => version);
}

/** Lists all objects of a kind; none if the cluster does not have the kind. */
export async function listServed<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  resource: Resource,
  selection: Selection = {},
  options: ListOptions = {},
): Promise<readonly T[]> {
  return (await client.list<T>(resource, selection, options).catch(ifNotFound({ items: [] }))).items;
}

/** Versions of Kueue's API whose fields are known here, the newest first. */
const knownVersions = ['v1beta2', 'v1beta1'];

/** The newest version in which Kueue is served and known here, or why there is none. */
export async function findKueue(
  client: Pick<KubeVerbs, 'request'>,
  options?: CallOptions,
): Promise<{ readonly version: string } | { readonly trouble: string }> {
  const served = await listVersions(client, 'kueue.x-k8s.io', options);
  if (served.length === 0)
    return { trouble: 'this cluster has no Kueue: the API server does not serve kueue.x-k8s.io' };
  const version = knownVersions.find((one) => served.includes(one));
  return version === undefined
    ? { trouble: `Kueue serves ${served.join(', ')}, and this release reads ${knownVersions.join(' and ')}` }
    : { version };
}

/** A kind of Kueue's, by what {@link findKueue} has found. */
export function kueueResource(version: string, kind: 'ClusterQueue' | 'ResourceFlavor'): Resource {
  return { group: 'kueue.x-k8s.io', version, plural: `${kind.toLowerCase()}s`, kind };
}

/** @throws ApiError for what may pass */
export async function readKueue(client: KubeVerbs): Promise<KueueReading> {
  try {
    const found = await findKueue(client);
    return 'trouble' in found ? found : await listAll(client, found.version);
  } catch (error) {
    // 500: Kueue itself converts objects of another version, and does not answer.
    if (isNotFound(error) || (error instanceof ApiError && [403, 500].includes(error.code)))
      return { trouble: `the objects of Kueue cannot be read: ${error.message}` };
    throw error;
  }
}

type KueueFacts = Exclude<KueueReading, { readonly trouble: string }>;

async function listAll(client: KubeVerbs, version: string): Promise<KueueFacts> {
  const list = async <Of extends keyof KueueFacts>(
    plural: string,
    kind: string,
    trim?: (object: never) => KubeObject,
  ): Promise<KueueFacts[Of]> => {
    const resource = { group: 'kueue.x-k8s.io', version, plural, kind };
    const { items } = await client.list<KueueFacts[Of][number] & KubeObject>(resource, {}, { ...(trim && { trim }) });
    return items;
  };
  const [workloads, localQueues, clusterQueues, flavors] = await Promise.all([
    // Of those that have ended, Kueue may keep many.
    list<'workloads'>('workloads', 'Workload', trimWorkload),
    list<'localQueues'>('localqueues', 'LocalQueue'),
    list<'clusterQueues'>('clusterqueues', 'ClusterQueue'),
    list<'flavors'>('resourceflavors', 'ResourceFlavor'),
  ]);
  return { workloads, localQueues, clusterQueues, flavors };
}
