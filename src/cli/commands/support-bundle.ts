import {
  deviceClasses,
  ownDefinitions,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
  events,
  nodePartitions,
  policies,
  pods,
  disruptionBudgets,
  nodes,
  namespaces as namespaceResource,
} from '../../api/resources.ts';
import { diagnoseCluster, type DoctorFacts } from '../../core/explain/doctor.ts';
import { chooseBundled, trimDefinition, trimObject } from '../../core/host/support-bundle.ts';
import { type KubeObject, objectPath, type Resource } from '../../kube/watch.ts';
import { omitUndefined } from '../../core/text/json.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { NodeView } from '../../core/kubernetes/node.ts';
import { type PodView, type ResourceClaimView, gpuDriver, type ResourceSliceView } from '../../core/kubernetes/pod.ts';
import { namespaceKeysOf } from '../../core/policy/spec.ts';
import { timeText } from '../../core/text/syntax.ts';
import { programVersion, integer, list } from '../../process/options.ts';
import { listServed, type KubeClient } from '../../kube/client.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { ListOptions, Selection } from '../../kube/request.ts';
import { CliError, paint, printJson, printLine, type Terminal } from '../terminal.ts';
import { Command, Option } from 'commander';
import { addConnectionOptions, connect, type ConnectionOptions } from '../cluster/connection.ts';
import type { CommandContext } from '../program.ts';
import { demandNewFile, saveNewFile, type OutputFormat, outputOption } from '../options.ts';
import { writeYaml } from '../node/layout-file.ts';

/**
 * What pods ask for by claim, and what they have: claims that have GPUs, and all of the namespaces of the bundle's pods.
 *
 * @param namespaces of the bundle's pods
 */
async function readClaims(
  reader: LenientReader,
  namespaces: ReadonlySet<string | undefined>,
): Promise<readonly KubeObject[]> {
  const [classes, claims, templates, slices] = await Promise.all([
    reader.listServed(deviceClasses),
    reader.listServed<ResourceClaimView & KubeObject>(resourceClaims),
    reader.listServed(resourceClaimTemplates),
    reader.listServed<ResourceSliceView & KubeObject>(resourceSlices),
  ]);
  const hasGpu = ({ status }: ResourceClaimView): boolean =>
    (status?.allocation?.devices?.results ?? []).some(({ driver }) => driver === gpuDriver);
  const isOfPods = ({ metadata }: KubeObject): boolean => namespaces.has(metadata.namespace);
  return [
    ...classes.map((one) => trimObject(one, 'deviceClass')),
    ...claims.filter((one) => hasGpu(one) || isOfPods(one)).map((one) => trimObject(one, 'claim')),
    ...templates.filter(isOfPods).map((one) => trimObject(one, 'claimTemplate')),
    ...slices.filter(({ spec }) => spec.driver === gpuDriver).map((one) => trimObject(one, 'slice')),
  ];
}

type BundledEvent = KubeObject & {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
};

/** Reads Events about policies and node partitions, about GPU nodes, and about the pods of the bundle. */
async function readEvents(
  reader: LenientReader,
  gpuNodes: ReadonlySet<string>,
  pods: readonly BundledPod[],
): Promise<readonly KubeObject[]> {
  const known = new Set(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const isMeant = ({ involvedObject: { kind, namespace, name = '' } = {} }: BundledEvent): boolean => {
    switch (kind) {
      case policies.kind:
      case nodePartitions.kind:
        return true;
      case 'Node':
        return gpuNodes.has(name);
      default:
        return kind === 'Pod' && known.has(`${namespace}/${name}`);
    }
  };
  const kinds = [policies.kind, nodePartitions.kind, 'Node', 'Pod'];
  const found: BundledEvent[] = [];
  for (const kind of kinds) {
    const some = await reader.list<BundledEvent>(events, { fieldSelector: `involvedObject.kind=${kind}` });
    // A user who may not list some may not list the others.
    if (some === undefined) break;
    found.push(...some.filter(isMeant));
  }
  return found.map((event) => trimObject(event, 'event'));
}

interface LogLimits {
  /** Lines from the end of each container's log. */
  readonly logLines: number;
  /** Maximum number of pods whose logs are read. */
  readonly logPods: number;
}

/** An item of a bundle; no cluster has such a kind. */
interface PodLog extends KubeObject {
  readonly container: string;
  readonly isPrevious: boolean;
  readonly log: string;
}

/** Most bytes per log; our longest line is far shorter. */
const mostBytes = 512 * 1024;
/** A ServiceAccount token: none is ever logged; if one is, it is redacted. */
const token = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;

/** The end of a log: the kubelet's own `limitBytes` would keep the beginning of what it sends. */
async function readEnd(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    kept.push(chunk);
    length += chunk.length;
    for (let [first] = kept; first && length - first.length > mostBytes; [first] = kept) {
      kept.shift();
      length -= first.length;
    }
  }
  const end = Buffer.concat(kept).subarray(-mostBytes);
  return end.subarray(length > mostBytes ? end.indexOf('\n') + 1 : 0).toString('utf8');
}

