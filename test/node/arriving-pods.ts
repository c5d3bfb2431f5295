import { setTimeout as sleep } from 'node:timers/promises';

import { pods } from '../../src/api/resources.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { eventually } from '../support/eventually.ts';
import { simulatorImage } from './images.ts';

/** One pod that had a slice. */
export interface SliceUse {
  readonly name: string;
  readonly uuid: string;
  /** Milliseconds since 1970, by the node's clock. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface PodObject extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly { readonly type: string }[];
    readonly containerStatuses?: readonly {
      readonly state?: { readonly terminated?: { readonly message?: string } };
    }[];
  };
}

const namespace = 'default';
const label = 'arriving';
const everyMs = 100;
/** More of them wait for a slice at any time than could have one. */
const mostWaiting = 24;

/** Says on which slice it ran and from when to when, even when it is told to go. */
const command = `s=$(date +%s%3N)
end() { echo "$NVIDIA_VISIBLE_DEVICES $s $(date +%s%3N)" > /dev/termination-log; exit 0; }
trap end TERM
sleep 0.5 & wait $!
end`;

/** Pods of half a second that ask for one slice each, ten a second: some wait for each resource at any time. */
export class ArrivingPods implements AsyncDisposable {
  readonly #controlPlane: ControlPlane;
  readonly #resources: readonly string[];
  readonly #watch: Reflector<PodObject>;
  readonly #waiting = new Set<string>();
  readonly #uses = new Map<string, SliceUse>();
  readonly #failed = new Map<string, string>();
  #owner: object | undefined;
  #created = 0;
  #isEnding = false;
  #arrivals: Promise<void> | undefined;

  private constructor(controlPlane: ControlPlane, client: KubeClient, resources: readonly string[]) {
    this.#controlPlane = controlPlane;
    this.#resources = resources;
    this.#watch = new Reflector<PodObject>({
      client,
      logger: silentLogger,
      resource: pods,
      onChange: ({ type, object }) => this.#onPod(type, object),
    });
  }

  static async start(controlPlane: ControlPlane, resources: readonly string[]): Promise<ArrivingPods> {
    const kubeconfig = await controlPlane.kubeconfigFile();
    const client = new KubeClient(loadKubeConfig({ kubeconfig }), 'arriving-pods');
    const arriving = new ArrivingPods(controlPlane, client, resources);
    arriving.#watch.start();
    arriving.#owner = await arriving.#createOwner();
    arriving.#arrivals = arriving.#arrive();
    return arriving;
  }

  get created(): number {
    return this.#created;
  }

  /** Pods that were given a slice and have ended. */
  get uses(): readonly SliceUse[] {
    return [...this.#uses.values()];
  }

  /** Pods that failed for good, with the reason: evicted ones are none of them. */
  get failed(): readonly string[] {
    return [...this.#failed].map(([name, why]) => `${name}: ${why}`);
  }

  /** No more of them come; returns when all that had a slice have ended, and deletes the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await this.#arrivals;
    const { code, stderr } = await this.#controlPlane.kubectl([
      'delete',
      'pods',
      '-l',
      `app=${label}`,
      '--timeout=60s',
    ]);
    if (code !== 0) throw new Error(stderr);
    await this.#watch.stop();
  }

  /** Waits until this many pods more have had a slice and ended. */
  async untilUsed(more: number): Promise<void> {
    const before = this.#uses.size;
    await eventually(
      () => this.#uses.size - before,
      (count) => count >= more,
      { timeoutMs: 60_000, what: 'the number of pods that had a slice' },
    );
  }

  async #arrive(): Promise<void> {
    while (!this.#isEnding) {
      const nextMs = Date.now() + everyMs;
      if (this.#waiting.size < mostWaiting) await this.#create();
      await sleep(Math.max(0, nextMs - Date.now()));
    }
  }

  async #create(): Promise<void> {
    const number = this.#created;
    this.#created += 1;
    const name = `${label}-${number}`;
    const resource = this.#resources[number % this.#resources.length] ?? '';
    this.#waiting.add(name);
    await this.#controlPlane.client.demand({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/pods`,
      body: {
        metadata: { name, labels: { app: label }, ownerReferences: [this.#owner] },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 5,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          containers: [
            {
              name: 'main',
              image: simulatorImage,
              command: ['sh', '-c', command],
              resources: { limits: { [resource]: 1 } },
            },
          ],
        },
      },
    });
  }

  /** An eviction wants to know that somebody would make the pod again. */
  async #createOwner(): Promise<object> {
    const name = label;
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const created = await this.#controlPlane.client.demand({ method: 'POST', path, body: { metadata: { name } } });
    const { uid } = (created as KubeObject).metadata;
    return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
  }

  #onPod(type: 'apply' | 'delete', { metadata, status }: PodObject): void {
    const { name } = metadata;
    if (metadata.labels?.['app'] !== label) return;
    const [uuid, fromMs, toMs] = (status?.containerStatuses?.[0]?.state?.terminated?.message ?? '').trim().split(' ');
    if (uuid && fromMs && toMs) this.#uses.set(name, { name, uuid, fromMs: Number(fromMs), toMs: Number(toMs) });
    const wasEvicted = status?.conditions?.some((condition) => condition.type === 'DisruptionTarget') === true;
    const hasEnded = status?.phase === 'Failed' || status?.phase === 'Succeeded';
    if (status?.phase === 'Failed' && !wasEvicted && !this.#isEnding) {
      this.#failed.set(name, `${status.reason ?? 'no reason'}: ${status.message ?? ''}`);
    }
    if (type === 'delete' || hasEnded) this.#waiting.delete(name);
    if (type === 'apply' && hasEnded && metadata.deletionTimestamp === undefined) void this.#remove(name);
  }

  /** Thousands of ended pods would be a load of their own. */
  async #remove(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`;
    await this.#controlPlane.client.send({ method: 'DELETE', path });
  }
}
