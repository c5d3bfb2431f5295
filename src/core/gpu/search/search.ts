import { arrangerOf, type Arrangement } from './arrangement.ts';
import type { Grid } from './grid.ts';
import type { Occupancy, OccupyingInstance } from './occupancy.ts';
import type { GridLayout, InstanceGroup } from './grid-layout.ts';
import type { SearchBudget } from './search-budget.ts';

/** What a plan costs, most important first; the number of instances created follows from that of those destroyed. */
export interface PlanCost {
  /** Instances that are destroyed or lose a compute instance although they may not: there is no better way. */
  readonly fixedDisturbed: number;
  /** Busy instances that are destroyed or lose a compute instance. */
  readonly busyDisturbed: number;
  /** GPU instances destroyed. */
  readonly destroyed: number;
  /** On GPU instances that stay; those that come and go with a GPU instance are not counted. */
  readonly computeInstancesDestroyed: number;
  readonly computeInstancesCreated: number;
}

/** An instance that stays, and the compute instances that it should have. */
export interface KeptInstance {
  readonly occupancy: OccupyingInstance;
  readonly kind: InstanceGroup;
}

/** The best way from the current state to the wanted one. */
export interface Found {
  readonly cost: PlanCost;
  /** Number of instances to create. */
  readonly created: number;
  readonly kept: readonly KeptInstance[];
  /** Places for the instances to create, largest profile first; undefined if there are none. */
  readonly made: Arrangement | undefined;
  readonly kindsLeft: readonly InstanceGroup[];
}

interface Best {
  cost: number;
  room: number;
  found:
    | { choice: readonly (number | undefined)[]; made: Arrangement | undefined; way: readonly InstanceGroup[] }
    | undefined;
}

/** Above any count of instances on a GPU: five counts make one number below 2^53. */
const DIGIT = 256;

/**
 * Finds the cheapest plan exactly: tries every choice of instances to keep (a GPU has at most a dozen), each with the best places
 * for the rest. Order of importance: fixed instances disrupted, busy ones disrupted, instances destroyed, compute instances
 * destroyed and created, room left for later instances; then instances at low starts are kept first. The same set in another order
 * gives the same plan.
 *
 * @throws BudgetExceeded
 */
export function searchPlan(
  grid: Grid,
  occupancy: Occupancy,
  gridLayout: GridLayout,
  budget: SearchBudget,
): Found | undefined {
  const best: Best = { cost: Infinity, room: -1, found: undefined };
  for (const way of gridLayout.ways) searchWay(grid, occupancy, gridLayout, way, best, budget);
  return best.found && describe(occupancy, best.found, best.cost);
}

function searchWay(
  grid: Grid,
  occupancy: Occupancy,
  gridLayout: GridLayout,
  way: readonly InstanceGroup[],
  best: Best,
  budget: SearchBudget,
): void {
  const arranger = arrangerOf(grid, gridLayout.totals);
  const remaining = [...gridLayout.totals];
  const left = way.map(({ count }) => count);
  const choice: (number | undefined)[] = occupancy.known.map(() => undefined);

  function decide(index: number, occupied: number, cost: number): void {
    budget.spend();
    if (cost > best.cost) return;
    const instance = occupancy.known[index];
    if (instance === undefined) {
      const made = arranger.arrange(occupied, remaining, budget);
      if (made === undefined || (cost === best.cost && made.room <= best.room)) return;
      best.cost = cost;
      best.room = made.room;
      best.found = { choice: [...choice], made: made.profile === -1 ? undefined : made, way };
      return;
    }
    for (let kind = 0; kind < way.length; kind += 1) {
      const candidate = way[kind];
      if (candidate?.profile !== instance.profile || left[kind] === 0) continue;
      left[kind] = (left[kind] ?? 0) - 1;
      remaining[instance.profile] = (remaining[instance.profile] ?? 0) - 1;
      choice[index] = kind;
      decide(index + 1, occupied | instance.mask, cost + keepCost(instance, candidate));
      left[kind] = (left[kind] ?? 0) + 1;
      remaining[instance.profile] = (remaining[instance.profile] ?? 0) + 1;
    }
    choice[index] = undefined;
    decide(index + 1, occupied, cost + destroyCost(instance));
  }

  decide(0, occupancy.foreignMask, 0);
}

function destroyCost(occupancy: OccupyingInstance): number {
  return disturbCost(occupancy) + DIGIT ** 2;
}

function disturbCost({ instance, isFixed }: OccupyingInstance): number {
  return (isFixed ? DIGIT ** 4 : 0) + (instance.busy ? DIGIT ** 3 : 0);
}

function keepCost(occupancy: OccupyingInstance, kind: InstanceGroup): number {
  if (sameSlices(occupancy.computeSlices, kind.computeSlices)) return 0;
  const destroyed = subtractSlices(occupancy.computeSlices, kind.computeSlices).length;
  const created = subtractSlices(kind.computeSlices, occupancy.computeSlices).length;
  return (destroyed > 0 ? disturbCost(occupancy) : 0) + destroyed * DIGIT + created;
}

function sameSlices(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((slices, index) => slices === right[index]);
}

/** Compute instances of `from` that `keep` does not need, by slices. */
export function subtractSlices(from: readonly number[], keep: readonly number[]): readonly number[] {
  const rest = [...from];
  for (const slices of keep) {
    const index = rest.indexOf(slices);
    if (index !== -1) rest.splice(index, 1);
  }
  return rest;
}

function describe(occupancy: Occupancy, found: NonNullable<Best['found']>, packed: number): Found {
  const left = found.way.map(({ count }) => count);
  const kept: KeptInstance[] = [];
  occupancy.known.forEach((instance, index) => {
    const choice = found.choice[index];
    const kind = choice === undefined ? undefined : found.way[choice];
    if (choice === undefined || kind === undefined) return;
    left[choice] = (left[choice] ?? 0) - 1;
    kept.push({ occupancy: instance, kind });
  });
  return {
    cost: {
      fixedDisturbed: Math.floor(packed / DIGIT ** 4),
      busyDisturbed: Math.floor(packed / DIGIT ** 3) % DIGIT,
      destroyed: Math.floor(packed / DIGIT ** 2) % DIGIT,
      computeInstancesDestroyed: Math.floor(packed / DIGIT) % DIGIT,
      computeInstancesCreated: packed % DIGIT,
    },
    created: left.reduce((sum, count) => sum + count, 0),
    kept,
    made: found.made,
    kindsLeft: found.way.flatMap((kind, index) => (left[index] ? [{ ...kind, count: left[index] }] : [])),
  };
}
