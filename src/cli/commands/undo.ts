import { Command } from 'commander';
import { stringify } from 'yaml';
import { policies } from '../../api/resources.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { withoutServerFields, writerOf, readVersions } from '../../core/policy/versions.ts';
import { findUndoing, stopOf, type Undoing } from '../../core/policy/history.ts';
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

/** The shape of `-o json`. */
export interface UndoAnswer {
  /** The earlier generation as its author would write it, with `mode` and `rollout` of the newest. */
  readonly policy: GpuPartitionPolicy;
  readonly generation: number;
  /** The newest generation. */
  readonly replaces: number;
  /** Whether it was written. */
  readonly isApplied: boolean;
  readonly message: string;
  /** What resumes a policy that is paused, or in mode Plan. Absent if it is neither. */
  readonly resume?: string;
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
      const undoing = findOrFail(policy);
      if (apply) await write(client, policy, undoing);
      const answer = describe(policy, undoing, apply);
      if (output === 'json') return printJson(terminal, answer);
      const out = apply ? terminal.stdout : terminal.stderr;
      printLine(out, answer.message);
      const { words } = stopOf(undoing.spec) ?? {};
      if (answer.resume !== undefined) printLine(out, `policy ${name} is still ${words}. To resume: ${answer.resume}`);
      if (!apply) terminal.stdout.write(stringify(answer.policy));
    });
}

function describe(policy: Policy, { generation, spec, isBack }: Undoing, isApplied: boolean): UndoAnswer {
  const { name, generation: replaces = 0 } = policy.metadata;
  const inForce = readVersions(policy).inForce?.metadata.generation;
  const which = inForce === generation ? 'is in force' : 'was in force before';
  const instead = inForce === replaces ? ', which is in force' : '';
  const back = isBack ? `this brings back what the newest edit had undone: ` : '';
  const what = `generation ${generation} of policy ${name}, which ${which}, instead of generation ${replaces}${instead}`;
  const message = `${back}${isApplied ? 'wrote ' : ''}${what}${describeWriter(policy)}`;
  const stop = stopOf(spec);
  const resume = stop && `kubectl patch gpp ${name} --type=merge -p '${JSON.stringify({ spec: stop.edit })}'`;
  const answer = { policy: withoutServerFields(policy, spec), generation, replaces, isApplied, message };
  return { ...answer, ...(resume !== undefined && { resume }) };
}

/** @throws CliError if no generation is known to which it could go back */
function findOrFail(policy: Policy): Undoing {
  const { name, generation } = policy.metadata;
  const versions = readVersions(policy);
  if (versions.inForce === undefined)
    throw new CliError(`no generation of policy ${name} was ever accepted with mode Enforce`, 1);
  const found = findUndoing(versions, isRefused(policy));
  if (found !== undefined) return found;
  throw new CliError(
    `nothing to undo: no earlier generation of policy ${name} is known that asks for something else than generation ${generation}, apart from mode and rollout`,
    1,
  );
}

/** Whether the controller has found its newest generation not to be valid. */
function isRefused({ metadata, status }: Policy): boolean {
  const valid = status?.conditions?.find(({ type }) => type === 'Valid');
  return valid?.status === 'False' && valid.observedGeneration === metadata.generation;
}

/** Names who wrote a version, since a change that GitOps applied comes back. */
function describeWriter(policy: Policy): string {
  const { manager, time } = writerOf(policy);
  return manager === undefined ? '' : `; ${manager} wrote that at ${time}: if it comes from Git, revert it there too`;
}

async function write(client: KubeClient, policy: Policy, { spec }: Undoing): Promise<void> {
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