/** The last lines of each container, and of its predecessor if it was restarted. */
export async function readLogs(
  reader: LenientReader,
  from: readonly BundledPod[],
  { logLines, logPods }: LogLimits,
): Promise<readonly PodLog[]> {
  const logs: PodLog[] = [];
  for (const pod of logLines === 0 ? [] : from.slice(0, logPods)) {
    for (const { name: container = '' } of pod.spec?.containers ?? []) {
      const restarts = pod.status?.containerStatuses?.find(({ name }) => name === container)?.restartCount ?? 0;
      for (const previous of restarts > 0 ? [true, false] : [false]) {
        const log = await readLog(reader, pod, { container, previous, tailLines: logLines });
        if (log !== undefined) logs.push(log);
      }
    }
  }
  return logs;
}

async function readLog(
  reader: LenientReader,
  { metadata: { name, namespace } }: BundledPod,
  query: { readonly container: string; readonly previous: boolean; readonly tailLines: number },
): Promise<PodLog | undefined> {
  const { container, previous } = query;
  const place = omitUndefined({ name, namespace });
  const what = `log of ${namespace}/${name}, container ${container}${previous ? ' before its restart' : ''}`;
  const log = await reader.ask(what, () =>
    reader.client.request({
      method: 'GET',
      path: objectPath({ resource: pods, ...place, subresource: 'log' }),
      query: { ...query, timestamps: true },
      accept: '*/*',
      attempts: 1,
      timeoutMs: 30_000,
      readBody: readEnd,
    }),
  );
  if (typeof log !== 'string') return undefined;
  return {
    apiVersion: 'v1',
    kind: 'PodLog',
    metadata: place,
    container,
    isPrevious: previous,
    log: log.replaceAll(token, 'redacted'),
  };
}

type BundledPod = PodView & KubeObject;
type BundledNode = NodeView & KubeObject;

interface BundleOptions extends LogLimits {
  /** Namespaces of our programs: only pods there count as ours. */
  readonly namespaces: readonly string[];
}

/** Labels of all our objects, from kustomize and Helm. */
const ownPods = { key: 'app.kubernetes.io/part-of', value: 'gpu-partition' } as const;

/** The objects of a bundle, in file order; what could not be read is in `reader.notRead`. */
async function readClusterBundle(
  reader: LenientReader,
  options: BundleOptions,
  now: number,
): Promise<readonly KubeObject[]> {
  const [foundPolicies = [], partitions = [], allNodes = []] = await Promise.all([
    reader.list<GpuPartitionPolicy & KubeObject>(policies),
    reader.list<GpuNodePartition & KubeObject>(nodePartitions),
    reader.list<BundledNode>(nodes, {}, { trim: (one: BundledNode) => trimObject(one, 'node') }),
  ]);
  // Anybody may give a pod our labels; only we run in our namespaces.
  const isOwn = ({ metadata }: KubeObject): boolean =>
    metadata.labels?.[ownPods.key] === ownPods.value && options.namespaces.includes(metadata.namespace ?? '');
  const { found, isComplete } = await readPods(reader, options.namespaces, isOwn);
  const objects = { policies: foundPolicies, partitions, nodes: allNodes, pods: found };
  const { nodes: gpuNodes, pods: foundPods, ours, usesClaims } = chooseBundled(objects, isOwn);
  const namespaces = new Set(foundPods.map(({ metadata }) => metadata.namespace));
  const budgets = (await reader.list(disruptionBudgets)) ?? [];
  const logs = await readLogs(reader, ours, options);
  const claims = usesClaims ? await readClaims(reader, namespaces) : [];
  const foundEvents = await readEvents(reader, new Set(gpuNodes.map(({ metadata }) => metadata.name)), foundPods);
  const crds = await readCrds(reader);
  const doctor = diagnoseCluster({
    policies: foundPolicies,
    partitions,
    nodes: gpuNodes,
    pods: isComplete ? foundPods : undefined,
    slices: usesClaims ? claims.filter(isSlice) : undefined,
    // As of a snapshot: a cluster without any did not tell them.
    events: foundEvents.length > 0 ? foundEvents : undefined,
    configFiles: new Map(),
    crds: crds.length > 0 ? crds : undefined,
    version: programVersion,
  });
  return [
    ...foundPolicies.map((one) => trimObject(one, 'own')),
    ...partitions.map((one) => trimObject(one, 'own')),
    ...gpuNodes,
    ...foundPods,
    ...budgets.filter(({ metadata }) => namespaces.has(metadata.namespace)).map((one) => trimObject(one, 'budget')),
    ...(await readNamespaces(reader, namespaces, namespaceKeysOf(foundPolicies))),
    ...claims,
    ...crds,
    ...foundEvents,
    ...logs,
    await describeBundle(reader, { ours, partitions, doctor, now }),
  ];
}

