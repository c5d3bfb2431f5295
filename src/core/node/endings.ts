import type { NodeReason } from '../../api/names.ts';
import { restartingCodes } from '../pods/kubelet-error.ts';

/** How a change ends, or may end, with a reason on its node. */
export interface Ending {
  /** Whether the node then counts toward `spec.rollout.failureThreshold`. */
  readonly counts: boolean;
  /** The same sentence for reasons of one kind: docs/rollout.md has one row for each. */
  readonly why: string;
}

const agentFailed = { counts: true, why: 'the agent did not carry out the change, or did not answer in time' };
const clientsStayed = { counts: true, why: 'GPU clients or monitors did not end, so that the GPUs cannot change' };
const notOffered = { counts: true, why: 'the layout was applied, but the node does not offer or publish it in time' };
const notReadable = { counts: true, why: 'the GPUs cannot be read any more' };
const notFit = {
  counts: true,
  why: 'the device plugin or the DRA driver cannot offer the layout, found after the node was closed',
};
const inUse = { counts: false, why: 'somebody uses the GPUs: the slot goes to another node, and this one is retried' };
const unavailable = { counts: false, why: 'the node became unavailable: it counts against maxUnavailable' };
const owned = { counts: false, why: 'another program owns or changes the GPUs' };
const edited = { counts: false, why: 'the policy, or what it asks of the node, was changed' };
const ours = { counts: false, why: 'the operator is being updated, lacks a right, or has a bug: no fault of the node' };

const restarting = 'the kubelet may be restarting: it is asked again within seconds';

/** The change continues, or there is none. */
const goesOn = undefined;

/**
 * How a change ends, by the reason on its node. A node whose change has ended with a reason that counts is a failed one until it is
 * Ready or the policy changes.
 */
export const endings: Readonly<Record<NodeReason, Ending | undefined>> = {
  Ready: goesOn,
  NothingToDo: goesOn,
  AwaitingPlan: goesOn,
  AwaitingSlot: goesOn,
  AwaitingGrant: goesOn,
  Draining: goesOn,
  TakingOver: goesOn,
  BackendUnknown: goesOn,
  Applying: goesOn,
  NodeRestarted: goesOn,
  // Of other conditions.
  NoPodsUseGpus: goesOn,
  GpusUnhealthy: goesOn,
  GpusHealthy: goesOn,
  HostNotRestored: goesOn,
  DevicesLost: goesOn,

  Failed: agentFailed,
  Resting: agentFailed,
  RebootRequired: agentFailed,
  ClientsStay: clientsStayed,
  AdvertisePending: notOffered,
  RefreshBlocked: notOffered,
  LabelsStale: notOffered,
  DeviceUnreadable: notReadable,
  GpusGone: notReadable,
  StrategyMismatch: notFit,
  SharingRefused: notFit,
  NoDevicePlugin: notFit,
  NoDraDriver: notFit,
  NoDraApi: notFit,
  BackendMismatch: notFit,
  PluginNotReady: notFit,
  ConfigUnavailable: notFit,
  Refused: notFit,

  DrainTimeout: inUse,
  DrainLoop: inUse,
  EvictionBlocked: inUse,
  PodsUseGpus: inUse,
  ProcessesUseGpus: inUse,
  NodeNotReady: unavailable,
  NodeTerminating: unavailable,
  ForeignCordon: unavailable,
  AgentNotReporting: unavailable,
  NoGpus: unavailable,
  ForeignManager: owned,
  ForeignInstances: owned,
  RecordLost: owned,
  Drifting: owned,
  DriverUpgrade: owned,
  NoPolicy: edited,
  PolicyInvalid: edited,
  PlanOnly: edited,
  Paused: edited,
  UnknownProfile: edited,
  UnknownPreset: edited,
  DoesNotFit: edited,
  NotEnoughGpus: edited,
  SingleNeedsOneProfile: edited,
  AgentTooOld: ours,
  AgentTooNew: ours,
  Forbidden: ours,
  Unjudged: ours,
};

/**
 * How an attempt counts that the agent ends with one of these codes; any other counts. `Never`: it continues at once. `Repeated`: the
 * node stays closed for one more attempt, and counts if that fails too.
 */
export const codeEndings: Readonly<Record<string, { readonly counts: 'Never' | 'Repeated'; readonly why: string }>> = {
  PlanChanged: { counts: 'Never', why: 'the device changed after the plan was made: the new plan is granted instead' },
  Stale: { counts: 'Never', why: 'a newer grant replaced this one' },
  Stopped: { counts: 'Never', why: 'the agent was stopped: its successor continues' },
  ...Object.fromEntries(restartingCodes.map((code) => [code, { counts: 'Repeated' as const, why: restarting }])),
};
