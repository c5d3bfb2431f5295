import { setTimeout as sleep } from 'node:timers/promises';

import { advertisedResources } from '../../src/core/node/offer.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { readKubeletOffer } from './kubelet-offer.ts';
import type { Counts } from './kubelet-offer.ts';
import { nodeName } from './node-config.ts';

const pauseMs = 20;

/**
 * Looks on, from outside, whether a node without our taint claims more in the API than its kubelet gives: it reads the Node
 * between two answers of PodResources, and what both of them lack is not there.
 */
export class OfferOnlooker implements AsyncDisposable {
  readonly #controlPlane: ControlPlane;
  readonly #claims = new Map<string, string>();
  #looks = 0;
  #isEnding = false;
  readonly #work: Promise<void>;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
    this.#work = this.#look();
  }

  /** How often it looked while the kubelet answered. */
  get looks(): number {
    return this.#looks;
  }

  /** Versions of the Node that claimed more than there was, with both. */
  get claims(): readonly string[] {
    return [...this.#claims.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await this.#work;
  }

  async #look(): Promise<void> {
    let before = await ask();
    while (!this.#isEnding) {
      const node = await this.#readNode();
      const after = await ask();
      if (before && after) this.#compare(node, before, after);
      before = after;
      await sleep(pauseMs);
    }
  }

  #compare({ version, isClosed, claimed }: NodeClaim, before: Counts, after: Counts): void {
    this.#looks += 1;
    if (isClosed) return;
    for (const [resource, count] of Object.entries(claimed)) {
      const given = Math.max(before[resource] ?? 0, after[resource] ?? 0);
      if (count > given)
        this.#claims.set(version, `version ${version}: ${count} of ${resource}, the kubelet gives ${given}`);
    }
  }

  async #readNode(): Promise<NodeClaim> {
    const { metadata, spec, status } = (await this.#controlPlane.client.demand({
      path: `/api/v1/nodes/${nodeName}`,
    })) as NodeObject;
    return {
      version: metadata.resourceVersion,
      isClosed: (spec.taints ?? []).some(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute'),
      claimed: advertisedResources(status.allocatable),
    };
  }
}

/** Undefined while the kubelet does not answer. */
async function ask(): Promise<Counts | undefined> {
  return readKubeletOffer().catch(() => undefined);
}

interface NodeClaim {
  readonly version: string;
  readonly isClosed: boolean;
  readonly claimed: Counts;
}

interface NodeObject {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: { readonly taints?: readonly { readonly effect: string }[] };
  readonly status: { readonly allocatable: Readonly<Record<string, string>> };
}
