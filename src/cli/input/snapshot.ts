import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { shape as partitionShape } from '../../api/generated/gpu-node-partition.shape.ts';
import { shape as policyShape } from '../../api/generated/gpu-partition-policy.shape.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClusterState } from '../../core/plan/change.ts';
import type { ClusterFacts } from '../../core/cluster/facts.ts';
import { fieldsOf, deepEqual } from '../../core/text/json.ts';
import type { NodeView } from '../../core/kubernetes/node.ts';
import type { DoctorFacts } from '../../core/explain/doctor.ts';
import type { KueueReading } from '../../core/demand/kueue.ts';
import type { EventView, PodView } from '../../core/kubernetes/pod.ts';
import type { BudgetView } from '../../core/node/eviction.ts';
import { CliError, type Terminal } from '../terminal.ts';
import {
  readInputs,
  readManifests,
  type InputFile,
  describeFinding,
  type LocatedFinding,
  printFinding,
} from './files.ts';
import { type FoundPolicy, validateFiles } from '../validation.ts';

const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
/** A name is printed in lines and tables: white space and control characters would forge others. */
const name = { type: 'string', minLength: 1, maxLength: 253, pattern: '^[!-~]+$' };
const listOf = (items: SchemaObject): SchemaObject => ({ type: 'array', items });
const shapeOf = (properties: Readonly<Record<string, SchemaObject>>, ...required: readonly string[]): SchemaObject => ({
  type: 'object',
  properties,
  required,
});

const quantities = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
const conditions = listOf(
  shapeOf(
    { type: text, status: text, message: text, lastHeartbeatTime: { type: ['string', 'null'] } },
    'type',
    'status',
  ),
);
const metadata = shapeOf(
  {
    name,
    namespace: name,
    uid: text,
    generation: { type: 'integer' },
    labels: texts,
    annotations: texts,
    deletionTimestamp: text,
    ownerReferences: listOf(shapeOf({ kind: text, name: text, uid: text })),
    managedFields: listOf(shapeOf({})),
  },
  'name',
);
const objectOf = (parts: Readonly<Record<string, SchemaObject>>, ...required: readonly string[]): SchemaObject =>
  shapeOf({ metadata, ...parts }, 'metadata', ...required);

const containers = listOf(
  shapeOf({
    name: text,
    image: text,
    command: listOf(text),
    args: listOf(text),
    resources: shapeOf({ limits: quantities, requests: quantities }),
    env: listOf(shapeOf({})),
    volumeMounts: listOf(shapeOf({ name: text, mountPath: text }, 'mountPath')),
  }),
);
const tolerations = listOf(shapeOf({ key: text, value: text, effect: text, operator: text }));
const taints = listOf(shapeOf({ key: text, value: text, effect: text }, 'key'));
const podSpec = shapeOf({ nodeSelector: texts, containers, initContainers: containers, tolerations });
/** Kueue's, by `kueue KIND`. */
const queueShapes: Readonly<Record<string, SchemaObject>> = {
  'kueue Workload': objectOf({
    spec: shapeOf({
      active: { type: 'boolean' },
      queueName: text,
      podSets: listOf(shapeOf({ name: text, count: { type: 'integer' }, template: shapeOf({ spec: podSpec }) })),
    }),
    status: shapeOf({
      admission: shapeOf({ podSetAssignments: listOf(shapeOf({ name: text, flavors: texts })) }),
      conditions: listOf(shapeOf({ type: text, status: text }, 'type', 'status')),
      reclaimablePods: listOf(shapeOf({ name: text, count: { type: 'integer' } }, 'name', 'count')),
    }),
  }),
  'kueue LocalQueue': objectOf({ spec: shapeOf({ clusterQueue: text, stopPolicy: text }) }),
  'kueue ClusterQueue': objectOf({
    spec: shapeOf({
      stopPolicy: text,
      resourceGroups: listOf(
        shapeOf({ coveredResources: listOf(text), flavors: listOf(shapeOf({ name: text }, 'name')) }),
      ),
    }),
  }),
  'kueue ResourceFlavor': objectOf({
    spec: shapeOf({
      nodeLabels: texts,
      nodeTaints: taints,
      tolerations,
    }),
  }),
};

