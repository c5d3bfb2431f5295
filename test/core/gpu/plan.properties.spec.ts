import { expect } from 'chai';
import fc from 'fast-check';
import type { Layout, GpuModel } from '../../../src/core/gpu/geometry.ts';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import type { Instance } from '../../../src/core/gpu/grid.ts';
import { anInstance, expectPlan, modelOf, writePlaces } from './builders.ts';
import { listPlacedStates, multisetOf, parseMultiset, type PlacedState } from './placed-states.ts';
import { measureRooms } from './room-oracle.ts';
import { StrictGpu } from './simulated-gpu.ts';

/** A model with every state that it can be in. */
interface Subject {
  readonly model: GpuModel;
  readonly states: readonly PlacedState[];
  readonly byMultiset: ReadonlyMap<string, readonly PlacedState[]>;
  readonly multisets: readonly string[];
  readonly roomOf: (state: PlacedState) => readonly number[];
}

const SUBJECTS: ReadonlyMap<string, Subject> = new Map(
  ['a100-40gb', 'a30', 'rtx-pro-6000'].map((name) => {
    const model = modelOf(name);
    const states = listPlacedStates(model);
    const byMultiset = Map.groupBy(states, multisetOf);
    const multisets = [...byMultiset.keys()];
    return [name, { model, states, byMultiset, multisets, roomOf: measureRooms(model, states) }];
  }),
);

/** Names its model only, so that a counterexample stays readable. */
interface Scene {
  readonly name: string;
  readonly have: readonly Instance[];
  readonly multiset: string;
  readonly want: Layout;
}

/** Ways to fill a GPU instance of so many slices with compute instances. */
const FILLINGS: Readonly<Record<number, readonly (readonly number[])[]>> = {
  1: [[1], []],
  2: [[2], [1, 1], [1], []],
  3: [[3], [2, 1], [1, 1, 1], [1], []],
  4: [[4], [2, 2], [1, 1, 2], [1], []],
  7: [[7], [4, 3], [1, 1, 1, 1, 1, 1, 1], [2]],
};

function subjectOf(name: string): Subject {
  const subject = SUBJECTS.get(name);
  if (subject === undefined) throw new Error(`no subject ${name}`);
  return subject;
}

/** One draw for each instance or profile; no GPU has more. */
const draws = fc.array(fc.nat(20), { minLength: 24, maxLength: 24 });

const aScene: fc.Arbitrary<Scene> = fc.constantFrom(...SUBJECTS.keys()).chain((name) =>
  fc
    .tuple(fc.constantFrom(...subjectOf(name).states), fc.constantFrom(...subjectOf(name).multisets), draws)
    .map(([state, multiset, busy]) => ({
      name,
      have: state.map((placed, index) => anInstance((busy[index] ?? 0) % 2 === 0 ? placed : `${placed}*`)),
      multiset,
      want: parseMultiset(multiset),
    })),
);

/** A scene in which GPU instances carry any compute instances, and some profiles are wanted split. */
const aSplitScene: fc.Arbitrary<Scene> = fc.tuple(aScene, draws, draws).map(([scene, filled, split]) => ({
  ...scene,
  have: scene.have.map((instance, index) => {
    const whole = slicesOf(scene.name, instance.profile);
    const fillings = FILLINGS[whole] ?? [];
    const filling = fillings[(filled[index] ?? 0) % fillings.length] ?? [];
    return { ...instance, computeInstances: filling.map((size) => nameSize(instance.profile, size, whole)) };
  }),
  want: Object.fromEntries(
    Object.entries(scene.want).map(([profile, count], index) => {
      const whole = slicesOf(scene.name, profile);
      // Compute instances of one slice, as many as the GPU instances hold: the number of GPU instances stays the same.
      return whole > 1 && (split[index] ?? 0) % 2 === 0 ? [`1c.${profile}`, count * whole] : [profile, count];
    }),
  ),
}));

function slicesOf(name: string, profile: string): number {
  return subjectOf(name).model.profiles.find((candidate) => candidate.name === profile)?.computeSlices ?? 0;
}

function nameSize(profile: string, size: number, whole: number): string {
  return size === whole ? profile : `${size}c.${profile}`;
}

describe('any plan of one GPU', () => {
  it('disturbs the fewest busy instances, then destroys the fewest, then leaves the most room: nothing is better', () => {
    fc.assert(
      fc.property(aScene, ({ name, have, multiset, want }) => {
        const subject = subjectOf(name);
        const plan = expectPlan(planGpu(subject.model, have, want));
        const results = subject.byMultiset.get(multiset) ?? [];
        const best = results.map((result) => weigh(subject, have, result)).toSorted(compareNumbers)[0];
        expect(weigh(subject, have, writePlaces(plan.placements).toSorted())).to.deep.equal(best);
        expect([plan.cost.busyDisturbed, plan.cost.destroyed]).to.deep.equal(best?.slice(0, 2));
        expect(plan.destroy).to.have.length(plan.cost.destroyed);
      }),
      { numRuns: 300 },
    );
  });

  it('can be executed step by step, touches nothing that it keeps, and ends in the layout', () => {
    fc.assert(
      fc.property(aSplitScene, ({ name, have, want }) => {
        const { model } = subjectOf(name);
        const plan = expectPlan(planGpu(model, have, want));
        const gpu = new StrictGpu(model, have);
        for (const step of plan.steps) {
          gpu.execute(step);
          for (const { profile, start } of plan.keep)
            expect(gpu.state.some((text) => text.startsWith(`${profile}@${start}[`))).to.equal(true);
        }
        expect(gpu.state).to.deep.equal(
          plan.placements.map(
            ({ profile, start, computeInstances }) => `${profile}@${start}[${computeInstances.toSorted().join()}]`,
          ),
        );
        expect(countComputeInstances(plan.placements)).to.deep.equal(want);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same whatever the order in which instances and profiles are given', () => {
    fc.assert(
      fc.property(
        aSplitScene.chain((scene) =>
          fc.tuple(
            fc.constant(scene),
            fc.shuffledSubarray([...scene.have], { minLength: scene.have.length }),
            fc.shuffledSubarray(Object.entries(scene.want), { minLength: Object.keys(scene.want).length }),
          ),
        ),
        ([{ name, have, want }, shuffled, entries]) => {
          const { model } = subjectOf(name);
          expect(planGpu(model, shuffled, Object.fromEntries(entries))).to.deep.equal(planGpu(model, have, want));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('plans nothing once it has been executed', () => {
    fc.assert(
      fc.property(aSplitScene, ({ name, have, want }) => {
        const { model } = subjectOf(name);
        const { placements } = expectPlan(planGpu(model, have, want));
        const after = placements.map((placement) => ({ ...placement, busy: true }));
        expect(expectPlan(planGpu(model, after, want)).steps).to.deep.equal([]);
      }),
      { numRuns: 200 },
    );
  });
});

/** What a result costs, most important first, so that a smaller list of numbers is better. */
function weigh(subject: Subject, have: readonly Instance[], result: PlacedState): readonly number[] {
  const gone = have.filter(({ profile, start }) => !result.includes(`${profile}@${start}`));
  return [gone.filter(({ busy }) => busy).length, gone.length, ...subject.roomOf(result).map((count) => -count)];
}

function compareNumbers(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((number, position) => number !== right[position]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

function countComputeInstances(placements: readonly { readonly computeInstances: readonly string[] }[]): Layout {
  const counts: Record<string, number> = {};
  for (const name of placements.flatMap(({ computeInstances }) => computeInstances))
    counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
