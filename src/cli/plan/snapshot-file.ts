import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ClusterState } from '../../core/plan/cluster-state.ts';
import type { ClusterFacts } from '../../core/explain/cluster-facts.ts';
import { fieldsOf } from '../../core/text/fields.ts';
import { sameJson } from '../../core/text/fingerprint.ts';
import type { NodeView } from '../../core/node/node-view.ts';
import type { ClusterQueue, KueueReading, KueueWorkload, LocalQueue, ResourceFlavor } from '../../core/supply/kueue.ts';
import type { EventView } from '../../core/metadata/event-view.ts';
import type { BudgetView } from '../../core/pods/disruption-budget.ts';
import { CliError } from '../exit.ts';
import { readInputs } from '../input/input-file.ts';
import { readManifests } from '../input/manifest.ts';
import type { Terminal } from '../terminal.ts';
import { explainShape, isRead } from './snapshot-shape.ts';
import type { PodView } from '../../core/pods/pod-view.ts';

/** kubectl's output for a fleet is larger than hand-written files. */
const snapshotBytes = 256 * 1024 * 1024;
/** To be run where the cluster is accessible. */
export const snapshotCommand = 'kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml';

/** Of a cluster with policies that have demand.from: Kueue. */
const queueResources = 'workloads.kueue.x-k8s.io,localqueues,clusterqueues,resourceflavors';

/** What Events are about is in them; a cluster tells it when it is asked for them. */
export interface SavedEvent extends EventView {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** Of a cluster with claims: what pods ask for by claim is explained with these. */
export const claimResources = 'deviceclasses,resourceclaims,resourceclaimtemplates,resourceslices';

/** What the files have of claims; undefined: no object of the kind. */
export type SavedClaims = Pick<ClusterFacts, 'classes' | 'claims' | 'templates' | 'slices'>;

/** A cluster in files: also with its Events and claims, if they were saved with it. */
export interface SavedCluster extends ClusterState, SavedClaims {
  readonly events: readonly SavedEvent[];
  readonly kueue: KueueReading;
}

/**
 * A cluster that kubectl wrote to files.
 *
 * @throws CliError if a file is not a snapshot, or an object in it has another shape than an API server gives it
 */
export async function readSnapshot(paths: readonly string[], terminal: Terminal): Promise<SavedCluster> {
  const objects = new Map<string, Map<string, SavedObject>>();
  for (const { name, content } of await readInputs(paths, terminal, snapshotBytes)) {
    if ('error' in content) throw new CliError(`${name}: ${content.error}`);
    for (const value of readObjects(name, content.text)) {
      const { apiVersion, kind, metadata } = fieldsOf(value) ?? {};
      if (typeof kind !== 'string')
        throw new CliError(`${name}: an item is not an object with a kind; make the snapshot with: ${snapshotCommand}`);
      const isQueued = typeof apiVersion === 'string' && apiVersion.startsWith('kueue.x-k8s.io/');
      // Others call their objects Workload too.
      const key = isQueued ? `kueue ${kind}` : kind;
      if (!isRead(key)) continue;
      const wrong = explainShape(key, value);
      if (wrong !== undefined)
        throw new CliError(`${name}: ${describe(kind, metadata)}${wrong}; make the snapshot with: ${snapshotCommand}`);
      const found = objects.get(key) ?? new Map<string, SavedObject>();
      addOnce(found, { file: name, kind, value });
      objects.set(key, found);
    }
  }
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
    events: list('Event') as readonly SavedEvent[],
    kueue: readQueues(list),
    ...readClaims(find),
  };
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
  else if (!sameJson(first.value, value))
    throw new CliError(
      `${file}: ${describe(kind, metadata)} differs from that in ${first.file}; a snapshot is one moment of a cluster, made with: ${snapshotCommand}`,
    );
}

function readClaims(find: (kind: string) => readonly unknown[] | undefined): SavedClaims {
  return {
    classes: find('DeviceClass') as SavedClaims['classes'],
    claims: find('ResourceClaim') as SavedClaims['claims'],
    templates: find('ResourceClaimTemplate') as SavedClaims['templates'],
    slices: find('ResourceSlice') as SavedClaims['slices'],
  };
}

function readQueues(list: (kind: string) => readonly unknown[]): KueueReading {
  const [clusterQueues, flavors] = ['ClusterQueue', 'ResourceFlavor'].map((kind) => list(`kueue ${kind}`));
  if (clusterQueues?.length === 0 || flavors?.length === 0)
    return {
      trouble: `the snapshot has no queues of Kueue, which these add to it: kubectl get ${queueResources} -A -o yaml`,
    };
  return {
    workloads: list('kueue Workload') as readonly KueueWorkload[],
    localQueues: list('kueue LocalQueue') as readonly LocalQueue[],
    clusterQueues: clusterQueues as readonly ClusterQueue[],
    flavors: flavors as readonly ResourceFlavor[],
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
