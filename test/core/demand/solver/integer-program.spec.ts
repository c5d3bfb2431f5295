import { expect } from 'chai';
import { type ColumnGroup, type DemandTable, NO_COST } from '../../../../src/core/demand/solver/pool.ts';
import {
  chooseBySolver,
  type IntegerProgram,
  type IntegerSolver,
  type Relaxed,
  type Solved,
} from '../../../../src/core/demand/solver/integer-program.ts';
import { aColumn, asking, pair } from './column-builders.ts';

/** Gives the answers that it is told, and remembers what it is asked. Without integers it finds what is in `relaxed`, or nothing. */
class ScriptedSolver implements IntegerSolver {
  readonly asked: (readonly [costs: readonly number[], start: readonly number[] | undefined])[] = [];
  readonly relaxed: Relaxed[] = [];
  limits: number[] = [];
  program: IntegerProgram | undefined;
  isClosed = false;
  readonly #answers: Solved[];

  constructor(...answers: readonly Solved[]) {
    this.#answers = [...answers];
  }

  relax(): Relaxed | undefined {
    return this.relaxed.shift();
  }

  minimize(costs: readonly number[], start?: readonly number[]): Solved {
    this.asked.push([costs, start]);
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error('asked once more than expected');
    return answer;
  }

  limit(row: number, upper: number): void {
    expect(this.program?.rows[row]).to.include({ lower: -Infinity, upper: Infinity });
    this.limits.push(upper);
  }

  restore(): void {
    this.limits = [];
  }

  close(): void {
    this.isClosed = true;
  }

  choose(table: DemandTable, groups: readonly ColumnGroup[] = [pair]): ReturnType<typeof chooseBySolver> {
    return chooseBySolver(table, groups, (program) => {
      this.program = program;
      return this;
    });
  }
}

const proven = (...values: readonly number[]): Solved => ({ values, bound: 0, isProven: true });
const late = (bound: number, ...values: readonly number[]): Solved => ({
  values: values.length === 0 ? undefined : values,
  bound,
  isProven: false,
});

/** Of the pair: those that stay, those that change cheaply and dearly, then what is given away, and what lacks. */
const [bothCheap, mixed, bothDear] = [
  [0, 2, 0, 2, 0],
  [0, 1, 1, 2, 0],
  [0, 0, 2, 2, 0],
];

