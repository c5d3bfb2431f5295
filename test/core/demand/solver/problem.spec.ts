import { expect } from 'chai';
import { classesOf } from './random-pool.ts';
import type { PoolGpu } from '../../../../src/core/demand/solver/pool.ts';
import { findModel } from '../../../../src/core/gpu/geometry.ts';

const geometry = findModel('a100-40gb');
if (geometry === undefined) throw new Error('the table has no A100');
const small = { profile: '1g.5gb', start: 0, busy: true };
const gpu = (id: string, more: Partial<PoolGpu> = {}): PoolGpu => ({ id, geometry, instances: [small], ...more });

describe('the classes of a pool', () => {
  it('tell GPUs apart by what a plan depends on, and take what is not said for what is usual', () => {
    const sizes = (...gpus: readonly PoolGpu[]) =>
      classesOf([gpu('a'), ...gpus])
        .list()
        .map(({ size, isResting }) => [size, isResting]);
    const weighing = (evictionWeight: number) => gpu('b', { instances: [{ ...small, evictionWeight }] });
    expect(sizes(weighing(1))).to.deep.equal([[2, false]]);
    expect(sizes(weighing(2))).to.have.length(2);
    expect(sizes(gpu('b', { isResting: false }))).to.deep.equal([[2, false]]);
    expect(sizes(gpu('b', { isResting: true }))).to.have.deep.members([
      [1, false],
      [1, true],
    ]);
  });

  it('hand their GPUs out in the order of their names, each once', () => {
    const classes = classesOf([gpu('c'), gpu('a'), gpu('b')]);
    const layouts = [
      { gpuClass: 0, size: 1 },
      { gpuClass: 0, size: 2 },
    ];
    expect([...classes.handOut(classes.list(), layouts)].map(([ids]) => ids)).to.deep.equal([['a'], ['b', 'c']]);
  });
});
