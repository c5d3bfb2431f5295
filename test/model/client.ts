import {
  configMaps,
  daemonSets,
  nodePartitions,
  nodes,
  pods,
  policies,
  resourceClaims,
  resourceSlices,
} from '../../src/api/resources.ts';
import type { JsonPatchOperation } from '../../src/core/text/json.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { OfferedStatus } from '../../src/core/node/offer.ts';
import { isNotFound } from '../../src/kube/api-error.ts';
import type { KubeVerbs } from '../../src/kube/client.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  List,
  ListOptions,
  Selection,
  StatusOptions,
} from '../../src/kube/request.ts';
import type { KubeObject, ObjectRef, Resource } from '../../src/kube/watch.ts';
import { mergePatch } from '../support/merge-patch.ts';
import { type Kind, type Pod, refuse, type StoredPartition } from './api.ts';
import type { ModelCluster } from './cluster.ts';

/** Something that a process waits for, and the time before which it hears nothing of it. */
interface Call {
  notBefore: number;
}

/** What a process asks others, and waits for: requests, programs, its own pauses. */
export class Calls {
  readonly #world: Pick<ModelCluster, 'timeline' | 'fail'>;
  readonly #isAnswer: (error: unknown) => boolean;
  readonly #awaited = new Set<Call>();
  #hangsUntil = -Infinity;
  #isClosed = false;

  /** @param isAnswer whether an error is one that the process hears of */
  constructor(world: Pick<ModelCluster, 'timeline' | 'fail'>, isAnswer: (error: unknown) => boolean) {
    this.#world = world;
    this.#isAnswer = isAnswer;
  }

  /** The process has ended: it does nothing any more, and hears no answer. */
  close(): void {
    this.#isClosed = true;
  }

