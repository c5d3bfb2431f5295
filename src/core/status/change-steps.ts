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
  /** An earlier leader saw its beginning: how long it took as a whole is not known. */
  readonly isPartial?: true;
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
  PlanOnly: 'slot',
  PolicyInvalid: 'slot',
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
  const step = stepOf(look);
  if (before === undefined) {
    if (look.phase !== 'Updating' && look.phase !== 'Waiting') return { clock: undefined };
    return { clock: { since: now, step, stepSince: now, spent: {}, isGranted: look.hasGrant, isPartial: true } };
  }
  if (look.phase === 'Unmanaged') return { clock: undefined };
  const isGranted = before.isGranted || look.hasGrant;
  const spent = { ...before.spent, [before.step]: (before.spent[before.step] ?? 0) + now - before.stepSince };
  if (look.phase === 'Ready') {
    const isKnown = isGranted && before.isPartial !== true;
    return { clock: undefined, ...(isKnown && { ended: { totalMs: now - before.since, spent } }) };
  }
  if (step === before.step) return { clock: { ...before, isGranted } };
  return { clock: { ...before, step, stepSince: now, spent, isGranted } };
}

/** For how long a change has been under way, in ms, without its wait for a slot; undefined while it waits for one. */
export function timeUnderWay({ since, step, spent }: NodeChangeClock, now: number): number | undefined {
  return step === 'slot' ? undefined : now - since - (spent.slot ?? 0);
}

/** Nothing changes on a node that cannot take its policy. */
function stepOf({ phase, reason }: ChangeLook): ChangeStep {
  return phase === 'Invalid' ? 'slot' : (stepOfReason[reason] ?? 'other');
}
