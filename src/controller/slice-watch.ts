import { setTimeout as sleep } from 'node:timers/promises';
import { resourceSlices } from '../api/resources.ts';
import { gpuDriver } from '../core/dra/resource-slice.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { KubeClient } from '../kube/client.ts';
import { listVersions } from '../kube/discovery.ts';
import type { Stoppable } from '../kube/operator.ts';
import { Reflector } from '../kube/reflector.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Logger } from '../process/logger.ts';

type SliceObject = KubeObject & { readonly spec?: { readonly nodeName?: string } };

/** How long until an API server that does not serve the slices is asked again, in ms: it may be upgraded. */
const askAgainMs = 60_000;

/**
 * Has nodes looked at when their ResourceSlices change, as long as a policy hands GPUs out by claims and the API server serves them: most
 * clusters have no such policy, and many do not serve the API. Content is read by each look itself: a slice of eight GPUs in seven parts is 60 kB, and only its node is kept of it.
 */
export class SliceWatch implements Stoppable {
  readonly #client: KubeClient;
  readonly #logger: Logger;
  readonly #fleet: Pick<Fleet, 'policies'>;
  readonly #onNode: (name: string) => void;
  #reflector: Reflector<SliceObject> | undefined;
  /** Set while slices are wanted. */
  #wanted: AbortController | undefined;

  constructor(parts: {
    readonly client: KubeClient;
    readonly logger: Logger;
    readonly fleet: Pick<Fleet, 'policies'>;
    /** The slices of a node have changed. */
    readonly onNode: (name: string) => void;
  }) {
    this.#client = parts.client;
    this.#logger = parts.logger;
    this.#fleet = parts.fleet;
    this.#onNode = parts.onNode;
  }

  /** Call this when a policy has changed. */
  follow(): void {
    const isWanted = [...this.#fleet.policies].some((record) =>
      [record.newest, record.policy].some(({ spec }) => spec.backend === 'DRA'),
    );
    if (isWanted === (this.#wanted !== undefined)) return;
    if (!isWanted) return void this.stop();
    this.#wanted = new AbortController();
    void this.#start(this.#wanted.signal);
  }

  async stop(): Promise<void> {
    this.#wanted?.abort();
    this.#wanted = undefined;
    const reflector = this.#reflector;
    this.#reflector = undefined;
    await reflector?.stop();
  }

  async #start(signal: AbortSignal): Promise<void> {
    // A watch of what is not there would fail again and again: nodes report what it takes.
    for (let isTold = false; !(await this.#isServed()); isTold = true) {
      if (!isTold)
        this.#logger.warn('ResourceSlices are not watched: the API server does not serve resource.k8s.io/v1');
      await sleep(askAgainMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
    }
    if (signal.aborted) return;
    this.#reflector = new Reflector<SliceObject>({
      client: this.#client,
      logger: this.#logger,
      resource: resourceSlices,
      fieldSelector: `spec.driver=${gpuDriver}`,
      strip: keepNode,
      onChange: ({ object }) => {
        if (object.spec?.nodeName !== undefined) this.#onNode(object.spec.nodeName);
      },
    }).start();
  }

  /** An API server that does not answer may serve them: the watch tries again, and says what is wrong. */
  async #isServed(): Promise<boolean> {
    const { group, version } = resourceSlices;
    const versions = await listVersions(this.#client, group).catch(() => [version]);
    return versions.includes(version);
  }
}

function keepNode({ metadata, spec: { nodeName } = {} }: SliceObject): SliceObject {
  const { name, uid, resourceVersion } = metadata;
  const kept = { name, ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
  return { metadata: kept, spec: nodeName === undefined ? {} : { nodeName } };
}
