import { Command } from 'commander';
import { events, pods, resourceQuotas } from '../../api/resources.ts';
import type { ClusterFacts } from '../../core/explain/cluster-facts.ts';
import { explainPod, type PodExplanation } from '../../core/explain/explanation.ts';
import { type CreationEvent, explainMissing, type QuotaView } from '../../core/explain/missing-pod.ts';
import type { KueueReading } from '../../core/supply/kueue.ts';
import type { PodProspect } from '../../core/supply/pod-prospect.ts';
import type { KubeClient } from '../../kube/client.ts';
import { readKueue } from '../../kube/read-kueue.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { foreseePodDemand } from '../../process/pod-prospect.ts';
import {
  addConnectionOptions,
  ask,
  connect,
  type ConnectionOptions,
  find,
  listAllowed,
} from '../cluster/connection.ts';
import { readFacts } from '../cluster/facts.ts';
import type { CommandContext } from '../command-table.ts';
import { CliError } from '../exit.ts';
import { explainClaimCommand } from '../explain/explain-claim.ts';
import { printExplanation } from '../explain/explanation-text.ts';
import { type ObjectName, ownNamespace, readName } from '../explain/object-name.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { claimResources, readSnapshot, snapshotCommand } from '../plan/snapshot-file.ts';
import { printJson, type Terminal } from '../terminal.ts';
import type { PodView } from '../../core/pods/pod-view.ts';

interface Options extends ConnectionOptions {
  readonly namespace?: string;
  readonly snapshot?: readonly string[];
  readonly output: OutputFormat;
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
        : await explainLive(name, options);
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

/** With what the demands of policies make of the pod. */
interface Explained extends PodExplanation {
  readonly demands: readonly PodProspect[];
}

async function explainAll(
  pod: PodView,
  facts: ClusterFacts,
  readQueues: () => Promise<KueueReading>,
): Promise<Explained> {
  const explanation = explainPod(pod, facts);
  const demands = explanation.isPending ? await foreseePodDemand(pod, facts, readQueues) : [];
  return { ...explanation, demands };
}

async function explainLive(name: string, options: Options): Promise<Explained> {
  const client = connect(options);
  return explain(client, readName(name, options.namespace, ownNamespace(client), 'pod'));
}

async function explainSaved(
  { namespace, name }: ObjectName,
  files: readonly string[],
  terminal: Terminal,
): Promise<Explained> {
  const saved = await readSnapshot(files, terminal);
  const pod = saved.pods.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (!pod) throw new CliError(`the snapshot has no pod ${namespace}/${name}`);
  return explainAll(pod, saved, async () => saved.kueue);
}

async function explain(client: KubeClient, { namespace, name }: ObjectName): Promise<Explained> {
  const ref = { resource: pods, namespace, name };
  const pod = await find<PodView & KubeObject>(client, `pod ${namespace}/${name}`, ref);
  if (!pod) throw await missing(client, namespace, name);
  return explainAll(pod, await readFacts(client), () => ask('Kueue', () => readKueue(client)));
}

async function missing(client: KubeClient, namespace: string, name: string): Promise<CliError> {
  const [found, quotas] = await Promise.all([
    listAllowed<CreationEvent & KubeObject>(client, events, { namespace }),
    listAllowed<QuotaView & KubeObject>(client, resourceQuotas, { namespace }),
  ]);
  const why = explainMissing(name, found ?? [], quotas ?? []);
  return new CliError(
    `there is no pod ${namespace}/${name}${why === undefined ? '' : `; ${why}`}`,
    why === undefined ? 2 : 1,
  );
}
