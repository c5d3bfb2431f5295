import { explainClaim, explainMissing, explainPod } from '../../core/explain/pod.ts';
import { paint, printLine, type Terminal, CliError, printJson } from '../terminal.ts';
import { isSubdomain } from '../../core/text/syntax.ts';
import { type KubeClient, readKueue } from '../../kube/client.ts';
import { Command } from 'commander';
import { resourceClaims, events, pods, resourceQuotas } from '../../api/resources.ts';
import type { KubeObject } from '../../kube/watch.ts';
import {
  addConnectionOptions,
  connect,
  find,
  type ConnectionOptions,
  ask,
  listAllowed,
} from '../cluster/connection.ts';
import { readFacts, tellUnknownNamespaces } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { claimResources, readSnapshot, snapshotCommand } from '../input/snapshot.ts';
import type { ClusterFacts } from '../../core/cluster/facts.ts';
import type { KueueReading } from '../../core/demand/kueue.ts';
import { predictPodDemand } from '../../planner/questions.ts';
import type { PodView, ResourceClaimView } from '../../core/kubernetes/pod.ts';

/** A node is only mentioned if that helps. */
const mostNodes = 10;

/** What is explained in one line, then what keeps it from each node, and what would help. */
function printExplanation(
  { stdout }: Terminal,
  subject: { readonly kind: string; readonly name: string },
  {
    isPending,
    message,
    nodes,
    suggestions,
  }: Pick<ReturnType<typeof explainPod>, 'isPending' | 'message' | 'nodes' | 'suggestions'>,
  more: readonly string[] = [],
): void {
  const state = isPending ? paint(stdout, 'yellow', 'is pending') : paint(stdout, 'green', 'is not pending');
  printLine(stdout, `${subject.kind} ${paint(stdout, 'bold', subject.name)} ${state}: ${message}`);
  for (const line of more) printLine(stdout, line);
  const shown = isPending ? nodes.filter(({ blockers }) => blockers.length > 0) : [];
  if (shown.length > 1) {
    printLine(stdout, '');
    for (const { node, blockers } of shown.slice(0, mostNodes)) printLine(stdout, `  ${node}: ${blockers.join('; ')}`);
  }
  if (shown.length > mostNodes) printLine(stdout, `  and ${shown.length - mostNodes} more nodes (-o json has all)`);
  if (suggestions.length === 0) return;
  printLine(stdout, '');
  printLine(stdout, 'What would let it run:');
  for (const one of suggestions) printLine(stdout, `  - ${one.message}`);
}

/** The object that a command explains. */
interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * @param own the context's namespace
 * @param kind in messages
 * @throws CliError if the text is not a name, or names another namespace than the option
 */
function readName(text: string, namespace: string | undefined, own: string, kind: string): ObjectName {
  const [first = '', second, ...rest] = text.split('/');
  if (second === undefined) return checked(namespace ?? own, first, kind);
  if (first === '' || second === '' || rest.length > 0)
    throw new CliError(`${JSON.stringify(text)} is not of the form NAMESPACE/NAME`);
  if (namespace !== undefined && namespace !== first)
    throw new CliError(`the ${kind} is in ${first} or in ${namespace}: name one namespace`);
  return checked(first, second, kind);
}

function checked(namespace: string, name: string, kind: string): ObjectName {
  if (!isSubdomain(namespace)) throw new CliError(`${JSON.stringify(namespace)} is not the name of a namespace`);
  if (!isSubdomain(name)) throw new CliError(`${JSON.stringify(name)} is not the name of a ${kind}`);
  return { namespace, name };
}

function ownNamespace({ config }: KubeClient): string {
  return config.getContextObject(config.currentContext)?.namespace || 'default';
}

interface Options extends ConnectionOptions {
  readonly namespace?: string;
  readonly snapshot?: readonly string[];
  readonly output: OutputFormat;
}

/** The command that saves what is needed of a cluster. */
const command = snapshotCommand.replace(',pdb', `,pdb,${claimResources}`);

function explainClaimCommand({ terminal, outcome }: CommandContext): Command {
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
        ? await explainSavedClaim(name, options, options.snapshot, terminal)
        : await explainLiveClaim(name, options);
      if (explained.isPending) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, explained);
      else printExplanation(terminal, { kind: 'claim', name: explained.claim }, explained);
    });
}

