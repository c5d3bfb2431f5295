import { Command } from 'commander';
import { stringify } from 'yaml';
import { policies } from '../../api/resources.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { asWritten } from '../../core/policy/as-written.ts';
import { earlierOf, readVersions } from '../../core/policy/versions.ts';
import { isSubdomain } from '../../core/text/label-syntax.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { addConnectionOptions, connect, find, type ConnectionOptions } from '../cluster/connection.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { printJson, printLine } from '../terminal.ts';

interface Options extends ConnectionOptions {
  readonly apply?: boolean;
  readonly output: OutputFormat;
}

/** The shape of `-o json`. */
export interface UndoAnswer {
  /** The earlier generation, as its author would write it. */
  readonly policy: GpuPartitionPolicy;
  readonly generation: number;
  /** The newest generation. */
  readonly replaces: number;
  /** Whether it was written. */
  readonly isApplied: boolean;
  readonly message: string;
}

type Policy = GpuPartitionPolicy & KubeObject;

export function undoCommand({ terminal }: CommandContext): Command {
  return addConnectionOptions(new Command('undo'))
    .description(
      'Goes back one edit of a policy: to the generation in force or, if that is the newest one, to the one before it. Prints it for review; with --apply, writes it.',
    )
    .argument('<policy>', 'name of the policy')
    .option('--apply', 'write it, unless the policy is edited meanwhile')
    .addOption(outputOption())
    .action(async (name: string, { apply = false, output, ...options }: Options) => {
      if (!isSubdomain(name)) throw new CliError(`${JSON.stringify(name)} is not the name of a policy`);
      const client = connect(options);
      const policy = await find<Policy>(client, `policy ${name}`, { resource: policies, name });
      if (!policy) throw new CliError(`the cluster has no policy ${name}`);
      const earlier = findEarlier(policy);
      if (apply) await write(client, policy, earlier);
      const answer = describe(policy, earlier, apply);
      if (output === 'json') return printJson(terminal, answer);
      printLine(apply ? terminal.stdout : terminal.stderr, answer.message);
      if (!apply) terminal.stdout.write(stringify(answer.policy));
    });
}

function describe(policy: Policy, earlier: GpuPartitionPolicy, isApplied: boolean): UndoAnswer {
  const { name, generation: replaces = 0 } = policy.metadata;
  const { generation = 0 } = earlier.metadata;
  const isInForce = readVersions(policy).inForce?.metadata.generation === replaces;
  const [which, instead] = isInForce ? ['was in force before', ', which is in force'] : ['is in force', ''];
  const what = `generation ${generation} of policy ${name}, which ${which}, instead of generation ${replaces}${instead}`;
  const message = `${isApplied ? 'wrote ' : ''}${what}${describeWriter(policy)}`;
  return { policy: asWritten(policy, earlier.spec), generation, replaces, isApplied, message };
}

/** @throws CliError if no generation before the newest is known */
function findEarlier(policy: Policy): GpuPartitionPolicy {
  const { name, generation } = policy.metadata;
  const versions = readVersions(policy);
  if (versions.inForce === undefined)
    throw new CliError(`no generation of policy ${name} was ever accepted with mode Enforce`, 1);
  const earlier = earlierOf(versions);
  if (earlier !== undefined) return earlier;
  throw new CliError(
    `nothing to undo: generation ${generation} of policy ${name} is in force, and no earlier one is known`,
    1,
  );
}

/** What GitOps applied comes back. */
function describeWriter({ metadata }: Policy): string {
  const writers = (metadata.managedFields ?? []) as readonly {
    readonly manager?: string;
    readonly time?: string;
    readonly subresource?: string;
    readonly fieldsV1?: Readonly<Record<string, unknown>>;
  }[];
  const last = writers
    .filter(({ fieldsV1 = {}, subresource = '' }) => subresource === '' && 'f:spec' in fieldsV1)
    .toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];
  return last?.manager === undefined
    ? ''
    : `; ${last.manager} wrote that at ${last.time}: if it comes from Git, revert it there too`;
}

async function write(client: KubeClient, policy: Policy, { spec }: GpuPartitionPolicy): Promise<void> {
  const { name, generation } = policy.metadata;
  try {
    await client.patch({ resource: policies, name }, [
      // Not the resourceVersion: the controller writes the status all the time.
      { op: 'test', path: '/metadata/generation', value: generation },
      { op: 'replace', path: '/spec', value: spec },
    ]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isStale = error.code === 409 || error.code === 422;
    const why = isStale ? 'it was edited meanwhile, or the spec is not valid for this version of the CRD: ' : '';
    throw new CliError(`cannot write policy ${name}: ${why}${error.message}`, isStale ? 1 : 3, { cause: error });
  }
}
