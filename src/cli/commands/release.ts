import { controllerManager, cleanupFinalizer } from '../../api/names.ts';
import { deployments, pods, nodePartitions, nodes, policies } from '../../api/resources.ts';
import { findKueue, type KubeClient, kueueResource, listServed } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/watch.ts';
import { type Clock, systemClock, waitFor } from '../../process/clock.ts';
import { CliError, paint, printJson, printLine, type Terminal } from '../terminal.ts';
import {
  ask,
  mergeFound,
  addConnectionOptions,
  attempt,
  connect,
  listAll,
  listAllowed,
  type ConnectionOptions,
  findLeader,
} from '../cluster/connection.ts';
import { Command } from 'commander';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { keptQueues, planQueue } from '../../core/demand/queues.ts';
import { planRelease } from '../../core/node/commands.ts';
import type { NodeView } from '../../core/kubernetes/node.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { CommandContext } from '../program.ts';
import { type OutputFormat, outputOption } from '../options.ts';

type NodeRelease = ReturnType<typeof planRelease>;

interface PodEnd extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly deletionTimestamp?: string };
}

const controllerPods = `app.kubernetes.io/name=${controllerManager}`;
const pollMs = 500;
const deadlineMs = 120_000;

/**
 * Scales the controllers' Deployment to none and waits until their pods have ended: a standby that still runs would lead next.
 *
 * @throws CliError if they do not end
 */
async function stopController(
  client: KubeClient,
  namespace: string,
  name: string = controllerManager,
  clock: Clock = systemClock,
): Promise<void> {
  if (!(await scaleToNone(client, namespace, name))) return;
  const end = clock.monotonicMs() + deadlineMs;
  for (;;) {
    const running = await listRunning(client, namespace, clock);
    if (running.length === 0) return;
    if (clock.monotonicMs() > end) {
      const what = `after ${deadlineMs / 1000} s these pods of the controller still run in ${namespace}: ${running.join(', ')}`;
      throw new CliError(`${what}. Find out why, or delete them, and run this again`, 1);
    }
    await waitFor(clock, pollMs);
  }
}

/** @returns whether there is such a Deployment */
function scaleToNone(client: KubeClient, namespace: string, name: string): Promise<boolean> {
  const ref = { resource: deployments, namespace, name, subresource: 'scale' } as const;
  const failure = `cannot stop Deployment ${namespace}/${name}`;
  return mergeFound(client, failure, ref, { spec: { replicas: 0 } });
}

/** Lists running pods without those whose time to end is over: on a machine that is gone, their objects would stay. */
async function listRunning(client: KubeClient, namespace: string, clock: Clock): Promise<readonly string[]> {
  const { items } = await ask(`pods of ${namespace}`, () =>
    client.list<PodEnd>(pods, { namespace, labelSelector: controllerPods }),
  );
  return items
    .filter(({ metadata: { deletionTimestamp } }) => !(Date.parse(deletionTimestamp ?? '') < clock.wallMs()))
    .map(({ metadata }) => metadata.name);
}

interface Options extends ConnectionOptions {
  readonly namespace: string;
  readonly stopController?: string | true;
  readonly output: OutputFormat;
}

/** The outcome for one object; the shape of `-o json`. */
interface ReleaseAnswer {
  readonly kind: 'Node' | 'GpuPartitionPolicy' | 'ClusterQueue';
  readonly name: string;
  readonly isReleased: boolean;
  readonly message: string;
}

export function releaseCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('release'))
    .description(
      'Cleans up after a controller that is gone: removes our taint, labels, annotations and condition from nodes and the finalizer from policies, restores borrowed labels, and takes the quotas from queues of Kueue that it kept. ' +
        'Layouts stay; labels of slices that are gone do not. Fails while a controller leads.',
    )
    .option(
      '--namespace <name>',
      'namespace of the controller; of its Lease, for users who may not list those of all namespaces',
      'gpu-partition-system',
    )
    .option(
      '--stop-controller [deployment]',
      `first scale the controller’s Deployment (${controllerManager}) to 0 and wait until its pods have ended`,
    )
    .addOption(outputOption())
    .action(async (options: Options) => {
      // In place of the controller, and its marks: so the admission policies of its namespace let its account do this.
      const client = connect(options, controllerManager);
      const { namespace, stopController: stopped } = options;
      if (stopped !== undefined)
        await stopController(client, namespace, stopped === true ? controllerManager : stopped);
      const leader = await findLeader(client, options.namespace);
      if (leader !== undefined) throw new CliError(describeLeader(leader), 1);
      const held = await ask(policies.plural, () => listServed<Policy>(client, policies));
      // No job may be admitted to nodes any more by a label that is about to go.
      const answers = [
        ...(await releaseQueues(client, held)),
        ...(await releaseNodes(client)),
        ...(await releasePolicies(client, held)),
      ];
      if (answers.some(({ isReleased }) => !isReleased)) outcome.code = 1;
      if (options.output === 'json') printJson(terminal, answers);
      else print(terminal, answers);
    });
}

function describeLeader(leader: string): string {
  return `controller ${leader} leads, and would put everything back: delete the policies, and it releases their nodes; or stop it first (--stop-controller)`;
}

async function releaseNodes(client: KubeClient): Promise<readonly ReleaseAnswer[]> {
  const partitions = await ask(nodePartitions.plural, () =>
    listServed<GpuNodePartition & KubeObject>(client, nodePartitions),
  );
  const known = new Map(partitions.map((one) => [one.metadata.name, one]));
  const answers: ReleaseAnswer[] = [];
  for (const node of await listAll<FullNode>(client, nodes)) {
    const { name } = node.metadata;
    const release = await releaseNode(client, node, known.get(name));
    if (release.state === 'Clean') continue;
    answers.push({ kind: 'Node', name, isReleased: release.state === 'Marked', message: describeRelease(release) });
  }
  return answers;
}

