import { Command } from 'commander';

import { retryAnnotation } from '../../api/names.ts';
import { nodePartitions, nodes } from '../../api/resources.ts';
import type { GpuNodePartition } from '../../api/types.ts';
import { findResting, type RestingFailure } from '../../core/node/retry.ts';
import { isSubdomain } from '../../core/text/label-syntax.ts';
import { timeText } from '../../core/text/time.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { addConnectionOptions, ask, connect, type ConnectionOptions } from '../cluster/connection.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { paint, printJson, printLine, type Terminal } from '../terminal.ts';

interface Options extends ConnectionOptions {
  readonly output: OutputFormat;
}

/** The finding for one node; the shape of `-o json`. */
export interface RetryAnswer {
  readonly node: string;
  /** Whether a retry was requested. */
  readonly isAsked: boolean;
  /** What has failed there. */
  readonly failure?: RestingFailure;
  readonly message: string;
}

export function retryCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('retry'))
    .description(
      'Asks the controller to retry what failed on nodes, including what is not retried automatically because it failed repeatedly in the same way. ' +
        `Writes the annotation ${retryAnnotation} on the Node. The node waits for its turn in the rollout like any other.`,
    )
    .argument('<node...>', 'names of nodes')
    .addOption(outputOption())
    .action(async (names: readonly string[], options: Options) => {
      const wrong = names.find((name) => !isSubdomain(name));
      if (wrong !== undefined) throw new CliError(`${JSON.stringify(wrong)} is not the name of a node`);
      const client = connect(options);
      const found = await Promise.all(
        [...new Set(names)].map(async (node) => [node, await read(client, node)] as const),
      );
      const answers = await Promise.all(
        found.map(async ([node, partition]) => retryNode(client, node, findResting(partition), partition)),
      );
      if (answers.some(({ isAsked }) => !isAsked)) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, answers);
      else print(terminal, answers);
    });
}

/** @throws CliError if there is nothing to retry */
async function read(client: KubeClient, node: string): Promise<GpuNodePartition> {
  const partition = await ask(`GpuNodePartition ${node}`, () =>
    client.find<GpuNodePartition & KubeObject>({ resource: nodePartitions, name: node }),
  );
  if (partition) return partition;
  throw new CliError(`node ${node} has no GpuNodePartition: there is no such node, or nobody says that it has GPUs`);
}

async function retryNode(
  client: KubeClient,
  node: string,
  failure: RestingFailure | undefined,
  { status }: GpuNodePartition,
): Promise<RetryAnswer> {
  if (failure === undefined) {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const now = ready ? `; it is ${ready.reason}: ${ready.message}` : '';
    return { node, isAsked: false, message: `nothing has failed that could be tried again${now}` };
  }
  await annotate(client, node);
  const { code, message, equal, isResting } = failure;
  const times = `${equal} ${equal === 1 ? 'time' : 'times'}`;
  const rest = isResting ? `was resting since the same has failed ${times}` : 'was waiting for its next try';
  return { node, isAsked: true, failure, message: `another try is asked for; it ${rest}: ${code}: ${message}` };
}

async function annotate(client: KubeClient, node: string): Promise<void> {
  const patch = { metadata: { annotations: { [retryAnnotation]: timeText(Date.now()) } } };
  try {
    await client.merge({ resource: nodes, name: node }, patch, { metadataOnly: true });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CliError(`cannot write annotation ${retryAnnotation} of node ${node}: ${error.message}`, 3, {
      cause: error,
    });
  }
}

function print({ stdout, stderr }: Terminal, answers: readonly RetryAnswer[]): void {
  for (const { node, isAsked, message } of answers) {
    const stream = isAsked ? stdout : stderr;
    printLine(stream, `${paint(stream, isAsked ? 'green' : 'yellow', `node ${node}:`)} ${message}`);
  }
}
