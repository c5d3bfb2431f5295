import type { NodeRolloutState } from './slot.ts';
import { RolloutStates } from './rollout-states.ts';

/** How all nodes stand, each under the policy that decides over it. */
export class FleetRollout {
  readonly #nodes = new Map<string, NodeRolloutState>();
  readonly #policies = new Map<string, RolloutStates>();
  #withGpus = 0;

  /** How many nodes have been looked at. */
  get known(): number {
    return this.#nodes.size;
  }

  /** How many nodes have GPUs, whichever policy decides over them: the base of the cap over all policies. */
  get size(): number {
    return this.#withGpus;
  }

  /** @returns policies whose rollout this may advance */
  put(rolloutState: NodeRolloutState): readonly string[] {
    const before = this.#nodes.get(rolloutState.node);
    const left = before !== undefined && before.policy !== rolloutState.policy ? this.#leave(before) : [];
    this.#nodes.set(rolloutState.node, rolloutState);
    const resized = this.#count(before, rolloutState);
    const { policy } = rolloutState;
    const moved = policy !== undefined && this.of(policy).put(rolloutState) ? [policy] : [];
    return [...new Set([...left, ...moved, ...resized])];
  }

  /** @returns policies whose rollout this may advance */
  remove(node: string): readonly string[] {
    const before = this.#nodes.get(node);
    this.#nodes.delete(node);
    this.#count(before, undefined);
    return before === undefined ? [] : this.#leave(before);
  }

  /** Called before a node with a slot is processed: it counts as under way until its outcome is known. */
  begin(node: string): void {
    const before = this.#nodes.get(node);
    if (before && !before.isUnderWay) this.put({ ...before, isUnderWay: true, isBegun: true });
  }

  rolloutStateOf(node: string): NodeRolloutState | undefined {
    return this.#nodes.get(node);
  }

  of(policy: string): RolloutStates {
    const known = this.#policies.get(policy) ?? new RolloutStates();
    this.#policies.set(policy, known);
    return known;
  }

  dropPolicy(policy: string): void {
    this.#policies.delete(policy);
  }

  /** @returns policies whose nodes wait for a slot, if there is more to share among all */
  #count(before: NodeRolloutState | undefined, after: NodeRolloutState | undefined): readonly string[] {
    const more = Number(after?.hasGpus === true) - Number(before?.hasGpus === true);
    this.#withGpus += more;
    return more > 0 ? [...this.#policies].flatMap(([name, { isAsked }]) => (isAsked ? [name] : [])) : [];
  }

  #leave({ node, policy }: NodeRolloutState): readonly string[] {
    // Of a policy that is gone, nothing is made again.
    return policy !== undefined && this.#policies.get(policy)?.remove(node) === true ? [policy] : [];
  }
}
