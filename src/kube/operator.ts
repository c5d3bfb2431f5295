import operator, { ResourceEventType, ResourceMetaImpl } from '@dot-i/k8s-operator';
import type { ResourceEvent, ResourceMeta } from '@dot-i/k8s-operator';
import { CoreV1Api } from '@kubernetes/client-node';
import { untilAborted, whenAborted } from '../process/abort.ts';
import type { Logger } from '../process/logger.ts';
import type { KubeClient } from './client.ts';
import type { Selection } from './call-options.ts';
import { hideDefaultConfig } from './default-config.ts';
import { discoverResource } from './discovery.ts';
import { WorkQueue, type QueueOptions } from './queue.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorTiming } from './reflector-options.ts';
import { apiVersionOf, collectionPath, type KubeObject, type ObjectRef, type Resource } from './resource.ts';
import type { Change } from './store.ts';

export interface WatchOptions<T extends KubeObject> extends Selection {
  readonly resource: Resource;
  /** Called for each change, in order, after the store has it; usually it puts a key into a queue. */
  readonly onChange?: (change: Change<T>) => void;
  /** Called when the server was restored from a backup: earlier versions are then meaningless. */
  readonly onRewind?: () => void;
  /** Removes unneeded parts of an object before it is stored. */
  readonly strip?: (object: T) => T;
  /** Called when the watch fails, with the wait before the next retry. */
  readonly onTrouble?: (error: unknown, delayMs: number) => void;
  readonly timing?: Partial<ReflectorTiming>;
}

/** A part that ends with the operator: reflectors, queues, recorders. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * The Operator of `@dot-i/k8s-operator` with every network access replaced: on client-node 2 its own watches end the
 * process after 30 quiet seconds, and its status writes fail with only a log line. What stays is its contract: a subclass
 * sets up watches in `init`, `start` runs it, `stop` ends everything. Errors are thrown, never swallowed. Nobody here calls the
 * overrides for status, finalizers and CRDs; the contract demands them, and the inherited ones would fail silently.
 */
export abstract class ResilientOperator extends operator.default {
  protected readonly client: KubeClient;
  readonly #logger: Logger;
  readonly #parts: Stoppable[] = [];
  /** The watched resources, by the id that the base class gives them (`plural.apiVersion`). */
  readonly #watched = new Map<string, Resource>();
  readonly #stopped = new AbortController();
  readonly #isSetUp = Promise.withResolvers<void>();

  constructor(client: KubeClient, logger: Logger) {
    const showDefaultConfig = hideDefaultConfig();
    super(logger);
    showDefaultConfig();
    this.client = client;
    this.#logger = logger;
    this.kubeConfig = client.config;
    this.k8sApi = client.config.makeApiClient(CoreV1Api);
  }

