import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import { showStatus } from '../../core/view/status.ts';
import { findNearestWords } from '../../core/text/words.ts';
import {
  addConnectionOptions,
  connect,
  type ConnectionOptions,
  sourceOf,
  LeadershipWatch,
} from '../cluster/connection.ts';
import { readHistory, savedHistory } from '../cluster/facts.ts';
import { type FleetObjects, type FollowedFleet, followFleet, readFleet } from './ui.ts';
import type { CommandContext } from '../program.ts';
import { CliError, LiveScreen, printLines, type Output, printJson } from '../terminal.ts';
import { readSnapshot, snapshotCommand } from '../input/snapshot.ts';

interface Options extends ConnectionOptions {
  readonly watch?: boolean;
  readonly policy?: string;
  readonly snapshot?: readonly string[];
  readonly output: 'text' | 'wide' | 'json' | 'yaml';
}

export function statusCommand({ terminal }: CommandContext): Command {
  return addConnectionOptions(new Command('status'))
    .description(
      'Shows the fleet: policies, nodes by phase and reason, and what changes now. With a node: its phase and why, each GPU slice by slice, now and after the change, and which pods use it.',
    )
    .argument('[node]', 'name of a node')
    .option('--policy <name>', 'only this policy, and the nodes that it decides over')
    .option('-w, --watch', 'follow until Ctrl-C')
    .option('--snapshot <file...>', `read a saved cluster instead: ${snapshotCommand}`)
    .addOption(
      new Option(
        '-o, --output <format>',
        'text and wide for people (wide: one row for every node, with all that is known of it), json and yaml for programs',
      )
        .choices(['text', 'wide', 'json', 'yaml'])
        .default('text'),
    )
    .action(async (node: string | undefined, options: Options) => {
      const { stdout } = terminal;
      const { output, watch = false } = options;
      const isData = output === 'json' || output === 'yaml';
      if (watch && isData) {
        throw new CliError(`--watch is for people; with -o ${output}, use kubectl get gpn --watch -o ${output}`);
      }
      if (watch && options.snapshot) throw new CliError('--snapshot does not change: nothing to --watch');
      const { policy } = options;
      if (node !== undefined && policy !== undefined) throw new CliError('give a node or --policy, not both');
      const { snapshot } = options;
      const source = snapshot ? { saved: await readSnapshot(snapshot, terminal) } : connect(options);
      const client = 'saved' in source ? undefined : source;
      const first = 'saved' in source ? source.saved : await readFleet(source);
      if (node !== undefined) findNode(first, node);
      if (policy !== undefined) demandNamed(first.policies, policy, 'policy', 'policies');
      const isTold = node !== undefined && !watch && !isData;
      const history = isTold
        ? await ('saved' in source ? savedHistory(source.saved, node) : readHistory(source, node))
        : undefined;
      const absence = watch || !client ? undefined : await new LeadershipWatch(client).settle();
      const subject = { node, policy, history, isWide: output === 'wide' };
      const show = ({ policies, partitions }: FleetObjects, more: LiveOptions) =>
        showStatus(policies, partitions, { ...subject, ...more, columns: stdout.columns, now: Date.now() });
      const draw: DrawFleet = (fleet, more) => show(fleet, more).lines;
      const data = isData ? { ...show(first, {}).view, ...(absence && { interruption: absence }) } : undefined;
      if (output === 'json') printJson(terminal, data);
      else if (output === 'yaml') stdout.write(stringify(data));
      else if (!watch || !client) printLines(stdout, draw(first, { interruption: absence }));
      else {
        const follow = (tell: (fleet: FollowedFleet) => void, signal: AbortSignal) =>
          followFleet(client, first, tell, signal);
        await watchStatus(stdout, sourceOf(client), draw, follow);
      }
    });
}

type LiveOptions = Pick<Parameters<typeof showStatus>[2], 'interruption' | 'followed'>;
type DrawFleet = (fleet: FleetObjects, more: LiveOptions) => ReturnType<typeof showStatus>['lines'];

function findNode({ partitions }: FleetObjects, node: string): FleetObjects['partitions'][number] {
  return demandNamed(partitions, node, 'GPU node', 'nodes that have GPUs');
}

/** @throws CliError that names those that may be meant */
function demandNamed<T extends { readonly metadata: { readonly name: string } }>(
  all: readonly T[],
  name: string,
  what: string,
  listed: string,
): T {
  const found = all.find(({ metadata }) => metadata.name === name);
  if (found) return found;
  const names = all.map(({ metadata }) => metadata.name);
  const near = findNearestWords(name, names);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `gpu-partition status lists the ${listed}`;
  throw new CliError(`no ${what} ${JSON.stringify(name)}; ${hint}`);
}

/** The age of what is shown is shown too: it grows while nothing comes in, in ms. */
const tickMs = 1000;

async function watchStatus(
  output: Output,
  source: ReturnType<typeof sourceOf>,
  draw: DrawFleet,
  follow: (show: (fleet: FollowedFleet) => void, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const screen = new LiveScreen(output);
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  let last: FollowedFleet | undefined;
  const redraw = (): void => {
    if (!last) return;
    const { rows } = output;
    const { seenAt, interruption } = last;
    // In a file the age would be wrong at once.
    const followed = rows === undefined ? undefined : { source, seenAt };
    screen.show(draw(last, { interruption, followed }));
  };
  const show = (fleet: FollowedFleet): void => {
    last = fleet;
    // Where pictures are appended, one that says nothing new is in the way.
    if (fleet.isNews || output.rows !== undefined) redraw();
  };
  const endResize = output.onResize(() => {
    screen.forget();
    redraw();
  });
  const ticks = output.rows === undefined ? undefined : setInterval(redraw, tickMs);
  const endLoss = output.onLoss(stop);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await follow(show, interrupted.signal);
  } finally {
    clearInterval(ticks);
    endResize();
    endLoss();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
