import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { JsonPatchOperation } from '../../src/core/text/json.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeObject } from '../../src/kube/watch.ts';

export type StoredPartition = GpuNodePartition & KubeObject;
export type Policy = GpuPartitionPolicy & KubeObject;
export type Pod = PodView & KubeObject;

export interface Kinds {
  readonly nodes: NodeObject;
  readonly partitions: StoredPartition;
  readonly policies: Policy;
  readonly pods: Pod;
  readonly agents: PodView;
}
export type Kind = keyof Kinds;

export interface ApiChange<Name extends Kind = Kind> {
  readonly kind: Name;
  readonly type: 'apply' | 'delete';
  readonly key: string;
  readonly object: Kinds[Name];
  readonly before: Kinds[Name] | undefined;
  readonly by: string;
}

type Objects = { readonly [Name in Kind]: Map<string, Kinds[Name]> };

/** The API server: resource versions, compare-and-swap, JSON patch with tests, generations, a log for the watches. */
export class Api {
  #version = 100;
  readonly #objects: Objects = {
    nodes: new Map(),
    partitions: new Map(),
    policies: new Map(),
    pods: new Map(),
    agents: new Map(),
  };
  readonly log: ApiChange[] = [];
  /** Fields of a policy's status that a field manager has applied, by the policy's uid and the manager. */
  readonly #applied = new Map<string, readonly string[]>();
  readonly #onChange: (change: ApiChange) => void;

  constructor(onChange: (change: ApiChange) => void) {
    this.#onChange = onChange;
  }

  /** Its newest resource version. */
  get version(): string {
    return String(this.#version);
  }

  find<Name extends Kind>(kind: Name, key: string): Kinds[Name] | undefined {
    return this.#objects[kind].get(key);
  }

  list<Name extends Kind>(kind: Name): readonly Kinds[Name][] {
    return [...this.#objects[kind].values()];
  }

  create<Name extends Kind>(kind: Name, key: string, object: Kinds[Name], by: string): Kinds[Name] {
    if (this.#objects[kind].has(key)) throw refuse(409, 'AlreadyExists', `${kind} ${key}`);
    return this.#put(kind, key, object, by);
  }

  /** @throws ApiError 404, or 409 if the version has changed */
  update<Name extends Kind>(
    kind: Name,
    key: string,
    by: string,
    change: (object: Kinds[Name]) => Kinds[Name],
    version?: string,
  ): Kinds[Name] {
    const before = this.#objects[kind].get(key);
    if (before === undefined) throw refuse(404, 'NotFound', `${kind} ${key}`);
    if (version !== undefined && before.metadata.resourceVersion !== version) {
      throw refuse(409, 'Conflict', `${kind} ${key} is at ${before.metadata.resourceVersion}, not at ${version}`);
    }
    const after = change(before);
    return after === before ? before : this.#put(kind, key, after, by);
  }

  delete(kind: Kind, key: string, by: string, uid?: string): void {
    const before = this.#objects[kind].get(key);
    if (before === undefined) throw refuse(404, 'NotFound', `${kind} ${key}`);
    if (uid !== undefined && before.metadata.uid !== uid)
      throw refuse(409, 'Conflict', `${kind} ${key} is another one`);
    this.#objects[kind].delete(key);
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: this.#next() } };
    this.#append({ kind, type: 'delete', key, object, before, by });
  }

  patchNode(key: string, patch: readonly JsonPatchOperation[], by: string): NodeObject {
    return this.update('nodes', key, by, (node) => applyPatch(node, patch));
  }

  /** Server-side apply: the policy's status then holds exactly these fields of the manager. */
  applyStatus(key: string, by: string, manager: string, status: object, version: string | undefined): Policy {
    const apply = (policy: Policy): Policy => {
      const owner = `${policy.metadata.uid} ${manager}`;
      const left = (this.#applied.get(owner) ?? []).filter((field) => !(field in status));
      this.#applied.set(owner, Object.keys(status));
      const kept = Object.entries(policy.status ?? {}).filter(([field]) => !left.includes(field));
      return { ...policy, status: { ...Object.fromEntries(kept), ...status } };
    };
    return this.update('policies', key, by, apply, version);
  }

  #put<Name extends Kind>(kind: Name, key: string, object: Kinds[Name], by: string): Kinds[Name] {
    const before = this.#objects[kind].get(key);
    const stored: Kinds[Name] = { ...object, metadata: { ...object.metadata, resourceVersion: this.#next() } };
    this.#objects[kind].set(key, stored);
    this.#append({ kind, type: 'apply', key, object: stored, before, by });
    return stored;
  }

  #append(change: ApiChange): void {
    this.log.push(change);
    this.#onChange(change);
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

/** Programs survive these: where one was made is never shown, and finding it out takes longer than all else. */
export function refuse(code: number, reason: string, text: string): ApiError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new ApiError({ request: 'model', code, reason, text });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** RFC 6902 as far as Node patches use it; a failed test, or a path that does not exist, rejects the whole patch. */
function applyPatch(node: NodeObject, patch: readonly JsonPatchOperation[]): NodeObject {
  const { labels, annotations } = node.metadata;
  const copy: Record<string, unknown> = {
    ...node,
    metadata: {
      ...node.metadata,
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
    },
    spec: { ...node.spec },
  };
  for (const { op, path, value } of patch) {
    const parts = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = parts.pop() ?? '';
    let target: Record<string, unknown> = copy;
    for (const part of parts) {
      const next = target[part];
      if (typeof next !== 'object' || next === null) throw refuse(422, 'Invalid', `${path}: no such path`);
      target = next as Record<string, unknown>;
    }
    const present = Object.hasOwn(target, last) ? target[last] : null;
    switch (op) {
      case 'test': {
        // The API omits empty lists and maps.
        const isEmpty = typeof present === 'object' && present !== null && Object.keys(present).length === 0;
        const found = isEmpty ? null : present;
        if (JSON.stringify(found) !== JSON.stringify(value)) throw refuse(422, 'Invalid', `${path}: the test failed`);
        break;
      }
      case 'add':
      case 'replace':
        target[last] = value;
        break;
      case 'remove':
        if (present === null) throw refuse(422, 'Invalid', `${path}: nothing to remove`);
        if (last === 'taints') target[last] = [];
        else delete target[last];
    }
  }
  return copy as unknown as NodeObject;
}
