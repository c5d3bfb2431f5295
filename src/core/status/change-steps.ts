import type { Phase } from '../../api/types.ts';

/** Where the time of a change goes, in order; `other` is anything else that delays it. */
export const changeSteps = ['plan', 'slot', 'drain', 'device', 'refresh', 'other'] as const;
export type ChangeStep = (typeof changeSteps)[number];

/** A change of one node, from its wish until the node is Ready. Times in ms. */
export interface NodeChangeClock {
  readonly since: number;
  readonly step: ChangeStep;
  readonly stepSince: number;
  readonly spent: Readonly<Partial<Record<ChangeStep, number>>>;
  /** A wish that the device already matches is not a change. */
  readonly isGranted: boolean;
}

/** The result of one look at a node. */
export interface ChangeLook {
  readonly phase: Phase;
  readonly reason: string;
  readonly hasWish: boolean;
  readonly hasGrant: boolean;
}

export interface ChangeAdvance {
  /** Undefined if no change is under way. */
  readonly clock: NodeChangeClock | undefined;
  /** Of a change that ended with this look: the total, and each step that took part. */
  readonly ended?: { readonly totalMs: number; readonly spent: NodeChangeClock['spent'] };
}

const stepOfReason: Readonly<Record<string, ChangeStep>> = {
  AwaitingPlan: 'plan',
  BackendUnknown: 'plan',
  AwaitingSlot: 'slot',
  Paused: 'slot',
  NodeNotReady: 'slot',
  ForeignCordon: 'slot',
  AwaitingGrant: 'drain',
  Draining: 'drain',
  EvictionBlocked: 'drain',
  DrainLoop: 'drain',
  DrainTimeout: 'drain',
  PodsUseGpus: 'drain',
  ProcessesUseGpus: 'drain',
  ClientsStay: 'drain',
  DriverUpgrade: 'drain',
  Applying: 'device',
  NodeRestarted: 'device',
  AdvertisePending: 'refresh',
  RefreshBlocked: 'refresh',
  LabelsStale: 'refresh',
  NoDevicePlugin: 'refresh',
  NoDraDriver: 'refresh',
  NoDraApi: 'refresh',
  BackendMismatch: 'refresh',
};

/** Takes in one look at a node. A new wish restarts the change; a node without a policy has none. */
export function advanceChange(before: NodeChangeClock | undefined, look: ChangeLook, now: number): ChangeAdvance {
  if (look.hasWish) {
    return { clock: { since: now, step: 'plan', stepSince: now, spent: {}, isGranted: look.hasGrant } };
  }
  if (before === undefined || look.phase === 'Unmanaged') return { clock: undefined };
  const isGranted = before.isGranted || look.hasGrant;
  const spent = { ...before.spent, [before.step]: (before.spent[before.step] ?? 0) + now - before.stepSince };
  if (look.phase === 'Ready') {
    return { clock: undefined, ...(isGranted && { ended: { totalMs: now - before.since, spent } }) };
  }
  const step = stepOfReason[look.reason] ?? 'other';
  if (step === before.step) return { clock: { ...before, isGranted } };
  return { clock: { since: before.since, step, stepSince: now, spent, isGranted } };
}
