import { Command } from 'commander';
import { retryAnnotation } from '../../api/names.ts';
import { nodePartitions, nodes } from '../../api/resources.ts';
import type { GpuNodePartition } from '../../api/types.ts';
import { findResting } from '../../core/node/eviction.ts';
import { isSubdomain, timeText } from '../../core/text/syntax.ts';
import { countWords } from '../../core/text/words.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/watch.ts';
import { Semaphore } from '../../process/clock.ts';
import {
  addConnectionOptions,
  connect,
  find,
  type ConnectionOptions,
  listAll,
  mergeFound,
} from '../cluster/connection.ts';
import type { CommandContext } from '../program.ts';
import { CliError, paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { type OutputFormat, outputOption } from '../options.ts';

interface Options extends ConnectionOptions {
  readonly policy?: string;
  readonly output: OutputFormat;
}

/** How many nodes are annotated in parallel. */
const mostWrites = 8;

/** The finding for one node; the shape of `-o json`. */
export interface RetryAnswer {
  readonly node: string;
  /** Whether a retry was requested. */
  readonly isAsked: boolean;
  /** The failure on the node; absent if nothing has failed. */
  readonly failure?: NonNullable<ReturnType<typeof findResting>>;
  readonly message: string;
}

export function retryCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('retry'))
    .description(
      'Asks the controller to retry what failed on nodes now, including what rests because it failed repeatedly. ' +
        `Writes the annotation ${retryAnnotation} on each Node. The node still needs a slot in the rollout.`,
    )
    .argument('[node...]', 'names of nodes')
    .option('--policy <name>', 'all nodes of this policy on which something has failed')
    .addOption(outputOption())
    .action(async (names: readonly string[], options: Options) => {
      const { policy } = options;
      if ((names.length === 0) === (policy === undefined)) throw new CliError('name nodes, or a policy with --policy');
      const wrong = [...names, ...(policy === undefined ? [] : [policy])].find((name) => !isSubdomain(name));
      if (wrong !== undefined)
        throw new CliError(`${JSON.stringify(wrong)} is not the name of a ${policy === undefined ? 'node' : 'policy'}`);
      const client = connect(options);
      const found = policy === undefined ? await readNodes(client, names) : await listFailed(client, policy);
      const turnstile = new Semaphore(mostWrites);
      const answers = await Promise.all(found.map((one) => turnstile.pass(() => retryNode(client, one))));
      if (answers.length === 0) printLine(terminal.stderr, `nothing to retry: no node of policy ${policy} has failed`);
      if (answers.length === 0 || answers.some(({ isAsked }) => !isAsked)) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, answers);
      else print(terminal, answers);
    });
}

type Partition = GpuNodePartition & KubeObject;

async function readNodes(client: KubeClient, names: readonly string[]): Promise<readonly Partition[]> {
  return Promise.all([...new Set(names)].map((node) => readNode(client, node)));
}

/** @throws CliError if the policy decides over no node, or does not exist */
async function listFailed(client: KubeClient, policy: string): Promise<readonly Partition[]> {
  const found = await listAll<Partition>(client, nodePartitions);
  const own = found.filter(({ spec }) => spec.policy?.name === policy);
  if (own.length === 0) throw new CliError(`policy ${policy} decides over no node`, 1);
  return own.filter((one) => findResting(one) !== undefined);
}

/** @throws CliError if the node has no partition */
async function readNode(client: KubeClient, node: string): Promise<Partition> {
  const ref = { resource: nodePartitions, name: node };
  const partition = await find<Partition>(client, `GpuNodePartition ${node}`, ref);
  if (partition) return partition;
  throw new CliError(
    `node ${node} has no GpuNodePartition: there is no such node, or it is not labelled as a GPU node`,
  );
}

async function retryNode(client: KubeClient, partition: Partition): Promise<RetryAnswer> {
  const node = partition.metadata.name;
  const failure = findResting(partition);
  if (failure === undefined) {
    const ready = partition.status?.conditions?.find(({ type }) => type === 'Ready');
    const now = ready ? `; it is ${ready.reason}: ${ready.message}` : '';
    return { node, isAsked: false, message: `nothing to retry${now}` };
  }
  if (!(await annotate(client, node))) return { node, isAsked: false, message: 'there is no such Node any more' };
  const { code, message, equal, isResting } = failure;
  const rest = isResting
    ? `was resting after ${countWords(equal, code === 'Drifting' ? 'repair' : 'failed attempt')}`
    : 'was waiting for its next attempt';
  return { node, isAsked: true, failure, message: `retry requested; it ${rest}: ${code}: ${message}` };
}

/** @returns whether there is such a Node: its partition outlives it for a moment */
function annotate(client: KubeClient, node: string): Promise<boolean> {
  const patch = { metadata: { annotations: { [retryAnnotation]: timeText(Date.now()) } } };
  const failure = `cannot write annotation ${retryAnnotation} of node ${node}`;
  return mergeFound(client, failure, { resource: nodes, name: node }, patch, { metadataOnly: true });
}

function print({ stdout, stderr }: Terminal, answers: readonly RetryAnswer[]): void {
  for (const { node, isAsked, message } of answers) {
    const stream = isAsked ? stdout : stderr;
    printLine(stream, `${paint(stream, isAsked ? 'green' : 'yellow', `node ${node}:`)} ${message}`);
  }
}