type FullNode = KubeObject & NodeView;

/** How often one node is read again: in a large cluster the list is minutes old when the last nodes are reached. */
const mostReadings = 5;

/** A node that is gone has no marks either. */
async function releaseNode(
  client: KubeClient,
  first: FullNode,
  partition: GpuNodePartition | undefined,
): Promise<NodeRelease> {
  const { name } = first.metadata;
  let node: FullNode | undefined = first;
  for (let reading = 1; node !== undefined; reading += 1) {
    const release = planRelease(node, partition, Date.now());
    if (release.state !== 'Marked') return release;
    const isWritten = await attempt(`cannot change node ${name}`, async () => {
      try {
        const { condition, patch } = release;
        const status = { resource: nodes, name, subresource: 'status' };
        if (condition !== undefined) await client.mergeItems(status, { status: { conditions: [condition] } });
        if (patch.length > 0) await client.patch({ resource: nodes, name }, patch);
        return true;
      } catch (error) {
        const isStale = error instanceof ApiError && [404, 409, 422].includes(error.code);
        if (!isStale || reading === mostReadings) throw error;
        return false;
      }
    });
    if (isWritten) return release;
    const selection = { fieldSelector: `metadata.name=${name}` };
    [node] = await ask(`node ${name}`, async () => (await client.list<FullNode>(nodes, selection)).items);
  }
  return { state: 'Clean' };
}

function describeRelease(release: Exclude<NodeRelease, { readonly state: 'Clean' }>): string {
  if (release.state === 'Busy')
    return `its agent may be changing the GPUs until ${release.until}: nothing was done, run this again then`;
  if (!release.wasChanging) return 'clean: our labels and taints are removed, and the original labels restored';
  return 'open again. Its last change was interrupted: restart the pod of its device plugin, so that it offers what is there. Labels of slices that are gone, or that may be, are removed';
}

type ClusterQueue = KubeObject & NonNullable<Parameters<typeof planQueue>[0]['queue']>;
type Policy = GpuPartitionPolicy & KubeObject;

/** Takes the quotas from the queues that were kept, as the controller does when a policy goes. */
async function releaseQueues(client: KubeClient, held: readonly Policy[]): Promise<readonly ReleaseAnswer[]> {
  const found = await ask('the versions of Kueue', () => findKueue(client));
  if ('trouble' in found) return [];
  const { version } = found;
  const resource = kueueResource(version, 'ClusterQueue');
  const kept = await listAllowed<ClusterQueue>(client, resource, { labelSelector: keptQueues });
  if (kept === undefined) return held.flatMap(nameKept);
  const answers: ReleaseAnswer[] = [];
  for (const queue of kept) {
    const { name, uid } = queue.metadata;
    const writes = planQueue({ queue, flavor: undefined }, version, undefined);
    if (typeof writes === 'string') continue;
    try {
      for (const { metadata, spec, force } of writes)
        await client.apply(
          { resource, name },
          { metadata: { ...metadata, uid }, spec },
          { fieldManager: controllerManager, force },
        );
      const message = `its quotas are 0. Once no job uses it: ${deleteQueue(name)}`;
      answers.push({ kind: 'ClusterQueue', name, isReleased: true, message });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      answers.push(describeKept(name, error.message));
    }
  }
  return answers;
}

/** The queue of a policy that the controller has written, and that this user may not look at. */
function nameKept({ spec, status }: Policy): readonly ReleaseAnswer[] {
  const queue = spec.kueue?.clusterQueue;
  const isWritten = status?.conditions?.some(({ type, status: is }) => type === 'KueueQuota' && is === 'True');
  return queue === undefined || isWritten !== true ? [] : [describeKept(queue, 'you may not list ClusterQueues')];
}

function describeKept(name: string, why: string): ReleaseAnswer {
  const message = `its quotas stay: ${why}. Run this again with the rights, or end what it admits: ${deleteQueue(name)}`;
  return { kind: 'ClusterQueue', name, isReleased: false, message };
}

function deleteQueue(name: string): string {
  return `kubectl delete clusterqueue,resourceflavor ${name}`;
}

async function releasePolicies(client: KubeClient, all: readonly Policy[]): Promise<readonly ReleaseAnswer[]> {
  const held = all.filter(({ metadata }) => metadata.finalizers?.includes(cleanupFinalizer) === true);
  const answers: ReleaseAnswer[] = [];
  for (const { metadata } of held) {
    const { name, resourceVersion, finalizers = [] } = metadata;
    const rest = finalizers.filter((one) => one !== cleanupFinalizer);
    await attempt(`cannot change policy ${name}`, () =>
      client.merge({ resource: policies, name }, { metadata: { resourceVersion, finalizers: rest } }),
    );
    const message = 'it can be deleted without a controller; its GPUs keep their layout';
    answers.push({ kind: 'GpuPartitionPolicy', name, isReleased: true, message });
  }
  return answers;
}

const words = { Node: 'node', GpuPartitionPolicy: 'policy', ClusterQueue: 'ClusterQueue' } as const;

function print({ stdout }: Terminal, answers: readonly ReleaseAnswer[]): void {
  if (answers.length === 0) printLine(stdout, 'nothing of ours is left on nodes, policies and queues');
  for (const { kind, name, isReleased, message } of answers) {
    const what = `${words[kind]} ${name}:`;
    printLine(stdout, `${paint(stdout, isReleased ? 'green' : 'yellow', what)} ${message}`);
  }
}
