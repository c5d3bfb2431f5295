import { nodePartitions, policies, pods, nodes } from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { type KubeClient, readKueue } from '../../kube/client.ts';
import { Reflector } from '../../kube/reflector.ts';
import type { KubeObject } from '../../kube/watch.ts';
import { silentLogger } from '../../process/log.ts';
import { type Clock, systemClock, whenAborted } from '../../process/clock.ts';
import {
  listAll,
  type ContactState,
  watchContact,
  find,
  listAllowed,
  addConnectionOptions,
  connect,
  type ConnectionOptions,
  sourceOf,
} from '../cluster/connection.ts';
import { stringify } from 'yaml';
import type { ClusterState } from '../../core/plan/change.ts';
import type { KueueReading } from '../../core/demand/kueue.ts';
import { diagnoseCluster } from '../../core/explain/doctor.ts';
import { findWaiting } from '../../core/explain/pod.ts';
import { reportWaste } from '../../core/explain/waste.ts';
import { predictChange } from '../../planner/questions.ts';
import { type PageAnswers, type PlanAnswer, WasteSamples, type PageSources, servePage } from '../../ui/page-server.ts';
import { parsePolicies, type SavedCluster, readSnapshot, snapshotCommand } from '../input/snapshot.ts';
import { readCluster, readFacts, readHistory, savedHistory, NodePools } from '../cluster/facts.ts';
import { podName, type PodView } from '../../core/kubernetes/pod.ts';
import { Command } from 'commander';
import { omitUndefined } from '../../core/text/json.ts';
import { integer } from '../../process/options.ts';
import { FleetFeed } from '../../ui/fleet-feed.ts';
import type { CommandContext } from '../program.ts';
import { CliError, printLine, type Terminal } from '../terminal.ts';
import { factsOfSaved } from './doctor.ts';
import { addSetupOptions, setupOf, type SetupOptions } from './plan.ts';
import { messageOf } from '../../core/text/words.ts';

/** The objects behind a view of the fleet. */
export interface FleetObjects {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
}

/** The fleet as it was last seen. */
export interface FollowedFleet extends FleetObjects, ContactState {
  /** False if only time has passed. */
  readonly isNews: boolean;
}

/** Many nodes change at a time; a screen is redrawn at most this often, in ms. */
const paceMs = 200;

export async function readFleet(client: KubeClient): Promise<FleetObjects> {
  const [found, partitions] = await Promise.all([
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
  ]);
  return { policies: found, partitions };
}

/** A person waits for the screen to be right again. */
const timing = { backoffMaxMs: 5000 };

/**
 * Calls `draw` with the current fleet, and again on every change, interruption and sign of life, until the signal aborts.
 *
 * @param first the fleet until the watches have it
 */
