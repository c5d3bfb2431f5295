import type { GpuPartitionPolicy } from '../../api/types.ts';
import { capBeside } from '../rollout/cap.ts';
import { FleetRollout } from '../rollout/fleet-rollout.ts';
import { stepLedger } from '../rollout/ledger.ts';
import type { Canary, NodeRolloutState, Slot } from '../rollout/slot.ts';
import { compareText } from '../text/fingerprint.ts';

/** Which nodes may change, by the ledgers of their policies: budget, cap, canary, windows and pauses as in a cluster. */
export class SimulatedRollout {
  readonly #rollout = new FleetRollout();
  #policies: readonly GpuPartitionPolicy[] = [];
  readonly #cap: number;
  readonly #ledgers = new Map<string, readonly Slot[]>();
  readonly #canaries = new Map<string, Canary | undefined>();
  readonly #waiting = new Set<string>();

  /** @param policyOf the policy that decides over each node */
  constructor(policyOf: ReadonlyMap<string, GpuPartitionPolicy>, cap: number) {
    this.#cap = cap;
    this.follow(policyOf);
    for (const { metadata, status } of this.#policies) this.#canaries.set(metadata.name, status?.canary);
    for (const [node, { metadata }] of policyOf)
      this.#rollout.put({
        node,
        nodeUID: node,
        policy: metadata.name,
        isReady: true,
        isCordoned: false,
        hasGpus: true,
        hasFailed: false,
        isVerified: true,
        isClosedAnyway: false,
        isUnderWay: false,
        wishGeneration: metadata.generation ?? 1,
      });
  }

  /** The policies as they are from now on: of the same names, over the same nodes. */
  follow(policyOf: ReadonlyMap<string, GpuPartitionPolicy>): void {
    this.#policies = [...new Set(policyOf.values())].toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  }

  /** Whether nodes wait for leave to change. */
  get isAsked(): boolean {
    return this.#waiting.size > 0;
  }

  /** A node is to change, and waits for its slot. */
  request(node: string, evictions: number, destroys: number): void {
    const state = this.#rollout.rolloutStateOf(node);
    if (state === undefined || state.isUnderWay) return;
    this.#waiting.add(node);
    const request = { kind: 'New', isClosedAnyway: false, failedDrains: 0, evictions, destroys } as const;
    this.#rollout.put({ ...state, isVerified: false, request });
  }

  /** Nothing is to change on a node any longer, or its change is done. */
  settle(node: string): void {
    const state = this.#rollout.rolloutStateOf(node);
    if (state === undefined) return;
    this.#waiting.delete(node);
    const { request: _request, ...rest } = state;
    const held = [...this.#ledgers.values()].flat().find((slot) => slot.node === node);
    this.#rollout.put({ ...rest, isVerified: true, isUnderWay: false, slot: held?.startTime });
  }

  /** @returns nodes that may change from now on */
  step(now: number): readonly string[] {
    for (const policy of this.#policies) this.#stepPolicy(policy, now, 'Nobody');
    return this.#policies.flatMap((policy) => {
      const admitted = this.#stepPolicy(policy, now, 'Everybody');
      for (const node of admitted) this.#begin(node);
      return admitted;
    });
  }

  #begin(node: string): void {
    const state = this.#rollout.rolloutStateOf(node);
    if (state === undefined) return;
    this.#waiting.delete(node);
    const { request: _request, ...rest } = state;
    const begun: NodeRolloutState = { ...rest, isUnderWay: true };
    this.#rollout.put(begun);
  }

  #stepPolicy(policy: GpuPartitionPolicy, now: number, admits: 'Nobody' | 'Everybody'): readonly string[] {
    const { name } = policy.metadata;
    const rolloutStates = this.#rollout.of(name);
    const inFlight = this.#ledgers.get(name) ?? [];
    const canary = this.#canaries.get(name);
    const step = stepLedger({
      now,
      policy: {
        ...policy,
        status: {
          inFlight: [...inFlight],
          ...(canary && { canary }),
          ...(policy.status?.schedule && { schedule: policy.status.schedule }),
        },
      },
      hasAskedSince: (generation) => generation === (policy.metadata.generation ?? 0),
      rolloutStates,
      size: rolloutStates.countGpuNodes(),
      rolloutStateOf: (node) => this.#rollout.rolloutStateOf(node),
      uidOf: (node) => node,
      admits,
      cap: capBeside(name, this.#cap, this.#ledgers),
      frozen: undefined,
    });
    this.#ledgers.set(name, step.ledger);
    this.#canaries.set(name, step.canary);
    return step.admitted;
  }
}
