import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { GpuHolder } from '../pods/gpu-holders.ts';
import type { BudgetView } from '../pods/disruption-budget.ts';
import type { LabelSelector } from '../pods/plugin-pods.ts';
import type { NodeSettings } from '../node/snapshot.ts';
import type { NodeView } from '../node/node-view.ts';
import type { Limit } from '../rollout/limit.ts';
import type { PodView } from '../pods/pod-view.ts';

/** A cluster at one moment, read from the API server or from a file. */
export interface ClusterState {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly nodes: readonly NodeView[];
  readonly partitions: readonly GpuNodePartition[];
  readonly policies: readonly GpuPartitionPolicy[];
  readonly pods: readonly PodView[];
  readonly budgets: readonly BudgetView[];
  /** Absent: they are known by name. */
  readonly namespaces?: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;
}

/** The controller's settings, as far as they affect a plan. */
export interface ControllerSetup {
  /** Absent: what the controller says in the status of its policies, else its default. */
  readonly maxConcurrentNodes?: Limit | undefined;
  readonly gpuHolders: readonly GpuHolder[];
  readonly pluginSelector?: LabelSelector | undefined;
  readonly pluginConfigMap?: NodeSettings['pluginConfigMap'];
}