  /** The process hangs: it hears no answer for this many ms. @param whose only those that it awaits now, or the next ones too */
  hang(ms: number, whose: 'Awaited' | 'Next'): void {
    const until = this.#world.timeline.now + ms;
    for (const call of this.#awaited) call.notBefore = until;
    if (whose === 'Next') this.#hangsUntil = until;
  }

  /** Lets time pass for the process. */
  pause(ms: number): Promise<void> {
    return this.make(
      (function* () {
        yield ms;
      })(),
    );
  }

  /** @param steps each yields how many ms it takes */
  make<Answer>(steps: Generator<number, Answer, undefined>): Promise<Answer> {
    const { timeline } = this.#world;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const call: Call = { notBefore: this.#hangsUntil };
    this.#awaited.add(call);
    const proceed = (): void => {
      if (this.#isClosed) return;
      const leftMs = call.notBefore - timeline.now;
      if (leftMs > 0) return void timeline.after(leftMs, proceed);
      try {
        const { done, value } = steps.next();
        if (done !== true) return void timeline.after(value, proceed);
        resolve(value);
      } catch (error) {
        if (this.#isAnswer(error)) reject(error);
        else this.#world.fail(error);
      }
      this.#awaited.delete(call);
      timeline.wake();
    };
    proceed();
    return promise;
  }
}

interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  [nodes.plural]: 'nodes',
  [nodePartitions.plural]: 'partitions',
  [policies.plural]: 'policies',
};

/** A controller's client of the API server in memory, by the interface of `KubeClient`: requests take their time, and may fail. */
export class ModelClient implements KubeVerbs {
  readonly #world: ModelCluster;
  readonly #by: string;
  readonly #calls: Calls;

  /** @param by name of the process */
  constructor(world: ModelCluster, by: string, calls: Calls) {
    this.#world = world;
    this.#by = by;
    this.#calls = calls;
  }

  #send<Answer>(kind: 'Read' | 'Write', act: () => unknown): Promise<Answer> {
    return this.#calls.make(this.#world.call(this.#by, kind, act as () => Answer));
  }

  find<T extends KubeObject>({ resource, namespace = '', name }: ObjectRef): Promise<T | undefined> {
    const { api, configMap } = this.#world;
    return this.#send('Read', () => {
      const kind = kinds[resource.plural];
      if (kind) return api.find(kind, name);
      if (resource === configMaps) return configMap.object;
      if (resource === daemonSets) return this.#findOwner(namespace, name);
      throw new Error(`the model has no ${resource.plural}`);
    });
  }

  /** DaemonSets are there as long as pods name them. */
  #findOwner(namespace: string, name: string): KubeObject | undefined {
    const owners = this.#world.api
      .list('pods')
      .filter(({ metadata }) => metadata.namespace === namespace)
      .flatMap(({ metadata }) => metadata.ownerReferences ?? []);
    const owner = owners.find((one) => one.kind === 'DaemonSet' && one.name === name);
    return owner && { metadata: { name, namespace, ...(owner.uid !== undefined && { uid: owner.uid }) } };
  }

  list<T extends KubeObject>(
    resource: Resource,
    selection: Selection = {},
    options: ListOptions = {},
  ): Promise<List<T>> {
    const { trim = (object: T) => object } = options;
    return this.#send('Read', () => {
      const items = this.#select(resource, selection).map((object) => trim(object as never));
      return { items, resourceVersion: this.#world.api.version };
    });
  }

  #select(resource: Resource, { fieldSelector = '' }: Selection): readonly object[] {
    const { api } = this.#world;
    const node = /^spec\.nodeName=([^,]*)/.exec(fieldSelector)?.[1];
    switch (resource) {
      case pods:
        if (node === '') return this.#world.listPending();
        return (node === undefined ? this.#world.boundPods() : this.#world.podsOf(node)).filter(isUnfinished);
      case resourceSlices:
        return this.#world.slicesOf(node ?? '');
      case resourceClaims:
        return this.#world.claims();
      case nodePartitions:
        return api.list('partitions');
      default:
        // Budgets are the API server's to enforce, and there are no other objects.
        return [];
    }
  }

  create<T extends KubeObject>(resource: Resource, object: T): Promise<T> {
    return this.#send('Write', () => {
      if (resource !== nodePartitions) throw new Error(`nobody creates ${resource.plural}`);
      const { metadata, spec } = object as unknown as StoredPartition;
      return this.#world.createPartition(metadata.name, spec.nodeUID, this.#by);
    });
  }

  /** Evicts a pod. */
  createSubresource(_ref: ObjectRef, body: unknown): Promise<unknown> {
    const { deleteOptions } = body as Eviction;
    const { preconditions, gracePeriodSeconds } = deleteOptions;
    return this.#send('Write', () => this.#world.evict(preconditions.uid, this.#by, gracePeriodSeconds));
  }

  delete({ resource, name }: ObjectRef, options: DeleteOptions = {}): Promise<boolean> {
    const { preconditions: { uid = '' } = {}, gracePeriodSeconds } = options;
    const isDeleted = this.#send<boolean>('Write', () => {
      if (resource === pods) this.#world.deletePod(uid, this.#by, gracePeriodSeconds);
      else this.#world.api.delete('partitions', name, this.#by, uid);
      return true;
    });
    return isDeleted.catch((error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    });
  }

  merge<T extends KubeObject>({ resource, name, subresource }: ObjectRef, patch: unknown): Promise<T> {
    const { metadata = {}, spec, status, data } = patch as Patch;
    const { resourceVersion, finalizers } = metadata;
    const { api, configMap } = this.#world;
    return this.#send('Write', () => {
      if (resource === configMaps) return configMap.merge(data ?? {}, resourceVersion);
      if (resource === policies) return this.#world.setFinalizers(name, finalizers ?? [], resourceVersion, this.#by);
      if (resource === nodes) {
        this.#world.devicesAreAdvertised(this.#by, status as OfferedStatus);
        const offer = (one: NodeObject): NodeObject => mergePatch(one, { status }) as NodeObject;
        return api.update('nodes', name, this.#by, offer, resourceVersion);
      }
      const change = (one: StoredPartition): StoredPartition => {
        if (subresource === 'status') return mergePatch(one, { status }) as StoredPartition;
        const generation = (one.metadata.generation ?? 0) + 1;
        return { ...(mergePatch(one, { spec }) as StoredPartition), metadata: { ...one.metadata, generation } };
      };
      const swapped = this.#world.hasBug('NoCompareAndSwap') ? undefined : resourceVersion;
      return api.update('partitions', name, this.#by, change, swapped);
    });
  }

  /** Merges conditions into a Node's by their type. */
  mergeItems<T extends KubeObject>({ name }: ObjectRef, patch: unknown): Promise<T> {
    const { metadata = {}, status = {} } = patch as { readonly metadata?: Preconditions; readonly status?: Conditions };
    return this.#send('Write', () =>
      this.#world.api.update('nodes', name, this.#by, (one) => {
        if (metadata.uid !== one.metadata.uid) throw refuse(422, 'Invalid', 'another node');
        const { conditions = [] } = one.status ?? {};
        return { ...one, status: { ...one.status, conditions: mergeByType(conditions, status.conditions ?? []) } };
      }),
    );
  }

  patch<T extends KubeObject>({ name }: ObjectRef, operations: readonly JsonPatchOperation[]): Promise<T> {
    return this.#send('Write', () => this.#world.api.patchNode(name, operations, this.#by));
  }

  /** Applies a part of a policy's status. */
  apply<T extends KubeObject>({ name }: ObjectRef, fields: object, options: ApplyOptions = {}): Promise<T> {
    const { metadata = {}, status = {} } = fields as { readonly metadata?: Preconditions; readonly status?: object };
    const { fieldManager = '' } = options;
    return this.#send('Write', () => {
      const isSwapped = fieldManager === '' || !this.#world.hasBug('LedgerWithoutSwap');
      const version = isSwapped ? metadata.resourceVersion : undefined;
      return this.#world.api.applyStatus(name, this.#by, fieldManager, status, version);
    });
  }

  applyStatus<T extends KubeObject>(ref: ObjectRef, status: unknown, options: StatusOptions = {}): Promise<T> {
    const { resourceVersion = '' } = options;
    return this.apply<T>(ref, { metadata: { resourceVersion }, status });
  }

  /** The API server serves no other API. */
  request(): Promise<unknown> {
    return this.#send('Read', () => {
      throw refuse(404, 'NotFound', 'no such API');
    });
  }
}

