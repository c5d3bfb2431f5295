import type { ClassLayout, ClassPlan, DemandQuestion } from '../demand/demand-plan.ts';
import { PoolClasses } from '../demand/gpu-classes.ts';
import { type DemandSlice, type EvictionRule, type PoolGpu } from '../demand/pool.ts';
import type { DemandAsked } from '../supply/demand-question.ts';
import { isPlain, mayHelp, reduceQuestion } from './helpful-plan.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** Answers at once, whatever the size of the pool. */
export interface PoolPlanner {
  plan(question: DemandQuestion): ClassPlan;
  /** What every plan leaves unserved at least, by weight: known in a fraction of its time. */
  boundUnserved(question: DemandQuestion): number;
}

/** What GPUs become, by id. */
export type Layouts = ReadonlyMap<string, ClassLayout>;

interface Answer {
  readonly unserved: number;
  readonly layouts: Layouts;
}

/** Chooses the layouts that the controller would choose, and leaves out plans that the answer does not depend on. */
export class LayoutChoice {
  readonly #planner: PoolPlanner;

  constructor(planner: PoolPlanner) {
    this.#planner = planner;
  }

  /** Resting GPUs change only where more is served by it. @returns empty if nothing is better than what exists */
  choose({ slices, evict }: DemandAsked, all: readonly PoolGpu[], isResting: (id: string) => boolean): Layouts {
    const resting = all.map((gpu) => (isResting(gpu.id) ? { ...gpu, isResting: true } : gpu));
    if (resting.every((gpu, index) => gpu === all[index])) return layoutsOf(this.#ask(slices, evict, all));
    if (evict === 'IfNeeded') return this.#evictOn(slices, resting, all);
    const gentle = this.#ask(slices, evict, resting);
    if (gentle?.unserved === 0) return gentle.layouts;
    return layoutsOf(betterOf(gentle, this.#ask(slices, evict, all)));
  }

  /**
   * With evictions plans take long: the pool whose bound tells that it serves more is planned first, and the other only where the
   * answer may depend on it.
   */
  #evictOn(slices: readonly DemandSlice[], resting: readonly PoolGpu[], all: readonly PoolGpu[]): Layouts {
    const gentle = isPlain(slices, all) ? this.#askGently(slices, resting) : undefined;
    if (gentle?.unserved === 0) return gentle.layouts;
    if (isPlain(slices, all)) {
      if (!mayHelp(slices, all, 'IfNeeded')) return layoutsOf(gentle);
      if (!mayHelp(slices, resting, 'IfNeeded')) return layoutsOf(betterOf(gentle, this.#ask(slices, 'IfNeeded', all)));
    }
    const least = { resting: this.#boundUnserved(slices, resting), all: this.#boundUnserved(slices, all) };
    if (least.all < least.resting) {
      const urgent = this.#ask(slices, 'IfNeeded', all);
      if (urgent !== undefined && urgent.unserved < least.resting) return urgent.layouts;
      const calm = this.#ask(slices, 'IfNeeded', resting, gentle);
      return layoutsOf(betterOf(calm, urgent));
    }
    const calm = this.#ask(slices, 'IfNeeded', resting, gentle);
    if (calm !== undefined && calm.unserved <= least.all) return calm.layouts;
    return layoutsOf(betterOf(calm, this.#ask(slices, 'IfNeeded', all)));
  }

  /** The best plan; undefined if none serves more than what exists. @param gentle that without evictions, if it is known */
  #ask(
    slices: readonly DemandSlice[],
    evict: EvictionRule,
    gpus: readonly PoolGpu[],
    gentle = isPlain(slices, gpus) ? this.#askGently(slices, gpus) : undefined,
  ): Answer | undefined {
    if (!isPlain(slices, gpus)) return this.#plan({ slices, gpus }, evict);
    // Without evictions nothing is lacking: with them nothing could be better.
    if (evict === 'Never' || gentle?.unserved === 0) return gentle;
    return mayHelp(slices, gpus, evict) ? this.#plan({ slices, gpus }, evict) : gentle;
  }

  #askGently(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]): Answer | undefined {
    return mayHelp(slices, gpus, 'Never') ? this.#plan(reduceQuestion(slices, gpus), 'Never') : undefined;
  }

  /** If everything may be evicted, what a GPU can offer does not depend on what it has: those that may change are one class. */
  #boundUnserved(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]): number {
    const emptied = gpus.map((gpu) => (gpu.isResting || staysWhole(gpu) ? gpu : { ...gpu, instances: [] }));
    return this.#planner.boundUnserved({ classes: classesOf(emptied).list(), slices, evict: 'IfNeeded' });
  }

  /** A plan by classes, GPU by GPU. */
  #plan(
    { slices, gpus }: { readonly slices: readonly DemandSlice[]; readonly gpus: readonly PoolGpu[] },
    evict: EvictionRule,
  ): Answer {
    const pool = classesOf(gpus);
    const classes = pool.list();
    const found = this.#planner.plan({ classes, slices, evict });
    const layouts = new Map<string, ClassLayout>();
    for (const [ids, layout] of pool.handOut(classes, found.layouts)) for (const id of ids) layouts.set(id, layout);
    return { unserved: found.cost.unserved, layouts };
  }
}

/** The first, unless the second serves more. */
function betterOf(first: Answer | undefined, second: Answer | undefined): Answer | undefined {
  return second !== undefined && second.unserved < (first?.unserved ?? Infinity) ? second : first;
}

function staysWhole({ keepsMode, instances }: PoolGpu): boolean {
  return keepsMode === true && instances.some(({ profile }) => profile === WHOLE);
}

function classesOf(gpus: readonly PoolGpu[]): PoolClasses {
  const pool = new PoolClasses();
  for (const gpu of gpus) pool.add(gpu);
  return pool;
}

function layoutsOf(answer: Answer | undefined): Layouts {
  return answer?.layouts ?? new Map<string, ClassLayout>();
}