async function explainLiveClaim(text: string, options: Options) {
  const client = connect(options);
  const { namespace, name } = readName(text, options.namespace, ownNamespace(client), 'claim');
  const ref = { resource: resourceClaims, namespace, name };
  const claim = await find<ResourceClaimView & KubeObject>(client, `claim ${namespace}/${name}`, ref);
  if (!claim) throw new CliError(`there is no ResourceClaim ${namespace}/${name}`);
  return explainClaim(claim, await readFacts(client));
}

async function explainSavedClaim(text: string, options: Options, files: readonly string[], terminal: Terminal) {
  const { namespace, name } = readName(text, options.namespace, 'default', 'claim');
  const saved = await readSnapshot(files, terminal);
  if (saved.claims === undefined) throw new CliError(`the snapshot has no ResourceClaim; make it with: ${command}`);
  const claim = saved.claims.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (!claim) throw new CliError(`the snapshot has no ResourceClaim ${namespace}/${name}`);
  return explainClaim(claim, saved);
}

export function explainCommand(context: CommandContext): Command {
  const { terminal, outcome } = context;
  const pod = addConnectionOptions(new Command('pod'))
    .summary('explain why a pod is pending, and what would let it run')
    .description(
      'Explains why a pod that asks for GPUs is pending: what each GPU node lacks, which slice the demand of a policy will make for it or why not, and which edit of a policy, slice or label would let it run.',
    )
    .argument('<pod>', 'NAMESPACE/NAME, or NAME with --namespace')
    .option('-n, --namespace <name>', 'namespace of the pod')
    .option(
      '--snapshot <file...>',
      `read a saved cluster instead: ${snapshotCommand}; for pods with claims add ${claimResources}`,
    )
    .addOption(outputOption())
    .action(async (name: string, options: Options) => {
      const explained = options.snapshot
        ? await explainSaved(readName(name, options.namespace, 'default', 'pod'), options.snapshot, terminal)
        : await explainLive(name, options, terminal);
      if (explained.isPending) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, explained);
      else
        printExplanation(
          terminal,
          { kind: 'pod', name: explained.pod },
          explained,
          explained.demands.map(({ message }) => message),
        );
    });
  return new Command('explain')
    .description('Explains why something waits.')
    .addCommand(pod)
    .addCommand(explainClaimCommand(context))
    .addHelpText('after', '\nOptions: --kubeconfig <file>, --context <name>, -o, --output <format> (json or text).');
}

/** The explanation of a pod, with what the demands of policies offer it. */
async function explainAll(pod: PodView, facts: ClusterFacts, readQueues: () => Promise<KueueReading>) {
  const explanation = explainPod(pod, facts);
  const demands = explanation.isPending ? await predictPodDemand(pod, facts, readQueues) : [];
  return { ...explanation, demands };
}

async function explainLive(text: string, options: Options, terminal: Terminal) {
  const client = connect(options);
  const { namespace, name } = readName(text, options.namespace, ownNamespace(client), 'pod');
  const ref = { resource: pods, namespace, name };
  const pod = await find<PodView & KubeObject>(client, `pod ${namespace}/${name}`, ref);
  if (!pod) throw await missing(client, namespace, name);
  const facts = await readFacts(client);
  tellUnknownNamespaces(facts, terminal, { isSaved: false });
  return explainAll(pod, facts, () => ask('Kueue', () => readKueue(client)));
}

async function explainSaved({ namespace, name }: ObjectName, files: readonly string[], terminal: Terminal) {
  const saved = await readSnapshot(files, terminal);
  const pod = saved.pods.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (!pod) throw new CliError(`the snapshot has no pod ${namespace}/${name}`);
  tellUnknownNamespaces(saved, terminal, { isSaved: true });
  return explainAll(pod, saved, async () => saved.kueue);
}

async function missing(client: KubeClient, namespace: string, name: string): Promise<CliError> {
  const [found, quotas] = await Promise.all([
    listAllowed(client, events, { namespace }),
    listAllowed(client, resourceQuotas, { namespace }),
  ]);
  const why = explainMissing(name, found ?? [], quotas ?? []);
  return new CliError(
    `there is no pod ${namespace}/${name}${why === undefined ? '' : `; ${why}`}`,
    why === undefined ? 2 : 1,
  );
}
