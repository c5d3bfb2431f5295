import { type Command, Option } from 'commander';
import { ApiError, isNotFound } from '../../kube/api-error.ts';
import { KubeClient } from '../../kube/client.ts';
import { loadKubeConfig } from '../../kube/kubeconfig.ts';
import type { ListOptions, Selection, CallOptions } from '../../kube/request.ts';
import type { KubeObject, ObjectRef, Resource } from '../../kube/watch.ts';
import { group, controllerManager } from '../../api/names.ts';
import { judgeLeases } from '../../core/view/lines.ts';
import { CliError } from '../terminal.ts';
import { messageOf } from '../../core/text/words.ts';
import { type Lease, leases } from '../../kube/election.ts';
import { type Clock, systemClock, waitFor } from '../../process/clock.ts';
import { policies } from '../../api/resources.ts';
import type { Reflector } from '../../kube/reflector.ts';

type Interruption = NonNullable<ReturnType<typeof judgeLeases>>;

/** Options of every command that queries a cluster. */
export interface ConnectionOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Adds the options of a connection. They would have no effect on a saved cluster, where a command takes one. */
export function addConnectionOptions(command: Command): Command {
  const kubeconfig = 'kubeconfig file; otherwise $KUBECONFIG, the pod’s service account, or ~/.kube/config';
  return command
    .addOption(new Option('--kubeconfig <file>', kubeconfig).conflicts('snapshot'))
    .addOption(new Option('--context <name>', 'context in the kubeconfig').conflicts('snapshot'));
}

/**
 * @param fieldManager the API server records it as the owner of what is written
 * @throws CliError if no cluster is configured
 */
export function connect(options: ConnectionOptions, fieldManager = 'gpu-partition'): KubeClient {
  try {
    const client = new KubeClient(loadKubeConfig(options), fieldManager);
    client.config.getCurrentCluster();
    return client;
  } catch (error) {
    throw new CliError(`no cluster to ask: ${messageOf(error)}`, 3, { cause: error });
  }
}

/** The cluster that a client asks, for people. */
export function sourceOf({ config }: KubeClient) {
  return { context: config.currentContext, server: config.getCurrentCluster()?.server ?? '' };
}

/** What could not be determined is code 3, with the API server's message. */
export function ask<T>(what: string, request: () => Promise<T>): Promise<T> {
  return attempt(`cannot read ${what}`, request);
}

/** An object; undefined if there is none. @param what it is, in messages */
export function find<T extends KubeObject>(client: KubeClient, what: string, ref: ObjectRef): Promise<T | undefined> {
  return ask(what, () => client.find<T>(ref));
}

/** @throws CliError with code 3, this failure and the API server's message */
export async function attempt<T>(failure: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CliError(`${failure}: ${error.message}`, 3, { cause: error });
  }
}

/** Merges into an object if it is there. @returns whether it is */
export function mergeFound(
  client: KubeClient,
  failure: string,
  ...[ref, patch, options]: Parameters<KubeClient['merge']>
): Promise<boolean> {
  return attempt(failure, async () => {
    try {
      await client.merge(ref, patch, options);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  });
}

/** Lists all objects of a resource. */
export async function listAll<T extends KubeObject>(client: KubeClient, resource: Resource): Promise<readonly T[]> {
  return ask(resource.plural, async () => {
    try {
      return (await client.list<T>(resource)).items;
    } catch (error) {
      if (!isNotFound(error) || resource.group !== group) throw error;
      const advice = 'kubectl apply --server-side -f crds.yaml, a file of the release, installs them';
      throw new CliError(`this cluster has no ${resource.plural}: the operator’s CRDs are not there; ${advice}`, 3, {
        cause: error,
      });
    }
  });
}

/** Lists objects; undefined if the user may not list them, or the API server does not serve them. */
export async function listAllowed<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  selection: Selection = {},
  options: ListOptions = {},
): Promise<readonly T[] | undefined> {
  return ask(resource.plural, async () => {
    try {
      return (await client.list<T>(resource, selection, options)).items;
    } catch (error) {
      if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
      throw error;
    }
  });
}

/** Reads an object; undefined if there is none, or the user may not read it. */
export async function findAllowed<T extends KubeObject>(client: KubeClient, ref: ObjectRef): Promise<T | undefined> {
  return ask(`${ref.resource.plural} ${ref.name}`, async () => {
    try {
      return await client.find<T>(ref);
    } catch (error) {
      if (error instanceof ApiError && error.code === 403) return undefined;
      throw error;
    }
  });
}

/** A leader renews its Lease every two seconds: one that is renewed within this time, in ms, only looks old by clocks that differ. */
const patienceMs = 5000;
const leadershipPollMs = 500;

/** Whether a controller leads, for somebody who looks now and then. */
export class LeadershipWatch {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  /** What was there at the last look, and since when it has been the same. */
  #seen = { versions: '', sinceMs: 0 };

