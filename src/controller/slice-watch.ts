import { resourceSlices } from '../api/resources.ts';
import { gpuDriver } from '../core/dra/resource-slice.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Stoppable } from '../kube/operator.ts';
import { Reflector } from '../kube/reflector.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Logger } from '../process/logger.ts';

type SliceObject = KubeObject & { readonly spec?: { readonly nodeName?: string } };

/**
 * Has nodes looked at when their ResourceSlices change, as long as a policy hands GPUs out by claims: most clusters have none, and many do
 * not serve the API. Content is read by each look itself: a slice of eight GPUs in seven parts is 60 kB, and only its node is kept of it.
 */
export class SliceWatch implements Stoppable {
  readonly #client: KubeClient;
  readonly #logger: Logger;
  readonly #fleet: Pick<Fleet, 'policies'>;
  readonly #onNode: (name: string) => void;
  #reflector: Reflector<SliceObject> | undefined;

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
    if (isWanted === (this.#reflector !== undefined)) return;
    if (isWanted) this.#start();
    else void this.stop();
  }

  async stop(): Promise<void> {
    const reflector = this.#reflector;
    this.#reflector = undefined;
    await reflector?.stop();
  }

  #start(): void {
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
}

function keepNode({ metadata, spec: { nodeName } = {} }: SliceObject): SliceObject {
  const { name, uid, resourceVersion } = metadata;
  const kept = { name, ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
  return { metadata: kept, spec: nodeName === undefined ? {} : { nodeName } };
}
