import { listVersions, type KubeClient } from '../kube/client.ts';
import { resourceSlices } from '../api/resources.ts';
import { gpuDriver } from '../core/kubernetes/pod.ts';
import { mayUseClaims } from '../core/policy/spec.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { ApiError } from '../kube/api-error.ts';
import type { Stoppable } from '../kube/operator.ts';
import { Reflector } from '../kube/reflector.ts';
import { keepVersion, type KubeObject, type Change } from '../kube/watch.ts';
import { systemClock, waitFor, whenAborted } from '../process/clock.ts';
import type { Logger } from '../process/log.ts';

type DraApi = NonNullable<NodeSnapshot['draApi']>;

type SliceObject = KubeObject & { readonly spec?: { readonly nodeName?: string } };

/** How often an API server without the API is asked for it again, in ms: it comes with an upgrade. */
const usualAskAgainMs = 60_000;
/** Milliseconds until an API server that does not answer is asked again. */
const retryMs = 5_000;

interface Parts {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly fleet: Pick<Fleet, 'policies'>;
  /** The slices of a node have changed, or the API has come or gone. */
  readonly onNode: (name: string) => void;
  readonly askAgainMs?: number;
}

/**
 * Has nodes looked at when their ResourceSlices change, as long as a policy may hand GPUs out by claims: most clusters have none, and
 * many do not serve the API, which is asked for first. Content is read by each look itself: a slice of eight GPUs in seven parts is
 * 60 kB, and only its node is kept of it.
 */
export class SliceWatch implements Stoppable {
  readonly #parts: Parts;
  #api: DraApi | undefined;
  /** Names of slices by their node. */
  #slices = new Map<string, ReadonlySet<string>>();
  #work: { readonly end: AbortController; readonly done: Promise<void> } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the API server serves the API of claims; undefined while no policy needs it, or there is no answer yet. */
  get api(): DraApi | undefined {
    return this.#api;
  }

  hasSlices(node: string): boolean {
    return this.#slices.has(node);
  }

  /** Call this when a policy has changed. */
  follow(): void {
    const isWanted = this.#records().length > 0;
    if (isWanted === (this.#work !== undefined)) return;
    if (!isWanted) return void this.stop();
    const end = new AbortController();
    this.#work = { end, done: this.#run(end.signal) };
  }

  async stop(): Promise<void> {
    const work = this.#work;
    this.#work = undefined;
    this.#api = undefined;
    this.#slices = new Map();
    work?.end.abort();
    await work?.done;
  }

  #records(): readonly PolicyRecord[] {
    return [...this.#parts.fleet.policies].filter((record) =>
      [record.newest, record.policy].some(({ spec }) => mayUseClaims(spec)),
    );
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { askAgainMs = usualAskAgainMs } = this.#parts;
    while (!signal.aborted) {
      const api = await this.#ask();
      if (signal.aborted) return;
      if (api !== undefined) this.#recordApi(api);
      if (api === 'Served') return this.#watch(signal);
      await waitFor(systemClock, api === undefined ? retryMs : askAgainMs, signal);
    }
  }

  async #ask(): Promise<DraApi | undefined> {
    try {
      const { group, version } = resourceSlices;
      return (await listVersions(this.#parts.client, group)).includes(version) ? 'Served' : 'Missing';
    } catch (error) {
      // Who may not ask may still watch. Any other failure is that of all watches, which tell of it.
      return error instanceof ApiError && error.code === 403 ? 'Served' : undefined;
    }
  }

  #recordApi(api: DraApi): void {
    if (api === this.#api) return;
    this.#api = api;
    if (api === 'Missing')
      this.#parts.logger.info('the API server does not serve resource.k8s.io/v1: no ResourceSlices are watched', {});
    for (const node of this.#records().flatMap(({ nodes }) => [...nodes])) this.#parts.onNode(node);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#parts;
    const reflector = new Reflector<SliceObject>({
      client,
      logger,
      resource: resourceSlices,
      fieldSelector: `spec.driver=${gpuDriver}`,
      trim: keepNode,
      onChange: (change) => {
        if (!signal.aborted) this.#note(change);
      },
    }).start();
    await whenAborted(signal);
    await reflector.stop();
  }

  #note({ type, key, object }: Change<SliceObject>): void {
    const node = object.spec?.nodeName;
    if (node === undefined) return;
    const names = new Set(this.#slices.get(node));
    if (type === 'delete') names.delete(key);
    else names.add(key);
    if (names.size > 0) this.#slices.set(node, names);
    else this.#slices.delete(node);
    this.#parts.onNode(node);
  }
}

function keepNode({ metadata, spec: { nodeName } = {} }: SliceObject): SliceObject {
  return { ...keepVersion({ metadata }), spec: nodeName === undefined ? {} : { nodeName } };
}