  constructor(client: KubeClient, clock: Clock = systemClock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * @returns why nobody leads; undefined if somebody does, or the user may not know; `Unsettled` if it takes another look
   * @throws ApiError if the API server does not answer
   */
  async check(options: CallOptions = {}): Promise<Interruption | 'Unsettled' | undefined> {
    const found = await listLeases(this.#client, options);
    const now = this.#clock.wallMs() - (this.#client.config.serverClock.skewMs ?? 0);
    const absence = found && judgeLeases(found, now);
    if (found === undefined || absence === undefined) return undefined;
    const versions = JSON.stringify(found.map(({ metadata }) => [metadata.namespace, metadata.resourceVersion]));
    const monotonicMs = this.#clock.monotonicMs();
    if (versions !== this.#seen.versions) this.#seen = { versions, sinceMs: monotonicMs };
    return monotonicMs - this.#seen.sinceMs < patienceMs ? 'Unsettled' : absence;
  }

  /** Looks until it knows. @throws CliError if the API server does not answer */
  async settle(): Promise<Interruption | undefined> {
    for (;;) {
      const answer = await ask('leases', () => this.check());
      if (answer !== 'Unsettled') return answer;
      await waitFor(this.#clock, leadershipPollMs);
    }
  }
}

/** Lists the controllers' leases in all namespaces; undefined if the user may not list them. */
async function listLeases(client: KubeClient, options: CallOptions = {}): Promise<readonly Lease[] | undefined> {
  const fieldSelector = `metadata.name=${controllerManager}`;
  try {
    return (await client.list<Lease>(leases, { fieldSelector }, { ...options, paged: false })).items;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  }
}

interface Contact {
  readonly client: KubeClient;
  readonly watches: readonly Pick<Reflector<KubeObject>, 'trouble'>[];
  readonly clock: Clock;
}

/** Time between two questions, and the limit of each, in ms. */
const pulseMs = 5000;

/** How current what the watches have seen is. */
export interface ContactState {
  /** The time at which everything was last known to be current, in ms since 1970. */
  readonly seenAt: number;
  /** The interruption of the watches; undefined while updates come in. */
  readonly interruption: Interruption | undefined;
}

/**
 * Asks the API server regularly whether it is there, until the signal aborts: a watch on a dead connection is as silent as one
 * without changes, for a minute and a half.
 *
 * @param tell called with each answer, and when there is none in time
 */
export async function watchContact(
  { client, watches, clock }: Contact,
  signal: AbortSignal,
  tell: (state: ContactState) => void,
): Promise<void> {
  let seenAt = clock.wallMs();
  let wasTroubled = false;
  let absence: Interruption | undefined;
  const leadership = new LeadershipWatch(client, clock);
  while (!signal.aborted) {
    const silence = await findSilence(client, signal);
    const trouble = silence ?? watches.find((watch) => watch.trouble !== undefined)?.trouble;
    // A watch that was cut is usually open again at once; while it is not, the store may be behind.
    const isInterrupted = trouble !== undefined && (silence !== undefined || wasTroubled);
    wasTroubled = trouble !== undefined;
    if (trouble === undefined) seenAt = clock.wallMs();
    const kind = silence === undefined ? 'Stale' : 'Disconnected';
    if (silence === undefined) absence = await findAbsence(leadership, absence, signal);
    const interruption = isInterrupted ? ({ kind, since: seenAt, why: messageOf(trouble) } as const) : absence;
    if (!signal.aborted) tell({ seenAt, interruption });
    await waitFor(clock, pulseMs, signal);
  }
}

/** @param last what was found at the last look, which holds as long as there is no answer */
async function findAbsence(
  leadership: LeadershipWatch,
  last: Interruption | undefined,
  signal: AbortSignal,
): Promise<Interruption | undefined> {
  try {
    const answer = await leadership.check({ signal, attempts: 1, timeoutMs: pulseMs });
    return answer === 'Unsettled' ? last : answer;
  } catch {
    return last;
  }
}

/** @returns why there was no answer; undefined if there was one */
async function findSilence(client: KubeClient, signal: AbortSignal): Promise<unknown> {
  try {
    const options = { signal, attempts: 1, timeoutMs: pulseMs, pageSize: 1, metadataOnly: true };
    await client.listPages(policies, {}, options).next();
    return undefined;
  } catch (error) {
    // The watches' connections lead to the same place. Without this they would be trusted until their own limit.
    if (error instanceof ApiError && error.reason === 'Timeout') await client.config.close();
    return error;
  }
}

const pollMs = 500;

/**
 * The current leader, whichever namespace its Lease is in; undefined if there is none. A held lease is watched for its whole
 * duration: the clocks of two machines are never compared.
 *
 * @param namespace where to look if the user may not list Leases of all namespaces
 */
export async function findLeader(
  client: KubeClient,
  namespace: string,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  const found = (await ask('leases', () => listLeases(client))) ?? [await readLease(client, namespace)];
  const holders = await Promise.all(found.map((lease) => watchHolder(client, lease, clock)));
  return holders.find((holder) => holder !== undefined);
}

/** @returns who holds a lease, if it is renewed within its duration */
async function watchHolder(client: KubeClient, first: Lease | undefined, clock: Clock): Promise<string | undefined> {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = first?.spec ?? {};
  if (!first || holderIdentity === '') return undefined;
  const { namespace = '', resourceVersion } = first.metadata;
  const end = clock.monotonicMs() + leaseDurationSeconds * 1000;
  while (clock.monotonicMs() < end) {
    await waitFor(clock, pollMs, new AbortController().signal);
    const lease = await readLease(client, namespace);
    if (lease?.metadata.resourceVersion !== resourceVersion) return lease?.spec?.holderIdentity || undefined;
  }
  return undefined;
}

function readLease(client: KubeClient, namespace: string): Promise<Lease | undefined> {
  const ref = { resource: leases, namespace, name: controllerManager };
  return find<Lease>(client, `Lease ${namespace}/${controllerManager}`, ref);
}
