import { controllerManager } from '../api/names.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { keptQueues, planQueue, wishQueue } from '../core/demand/queues.ts';
import type { NodeView } from '../core/kubernetes/node.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { byPrecedence } from '../core/policy/spec.ts';
import { deepEqual } from '../core/text/json.ts';
import { ApiError, isConflict } from '../kube/api-error.ts';
import { findKueue, type KubeVerbs, kueueResource, listServed } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { KubeObject } from '../kube/watch.ts';
import { type Clock, Semaphore, waitFor } from '../process/clock.ts';
import type { Logger } from '../process/log.ts';
import type { Cluster } from './cluster.ts';

/** How often queues are looked at, in ms: they are not watched, and somebody may change one. */
const lookAgainMs = 60_000;
/** How long a write that got no answer, or was refused, rests before the next try, in ms. */
const tryAgainMs = 10_000;
/** How long nodes wait to be admitted until their quota is lower, in ms. After such a wait in vain none waits for {@link lookAgainMs}. */
const longestMs = 5000;
const call = { timeoutMs: longestMs, attempts: 1 };

type FoundQueue = Parameters<typeof planQueue>[0];
type ClusterQueue = NonNullable<FoundQueue['queue']> & KubeObject;
type ResourceFlavor = NonNullable<FoundQueue['flavor']> & KubeObject;
type QueueWrite = Exclude<ReturnType<typeof planQueue>, string>[number];
type QueueWish = ReturnType<typeof wishQueue>;

type Quota = Omit<NonNullable<PolicyRecord['quota']>, 'type'>;

interface Parts {
  readonly client: KubeVerbs;
  readonly cluster: Pick<Cluster, 'ledgerOf'> & {
    readonly fleet: Pick<Fleet, 'policy' | 'winnerOf'> & { readonly policies: Iterable<PolicyRecord> };
    readonly nodes: { get(name: string): NodeView | undefined };
    readonly partitions: { get(name: string): GpuNodePartition | undefined };
  };
  /** Called with a policy whose quotas stand differently. */
  readonly tellPolicy: (name: string) => void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly now: () => number;
}

/** A queue that a policy asks for. */
interface AskedQueue {
  readonly record: PolicyRecord;
  readonly wish: QueueWish;
}

/** What was last made of a queue. */
interface KeptQueue {
  readonly wish: QueueWish;
  readonly quota: Quota;
  /** When to look at it again whatever happens, in ms since the epoch. */
  readonly dueMs: number;
}

/**
 * Keeps the ClusterQueues that policies name: their quotas are what the nodes offer, and less from before a node is admitted to a change.
 * Kueue never judges again what it has admitted, so with a quota that is lowered too late it admits jobs to slices that go.
 */
