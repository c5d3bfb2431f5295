import { EndQueue } from './end-queue.ts';
import type { FleetNode, SimulationFleet } from './fleet.ts';
import type { Tally } from './tally.ts';
import type { TargetPlan } from './targets.ts';
import type { SimulatedPods } from './simulated-pods.ts';

/** Nodes whose GPUs change, which takes its time. */
export class NodeChanges {
  readonly #fleet: SimulationFleet;
  readonly #pods: SimulatedPods;
  readonly #tally: Tally;
  readonly #finishing = new EndQueue<{ readonly node: FleetNode; readonly end: number }>();

  constructor(fleet: SimulationFleet, pods: SimulatedPods, tally: Tally) {
    this.#fleet = fleet;
    this.#pods = pods;
    this.#tally = tally;
  }

  /** When the next node is done. */
  get nextEnd(): number {
    return this.#finishing.peek()?.end ?? Infinity;
  }

  /** What is in the way is evicted, and the node takes no pods until it is done. */
  begin(node: FleetNode, plans: readonly TargetPlan[], now: number, seconds: number): void {
    this.#fleet.close(node);
    const evicted = new Set<string>();
    for (const { gpu, plan } of plans) {
      const gone = new Set(plan.destroy.map(({ start }) => start));
      for (const slice of gpu.slices) {
        if (slice.task === undefined || !gone.has(slice.start)) continue;
        evicted.add(slice.profile);
        this.#pods.evict(slice.task, slice, now);
      }
      if (plan.destroy.length + plan.create.length === 0) continue;
      this.#tally.relay(now);
      // They exist from now on, and are offered once the node opens.
      this.#fleet.relay(gpu, plan.destroy, plan.create);
    }
    for (const profile of evicted) this.#pods.dispatch(profile, now);
    this.#finishing.add({ node, end: now + seconds });
  }

  /** The next node that is done offers its slices. */
  endNext(finish: (node: FleetNode) => void): void {
    const done = this.#finishing.takeUntil(this.nextEnd);
    if (done === undefined) return;
    finish(done.node);
    for (const profile of this.#fleet.open(done.node)) this.#pods.dispatch(profile, done.end);
  }
}