const selectors = listOf(shapeOf({ cel: shapeOf({ expression: text }) }));
const deviceRequest = {
  deviceClassName: text,
  count: { type: 'integer' },
  allocationMode: text,
  adminAccess: { type: 'boolean' },
  selectors,
  tolerations,
};
const claimSpec = shapeOf({
  devices: shapeOf({
    requests: listOf(
      shapeOf(
        {
          name: text,
          exactly: shapeOf(deviceRequest),
          firstAvailable: listOf(shapeOf({ name: text, ...deviceRequest }, 'name')),
        },
        'name',
      ),
    ),
    constraints: listOf(shapeOf({})),
  }),
});
const ofDevice = (value: SchemaObject): SchemaObject => ({ type: 'object', additionalProperties: value });
/** Shapes of objects of `resource.k8s.io`. */
const claimShapes: Readonly<Record<string, SchemaObject>> = {
  DeviceClass: objectOf({ spec: shapeOf({ extendedResourceName: text, selectors }) }),
  ResourceClaim: objectOf({
    spec: claimSpec,
    status: shapeOf({
      allocation: shapeOf({
        devices: shapeOf({
          results: listOf(
            shapeOf(
              { driver: text, pool: text, device: name, adminAccess: { type: 'boolean' } },
              'driver',
              'pool',
              'device',
            ),
          ),
        }),
      }),
      reservedFor: listOf(shapeOf({ resource: text, name, uid: text }, 'resource', 'name', 'uid')),
    }),
  }),
  ResourceClaimTemplate: objectOf({ spec: shapeOf({ spec: claimSpec }) }),
  ResourceSlice: objectOf(
    {
      spec: shapeOf(
        {
          driver: text,
          nodeName: text,
          sharedCounters: listOf(shapeOf({})),
          devices: listOf(
            shapeOf(
              {
                name,
                attributes: ofDevice(shapeOf({ string: text })),
                capacity: ofDevice(shapeOf({ value: { type: ['string', 'number'] } })),
                consumesCounters: listOf(shapeOf({})),
                taints,
              },
              'name',
            ),
          ),
        },
        'driver',
      ),
    },
    'spec',
  ),
};

/** The shape of what is read of objects of each kind. Other fields are not looked at: newer API servers have more of them. */
const shapes: Readonly<Record<string, SchemaObject>> = {
  Namespace: objectOf({}),
  ConfigMap: objectOf({ data: texts }),
  CustomResourceDefinition: objectOf({
    spec: shapeOf({ versions: listOf(shapeOf({ name: text, schema: shapeOf({}) }, 'name')) }),
  }),
  Node: objectOf({
    spec: shapeOf({
      taints,
      unschedulable: { type: 'boolean' },
    }),
    status: shapeOf({ allocatable: quantities, capacity: quantities, nodeInfo: shapeOf({ bootID: text }), conditions }),
  }),
  Pod: objectOf({
    spec: shapeOf({
      nodeName: text,
      nodeSelector: texts,
      containers,
      initContainers: containers,
      tolerations,
    }),
    status: shapeOf({ phase: text, conditions }),
  }),
  PodDisruptionBudget: objectOf({
    spec: shapeOf({
      selector: shapeOf({ matchLabels: texts, matchExpressions: listOf(shapeOf({ key: text }, 'key')) }),
    }),
    status: shapeOf({
      disruptionsAllowed: { type: 'integer' },
      currentHealthy: { type: 'integer' },
      desiredHealthy: { type: 'integer' },
      expectedPods: { type: 'integer' },
    }),
  }),
  Event: objectOf({
    involvedObject: shapeOf({ kind: text, namespace: text, name: text }),
    type: text,
    reason: text,
    message: text,
    count: { type: 'integer' },
  }),
  GpuNodePartition: objectOf(partitionShape, 'spec'),
  GpuPartitionPolicy: objectOf(policyShape, 'spec'),
};