interface Eviction {
  readonly deleteOptions: { readonly preconditions: { readonly uid: string }; readonly gracePeriodSeconds?: number };
}

interface Patch {
  readonly metadata?: { readonly resourceVersion?: string; readonly finalizers?: readonly string[] };
  readonly spec?: object;
  readonly status?: object;
  readonly data?: Readonly<Record<string, string | null>>;
}

/** The API server lists no others of a node. */
function isUnfinished({ status }: Pod): boolean {
  return status?.phase !== 'Failed' && status?.phase !== 'Succeeded';
}

type Condition = NonNullable<NonNullable<NodeObject['status']>['conditions']>[number];

interface Conditions {
  readonly conditions?: readonly (Condition & { readonly $patch?: 'delete' })[];
}

/** As the API server merges a patch whose `patchMergeKey` is `type`. */
function mergeByType(
  before: readonly Condition[],
  patches: NonNullable<Conditions['conditions']>,
): readonly Condition[] {
  const kept = before.flatMap((one) => {
    const patch = patches.find(({ type }) => type === one.type);
    return patch?.$patch === 'delete' ? [] : [{ ...one, ...patch }];
  });
  const added = patches.filter((patch) => patch.$patch !== 'delete' && before.every(({ type }) => type !== patch.type));
  return [...kept, ...added];
}
