import type { Highs } from 'highs';
import { type ClassLayout, DemandPlanner } from '../../../src/core/demand/solver/choose.ts';
import { DemandWindow, type Steadiness } from '../../../src/core/demand/state.ts';
import { PoolClasses } from '../../../src/core/demand/solver/problem.ts';
import type { DemandSlice, EvictionRule } from '../../../src/core/demand/solver/pool.ts';
import { RelayoutCooldown } from '../../../src/core/demand/state.ts';
import type { Layout } from '../../../src/core/gpu/geometry.ts';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import { HighsSolver } from '../../../src/planner/highs.ts';
import type { FleetSlice, TraceFleet } from './fleet.ts';
import type { TracePolicy } from './play.ts';
import { SIZES, type TraceRequest } from './requests.ts';

const PROFILES = Object.keys(SIZES);

/** A slice is made for each request, and goes with it. */
export class DynamicSlices implements TracePolicy {
  readonly #fleet: TraceFleet;
  readonly #rule: 'FirstFit' | 'BestFit';

  constructor(fleet: TraceFleet, rule: 'FirstFit' | 'BestFit') {
    this.#fleet = fleet;
    this.#rule = rule;
  }

  serve({ profile }: TraceRequest): FleetSlice | undefined {
    return this.#fleet.make(profile, this.#rule);
  }

  free(slice: FleetSlice): void {
    this.#fleet.destroy(slice);
  }
}

/** Slices are there, and stay; a request takes its profile, or else the next larger one that is idle. */
export class StandingSlices implements TracePolicy {
  protected readonly fleet: TraceFleet;

  constructor(fleet: TraceFleet) {
    this.fleet = fleet;
  }

  serve({ profile }: TraceRequest): FleetSlice | undefined {
    return this.fleet.use(PROFILES.slice(PROFILES.indexOf(profile)));
  }

  free(slice: FleetSlice): void {
    slice.busy = false;
  }
}

export function layOut(fleet: TraceFleet, layout: Layout): void {
  const plan = planGpu(fleet.model, [], layout);
  if (!plan.fits) throw new Error(plan.refusal.message);
  fleet.gpus.forEach((_, gpu) => fleet.relay(gpu, [], plan.placements));
}

/** Lays out an empty fleet, or re-lays one, for so many slices of each profile. @returns what went, and the GPUs that changed */
export function relayFor(
  fleet: TraceFleet,
  counts: ReadonlyMap<string, number>,
  {
    highs,
    evict,
    isResting = () => false,
  }: { readonly highs: Highs; readonly evict: EvictionRule; readonly isResting?: (id: string) => boolean },
): { readonly evicted: readonly FleetSlice[]; readonly changed: readonly string[] } {
  const slices: readonly DemandSlice[] = [...counts].map(([name, count]) => ({
    name,
    profiles: [name],
    count,
    weight: SIZES[name] ?? 1,
  }));
  const pool = new PoolClasses();
  for (const gpu of fleet.toPool()) pool.add({ ...gpu, isResting: isResting(gpu.id) });
  const classes = pool.list();
  const planner = new DemandPlanner({ classes, slices, evict });
  const plan = planner.planSmall() ?? planner.planLarge((program) => new HighsSolver(highs, program, 60));
  const evicted: FleetSlice[] = [];
  const changed: string[] = [];
  const relay = (id: string, { destroy, create }: ClassLayout): void => {
    if (destroy.length + create.length === 0) return;
    evicted.push(...fleet.relay(Number(id), destroy, create));
    changed.push(id);
  };
  for (const [ids, layout] of pool.handOut(classes, plan.layouts)) for (const id of ids) relay(id, layout);
  return { evicted, changed };
}

export interface FollowRules extends Steadiness {
  readonly evict: EvictionRule;
  /** Seconds from plan to plan; nothing is planned if no request was refused meanwhile. */
  readonly every: number;
  readonly cooldownMs: number;
}

/** Slices follow the steady demand: planned again from what is there, when a request was refused. */
export class FollowedDemand extends StandingSlices {
  readonly #rules: FollowRules;
  readonly #highs: Highs;
  readonly #rest = new RelayoutCooldown();
  readonly #windows = new Map<string, DemandWindow>();
  #hasRefused = false;
  /** When GPUs were re-laid, in seconds: once for each. */
  readonly relaidAt: number[] = [];

  constructor(fleet: TraceFleet, rules: FollowRules, highs: Highs) {
    super(fleet);
    this.#rules = rules;
    this.#highs = highs;
  }

  override serve(request: TraceRequest): FleetSlice | undefined {
    const slice = super.serve(request);
    this.#hasRefused ||= slice === undefined;
    return slice;
  }

  tick(now: number, wanted: ReadonlyMap<string, number>): readonly FleetSlice[] {
    const counts = new Map<string, number>();
    for (const [profile, count] of wanted) {
      const window = this.#windows.get(profile) ?? new DemandWindow(this.#rules);
      this.#windows.set(profile, window);
      counts.set(profile, window.observe(count, now * 1000));
    }
    if (now % this.#rules.every !== 0 || !this.#hasRefused) return [];
    this.#hasRefused = false;
    const { evicted, changed } = relayFor(this.fleet, counts, {
      highs: this.#highs,
      evict: this.#rules.evict,
      isResting: (id) => this.#rest.isResting(id, now * 1000, this.#rules.cooldownMs),
    });
    for (const id of changed) {
      this.#rest.relaid(id, now * 1000);
      this.relaidAt.push(now);
    }
    return evicted;
  }
}