type BundledCrd = NonNullable<DoctorFacts['crds']>[number] & KubeObject;

/** Our CRDs: the API server drops what they do not know. */
async function readCrds(reader: LenientReader): Promise<readonly BundledCrd[]> {
  const found = ownDefinitions.map((ref) => reader.ask(`CRD ${ref.name}`, () => reader.client.find<BundledCrd>(ref)));
  return (await Promise.all(found)).flatMap((crd) => (crd === undefined ? [] : [trimDefinition(crd)]));
}

/** The namespaces of the bundle's pods, where a demand selects them by labels; elsewhere the right to list them is not asked for. */
async function readNamespaces(
  reader: LenientReader,
  ofPods: ReadonlySet<string | undefined>,
  deciding: ReadonlySet<string>,
): Promise<readonly KubeObject[]> {
  const found = deciding.size === 0 ? [] : ((await reader.list(namespaceResource)) ?? []);
  return found
    .filter(({ metadata }) => ofPods.has(metadata.name))
    .map((one) => {
      const { metadata, ...rest } = trimObject(one, 'namespace');
      const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => deciding.has(key));
      return { ...rest, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
    });
}

async function readPods(
  reader: LenientReader,
  namespaces: readonly string[],
  isOwn: (pod: KubeObject) => boolean,
): Promise<{ readonly found: readonly BundledPod[]; readonly isComplete: boolean }> {
  const trim = { trim: (one: BundledPod) => trimObject(one, isOwn(one) ? 'ownPod' : 'pod') };
  const all = await reader.list<BundledPod>(pods, {}, trim);
  if (all !== undefined) return { found: all, isComplete: true };
  const some = await Promise.all(namespaces.map((namespace) => reader.list<BundledPod>(pods, { namespace }, trim)));
  return { found: some.flatMap((found) => found ?? []), isComplete: false };
}

function isSlice(one: KubeObject): one is ResourceSliceView & KubeObject {
  return one.kind === resourceSlices.kind;
}

interface AboutBundle {
  readonly ours: readonly BundledPod[];
  readonly partitions: readonly GpuNodePartition[];
  readonly doctor: ReturnType<typeof diagnoseCluster>;
  readonly now: number;
}

async function describeBundle(
  reader: LenientReader,
  { ours, partitions, doctor, now }: AboutBundle,
): Promise<KubeObject & { readonly spec: object }> {
  const server = (await reader.ask('version of the API server', () =>
    reader.client.request({ method: 'GET', path: '/version' }),
  )) as { readonly gitVersion?: string } | undefined;
  const images = ours.flatMap(({ spec }) => spec?.containers ?? []) as readonly { readonly image?: string }[];
  const agents = partitions.flatMap(({ status }) => status?.device?.agentVersion ?? []);
  const drivers = partitions.flatMap(({ status }) => status?.device?.driverVersion ?? []);
  const spec = {
    time: timeText(now),
    versions: {
      gpuPartition: programVersion,
      kubernetes: server?.gitVersion ?? 'unknown',
      images: distinct(images.flatMap(({ image }) => image ?? [])),
      agents: distinct(agents),
      drivers: distinct(drivers),
    },
    notRead: reader.notRead,
    doctor,
  };
  return { apiVersion: 'v1', kind: 'SupportBundle', metadata: { name: 'gpu-partition' }, spec };
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)].toSorted();
}

