import type { GpuNodePartition } from '../../api/types.ts';
import type { ResourceClaimView } from '../dra/resource-claim.ts';
import type { ResourceSliceView } from '../dra/resource-slice.ts';
import type { GpuHolder } from '../pods/gpu-holders.ts';
import type { LabelSelector } from '../pods/plugin-pods.ts';
import type { PodView } from '../pods/pod-view.ts';
import type { FateFacts } from '../pods/pod-fate.ts';
import type { ReportedPods } from '../pods/reported-pods.ts';
import type { NodeClaim } from '../policy/claim.ts';
import type { ReadGenerations } from '../policy/versions.ts';
import type { Slot } from '../rollout/slot.ts';
import type { NodeView } from './node-view.ts';

/** The agent's pod of a node, by its watch: its readiness is a sign of life that costs no write. */
export type AgentView =
  | { readonly state: 'Ready' }
  /** `why`: the pod and what the kubelet reports of it. */
  | { readonly state: 'NotReady'; readonly why: string }
  | { readonly state: 'Missing' };

/** The ConfigMap of the device plugin's config files; absent files: it could not be read. */
export type ConfigFiles =
  | { readonly state: 'Read'; readonly files: Readonly<Record<string, unknown>> }
  | { readonly state: 'Unreadable'; readonly why: string };

/** Times and names that the administrator may choose. */
export interface NodeSettings {
  /** Time for a pod that the scheduler was binding when the node was closed to show up, in ms. */
  readonly settleMs: number;
  /** How long an agent may take for a grant, in ms. */
  readonly deadlineMs: number;
  /** How often the pods of a node that waits for them are listed, in ms. */
  readonly waitingPollMs: number;
  /** How long a device plugin may take to follow a change by itself before its pod is replaced, in ms. */
  readonly refreshAfterMs: number;
  /** Whether the agent signals the plugin's process, or its pod is replaced at once. */
  readonly pluginRefresh: 'Signal' | 'Evict';
  /** Whether a change of what the kubelet offers is written into the node's status at once, or the kubelet does so within 10 s. */
  readonly nodeStatus: 'Write' | 'Wait';
  /** Whether resources of earlier layouts are removed from a node's status, where the kubelet leaves them at 0. */
  readonly tidyNodeStatus: boolean;
  /** How long a layout may take to be advertised, and labels to be correct, before the node counts as failed, in ms. */
  readonly advertiseDeadlineMs: number;
  /** How long to wait for the pods of GPU holders that were told to go, in ms. */
  readonly holdersDeadlineMs: number;
  readonly gpuHolders: readonly GpuHolder[];
  /** The controller's own; absent: agents of any version are granted changes. */
  readonly version?: string;
  /** Namespaces in which the device plugin, other holders and other owners of GPUs run; see `systemPods`. */
  readonly systemNamespaces: readonly string[];
  /** Whether a node is left alone whose device plugin has no pod that we know: nobody may restart it after a change. */
  readonly refusesUnknownPlugin?: boolean;
  /** Labels of a device plugin's pods besides NVIDIA's own. */
  readonly pluginSelector?: LabelSelector | undefined;
  /** Where the device plugin's config files are kept; absent: they belong to the administrator. */
  readonly pluginConfigMap?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface FreshRead extends ReportedPods {
  /** Of the policy that decides; undefined if it no longer exists. */
  readonly policy: ReadGenerations | undefined;
  /** Of this node in that policy's ledger. */
  readonly slot: Slot | undefined;
  /** Of this node. */
  readonly resourceSlices: readonly ResourceSliceView[];
  /** Of all nodes; undefined: not listed, as nothing that is handed out by claims is to go. */
  readonly claims?: readonly ResourceClaimView[] | undefined;
  /** What the fate of the pods depends on that have to go; undefined: not read. */
  readonly drain?: FateFacts;
}

/** Whether the API server serves `resource.k8s.io/v1`. */
export type DraApi = 'Served' | 'Missing';

/** All that was read of one node. The decision rests on nothing else. */
export interface NodeSnapshot {
  /** Milliseconds since the epoch, by a clock that never jumps. */
  readonly now: number;
  readonly node: NodeView;
  /** Undefined if it has not been created yet. */
  readonly partition: GpuNodePartition | undefined;
  /** What the policies say of this node. */
  readonly claim: NodeClaim;
  /** The node's slot in the ledger of the policy that decides, if it was given for this generation. */
  readonly slot: Slot | undefined;
  readonly agent: AgentView;
  readonly settings: NodeSettings;
  /** The node's pods, listed just now; undefined: not listed. */
  readonly pods?: readonly PodView[];
  /** This node's, listed just now; undefined: not listed, as no policy may hand its GPUs out by them. */
  readonly slices?: readonly ResourceSliceView[] | undefined;
  /** Whether the cluster has the API of claims; undefined: not known. */
  readonly draApi?: DraApi | undefined;
  /** By the watch of slices, where they are watched. */
  readonly hasSlices?: boolean;
  /** The files that device plugins may be told to use; undefined: not read, or not ours to write. */
  readonly configFiles?: ConfigFiles | undefined;
  /**
   * Occupancy if everything above, the policy included, was read from the API server itself just now: what cannot be undone is decided
   * on nothing less.
   */
  readonly fresh?: FreshRead;
}

/**
 * What must be read before a decision. `Pods`: pods, config files, and with backend DRA or Auto the node's slices. `All`: everything, from
 * the API server itself. `Drain`: also what decides the fate of the pods that must go.
 */
export type Needed = 'Pods' | 'All' | 'Drain';