  /** Runs `init`. If it fails, everything it started is stopped. */
  override async start(): Promise<void> {
    try {
      await super.start();
      this.#isSetUp.resolve();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Stops everything, the last started first, and resolves when all of it has ended. */
  // oxlint-disable-next-line typescript/no-misused-promises -- the base class returns before anything has ended
  override async stop(): Promise<void> {
    this.#stopped.abort(new Error('the operator was stopped'));
    for (const part of this.#parts.splice(0).toReversed()) await part.stop();
  }

  /** Aborts when the operator is stopped. */
  protected get ending(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Makes a part stop with the operator. */
  protected own<Part extends Stoppable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  /** Starts to watch a resource; {@link Reflector.waitForSync} of the result says when its store is complete. */
  protected watch<T extends KubeObject>(options: WatchOptions<T>): Reflector<T> {
    const reflector = new Reflector<T>({ ...options, client: this.client, logger: this.#logger });
    this.#watched.set(idOf(options.resource), options.resource);
    return this.own(reflector.start());
  }

  /** A work queue that starts when `init` has returned, and ends with the operator. */
  protected createQueue(options: Omit<QueueOptions, 'logger'>): WorkQueue {
    const reconcile: QueueOptions['reconcile'] = async (key, signal) => {
      await untilAborted(this.#isSetUp.promise, signal);
      return options.reconcile(key, signal);
    };
    const queue = this.own(new WorkQueue({ ...options, reconcile, logger: this.#logger }));
    // All at once: one may have to wait for its work to end, and the others must not begin more meanwhile.
    void whenAborted(this.#stopped.signal).then(() => queue.stop());
    return queue;
  }

  /**
   * The base class's watch: calls `onEvent` with the newest state, one call at a time per object, and again with backoff when it
   * throws, but not before `init` has returned. An existing object is always `Modified`. Resolves when the list is complete.
   */
  protected override async watchResource(
    group: string,
    version: string,
    plural: string,
    onEvent: (event: ResourceEvent) => Promise<void>,
    namespace?: string,
  ): Promise<void> {
    const resource = await discoverResource(this.client, group, version, plural);
    const gone = new Map<string, KubeObject>();
    const queue = this.createQueue({
      reconcile: async (key) => {
        const deleted = gone.get(key);
        if (deleted !== undefined) await onEvent(eventOf(resource, ResourceEventType.Deleted, deleted));
        if (gone.get(key) === deleted) gone.delete(key);
        const object = reflector.store.get(key);
        if (object !== undefined) await onEvent(eventOf(resource, ResourceEventType.Modified, object));
      },
    });
    const reflector = this.watch<KubeObject>({
      resource,
      namespace,
      onChange: ({ type, key, object }) => {
        if (type === 'delete') gone.set(key, object);
        queue.add(key);
      },
    });
    await reflector.waitForSync(this.#stopped.signal);
  }

  /** Refused: users install our CRDs (kubectl, GitOps), and the controller has no right to write them. */
  protected override async registerCustomResourceDefinition(crdFile: string): Promise<never> {
    throw new Error(`this operator does not install CustomResourceDefinitions: run kubectl apply -f ${crdFile}`);
  }

  protected override getCustomResourceApiUri(
    group: string,
    version: string,
    plural: string,
    namespace?: string,
  ): string {
    const server = this.kubeConfig.getCurrentCluster()?.server ?? '';
    return server.replace(/\/+$/, '') + collectionPath({ group, version, plural, kind: '' }, namespace);
  }

  /** Makes the status hold exactly these fields of ours, by server-side apply. */
  protected override async setResourceStatus(meta: ResourceMeta, status: unknown): Promise<ResourceMeta> {
    const written = await this.client.applyStatus<KubeObject>(this.#refOf(meta), status);
    return metaOf(meta.id, written);
  }

  /**
   * Same as {@link setResourceStatus}. Not a merge patch: a program's merges and applies belong to two different owners, and
   * fields of the other one would never be removed.
   */
  protected override patchResourceStatus(meta: ResourceMeta, status: unknown): Promise<ResourceMeta> {
    return this.setResourceStatus(meta, status);
  }

  /** See the base class; leaves the event's object unchanged. */
  protected override async handleResourceFinalizer(
    event: ResourceEvent,
    finalizer: string,
    deleteAction: (event: ResourceEvent) => Promise<void>,
  ): Promise<boolean> {
    const metadata = event.object.metadata;
    if (metadata === undefined || event.type === ResourceEventType.Deleted) return false;
    const finalizers = metadata.finalizers ?? [];
    if (metadata.deletionTimestamp !== undefined) {
      if (!finalizers.includes(finalizer)) return true;
      await deleteAction(event);
      const others = finalizers.filter((name) => name !== finalizer);
      await this.setResourceFinalizers(event.meta, others);
      return true;
    }
    if (finalizers.includes(finalizer)) return false;
    await this.setResourceFinalizers(event.meta, [...finalizers, finalizer]);
    return true;
  }

  /** Sets the finalizers of the version that was read: a Conflict if the object has changed since. */
  protected override async setResourceFinalizers(meta: ResourceMeta, finalizers: string[]): Promise<void> {
    const metadata = { finalizers, resourceVersion: meta.resourceVersion };
    await this.client.merge(this.#refOf(meta), { metadata }, { metadataOnly: true });
  }

  #refOf({ id, name, namespace }: ResourceMeta): ObjectRef {
    const resource = this.#watched.get(id);
    if (resource === undefined) throw new Error(`${id} is not watched by this operator`);
    return { resource, name, ...(namespace === undefined ? {} : { namespace }) };
  }
}

function idOf(resource: Resource): string {
  return `${resource.plural}.${apiVersionOf(resource)}`;
}

function eventOf(resource: Resource, type: ResourceEventType, object: KubeObject): ResourceEvent {
  const base = asBaseObject(object);
  return { type, object: base, meta: ResourceMetaImpl.createWithId(idOf(resource), base) };
}

function metaOf(id: string, object: KubeObject): ResourceMeta {
  return ResourceMetaImpl.createWithId(id, asBaseObject(object));
}

/** As in the base class, the object is the raw JSON, under a type that declares `Date` where JSON has strings. */
function asBaseObject(object: KubeObject): ResourceEvent['object'] {
  return object as unknown as ResourceEvent['object'];
}
