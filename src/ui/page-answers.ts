import type { ChangePlan } from '../core/plan/change-plan.ts';
import type { NodeHistory } from '../core/view/node-timeline.ts';
import type { WaitingPods } from '../core/view/waiting-pods.ts';
import type { WasteReport } from '../core/waste/waste-report.ts';

/** A change in advance, as `gpu-partition plan` shows it. */
export interface PlanAnswer extends Pick<ChangePlan, 'waves' | 'findings' | 'summary'> {
  /** In 80 columns. */
  readonly lines: readonly string[];
  /** Pods that go, with the node that they leave. */
  readonly evictions: readonly { readonly node: string; readonly pod: string; readonly fate: string }[];
}

export interface NodeAnswer extends NodeHistory {
  /** When the pods on the node started, RFC 3339, by NAMESPACE/NAME; empty if the user may not list pods. */
  readonly podsSince: Readonly<Record<string, string>>;
}

/** What the page asks for when somebody looks at it; each reads the cluster, and fails with an Error that says why it cannot. */
export interface PageAnswers {
  readonly waste: () => Promise<WasteReport>;
  readonly waiting: () => Promise<WaitingPods>;
  /** How many pods wait for GPUs; undefined if the user may not list pods. */
  readonly countWaiting: () => Promise<number | undefined>;
  readonly history: (node: string) => Promise<NodeAnswer>;
  /** A policy of the cluster as its author would write it, in YAML: to start a change from. */
  readonly policy: (name: string) => Promise<string>;
  /** @param policies YAML or JSON */
  readonly plan: (policies: string) => Promise<PlanAnswer>;
}
