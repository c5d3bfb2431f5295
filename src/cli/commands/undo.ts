import { Command } from 'commander';
import { stringify } from 'yaml';
import { policies } from '../../api/resources.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { undoEdit } from '../../core/policy/record.ts';
import { isSubdomain } from '../../core/text/syntax.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/watch.ts';
import { addConnectionOptions, connect, find, type ConnectionOptions } from '../cluster/connection.ts';
import type { CommandContext } from '../program.ts';
import { CliError, printJson, printLine } from '../terminal.ts';
import { type OutputFormat, outputOption } from '../options.ts';

interface Options extends ConnectionOptions {
  readonly apply?: boolean;
  readonly output: OutputFormat;
}

type Policy = GpuPartitionPolicy & KubeObject;

export function undoCommand({ terminal }: CommandContext): Command {
  return addConnectionOptions(new Command('undo'))
    .description(
      'Goes back to the last generation of a policy that was in force and asks for something else than the newest. `mode` and `rollout` stay as they are now. Prints it for review; with --apply, writes it.',
    )
    .argument('<policy>', 'name of the policy')
    .option('--apply', 'write it, unless the policy is edited meanwhile')
    .addOption(outputOption())
    .action(async (name: string, { apply = false, output, ...options }: Options) => {
      if (!isSubdomain(name)) throw new CliError(`${JSON.stringify(name)} is not the name of a policy`);
      const client = connect(options);
      const policy = await find<Policy>(client, `policy ${name}`, { resource: policies, name });
      if (!policy) throw new CliError(`the cluster has no policy ${name}`);
      const undone = undoEdit(policy, apply);
      if (typeof undone === 'string') throw new CliError(undone, 1);
      const { answer, stop } = undone;
      if (apply) await write(client, policy, answer.policy.spec);
      if (output === 'json') return printJson(terminal, answer);
      const out = apply ? terminal.stdout : terminal.stderr;
      printLine(out, answer.message);
      if (stop !== undefined) printLine(out, `policy ${name} is still ${stop}. To resume: ${answer.resume}`);
      if (!apply) terminal.stdout.write(stringify(answer.policy));
    });
}

async function write(client: KubeClient, policy: Policy, spec: PolicySpec): Promise<void> {
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
