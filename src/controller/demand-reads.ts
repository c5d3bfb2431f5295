import { deviceClasses, disruptionBudgets, namespaces, nodePartitions, pods } from '../api/resources.ts';
import type { GpuNodePartition } from '../api/types.ts';
import type { DeviceClassView } from '../core/explain/device-request.ts';
import { type ExtendedNames, extendedNamesOf } from '../core/explain/judge.ts';
import { selectedKeys } from '../core/metadata/label-selector.ts';
import type { BudgetView } from '../core/pods/disruption-budget.ts';
import { projectHolder, projectHoldings } from '../core/projection/project-holder.ts';
import { projectWaitingPod } from '../core/projection/project-waiting-pod.ts';
import { indexHolders, type PoolHolders } from '../core/supply/eviction-weight.ts';
import { holding, type KueueReading } from '../core/supply/kueue.ts';
import type { NamespaceLabels, Waiter } from '../core/supply/pod-demand.ts';
import { ApiError } from '../kube/api-error.ts';
import type { ListOptions } from '../kube/call-options.ts';
import type { KubeClient } from '../kube/client.ts';
import { readKueue } from '../kube/read-kueue.ts';
import type { KubeObject } from '../kube/resource.ts';
import { listServed } from '../kube/served.ts';
import { Turn } from '../process/turn.ts';
import { projectBudget } from './drain-reads.ts';
import { PacedReading } from './paced-reading.ts';
import type { PodView } from '../core/pods/pod-view.ts';

/** What was read of Kueue, and the pods that it holds back. */
export interface HeldReading {
  readonly reading: KueueReading;
  readonly waiters: readonly Waiter[];
}

/** What layouts are chosen by, of all policies. */
export interface DemandReads {
  /** The pods of the cluster that wait for a node. */
  readonly pods: PacedReading<readonly PodView[]>;
  /** What Kueue holds back; a long queue takes long to read. */
  readonly held: PacedReading<HeldReading>;
  /** By which resources DRA drivers hand out slices; undefined: they may not be listed. */
  readonly names: PacedReading<ExtendedNames>;
  /** Who holds slices, and what their eviction costs: read for a plan that may evict. */
  readonly holders: PacedReading<PoolHolders>;
  /** Read where a demand says whose pods count. */
  readonly namespaces: PacedReading<NamespaceLabels>;
}

export function readForDemands(client: KubeClient): DemandReads {
  return {
    pods: new PacedReading(() => listPendingPods(client)),
    held: new PacedReading(async () => takeIn(await readKueue(client))),
    names: new PacedReading(() => listNames(client)),
    holders: new PacedReading(() => listHolders(client)),
    namespaces: new PacedReading(() => listNamespaces(client)),
  };
}

async function listNamespaces(client: KubeClient): Promise<NamespaceLabels> {
  const { items } = await client.list<KubeObject>(namespaces, {}, { project: projectNamespace });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
}

function projectNamespace({ metadata: { name, labels = {} }, ...object }: KubeObject): KubeObject {
  return { ...object, metadata: { name, labels } };
}

/** Pods that no node runs yet: their number is small, and the server knows them by these fields. */
const pending = 'spec.nodeName=,status.phase=Pending';

/** In one answer, which the server has in memory. In pages, for which it reads all pods, where somebody has made it too long for us. */
async function listPendingPods(client: KubeClient): Promise<readonly PodView[]> {
  const list = async (options: ListOptions): Promise<readonly PodView[]> =>
    (
      await client.list<PodView & KubeObject>(
        pods,
        { fieldSelector: pending },
        { ...options, project: projectWaitingPod },
      )
    ).items;
  return list({ paged: false }).catch((error: unknown) => {
    if (error instanceof ApiError && error.reason === 'TooLarge') return list({ pageSize: 100 });
    throw error;
  });
}

async function listNames(client: KubeClient): Promise<ExtendedNames> {
  try {
    return extendedNamesOf(await listServed<DeviceClassView & KubeObject>(client, deviceClasses));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function takeIn(reading: KueueReading): Promise<HeldReading> {
  const turn = new Turn();
  const waiters: Waiter[] = [];
  for (const held of 'trouble' in reading ? [] : holding(reading)) {
    waiters.push(...held);
    await turn.pause();
  }
  return { reading, waiters };
}

const bound = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed';

/** The watch of partitions does not keep the names of pods. */
async function listHolders(client: KubeClient): Promise<PoolHolders> {
  const { items: budgets } = await client.list<BudgetView & KubeObject>(
    disruptionBudgets,
    {},
    { project: projectBudget },
  );
  const labelKeys = new Set(budgets.flatMap(({ spec }) => (spec?.selector ? selectedKeys(spec.selector) : [])));
  const project = (pod: PodView): PodView => projectHolder(pod, labelKeys);
  const [partitions, found] = await Promise.all([
    client.list<GpuNodePartition & KubeObject>(nodePartitions, {}, { project: projectHoldings }),
    client.list<PodView>(pods, { fieldSelector: bound }, { project }),
  ]);
  return indexHolders({ partitions: partitions.items, pods: found.items, budgets });
}
