import type { PolicySpec } from '../../../src/api/types.ts';
import { type LedgerSnapshot, type LedgerStep, stepLedger } from '../../../src/core/rollout/ledger.ts';
import { FleetRollout, type NodeRolloutState, type Slot } from '../../../src/core/rollout/budget.ts';
import { aPolicy } from '../../support/builders.ts';

type SlotRequest = NonNullable<NodeRolloutState['request']>;

export const noon = Date.parse('2026-01-01T12:00:00Z');

/** A Ready node of policy `p` that is open, asks for nothing and has not failed. */
export function aRolloutState(node: string, more: Partial<NodeRolloutState> = {}): NodeRolloutState {
  return {
    node,
    nodeUID: `uid-${node}`,
    policy: 'p',
    isReady: true,
    isCordoned: false,
    hasGpus: true,
    hasFailed: false,
    isVerified: false,
    isClosedAnyway: false,
    isUnderWay: false,
    wishGeneration: 1,
    ...more,
  };
}

/** A node that asks for a slot. */
export function anAsking(
  node: string,
  kind: SlotRequest['kind'] = 'New',
  { request, ...more }: Partial<Omit<NodeRolloutState, 'request'>> & { readonly request?: Partial<SlotRequest> } = {},
): NodeRolloutState {
  const isClosedAnyway = more.isClosedAnyway ?? kind === 'Fresh';
  return aRolloutState(node, {
    hasFailed: kind === 'Retry',
    isClosedAnyway,
    ...more,
    request: { kind, isClosedAnyway, evictions: 0, destroys: 1, failedDrains: 0, ...request },
  });
}

/** Nodes `a0`, `a1`, … that ask for the same. */
export function manyAsking(count: number, kind?: SlotRequest['kind'], prefix = 'a'): readonly NodeRolloutState[] {
  return Array.from({ length: count }, (_, index) => anAsking(`${prefix}${index}`, kind));
}

/** A slot that was given at noon for the first generation. */
export function aSlotOf(node: string, more: Partial<Slot> = {}): Slot {
  return {
    node,
    nodeUID: `uid-${node}`,
    generation: 1,
    startTime: '2026-01-01T12:00:00Z',
    deadline: '2026-01-01T12:10:00Z',
    kind: 'New',
    ...more,
  };
}

export interface StepParts {
  readonly nodes?: readonly NodeRolloutState[];
  readonly rollout?: PolicySpec['rollout'];
  readonly drain?: PolicySpec['drain'];
  readonly mode?: PolicySpec['mode'];
  readonly generation?: number;
  /** The generation since which it asks for the same, if that is not the newest. */
  readonly since?: number;
  readonly inFlight?: readonly Slot[];
  readonly canary?: LedgerStep['canary'];
  readonly pace?: LedgerStep['pace'];
  /** That is in force. */
  readonly schedule?: string;
  readonly now?: number;
  /** Of all nodes that there are; those of `nodes` unless told otherwise. */
  readonly uids?: Readonly<Record<string, string>>;
  readonly admits?: LedgerSnapshot['admits'];
  /** How many nodes of all policies may be in flight. */
  readonly cap?: number;
  /** Nodes in the ledgers of other policies. */
  readonly others?: LedgerSnapshot['cap']['others'];
  readonly frozen?: string;
}

/** One step of policy `p`. */
export function step({ nodes = [], generation = 1, ...parts }: StepParts = {}): LedgerStep {
  const fleet = new FleetRollout();
  for (const node of nodes) fleet.put(node);
  const uids = parts.uids ?? Object.fromEntries(nodes.map(({ node, nodeUID }) => [node, nodeUID]));
  const { rollout, drain, mode } = parts;
  const policy = aPolicy({ generation, ...(rollout && { rollout }), ...(drain && { drain }), ...(mode && { mode }) });
  return stepLedger({
    now: parts.now ?? noon,
    policy: {
      ...policy,
      status: {
        inFlight: [...(parts.inFlight ?? [])],
        ...(parts.canary && { canary: parts.canary }),
        ...(parts.pace && { pace: parts.pace }),
        ...(parts.schedule !== undefined && { schedule: { name: parts.schedule, since: '2026-01-01T12:00:00Z' } }),
      },
    },
    hasAskedSince: (one) => one >= (parts.since ?? generation),
    rolloutStates: fleet.of('p'),
    size: fleet.of('p').countGpuNodes(),
    rolloutStateOf: (node) => fleet.rolloutStateOf(node),
    uidOf: (node) => uids[node],
    admits: parts.admits ?? 'Everybody',
    cap: { most: parts.cap ?? Infinity, others: parts.others ?? [] },
    frozen: parts.frozen,
  });
}

/** `NODE KIND` of all slots. */
export function namesOf({ ledger }: Pick<LedgerStep, 'ledger'>): readonly string[] {
  return ledger.map(({ node, kind }) => `${node} ${kind}`);
}
