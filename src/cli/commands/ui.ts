import { Command } from 'commander';
import { nodes } from '../../api/resources.ts';
import { definedOnly } from '../../core/text/defined-fields.ts';
import type { KubeClient } from '../../kube/client.ts';
import { whenAborted } from '../../process/abort.ts';
import { integer } from '../../process/option.ts';
import { FleetFeed } from '../../ui/fleet-feed.ts';
import { type PageSources, servePage } from '../../ui/page-server.ts';
import { addConnectionOptions, connect, type ConnectionOptions, listAllowed, sourceOf } from '../cluster/connection.ts';
import { type FollowedFleet, followFleet, readFleet } from '../cluster/follow.ts';
import { NodePools } from '../cluster/node-pools.ts';
import { answerLive, answerSaved } from '../cluster/page-answers.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { addSetupOptions, setupOf, type SetupOptions } from '../plan/setup-options.ts';
import { readSnapshot, snapshotCommand } from '../plan/snapshot-file.ts';
import { printLine, type Terminal } from '../terminal.ts';
import { messageOf } from '../../core/text/message-of.ts';

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
  const feed = new FleetFeed({ source: { files }, poolOf: (node) => pools.of(node), now: Date.now });
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
    listAllowed(client, nodes, definedOnly({ fieldSelector }), { metadataOnly: true });
  const found = await list();
  if (found === undefined) return new NodePools([], async () => undefined);
  return new NodePools(found, async (name) => {
    // The page is right without its pool, too.
    const [node] = (await list(`metadata.name=${name}`).catch(() => undefined)) ?? [];
    return node;
  });
}
