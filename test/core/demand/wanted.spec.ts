import { expect } from 'chai';
import fc from 'fast-check';
import { DemandWindow } from '../../../src/core/demand/state.ts';
import { RelayoutCooldown } from '../../../src/core/demand/state.ts';

const minute = 60_000;

/** The steady demand after the last observation, by its definition: half a millisecond after half a millisecond. */
function steadyByDefinition(
  observed: readonly (readonly [at: number, count: number])[],
  rise: number,
  fall: number,
): number {
  const countAt = (time: number): number | undefined => observed.findLast(([at]) => at <= time)?.[1];
  const within = (now: number, length: number): readonly number[] =>
    Array.from({ length: Math.max(1, 2 * length) }, (_, back) => countAt(now - back / 2)).filter(
      (count) => count !== undefined,
    );
  let steady = 0;
  for (const [now] of observed)
    steady = Math.min(Math.max(steady, Math.min(...within(now, rise))), Math.max(...within(now, fall)));
  return steady;
}

describe('a steady demand', () => {
  it('rises to what lasts, and falls to the most of late', () => {
    const window = new DemandWindow({ riseMs: minute, fallMs: 10 * minute });
    expect(window.observe(4, 0)).to.equal(4);
    expect(window.observe(9, minute)).to.equal(4);
    expect(window.observe(5, 1.5 * minute)).to.equal(4);
    expect(window.observe(5, 2.5 * minute)).to.equal(5);
    expect(window.observe(1, 3 * minute)).to.equal(5);
    expect(window.observe(1, 12 * minute)).to.equal(5);
    expect(window.observe(1, 13 * minute)).to.equal(1);
  });

  it('is not moved by pods that take turns', () => {
    const window = new DemandWindow({ riseMs: minute, fallMs: 10 * minute });
    window.observe(3, 0);
    for (let turn = 1; turn < 100; turn += 1) {
      expect(window.observe(2, turn * minute)).to.equal(3);
      expect(window.observe(4, turn * minute + 1000)).to.equal(3);
      expect(window.observe(3, turn * minute + 2000)).to.equal(3);
    }
  });

  it('is settled once it has been observed for as long as less must last', () => {
    const window = new DemandWindow({ riseMs: minute, fallMs: 10 * minute });
    expect(window.isSettled(0)).to.equal(false);
    window.observe(0, minute);
    expect([10.9, 11].map((at) => window.isSettled(at * minute))).to.deep.equal([false, true]);
  });

  it('is what its definition says, for any observations', () => {
    const step = fc.tuple(fc.nat(20), fc.nat(6));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.nat(10), fc.nat(30), (steps, rise, more) => {
        let now = 0;
        const observed = steps.map(([wait, count]) => [(now += wait + 1), count] as const);
        const window = new DemandWindow({ riseMs: rise, fallMs: rise + more });
        const found = observed.map(([at, count]) => window.observe(count, at));
        const expected = observed.map((_, index) =>
          steadyByDefinition(observed.slice(0, index + 1), rise, rise + more),
        );
        expect(found).to.deep.equal(expected);
      }),
    );
  });
});

describe('a GPU that was re-laid', () => {
  it('rests for a while, and no other does', () => {
    const rest = new RelayoutCooldown();
    rest.relaid('a', minute);
    const rests = (id: string, atMinute: number, forMinutes = 30): boolean =>
      rest.isResting(id, atMinute * minute, forMinutes * minute);
    expect([rests('a', 30), rests('a', 31), rests('b', 1)]).to.deep.equal([true, false, false]);
    expect([rests('a', 31, 31), rests('a', 12, 10)], 'for as long as is said now').to.deep.equal([true, false]);
  });

  it('is forgotten once it has rested and is gone; one that is there may rest again by an edit', () => {
    const rest = new RelayoutCooldown();
    for (const id of ['there', 'gone']) rest.relaid(id, 0);
    const resting = (atMinute: number, forMinutes: number) =>
      ['there', 'gone'].filter((id) => rest.isResting(id, atMinute * minute, forMinutes * minute));
    rest.forgetOthers(new Set(['there']), 10 * minute, 30 * minute);
    expect(resting(10, 30)).to.deep.equal(['there', 'gone']);
    rest.forgetOthers(new Set(['there']), 31 * minute, 30 * minute);
    expect(resting(31, 60)).to.deep.equal(['there']);
  });
});