/** Reads what its user may read, and records what was refused. An API server that does not answer ends it. */
export class LenientReader {
  readonly client: KubeClient;
  readonly #notRead: string[] = [];

  constructor(client: KubeClient) {
    this.client = client;
  }

  /** What was refused or does not exist, one sentence each. */
  get notRead(): readonly string[] {
    return this.#notRead;
  }

  /** Lists objects; undefined if the API server refuses that, or has no such resource. @throws CliError with code 3 if it does not answer */
  async list<T extends KubeObject>(
    resource: Resource,
    selection: Selection = {},
    options: ListOptions = {},
  ): Promise<readonly T[] | undefined> {
    const what = selection.namespace === undefined ? resource.plural : `${resource.plural} of ${selection.namespace}`;
    return this.ask(what, async () => (await this.client.list<T>(resource, selection, options)).items);
  }

  /** Lists objects as {@link list} does; none of a cluster that does not serve them. */
  async listServed<T extends KubeObject>(resource: Resource, selection: Selection = {}): Promise<readonly T[]> {
    const found = await this.ask(resource.plural, () => listServed<T>(this.client, resource, selection));
    return found ?? [];
  }

  /** Asks as {@link list} does, for anything else. */
  async ask<Result>(what: string, request: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isRefused = [400, 401, 403, 404].includes(error.code);
      // The API server answers on behalf of a kubelet that it cannot reach.
      const isOfKubelet = error.code >= 500 && what.startsWith('log ');
      if (!isRefused && !isOfKubelet) throw new CliError(`cannot read ${what}: ${error.message}`, 3, { cause: error });
      this.#notRead.push(`${what}: ${error.message}`);
      return undefined;
    }
  }
}

interface Options extends ConnectionOptions, BundleOptions {
  readonly output: OutputFormat;
}

/** Contents of a bundle; the shape of `-o json`. */
export interface SupportBundleAnswer {
  readonly file: string;
  /** Objects by kind. */
  readonly objects: Readonly<Record<string, number>>;
  /** What the API server refused, one sentence each. */
  readonly notRead: readonly string[];
}

const namespaces = ['gpu-partition-system', 'gpu-partition-agents'];

export function supportBundleCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('support-bundle'))
    .description(
      'Collects what others need to help: policies, node partitions, GPU nodes, their pods and claims, Events, and the logs of our programs. ' +
        'Secrets, environments, arguments and annotations of others are left out. plan, explain, status and ui accept the file as --snapshot.',
    )
    .argument('<file>', 'a new file, or - for standard output')
    .addOption(
      new Option('--namespaces <names>', 'namespaces of the operator: only pods there count as its own')
        .argParser(list)
        .default(namespaces, namespaces.join(',')),
    )
    .option('--log-lines <n>', 'number of last lines of each log; 0: no logs', integer(0, 100_000), 1000)
    .option(
      '--log-pods <n>',
      'maximum number of pods with logs; those of nodes that are not Ready first',
      integer(0, 10_000),
      20,
    )
    .addOption(outputOption())
    .action(async (file: string, options: Options) => {
      demandNewFile(file, terminal);
      const reader = new LenientReader(connect(options));
      const items = await readClusterBundle(reader, options, Date.now());
      const bundle = writeYaml({ apiVersion: 'v1', kind: 'List', items });
      if (file === '-') terminal.stdout.write(bundle);
      else await saveNewFile(file, bundle, terminal);
      const { notRead } = reader;
      if (notRead.length > 0) outcome.code = 1;
      print({ file, objects: countKinds(items), notRead }, options, terminal);
    });
}

function print(answer: SupportBundleAnswer, { output }: Options, terminal: Terminal): void {
  const { stderr } = terminal;
  // With the bundle on standard output the answer goes to standard error.
  const out = answer.file === '-' ? { ...terminal, stdout: stderr } : terminal;
  if (output === 'json') return printJson(out, answer);
  const kinds = Object.entries(answer.objects).map(([kind, count]) => `${count} ${kind}`);
  printLine(out.stdout, `${answer.file}: ${kinds.join(', ')}`);
  for (const one of answer.notRead) printLine(stderr, `${paint(stderr, 'yellow', 'not read:')} ${one}`);
}

function countKinds(items: readonly { readonly kind?: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind = 'unknown' } of items) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