const ajv = new Ajv({ strict: false, verbose: true });
const checks = new Map(
  Object.entries({ ...shapes, ...queueShapes, ...claimShapes }).map(([kind, shape]) => [kind, ajv.compile(shape)]),
);

/** Whether anything of objects of this kind is read. */
function isRead(kind: string): boolean {
  return checks.has(kind);
}

/**
 * What is wrong with the shape of an object, in words that follow its name: ` has no spec`, `: metadata.labels must be object`.
 * Undefined if nothing is.
 */
function explainShape(kind: string, object: unknown): string | undefined {
  const check = checks.get(kind);
  if (check === undefined || check(object)) return undefined;
  const [error] = check.errors ?? [];
  return error && describeShape(error);
}

function describeShape(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1).join('.');
  return path === '' ? ` ${wordsOf(error)}` : `: ${path} ${wordsOf(error)}`;
}

function wordsOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  const missing: unknown = params['missingProperty'];
  if (keyword === 'required' && typeof missing === 'string') return `has no ${missing}`;
  return keyword === 'pattern' ? 'must not contain white space or control characters' : message;
}

/** kubectl's output for a fleet is larger than hand-written files. */
const snapshotBytes = 256 * 1024 * 1024;
/** The command that saves a cluster, to be run where the cluster is accessible. */
export const snapshotCommand = 'kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml';

/** Resources to save of a cluster with policies that have demand.from: Kueue. */
const queueResources = 'workloads.kueue.x-k8s.io,localqueues,clusterqueues,resourceflavors';

