// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here which nodes start together, and why the others wait.
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { RolloutPlay } from '../rollout/ledger.ts';
import { describeGate, type NodeRolloutState } from '../rollout/budget.ts';
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
  readonly #rollout: RolloutPlay;
  readonly #policies: readonly GpuPartitionPolicy[];
  readonly #others: readonly string[];
  readonly #steps = new Map<string, ReturnType<RolloutPlay['step']>>();

  constructor({ policies, others, rolloutStates, cap, now }: Rollouts) {
    this.now = now;
    this.#rollout = new RolloutPlay(cap);
    this.#policies = policies.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
    for (const { metadata, status } of [...policies, ...others])
      this.#rollout.begin(metadata.name, status?.canary, status?.inFlight);
    this.#others = others.map(({ metadata }) => metadata.name);
    for (const rolloutState of rolloutStates) this.#rollout.nodes.put(rolloutState);
  }

  get isUnderWay(): boolean {
    return this.#policies.some(({ metadata }) => this.#rollout.nodes.of(metadata.name).underWay.size > 0);
  }

  /** Takes one step of each ledger. @returns nodes that start */
  admit(): readonly string[] {
    // A slot that one policy releases may go to another.
    for (const policy of this.#policies) this.#rollout.step(policy, this.now, 'Nobody');
    return this.#policies.flatMap((policy) => {
      const { name } = policy.metadata;
      const { underWay } = this.#rollout.nodes.of(name);
      const step = this.#rollout.step(policy, this.now, 'Everybody');
      this.#steps.set(name, step);
      return step.admitted.filter((node) => !underWay.has(node));
    });
  }

  /** Whether the cap allows less than some policy does. */
  get isCapped(): boolean {
    return [...this.#steps.values()].some(({ limits }) => limits.maxConcurrentNodes < limits.maxUnavailable);
  }

  /** Makes all nodes with a slot ready. */
  finish(): void {
    for (const other of this.#others) this.#rollout.release(other);
    for (const { node, startTime } of this.#rollout.inFlight) {
      const rolloutState = this.#rollout.nodes.rolloutStateOf(node);
      if (rolloutState === undefined) continue;
      const { request: _request, ...rest } = rolloutState;
      const done = { isVerified: true, isUnderWay: false, hasFailed: false, isReady: true, slot: startTime };
      this.#rollout.nodes.put({ ...rest, ...done });
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
    return new Map(
      [...this.#steps].flatMap(([name, { gate }]) => (gate === undefined ? [] : [[name, describeGate(gate)] as const])),
    );
  }
}