export class QuotaReconciler {
  readonly #parts: Parts;
  readonly #kept = new Map<string, KeptQueue>();
  /** Nodes that are about to be admitted, by policy. */
  readonly #leaving = new Map<string, ReadonlySet<string>>();
  /** One look at a time: what is written last is true. */
  readonly #looks = new Semaphore(1);
  /** Queues that no policy asks for any more, and whose quotas are not 0 yet. */
  readonly #left = new Set<string>();
  /** Whether it is known which queues an earlier leader kept. */
  #hasSearched = false;
  /** The time from which nodes wait for their quota again, in ms since the epoch. */
  #waitsFromMs = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether a policy has quotas kept, or had some. */
  isAsked(name: string): boolean {
    const record = this.#parts.cluster.fleet.policy(name);
    return (
      (record && kueueOf(record)) !== undefined || [...this.#kept.values()].some(({ wish }) => wish.policy === name)
    );
  }

  async reconcile(): Promise<ReconcileResult | void> {
    const requeueAfterMs = await this.#looks.pass(() => this.#look());
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  /**
   * Lowers the quotas of a policy by what nodes offer that are about to be admitted, and waits until that is written. Not for long: a
   * Kueue that does not answer keeps no policy from its nodes.
   *
   * @returns whether the policy has quotas
   */
  async lower(policy: string, nodes: readonly string[]): Promise<boolean> {
    const { cluster, clock, now } = this.#parts;
    const record = cluster.fleet.policy(policy);
    if (record === undefined || kueueOf(record) === undefined) return false;
    this.#leaving.set(policy, new Set(nodes));
    if (nodes.length === 0 || now() < this.#waitsFromMs) return true;
    const end = new AbortController();
    const look = this.#looks.pass(() => this.#look()).then(() => false);
    const limit = waitFor(clock, longestMs, end.signal).then(() => true);
    try {
      if (await Promise.race([look, limit])) this.#waitsFromMs = now() + lookAgainMs;
    } finally {
      end.abort();
      look.catch(() => undefined);
    }
    return true;
  }

  /** Call this when the nodes of {@link lower} are in the ledger, or were not admitted after all. */
  settle(policy: string): void {
    this.#leaving.delete(policy);
  }

  /** @returns in how many ms to look again */
  async #look(): Promise<number | undefined> {
    const asked = this.#listAsked();
    for (const queue of this.#kept.keys()) if (!asked.has(queue)) this.#left.add(queue);
    for (const queue of this.#left) if (asked.has(queue)) this.#left.delete(queue);
    for (const queue of this.#left) this.#kept.delete(queue);
    const now = this.#parts.now();
    const due = [...asked.values()].filter(({ wish }) => isDue(this.#kept.get(wish.queue), wish, now));
    if (due.length > 0 || this.#left.size > 0 || !this.#hasSearched) await this.#write(asked, due);
    for (const { record, wish } of asked.values()) {
      const { quota } = this.#kept.get(wish.queue) ?? {};
      if (quota) this.#report(record, quota);
    }
    const isDone = this.#left.size === 0 && this.#hasSearched;
    const rests = [...this.#kept.values()].map(({ dueMs }) => Math.max(100, dueMs - this.#parts.now()));
    const restMs = Math.min(...rests, isDone ? Infinity : lookAgainMs);
    return restMs === Infinity ? undefined : restMs;
  }

  /** The queues that policies ask for; of several policies with one queue, the first in precedence has it. */
  #listAsked(): ReadonlyMap<string, AskedQueue> {
    const asked = new Map<string, AskedQueue>();
    const records = [...this.#parts.cluster.fleet.policies].toSorted((a, b) => byPrecedence(a.rank, b.rank));
    for (const record of records) {
      const found = kueueOf(record);
      if (found === undefined) continue;
      const { policy, kueue } = found;
      const { wish: other } = asked.get(kueue.clusterQueue) ?? {};
      if (other === undefined) {
        const changing = this.#parts.cluster.ledgerOf(record.name).map(({ node }) => node);
        const leaving = this.#leaving.get(record.name) ?? [];
        const wish = wishQueue(policy, kueue, this.#nodesOf(record), new Set([...changing, ...leaving]));
        asked.set(kueue.clusterQueue, { record, wish });
      } else {
        const message = `ClusterQueue ${other.queue} has the quotas of policy ${other.policy}: name another in spec.kueue.clusterQueue; queues of one cohort lend to the same teams`;
        this.#report(record, { status: 'False', reason: 'ClusterQueueTaken', message });
      }
    }
    return asked;
  }

  #nodesOf(record: PolicyRecord): Parameters<typeof wishQueue>[2] {
    const { fleet, nodes, partitions } = this.#parts.cluster;
    return [...record.nodes].flatMap((name) => {
      const node = fleet.winnerOf(name) === record.name ? nodes.get(name) : undefined;
      return node ? [{ node, partition: partitions.get(name) }] : [];
    });
  }

  async #write(asked: ReadonlyMap<string, AskedQueue>, due: readonly AskedQueue[]): Promise<void> {
    const found = await findKueue(this.#parts.client, call).catch(asAnswer);
    if ('version' in found) await this.#release(found.version, asked);
    else if ('trouble' in found) {
      // Without Kueue there are no queues.
      this.#left.clear();
      this.#hasSearched = true;
    }
    for (const { wish } of due) {
      const quota = 'version' in found ? await this.#apply(found.version, wish) : describeAbsence(wish.queue, found);
      const isTried = quota.reason === 'KueueUnavailable' || quota.reason === 'QuotaRefused';
      const dueMs = this.#parts.now() + (isTried ? tryAgainMs : lookAgainMs);
      this.#kept.set(wish.queue, { wish, quota, dueMs });
    }
  }

  /** Takes the quotas from queues that no policy asks for any more, also from those that an earlier leader kept. */
  async #release(version: string, asked: ReadonlyMap<string, AskedQueue>): Promise<void> {
    const { client, log } = this.#parts;
    const resource = kueueResource(version, 'ClusterQueue');
    try {
      if (!this.#hasSearched) {
        const kept = await listServed<ClusterQueue>(client, resource, { labelSelector: keptQueues }, call);
        for (const { metadata } of kept) if (!asked.has(metadata.name)) this.#left.add(metadata.name);
        this.#hasSearched = true;
      }
      for (const name of this.#left) {
        const queue = await client.find<ClusterQueue>({ resource, name }, call);
        const writes = planQueue({ queue, flavor: undefined }, version, undefined);
        if (typeof writes !== 'string') for (const one of writes) await this.#send({ resource, name }, queue, one);
        log.info('no policy asks for a ClusterQueue any more', { name });
        this.#left.delete(name);
      }
    } catch (error) {
      const { code, message } = asAnswer(error);
      log.warn('quotas that no policy asks for any more are not taken from a ClusterQueue', { error: message });
      // Who may not read queues has kept none.
      this.#hasSearched ||= code === 403;
    }
  }

  async #apply(version: string, wish: QueueWish): Promise<Quota> {
    const { client } = this.#parts;
    const { queue: name, message } = wish;
    const queueRef = { resource: kueueResource(version, 'ClusterQueue'), name };
    const flavorRef = { resource: kueueResource(version, 'ResourceFlavor'), name };
    try {
      const queue = await client.find<ClusterQueue>(queueRef, call);
      const flavor = await client.find<ResourceFlavor>(flavorRef, call);
      const known = this.#kept.get(name);
      const isNew = known === undefined || known.wish.cohort !== wish.cohort;
      const writes = planQueue({ queue, flavor }, version, wish, isNew);
      if (typeof writes === 'string') return { status: 'False', reason: 'ClusterQueueNotOurs', message: writes };
      for (const one of writes) {
        const isQueue = one.kind === 'ClusterQueue';
        await this.#send(isQueue ? queueRef : flavorRef, isQueue ? queue : flavor, one);
      }
      return { status: 'True', reason: 'QuotaWritten', message };
    } catch (error) {
      return describeRefusal(name, asAnswer(error));
    }
  }

  /** Writes to the object that was read, and to no other one of its name. */
  async #send(
    ref: Parameters<KubeVerbs['apply']>[0],
    found: ClusterQueue | ResourceFlavor | undefined,
    { metadata, spec, force }: QueueWrite,
  ): Promise<void> {
    const { uid } = found?.metadata ?? {};
    await this.#parts.client.apply(
      ref,
      { metadata: { ...metadata, ...(uid !== undefined && { uid }) }, spec },
      { ...call, fieldManager: controllerManager, force },
    );
  }

  #report(record: PolicyRecord, quota: Quota): void {
    const report = { type: 'KueueQuota', ...quota } as const;
    if (deepEqual(record.quota, report)) return;
    record.quota = report;
    this.#parts.tellPolicy(record.name);
  }
}

const meanwhile = 'Nodes change nevertheless, and Kueue may admit jobs to slices that go';

/** @throws anything but an answer, such as the end of the term */
function asAnswer(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

function describeAbsence(queue: string, found: { readonly trouble: string } | ApiError): Quota {
  if (found instanceof ApiError) return describeRefusal(queue, found);
  const message = `${found.trouble}: install Kueue, or take spec.kueue back. ${meanwhile}`;
  return { status: 'False', reason: 'KueueUnavailable', message };
}

function describeRefusal(name: string, error: ApiError): Quota {
  const { code, message } = error;
  if (isConflict(error) && error.hasCause('FieldManagerConflict')) {
    const why = `ClusterQueue or ResourceFlavor ${name} has fields of somebody else, and is left alone: ${message}`;
    return { status: 'False', reason: 'ClusterQueueNotOurs', message: why };
  }
  if ([400, 403, 422].includes(code)) {
    const why = `the quotas of ClusterQueue ${name} are refused: ${message}. The rights are in config/kueue (chart: kueue.enabled). ${meanwhile}`;
    return { status: 'False', reason: 'QuotaRefused', message: why };
  }
  const why = `the quotas of ClusterQueue ${name} are not written: ${message}. ${meanwhile}`;
  return { status: 'False', reason: 'KueueUnavailable', message: why };
}

/** Whether a queue is to be looked at: what it should be has changed, or it is time. What was refused is not repeated with other numbers. */
function isDue(known: KeptQueue | undefined, wish: QueueWish, now: number): boolean {
  if (known === undefined || now >= known.dueMs) return true;
  const { policy, cohort, quotas } = known.wish;
  const isSame = policy === wish.policy && cohort === wish.cohort;
  return !isSame || (known.quota.status === 'True' && !deepEqual(quotas, wish.quotas));
}

/** What is in force of a policy that has its quotas kept; undefined for others, and for one that is going. */
function kueueOf({ newest, versions: { inForce } }: PolicyRecord) {
  const { kueue } = inForce?.spec ?? {};
  const isGoing = newest.metadata.deletionTimestamp !== undefined;
  return inForce === undefined || kueue === undefined || isGoing ? undefined : { policy: inForce, kueue };
}
