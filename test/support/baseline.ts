import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { pick } from '../../src/simulator/control-plane/access.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { Waiting } from '../../src/simulator/control-plane/run.ts';
import { askEtcd } from './etcd.ts';
import { eventually, patience } from './eventually.ts';

/** A stored object as it was. */
interface Kept {
  /** Of etcd; another one means that somebody wrote the object. */
  readonly revision: string;
  /** Base64. */
  readonly value: string;
}

const everything = { key: btoa('/registry/'), range_end: btoa('/registry0') };
const events = { key: btoa('/registry/events/'), range_end: btoa('/registry/events0') };
/** Written by the API server about itself, all the time; and events, which are nobody's state. */
const restless = /^\/registry\/(masterleases\/|leases\/kube-system\/apiserver-|events\/)/;
/** What the API server serves depends on them; it follows a change late. */
const structural = /^\/registry\/(apiextensions\.k8s\.io|apiregistration\.k8s\.io)\//;
/** First those from which controllers make others; without its namespace nothing can be made in it. */
const makers = /^\/registry\/(namespaces|deployments|daemonsets|replicasets|statefulsets|jobs|cronjobs)\//;
/** Controllers need a moment to answer to what has gone; what they write then goes too. */
const quietMs = 250;
const quietLooks = 2;
const restoreMs = 15_000;

/** What a control plane had stored at one moment, and the way back to it. */
export class Baseline {
  readonly #controlPlane: ControlPlane;
  readonly #kept: Map<string, Kept>;

  private constructor(controlPlane: ControlPlane, kept: Map<string, Kept>) {
    this.#controlPlane = controlPlane;
    this.#kept = kept;
  }

  /** Waits until the controllers have done what they do for new namespaces and roles. */
  static async take(controlPlane: ControlPlane): Promise<Baseline> {
    const { client } = controlPlane;
    await eventually(
      async () => {
        const names = async (path: string): Promise<readonly string[]> => {
          const items = pick(await client.demand({ path }), 'items') as readonly { readonly metadata: ObjectName }[];
          return items.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`);
        };
        const [namespaces, accounts, maps] = await Promise.all(
          ['namespaces', 'serviceaccounts', 'configmaps'].map((plural) => names(`/api/v1/${plural}`)),
        );
        return (namespaces ?? []).every(
          (name) =>
            accounts?.includes(`${name.slice(1)}/default`) && maps?.includes(`${name.slice(1)}/kube-root-ca.crt`),
        );
      },
      (isComplete) => isComplete,
      { what: 'the accounts of all namespaces', timeoutMs: restoreMs },
    );
    let previous = '';
    await eventually(
      async () => {
        const now = JSON.stringify([...(await readRevisions(controlPlane))]);
        const isSame = now === previous;
        previous = now;
        return isSame;
      },
      (isSame) => isSame,
      { what: 'a control plane at rest', intervalMs: quietMs, timeoutMs: restoreMs },
    );
    const { kvs = [] } = await askEtcd(controlPlane, 'range', everything);
    const kept = kvs.map(
      ({ key, value = '', mod_revision }) => [atob(key), { revision: mod_revision, value }] as const,
    );
    return new Baseline(controlPlane, new Map(kept.filter(([key]) => !restless.test(key))));
  }

  /**
   * Deletes what has come and puts back what has changed or gone, in etcd itself: without finalizers, admission, or a namespace's slow end.
   * The API server and the controllers follow, as they follow any write of another API server.
   *
   * @throws Error if it does not stay as it was, or if what the API server serves has changed
   */
  async restore(): Promise<void> {
    const waiting = new Waiting(restoreMs * patience);
    await askEtcd(this.#controlPlane, 'deleterange', events);
    for (let looks = 0; looks < quietLooks;) {
      const changed = await this.#undo();
      looks = changed.length === 0 ? looks + 1 : 0;
      if (waiting.isOver(() => changed.join()))
        throw new Error(`comes back all the time: ${changed.slice(0, 10).join(', ')}`);
      await sleep(quietMs);
    }
    await this.#expectFollowed();
  }

  /** @returns the keys that were not as kept */
  async #undo(): Promise<readonly string[]> {
    const now = await readRevisions(this.#controlPlane);
    const added = [...now.keys()].filter((key) => !this.#kept.has(key));
    const changed = [...this.#kept].filter(([key, { revision }]) => now.get(key) !== revision).map(([key]) => key);
    const hindrance = added.find((key) => structural.test(key));
    if (hindrance !== undefined) throw new Error(`${hindrance} has come`);
    const first = added.filter((key) => makers.test(key));
    for (const key of [...first, ...added.filter((one) => !makers.test(one))])
      await askEtcd(this.#controlPlane, 'deleterange', { key: btoa(key) });
    for (const key of changed) await this.#putBack(key);
    return [...added, ...changed];
  }

  async #putBack(key: string): Promise<void> {
    const { value = '' } = this.#kept.get(key) ?? {};
    if (structural.test(key)) await this.#expectSame(key, value);
    const { header } = await askEtcd(this.#controlPlane, 'put', { key: btoa(key), value });
    this.#kept.set(key, { revision: header.revision, value });
  }

  async #expectSame(key: string, value: string): Promise<void> {
    const { kvs: [found] = [] } = await askEtcd(this.#controlPlane, 'range', { key: btoa(key) });
    const read = (stored: string): readonly unknown[] => {
      const object: unknown = JSON.parse(Buffer.from(stored, 'base64').toString());
      return [pick(object, 'metadata', 'uid'), pick(object, 'spec')];
    };
    if (found?.value === undefined || !isDeepStrictEqual(read(found.value), read(value)))
      throw new Error(`${key} has changed`);
  }

  /** The API server answers lists from caches that follow etcd. */
  async #expectFollowed(): Promise<void> {
    const paths = [
      '/api/v1/nodes',
      '/api/v1/pods',
      '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies',
      '/apis/gpupartition.dev/v1alpha1/gpunodepartitions',
    ];
    for (const path of paths)
      await eventually(
        async () => pick(await this.#controlPlane.client.demand({ path }), 'items') as readonly unknown[],
        (items) => items.length === 0,
        { what: path },
      );
  }
}

interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

async function readRevisions(controlPlane: ControlPlane): Promise<ReadonlyMap<string, string>> {
  const { kvs = [] } = await askEtcd(controlPlane, 'range', { ...everything, keys_only: true });
  const all = kvs.map(({ key, mod_revision }) => [atob(key), mod_revision] as const);
  return new Map(all.filter(([key]) => !restless.test(key)));
}