/** What Events are about is in them; a cluster tells it when it is asked for them. */
export interface SavedEvent extends EventView {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

/** A ConfigMap in a snapshot, or of a cluster. */
export interface ConfigMapView {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Resources to save of a cluster with claims: what pods ask for by claim is explained with these. */
export const claimResources = 'deviceclasses,resourceclaims,resourceclaimtemplates,resourceslices';

/** What the files have of claims; undefined: no object of the kind. */
type SavedClaims = Pick<ClusterFacts, 'classes' | 'claims' | 'templates' | 'slices'>;

/** A cluster in files: also with its Events and claims, if they were saved with it. */
export interface SavedCluster extends ClusterState {
  readonly events: readonly SavedEvent[];
  readonly kueue: KueueReading;
  readonly configMaps?: readonly ConfigMapView[];
  /** Undefined: none was saved. */
  readonly crds?: DoctorFacts['crds'];
}

/**
 * A cluster that kubectl wrote to files.
 *
 * @throws CliError if a file is not a snapshot, or an object in it has another shape than an API server gives it
 */
export async function readSnapshot(paths: readonly string[], terminal: Terminal): Promise<SavedCluster> {
  const objects = await readSavedObjects(paths, terminal);
  const find = (kind: string) => {
    const found = objects.get(kind);
    return found && [...found.values()].map(({ value }) => value);
  };
  const list = (kind: string): readonly unknown[] => find(kind) ?? [];
  // Pods show who is in the way, and what advertises the slices.
  for (const kind of ['Node', 'GpuNodePartition', 'Pod']) {
    if (list(kind).length > 0) continue;
    throw new CliError(`the snapshot has no ${kind}; make it with: ${snapshotCommand}`);
  }
  return {
    now: Date.now(),
    nodes: list('Node') as readonly NodeView[],
    partitions: list('GpuNodePartition') as readonly GpuNodePartition[],
    policies: list('GpuPartitionPolicy') as readonly GpuPartitionPolicy[],
    pods: list('Pod') as readonly PodView[],
    budgets: list('PodDisruptionBudget') as readonly BudgetView[],
    namespaces: readNamespaces(find('Namespace') as readonly Pick<NodeView, 'metadata'>[] | undefined),
    events: list('Event') as readonly SavedEvent[],
    kueue: readQueues(list),
    configMaps: list('ConfigMap') as readonly ConfigMapView[],
    crds: find('CustomResourceDefinition') as DoctorFacts['crds'],
    ...readClaims(find),
  };
}

/** What saves the nodes of a cluster alone. */
export const nodesCommand = 'kubectl get nodes -o yaml';

/**
 * The nodes that kubectl wrote to files, which may be whole snapshots.
 *
 * @throws CliError if the files have none, or one in another shape than an API server gives it
 */
export async function readSavedNodes(paths: readonly string[], terminal: Terminal): Promise<readonly NodeView[]> {
  const nodes = (await readSavedObjects(paths, terminal, nodesCommand)).get('Node');
  if (nodes === undefined) throw new CliError(`${paths.join(', ')}: there is no Node; save them with: ${nodesCommand}`);
  return [...nodes.values()].map(({ value }) => value as NodeView);
}

/** The objects of kinds that are read, by kind and id. @param command that makes such files */
async function readSavedObjects(
  paths: readonly string[],
  terminal: Terminal,
  command = snapshotCommand,
): Promise<ReadonlyMap<string, ReadonlyMap<string, SavedObject>>> {
  const objects = new Map<string, Map<string, SavedObject>>();
  for (const { name, content } of await readInputs(paths, terminal, snapshotBytes)) {
    if ('error' in content) throw new CliError(`${name}: ${content.error}`);
    for (const value of readObjects(name, content.text)) {
      const { apiVersion, kind, metadata } = fieldsOf(value) ?? {};
      if (typeof kind !== 'string')
        throw new CliError(`${name}: an item is not an object with a kind; make the snapshot with: ${command}`);
      const isQueued = typeof apiVersion === 'string' && apiVersion.startsWith('kueue.x-k8s.io/');
      // Others call their objects Workload too.
      const key = isQueued ? `kueue ${kind}` : kind;
      if (!isRead(key)) continue;
      const wrong = explainShape(key, value);
      if (wrong !== undefined)
        throw new CliError(`${name}: ${describe(kind, metadata)}${wrong}; make the snapshot with: ${command}`);
      const found = objects.get(key) ?? new Map<string, SavedObject>();
      addOnce(found, { file: name, kind, value });
      objects.set(key, found);
    }
  }
  return objects;
}

interface SavedObject {
  readonly file: string;
  readonly kind: string;
  readonly value: unknown;
}

/**
 * Several files may have an object, and it counts once.
 *
 * @throws CliError if they show different moments of it
 */
function addOnce(found: Map<string, SavedObject>, one: SavedObject): void {
  const { file, kind, value } = one;
  const metadata = fieldsOf(fieldsOf(value)?.['metadata']);
  const id = `${String(metadata?.['namespace'])}/${String(metadata?.['name'])}`;
  const first = found.get(id);
  if (first === undefined) found.set(id, one);
  else if (!deepEqual(first.value, value))
    throw new CliError(
      `${file}: ${describe(kind, metadata)} differs from that in ${first.file}; a snapshot is one moment of a cluster, made with: ${snapshotCommand}`,
    );
}

/** Their labels; undefined if there are none. */
function readNamespaces(found: readonly Pick<NodeView, 'metadata'>[] | undefined): ClusterFacts['namespaces'] {
  return found && new Map(found.map(({ metadata: { name, labels = {} } }) => [name, labels]));
}

function readClaims(find: (kind: string) => readonly unknown[] | undefined): SavedClaims {
  return {
    classes: find('DeviceClass') as SavedClaims['classes'],
    claims: find('ResourceClaim') as SavedClaims['claims'],
    templates: find('ResourceClaimTemplate') as SavedClaims['templates'],
    slices: find('ResourceSlice') as SavedClaims['slices'],
  };
}

type KueueFacts = Exclude<KueueReading, { readonly trouble: string }>;

function readQueues(list: (kind: string) => readonly unknown[]): KueueReading {
  const [clusterQueues, flavors] = ['ClusterQueue', 'ResourceFlavor'].map((kind) => list(`kueue ${kind}`));
  if (clusterQueues?.length === 0 || flavors?.length === 0)
    return {
      trouble: `the snapshot has no queues of Kueue, which these add to it: kubectl get ${queueResources} -A -o yaml`,
    };
  return {
    workloads: list('kueue Workload') as KueueFacts['workloads'],
    localQueues: list('kueue LocalQueue') as KueueFacts['localQueues'],
    clusterQueues: clusterQueues as KueueFacts['clusterQueues'],
    flavors: flavors as KueueFacts['flavors'],
  };
}

function describe(kind: string, metadata: unknown): string {
  const named = fieldsOf(metadata)?.['name'];
  return typeof named === 'string' ? `${kind} ${JSON.stringify(named).slice(1, -1)}` : `a ${kind} without a name`;
}

function readObjects(name: string, text: string): readonly unknown[] {
  const items = readJsonList(text);
  if (items !== undefined) return items;
  const read = readManifests(name, text);
  if ('finding' in read) throw new CliError(`${name}:${read.finding.line}: ${read.finding.message}`);
  return read.manifests.map(({ value }) => value);
}

/** A List as `kubectl get -o json` writes it: machine output needs no positions for messages, and may be large. */
function readJsonList(text: string): readonly unknown[] | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const items = fieldsOf(JSON.parse(text))?.['items'];
    return Array.isArray(items) ? items : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Policies from files and folders; objects of other kinds are skipped, as in `validate`.
 *
 * @throws CliError if one is not valid: the API server or the controller would reject it
 */
export async function readPolicies(
  paths: readonly string[],
  terminal: Terminal,
): Promise<readonly GpuPartitionPolicy[]> {
  const files = await readInputs(paths, terminal);
  const { errors, policies } = checkPolicies(files);
  if (errors.length > 0) throw refuse(errors, terminal);
  return listPolicies(policies, paths.join(', '));
}

/** Policies from a text in YAML or JSON. @throws CliError that names what is wrong, and in which line */
export function parsePolicies(text: string): readonly GpuPartitionPolicy[] {
  const name = 'the text';
  const { errors, policies } = checkPolicies([{ name, isNamed: true, content: { text } }]);
  if (errors.length > 0)
    throw new CliError(errors.map((error) => `line ${error.line}: ${describeFinding(error)}`).join('\n'));
  return listPolicies(policies, name);
}

function checkPolicies(files: readonly InputFile[]) {
  const { validation, policies } = validateFiles(files);
  return { errors: validation.findings.filter(({ severity }) => severity === 'error'), policies };
}

/** @param where they were looked for */
function listPolicies(found: readonly FoundPolicy[], where: string): readonly GpuPartitionPolicy[] {
  const first = new Map<string, string>();
  for (const { policy, manifest } of found) {
    const { name } = policy.metadata;
    const place = `${manifest.file}:${manifest.locate([]).line}`;
    const other = first.get(name);
    if (other !== undefined) {
      throw new CliError(
        `policy ${name} is in ${other} and in ${place}: a cluster has one of that name; give one of them`,
      );
    }
    first.set(name, place);
  }
  if (found.length === 0) throw new CliError(`there is no GpuPartitionPolicy in ${where}`);
  return found.map(({ policy }) => policy);
}

function refuse(errors: readonly LocatedFinding[], terminal: Terminal): CliError {
  for (const error of errors) printFinding(terminal.stderr, error);
  const isUnread = errors.some(({ code }) => code === 'Unreadable' || code === 'InvalidYaml');
  return new CliError('nothing done; fix these errors first', isUnread ? 2 : 1);
}
