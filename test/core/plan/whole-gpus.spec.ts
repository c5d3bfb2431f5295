import { expect } from 'chai';
import { aDemandPolicy } from '../../support/demand-builders.ts';
import { aPolicy } from '../../support/builders.ts';
import {
  aSide,
  aSimulatedNode,
  figuresOf,
  follows,
  HOUR,
  MINUTE,
  playOne,
  pods,
} from './simulation/simulation-builder.ts';
import { WHOLE } from '../../../src/core/gpu/profiles.ts';

const idle = [`${WHOLE}@0`];
const inUse = [`${WHOLE}@0*`];
const halves = ['3g.20gb@0', '3g.20gb@4'];
const wholeAndSmall = {
  from: 'Pods' as const,
  slices: [{ name: 'whole', mig: 'Disabled' as const }, { profiles: ['1g.5gb'] }],
};

describe('whole GPUs in a simulation', () => {
  it('are partitioned for pods that wait for slices, by a demand and by layouts', () => {
    const arrivals = pods(3, '1g.5gb', 10, HOUR);
    const byDemand = playOne(aSide([aSimulatedNode('n1', idle)], aDemandPolicy(follows('1g.5gb'))), arrivals);
    expect(figuresOf(byDemand, '1g.5gb')).to.deep.include({ started: 3, stillWaiting: 0 });
    expect(byDemand.total).to.deep.include({ relayouts: 1, evictions: 0 });
    const byLayouts = playOne(aSide([aSimulatedNode('n1', idle)], aPolicy(), { '1g.5gb': 7 }), arrivals);
    expect(byLayouts.total).to.deep.include({ relayouts: 1, stillWaiting: 0, servedShare: 1 });
  });

  it('run pods that ask for one, each alone, and the others wait', () => {
    const figures = playOne(aSide([aSimulatedNode('n1', idle)]), pods(3, WHOLE, 0, HOUR));
    expect(figuresOf(figures, WHOLE)).to.deep.include({
      size: 8,
      started: 3,
      medianWaitSeconds: HOUR,
      longestWaitSeconds: 2 * HOUR,
    });
  });

  it('are made for pods that wait for one, once slices are idle, and made slices again', () => {
    const side = aSide([aSimulatedNode('n1', ['1g.5gb@0*'])], aDemandPolicy(wholeAndSmall));
    const arrivals = [...pods(1, WHOLE, 10, HOUR), ...pods(1, '1g.5gb', 2 * HOUR + 10, HOUR)];
    const figures = playOne(side, arrivals, { running: pods(1, '1g.5gb', 0, HOUR) });
    expect(figuresOf(figures, WHOLE).longestWaitSeconds).to.be.within(HOUR, HOUR + 5 * MINUTE);
    expect(figuresOf(figures, '1g.5gb')).to.deep.include({ started: 2, evictions: 0 });
    expect(figures.total).to.deep.include({ relayouts: 2, stillWaiting: 0 });
  });

  it('stay with the pods on them under IfNeeded, unless the demand speaks of whole GPUs', () => {
    const play = (slices: readonly object[]) => {
      const policy = aDemandPolicy({ from: 'Pods', evict: 'IfNeeded', stabilization: '1m', slices });
      const side = aSide([aSimulatedNode('n1', inUse)], policy);
      return playOne(side, pods(1, '1g.5gb', 10, HOUR, 1), { running: pods(1, WHOLE, 0, 3 * HOUR) });
    };
    const left = play([{ profiles: ['1g.5gb'], weight: 100 }]);
    expect(left.total.evictions).to.equal(0);
    expect(figuresOf(left, '1g.5gb').longestWaitSeconds).to.be.within(3 * HOUR, 3 * HOUR + 5 * MINUTE);
    const counted = play([
      { name: 'whole', mig: 'Disabled' },
      { profiles: ['1g.5gb'], weight: 100 },
    ]);
    expect(figuresOf(counted, WHOLE)).to.deep.include({ evictions: 1 });
    expect(figuresOf(counted, '1g.5gb').longestWaitSeconds).to.be.below(5 * MINUTE);
  });

  it('come from layouts too, which evict the pods on slices', () => {
    const side = aSide([aSimulatedNode('n1', ['3g.20gb@0*', '3g.20gb@4'])], aPolicy(), { [WHOLE]: 1 });
    const figures = playOne(side, pods(1, WHOLE, 10, HOUR), { running: pods(1, '3g.20gb', 0, HOUR) });
    expect(figuresOf(figures, WHOLE)).to.deep.include({ started: 1 });
    expect(figuresOf(figures, '3g.20gb')).to.deep.include({ evictions: 1, stillWaiting: 1 });
  });

  it('stay whole, or partitioned, where MIG mode cannot change', () => {
    const keeping = (slices: readonly string[]) => {
      const { name, gpus } = aSimulatedNode('n1', slices);
      return { name, gpus: gpus.map((gpu) => ({ ...gpu, keepsMode: true })) };
    };
    const partitioned = playOne(aSide([keeping(halves)], aDemandPolicy(wholeAndSmall)), pods(1, WHOLE, 10, HOUR));
    expect(partitioned.total).to.deep.include({ relayouts: 0, stillWaiting: 1 });
    const whole = playOne(aSide([keeping(idle)], aDemandPolicy(wholeAndSmall)), pods(1, '1g.5gb', 10, HOUR));
    expect(whole.total).to.deep.include({ relayouts: 0, stillWaiting: 1 });
    for (const [slices, layout] of [
      [idle, { '1g.5gb': 7 }],
      [halves, { [WHOLE]: 1 }],
    ] as const)
      expect(playOne(aSide([keeping(slices)], aPolicy(), layout), []).total).to.deep.include({ relayouts: 0 });
    const others = playOne(aSide([keeping(halves)], aPolicy(), { '1g.5gb': 7 }), pods(1, '1g.5gb', 10, HOUR));
    expect(others.total).to.deep.include({ relayouts: 1, stillWaiting: 0 });
  });
});