describe('a choice by integer programs', () => {
  it('lowers one figure after the other from where the one before ended, and asks for none that is 0 already', () => {
    const solver = new ScriptedSolver(proven(...bothDear), proven(...bothCheap), proven(...bothCheap));
    expect(solver.choose(asking(2, 'a'))).to.deep.equal({
      counts: [[0, 2, 0]],
      cost: { ...NO_COST, gpusChanged: 2 },
    });
    expect(solver.asked).to.deep.equal([
      [
        [0, 0, 0, 0, 3],
        [2, 0, 0, 0, 2],
      ],
      [
        [0, 0, 2, 0, 0],
        [0, 0, 2, 2, 0],
      ],
      [
        [0, 1, 1, 0, 0],
        [0, 2, 0, 2, 0],
      ],
    ]);
    expect(solver.limits).to.deep.equal([0, 0, 2, 0]);
    expect(solver.isClosed).to.equal(true);
    const idle = new ScriptedSolver();
    expect(idle.choose(asking(0, 'a')).counts).to.deep.equal([[2, 0, 0]]);
  });

  it('is written without what counts for nothing', () => {
    const solver = new ScriptedSolver(proven(...bothCheap), proven(...bothCheap));
    solver.choose(asking(2, 'a'));
    const { rows = [] } = solver.program ?? {};
    expect(rows.flatMap(({ values }) => values)).to.not.include(0);
    expect(rows.map(({ indices }) => indices.join(' '))).to.deep.equal([
      '0 1 2', // the GPUs
      '1 2 3', // what they offer of the profile, and what is given away of it
      '3 4', // what is asked for
      '4', // the figures
      '2',
      '1 2',
      '2',
    ]);
  });

  it('leaves the GPUs as they are where nothing is found in time, and says how much better it might be', () => {
    const solver = new ScriptedSolver(late(1.5));
    expect(solver.choose(asking(2, 'a'))).to.deep.equal({
      counts: [[2, 0, 0]],
      cost: { ...NO_COST, unserved: 6 },
      gap: { figure: 'unserved', value: 6, bound: 2 },
    });
  });

  it('continues without a proof where the bound leaves nothing to lower', () => {
    const solver = new ScriptedSolver(late(0, ...bothCheap), late(1.9995, ...bothCheap));
    expect(solver.choose(asking(2, 'a'))).to.not.have.property('gap');
    expect(solver.limits).to.deep.equal([0, 0, 2, 0]);
  });

  it('does not take what is worse than what it has', () => {
    const solver = new ScriptedSolver(proven(...mixed), late(0, ...bothDear));
    expect(solver.choose(asking(2, 'a'))).to.deep.equal({
      counts: [[0, 1, 1]],
      cost: { ...NO_COST, evictions: 2, gpusChanged: 2, instancesDestroyed: 1 },
      gap: { figure: 'evictions', value: 2, bound: 0 },
    });
  });

  it('serves with small profiles in the end, where several of different sizes serve', () => {
    const choice = { size: 1, columns: [aColumn([0, 0]), aColumn([1, 0]), aColumn([0, 1])] };
    const answers = (last: Solved) => [proven(0, 1, 0, 1, 0, 0), last];
    const solver = new ScriptedSolver(...answers(proven(0, 0, 1, 0, 1, 0)));
    // Sizes are the lengths of the names, profiles are in the order of these.
    const table = asking(1, 'aa', 'b');
    expect(solver.choose(table, [choice]).counts).to.deep.equal([[0, 0, 1]]);
    expect(solver.asked[1]).to.deep.equal([
      [0, 0, 0, 2, 1, 0],
      [0, 1, 0, 1, 0, 0],
    ]);
    for (const last of [late(0), proven(1, 0, 0, 0, 0, 1)])
      expect(new ScriptedSolver(...answers(last)).choose(table, [choice]).counts).to.deep.equal([[0, 1, 0]]);
  });

  it('is the one that has the least of every figure that is possible without integers, where there is one', () => {
    const least = [0, 0, 1.2, 0.9999].map((bound): Relaxed => ({ values: [0, 1.5, 0.5, 2, 0], bound }));
    const choice = {
      counts: [[0, 2, 0]],
      cost: { ...NO_COST, gpusChanged: 2 },
    };
    const integers = new ScriptedSolver();
    integers.relaxed.push(...least.slice(0, 3), { values: bothCheap, bound: 0 });
    expect(integers.choose(asking(2, 'a'))).to.deep.equal(choice);
    expect(integers.asked).to.deep.equal([]);
    expect(integers.limits).to.deep.equal([0, 0, 2, 0]);
    // One search, of the last figure.
    const searched = new ScriptedSolver(proven(...bothCheap));
    searched.relaxed.push(...least.slice(0, 3), { values: [0, 1.5, 0.5, 2, 0], bound: 0 });
    expect(searched.choose(asking(2, 'a'))).to.deep.equal(choice);
    expect(searched.asked).to.deep.equal([[[0, 0, 1, 0, 0], undefined]]);
    // What is found is not believed, and where nothing is, figures are lowered one by one, without limits from before.
    for (const answer of [proven(...mixed), late(0)]) {
      const missed = new ScriptedSolver(answer, proven(...bothCheap), proven(...bothCheap));
      missed.relaxed.push(...least);
      expect(missed.choose(asking(2, 'a'))).to.deep.equal(choice);
      expect(missed.asked.slice(1).map(([, start]) => start)).to.deep.equal([[2, 0, 0, 0, 2], bothCheap]);
      expect(missed.limits).to.deep.equal([0, 0, 2, 0]);
    }
  });

  it('refuses what is not a choice or breaks a limit, and gives the memory of the solver back in any case', () => {
    const refuse = (message: string, ...answers: readonly Solved[]): void => {
      const solver = new ScriptedSolver(...answers);
      expect(() => solver.choose(asking(2, 'a'))).to.throw(message);
      expect(solver.isClosed).to.equal(true);
    };
    refuse('the solver gave 1 of 2 GPUs a layout', proven(0, 1, 0, 1, 1));
    refuse('the solver gave 2 of 2 GPUs a layout', proven(-1, 3, 0, 2, 0));
    const moved = 'the solver moved unserved from 0 to 3 when it lowered evictions';
    refuse(moved, proven(...bothDear), proven(1, 1, 0, 1, 1));
  });
});
