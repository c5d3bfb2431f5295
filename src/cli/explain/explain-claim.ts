import { Command } from 'commander';
import { resourceClaims } from '../../api/resources.ts';
import { type ClaimExplanation, explainClaim } from '../../core/explain/claim-explanation.ts';
import type { RequestedClaim } from '../../core/explain/claim-request.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { addConnectionOptions, connect, find, type ConnectionOptions } from '../cluster/connection.ts';
import { readFacts } from '../cluster/facts.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { claimResources, readSnapshot, snapshotCommand } from '../plan/snapshot-file.ts';
import { printJson, type Terminal } from '../terminal.ts';
import { printExplanation } from './explanation-text.ts';
import { ownNamespace, readName } from './object-name.ts';

interface Options extends ConnectionOptions {
  readonly namespace?: string;
  readonly snapshot?: readonly string[];
  readonly output: OutputFormat;
}

/** What to save of a cluster for it. */
const command = snapshotCommand.replace(',pdb', `,pdb,${claimResources}`);

export function explainClaimCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('claim'))
    .summary('explain where the devices of a ResourceClaim are and who uses them, or why it has none')
    .description(
      'Explains a ResourceClaim (DRA): which slices of which node it has and which pods use them; or, while it is pending, what each GPU node lacks, and which edit of a policy would give it a slice.',
    )
    .argument('<claim>', 'NAMESPACE/NAME, or NAME with --namespace')
    .option('-n, --namespace <name>', 'namespace of the claim')
    .option('--snapshot <file...>', `read a saved cluster instead: ${command}`)
    .addOption(outputOption())
    .action(async (name: string, options: Options) => {
      const explained = options.snapshot
        ? await explainSaved(name, options, options.snapshot, terminal)
        : await explainLive(name, options);
      if (explained.isPending) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, explained);
      else printExplanation(terminal, { kind: 'claim', name: explained.claim }, explained);
    });
}

async function explainLive(text: string, options: Options): Promise<ClaimExplanation> {
  const client = connect(options);
  const { namespace, name } = readName(text, options.namespace, ownNamespace(client), 'claim');
  const ref = { resource: resourceClaims, namespace, name };
  const claim = await find<RequestedClaim & KubeObject>(client, `claim ${namespace}/${name}`, ref);
  if (!claim) throw new CliError(`there is no ResourceClaim ${namespace}/${name}`);
  return explainClaim(claim, await readFacts(client));
}

async function explainSaved(
  text: string,
  options: Options,
  files: readonly string[],
  terminal: Terminal,
): Promise<ClaimExplanation> {
  const { namespace, name } = readName(text, options.namespace, 'default', 'claim');
  const saved = await readSnapshot(files, terminal);
  if (saved.claims === undefined) throw new CliError(`the snapshot has no ResourceClaim; make it with: ${command}`);
  const claim = saved.claims.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (!claim) throw new CliError(`the snapshot has no ResourceClaim ${namespace}/${name}`);
  return explainClaim(claim, saved);
}
