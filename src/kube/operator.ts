import operator from '@dot-i/k8s-operator';
import { untilAborted, whenAborted } from '../process/clock.ts';
import type { Logger } from '../process/log.ts';
import { hideDefaultConfig } from './kubeconfig.ts';
import { WorkQueue, type QueueOptions } from './queue.ts';
import { catchUp, type ReflectorCounts, type ReflectorOptions, Reflector } from './reflector.ts';
import type { KubeClient } from './client.ts';
import type { KubeObject, Store } from './watch.ts';

/** A part that ends with the operator: reflectors, queues, recorders. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * The Operator of `@dot-i/k8s-operator` without its network access: on client-node 2 its own watches end the process after 30 quiet
 * seconds, and its writes of a status or a finalizer fail with only a log line. What stays is its course: a subclass sets up watches and
 * queues in `init`, `start` runs it, `stop` ends everything. Errors are thrown, never swallowed.
 */
export abstract class ResilientOperator extends operator.default {
  readonly #logger: Logger;
  readonly #parts: Stoppable[] = [];
  readonly #stopped = new AbortController();
  readonly #isSetUp = Promise.withResolvers<void>();

  constructor(logger: Logger) {
    const showDefaultConfig = hideDefaultConfig();
    super(logger);
    showDefaultConfig();
    this.#logger = logger;
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

  /** Refused, and with it what the base class writes to what it watches: a Reflector survives, and KubeClient throws. */
  protected override async watchResource(): Promise<never> {
    throw new Error('this operator does not watch by its base class: own a Reflector');
  }

  /** Refused: users install our CRDs (kubectl, GitOps), and the controller has no right to write them. */
  protected override async registerCustomResourceDefinition(crdFile: string): Promise<never> {
    throw new Error(`this operator does not install CustomResourceDefinitions: run kubectl apply -f ${crdFile}`);
  }
}

/** Acts on what a watch brings. */
export type WatchReader<T extends KubeObject> = Required<Pick<ReflectorOptions<T>, 'onChange'>> &
  Pick<ReflectorOptions<T>, 'onRewind'>;

/**
 * A watch that outlives the terms of a leader: its store is kept up to date while another process leads, so that a term begins
 * with everything known. It reports to the reader of the current term only.
 */
export class WarmWatch<T extends KubeObject> implements Stoppable {
  readonly #options: Omit<ReflectorOptions<T>, 'onChange' | 'onRewind' | 'onProgress'>;
  readonly #reflector: Reflector<T>;
  #reader: WatchReader<T> | undefined;
  #moved = Promise.withResolvers<void>();

  constructor(options: Omit<ReflectorOptions<T>, 'onChange' | 'onRewind' | 'onProgress'>) {
    this.#options = options;
    this.#reflector = new Reflector<T>({
      ...options,
      onChange: (change) => this.#reader?.onChange?.(change),
      onRewind: () => this.#reader?.onRewind?.(),
      onProgress: () => {
        this.#moved.resolve();
        this.#moved = Promise.withResolvers();
      },
    });
  }

  get store(): Store<T> {
    return this.#reflector.store;
  }

  get counts(): ReflectorCounts {
    return this.#reflector.counts;
  }

  get silenceMs(): number {
    return this.#reflector.silenceMs;
  }

  get synced(): boolean {
    return this.#reflector.synced;
  }

  /** The newest version that was seen; the store is at least as new. */
  get newest(): string {
    return this.#reflector.resourceVersion;
  }

  /** Resolves with the next news. */
  get moved(): Promise<void> {
    return this.#moved.promise;
  }

  relist(): void {
    this.#reflector.relist();
  }

  start(): this {
    this.#reflector.start();
    return this;
  }

  /** Reports everything in the store as a change, then each change. @returns to call when the reader ends */
  attach(reader: WatchReader<T>): () => void {
    this.#reader = reader;
    this.#reflector.replay();
    return () => {
      if (this.#reader === reader) this.#reader = undefined;
    };
  }

  /**
   * Resolves when the store is at least as new as the API server is now: everything that an earlier leader has written is then in it.
   * @throws NotSentError when the term is over; the signal's reason when it aborts
   */
  async catchUp(client: KubeClient, signal: AbortSignal): Promise<void> {
    await this.#reflector.waitForSync(signal);
    const { resource, namespace, labelSelector, fieldSelector, logger } = this.#options;
    const selection = { namespace, labelSelector, fieldSelector };
    await catchUp({ client, resource, selection, signal, logger }, this);
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }
}
