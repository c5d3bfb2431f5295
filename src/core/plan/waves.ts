import type { GpuPartitionPolicy } from '../../api/types.ts';
import { type LedgerSnapshot, type LedgerStep, stepLedger } from '../rollout/ledger.ts';
import {
  capBeside,
  type RolloutGate,
  describeGate,
  type Canary,
  type NodeRolloutState,
  type Slot,
} from '../rollout/budget.ts';
import { FleetRollout } from '../rollout/fleet.ts';
import { compareText } from '../text/json.ts';
import { timeText } from '../text/syntax.ts';

/** Nodes that change at the same time. */
export interface Wave {
  /** The nodes, in the order in which they start. */
  readonly nodes: readonly string[];
  /** The time at which the wave can start, RFC 3339, if a window or a canary's soak delays it. */
  readonly notBefore?: string;
}

export interface Waves {
  readonly waves: readonly Wave[];
  /** Why the rest of a policy's nodes do not start, by policy. */
  readonly held: ReadonlyMap<string, string>;
  /** The cap over all policies, if a policy's own budget would allow more; else undefined. */
  readonly cap: number | undefined;
}

interface Rollouts {
  readonly policies: readonly GpuPartitionPolicy[];
  /** Policies whose nodes are not known: of them only what is in flight counts, until the first wave has ended. */
  readonly others: readonly GpuPartitionPolicy[];
  readonly rolloutStates: readonly NodeRolloutState[];
  /** How many nodes of all policies together may be in flight. */
  readonly cap: number;
  readonly now: number;
}

/** A number of jumps in time that exceeds what any canary and its windows need. */
const mostJumps = 32;

/**
 * Simulates the rollouts of policies with their own ledgers: admitted nodes become ready, all of a wave together, and nothing else
 * happens meanwhile.
 */
export function forecastWaves(rollouts: Rollouts): Waves {
  const play = new Play(rollouts);
  const waves: Wave[] = [];
  let notBefore: string | undefined;
  for (let jumps = 0; jumps <= mostJumps;) {
    const nodes = play.admit();
    if (nodes.length > 0) {
      waves.push({ nodes, ...(notBefore !== undefined && { notBefore }) });
      notBefore = undefined;
    } else if (play.isUnderWay) {
      // Nodes that are changing now finish first.
    } else if (play.skipTime()) {
      jumps += 1;
      notBefore = timeText(play.now);
    } else break;
    play.finish();
  }
  return { waves, held: play.held(), cap: play.isCapped ? rollouts.cap : undefined };
}

class Play {
  now: number;
  readonly #rollout = new FleetRollout();
  readonly #policies: readonly GpuPartitionPolicy[];
  readonly #uids: ReadonlyMap<string, string>;
  readonly #cap: number;
  readonly #others: readonly string[];
  readonly #ledgers = new Map<string, readonly Slot[]>();
  readonly #canaries = new Map<string, Canary | undefined>();
  readonly #steps = new Map<string, LedgerStep>();

  constructor({ policies, others, rolloutStates, cap, now }: Rollouts) {
    this.now = now;
    this.#cap = cap;
    this.#policies = policies.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
    this.#uids = new Map(rolloutStates.map(({ node, nodeUID }) => [node, nodeUID]));
    for (const { metadata, status } of [...policies, ...others]) {
      this.#ledgers.set(metadata.name, status?.inFlight ?? []);
      this.#canaries.set(metadata.name, status?.canary);
    }
    this.#others = others.map(({ metadata }) => metadata.name);
    for (const rolloutState of rolloutStates) this.#rollout.put(rolloutState);
  }

  get isUnderWay(): boolean {
    return this.#policies.some(({ metadata }) => this.#rollout.of(metadata.name).underWay.size > 0);
  }

  /** Takes one step of each ledger. @returns nodes that start */
  admit(): readonly string[] {
    // A slot that one policy releases may go to another.
    for (const policy of this.#policies) this.#step(policy, 'Nobody');
    return this.#policies.flatMap((policy) => {
      const { underWay } = this.#rollout.of(policy.metadata.name);
      return this.#step(policy, 'Everybody').admitted.filter((node) => !underWay.has(node));
    });
  }

  /** Whether the cap allows less than some policy does. */
  get isCapped(): boolean {
    return [...this.#steps.values()].some(({ limits }) => limits.maxConcurrentNodes < limits.maxUnavailable);
  }

  /** Makes all nodes with a slot ready. */
  finish(): void {
    for (const other of this.#others) this.#ledgers.delete(other);
    for (const { node, startTime } of [...this.#ledgers.values()].flat()) {
      const rolloutState = this.#rollout.rolloutStateOf(node);
      if (rolloutState === undefined) continue;
      const { request: _request, ...rest } = rolloutState;
      const done = { isVerified: true, isUnderWay: false, hasFailed: false, isReady: true, slot: startTime };
      this.#rollout.put({ ...rest, ...done });
    }
  }

  /** Jumps to when the rollout continues by itself. @returns false if it never does */
  skipTime(): boolean {
    const left = [...this.#steps.values()].flatMap(({ gate, requeueAfterMs }) =>
      gate !== undefined && requeueAfterMs !== undefined ? [requeueAfterMs] : [],
    );
    if (left.length === 0) return false;
    this.now += Math.min(...left);
    return true;
  }

  held(): ReadonlyMap<string, string> {
    const gates = [...this.#steps].flatMap(([name, { gate }]): readonly [string, RolloutGate][] =>
      gate === undefined ? [] : [[name, gate]],
    );
    return new Map(gates.map(([name, gate]) => [name, describeGate(gate)]));
  }

  #step(policy: GpuPartitionPolicy, admits: LedgerSnapshot['admits']): LedgerStep {
    const { name } = policy.metadata;
    const inFlight = this.#ledgers.get(name) ?? [];
    const canary = this.#canaries.get(name);
    const { inFlight: _ledger, canary: _canary, ...status } = policy.status ?? {};
    const rolloutStates = this.#rollout.of(name);
    const step = stepLedger({
      now: this.now,
      policy: { ...policy, status: { ...status, inFlight, ...(canary && { canary }) } },
      hasAskedSince: (generation) => generation === (policy.metadata.generation ?? 0),
      rolloutStates,
      size: rolloutStates.countGpuNodes(),
      rolloutStateOf: (node) => this.#rollout.rolloutStateOf(node),
      uidOf: (node) => this.#uids.get(node),
      admits,
      cap: capBeside(name, this.#cap, this.#ledgers),
      frozen: undefined,
    });
    this.#steps.set(name, step);
    this.#ledgers.set(name, step.ledger);
    this.#canaries.set(name, step.canary);
    return step;
  }
}