export async function followFleet(
  client: KubeClient,
  first: FleetObjects,
  draw: (fleet: FollowedFleet) => void,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  let cancel: (() => void) | undefined;
  let contactState: ContactState = { seenAt: clock.wallMs(), interruption: undefined };
  let isSynced = false;
  const drawNow = (isNews = true): void => {
    const seen = { policies: policyWatch.store.list(), partitions: partitionWatch.store.list() };
    draw({ ...(isSynced ? seen : first), ...contactState, isNews });
  };
  const onChange = (): void => {
    if (!isSynced) return;
    cancel ??= clock.startTimer(paceMs, () => {
      cancel = undefined;
      drawNow();
    });
  };
  const options = { client, logger: silentLogger, timing, onChange };
  const policyWatch = new Reflector<GpuPartitionPolicy & KubeObject>({ ...options, resource: policies });
  const partitionWatch = new Reflector<GpuNodePartition & KubeObject>({ ...options, resource: nodePartitions });
  const watches = [policyWatch.start(), partitionWatch.start()];
  const sync = async (): Promise<void> => {
    await Promise.all(watches.map((watch) => watch.waitForSync(signal)));
    isSynced = true;
    drawNow();
  };
  const contact = watchContact({ client, watches, clock }, signal, (state) => {
    const isNews = state.interruption?.why !== contactState.interruption?.why;
    contactState = state;
    drawNow(isNews);
  });
  try {
    await Promise.all([sync(), contact]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    cancel?.();
    await Promise.all(watches.map((watch) => watch.stop()));
  }
}

/** Asks the cluster, with the user's own rights, each time somebody looks. */
function answerLive(client: KubeClient, setup: ReturnType<typeof setupOf>): PageAnswers {
  const waste = new WasteSamples(() => readFacts(client));
  return {
    waste: () => waste.report(),
    waiting: async () => findWaiting(await readFacts(client))?.explain(),
    async countWaiting() {
      // Without a node: a cluster has many pods, and few that wait.
      const found = await listAllowed<PodView & KubeObject>(client, pods, { fieldSelector: 'spec.nodeName=' });
      // What a claim is for, only the rest of the cluster shows.
      const hasClaims = found?.some(({ spec }) => (spec?.resourceClaims ?? []).length > 0) === true;
      const others = hasClaims ? await readFacts(client) : { nodes: [], partitions: [], policies: [] };
      return found && findWaiting({ ...others, pods: found })?.count;
    },
    async history(node) {
      const running = await listAllowed<PodView & KubeObject>(client, pods, { fieldSelector: `spec.nodeName=${node}` });
      return { ...(await readHistory(client, node)), podsSince: listStarts(running ?? []) };
    },
    async policy(name) {
      const ref = { resource: policies, name };
      return writePolicy(await find<GpuPartitionPolicy & KubeObject>(client, `policy ${name}`, ref), name);
    },
    plan: async (text) => {
      const given = parsePolicies(text);
      return answerPlan(given, await readCluster(client, given), setup, () => readKueue(client));
    },
  };
}

/** Answers the page from what was saved. */
export function answerSaved(saved: SavedCluster, setup: ReturnType<typeof setupOf>): PageAnswers {
  const report = reportWaste([saved]);
  return {
    waste: async () => report,
    waiting: async () => findWaiting(saved)?.explain(),
    countWaiting: async () => findWaiting(saved)?.count,
    async history(node) {
      const running = saved.pods.filter(({ spec }) => spec?.nodeName === node);
      return { ...savedHistory(saved, node), podsSince: listStarts(running) };
    },
    policy: async (policy) =>
      writePolicy(
        saved.policies.find(({ metadata }) => metadata.name === policy),
        policy,
      ),
    plan: async (text) => answerPlan(parsePolicies(text), saved, setup, async () => saved.kueue),
  };
}

function writePolicy(policy: GpuPartitionPolicy | undefined, name: string): string {
  if (!policy) throw new Error(`the cluster has no policy ${name}`);
  // Without what the API server and the controller add.
  const { apiVersion, kind, metadata, spec } = policy;
  return stringify({ apiVersion, kind, metadata: { name: metadata.name }, spec });
}

/** The times at which pods started, RFC 3339, by `NAMESPACE/NAME`. */
function listStarts(found: readonly PodView[]): Readonly<Record<string, string>> {
  const started = found.flatMap((pod) => {
    const at = pod.status?.startTime;
    return at === undefined ? [] : [[podName(pod), at] as const];
  });
  return Object.fromEntries(started);
}

async function answerPlan(
  given: readonly GpuPartitionPolicy[],
  cluster: ClusterState,
  setup: ReturnType<typeof setupOf>,
  readQueues: () => Promise<KueueReading>,
): Promise<PlanAnswer> {
  const { plan, lines } = await predictChange(cluster, given, setup, readQueues);
  const { waves, findings, summary, nodes } = plan;
  const evictions = nodes.flatMap(({ node, evictions: list }) =>
    // An agent has reported them, and they have ended since.
    list.filter(({ fate }) => fate !== 'Gone').map(({ pod, fate }) => ({ node, pod, fate })),
  );
  return { waves, findings, summary, evictions, lines };
}

interface Options extends ConnectionOptions, SetupOptions {
  readonly port: number;
  readonly snapshot?: readonly string[];
}

export function uiCommand({ terminal }: CommandContext): Command {
  return addConnectionOptions(addSetupOptions(new Command('ui')))
    .description(
      'Serves a web page of the fleet on this machine (127.0.0.1) until Ctrl-C, with your own kubeconfig and rights. It only reads.',
    )
    .option('--port <port>', 'port; 0: a free one', integer(0, 65_535), 0)
    .option('--snapshot <file...>', `read a saved cluster instead: ${snapshotCommand}`)
    .action(async (options: Options) => {
      const interrupted = new AbortController();
      const stop = (): void => interrupted.abort();
      process.once('SIGINT', stop).once('SIGTERM', stop);
      // The address is written once: without it the page cannot be opened.
      const endLoss = terminal.stdout.onLoss(stop);
      try {
        if (options.snapshot === undefined) await serveLive(terminal, options, interrupted.signal);
        else await serveSnapshot(terminal, options.snapshot, options, interrupted.signal);
      } finally {
        endLoss();
        process.off('SIGINT', stop).off('SIGTERM', stop);
      }
    });
}

async function serveLive(terminal: Terminal, options: Options, signal: AbortSignal): Promise<void> {
  const client = connect(options);
  const first = await readFleet(client);
  const pools = await readPools(client);
  const feed = new FleetFeed({ source: sourceOf(client), poolOf: (node) => pools.of(node), now: Date.now });
  let latest: Parameters<FleetFeed['update']>[0] = first;
  feed.update(latest);
  const update = (fleet: FollowedFleet): void => {
    latest = fleet;
    feed.update(fleet);
    if (fleet.isNews) void follow(fleet.partitions.map(({ metadata }) => metadata.name));
  };
  const follow = async (names: readonly string[]): Promise<void> => {
    if (await pools.follow(names)) feed.update(latest);
  };
  const sources = { feed, answers: answerLive(client, setupOf(options)) };
  await serve(terminal, sources, options.port, () => followFleet(client, first, update, signal));
}

async function serveSnapshot(
  terminal: Terminal,
  files: readonly string[],
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  const saved = await readSnapshot(files, terminal);
  const pools = new NodePools(saved.nodes, async () => undefined);
  const diagnosis = diagnoseCluster(factsOfSaved(saved));
  const feed = new FleetFeed({ source: { files }, poolOf: (node) => pools.of(node), now: Date.now, diagnosis });
  feed.update(saved);
  const sources = { feed, answers: answerSaved(saved, setupOf(options)) };
  await serve(terminal, sources, options.port, () => whenAborted(signal));
}

async function serve(
  { stdout }: Terminal,
  sources: PageSources,
  port: number,
  work: () => Promise<void>,
): Promise<void> {
  const server = await servePage(sources, port).catch((error: unknown) => {
    throw new CliError(`cannot serve the page: ${messageOf(error)}`, 3, { cause: error });
  });
  try {
    printLine(stdout, `${server.address}  (Ctrl-C ends it)`);
    await work();
  } finally {
    await server.stop();
  }
}

/** Users may have no rights on Nodes: pools then have no names. */
async function readPools(client: KubeClient): Promise<NodePools> {
  const list = (fieldSelector?: string) =>
    listAllowed(client, nodes, omitUndefined({ fieldSelector }), { metadataOnly: true });
  const found = await list();
  if (found === undefined) return new NodePools([], async () => undefined);
  return new NodePools(found, async (name) => {
    // The page is right without its pool, too.
    const [node] = (await list(`metadata.name=${name}`).catch(() => undefined)) ?? [];
    return node;
  });
}
