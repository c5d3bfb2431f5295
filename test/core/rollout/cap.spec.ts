import { expect } from 'chai';
import { capBeside, findCap } from '../../../src/core/rollout/cap.ts';
import { hasGpus } from '../../../src/core/rollout/limit.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../../support/builders.ts';
import { aSlotOf } from './rollout-builders.ts';

const lost = { code: 'DriverUnavailable', message: 'gone' };

describe('the cap over all policies', () => {
  it('is shared with the nodes of other policies: each with its policy, and since when it changes', () => {
    const ledgers = [
      ['p', [aSlotOf('a')]],
      ['q', [aSlotOf('b'), aSlotOf('c', { startTime: '2026-01-01T12:05:00Z' })]],
      ['r', []],
    ] as const;
    expect(capBeside('p', 7, ledgers)).to.deep.equal({
      most: 7,
      others: [
        { policy: 'q', node: 'b', since: '2026-01-01T12:00:00Z' },
        { policy: 'q', node: 'c', since: '2026-01-01T12:05:00Z' },
      ],
    });
  });

  describe('for who does not lead', () => {
    const partitions = [
      ...Array.from({ length: 30 }, () => aPartition({ device: aDevice(aGpu()) })),
      ...Array.from({ length: 30 }, () => aPartition()),
    ];
    const written = (maxConcurrentNodes: number) => ({
      ...aPolicy(),
      status: { limits: { nodes: 1, maxUnavailable: 1, maxConcurrentNodes } },
    });

    it('is as given, whatever is written', () => {
      expect(findCap([written(9)], partitions, 5)).to.equal(5);
      expect(findCap([written(9)], partitions, '50%')).to.equal(15);
    });

    it('is as the leader has written it in any policy', () => {
      expect(findCap([aPolicy(), written(9)], partitions)).to.equal(9);
      expect(findCap([written(0)], partitions)).to.equal(0);
    });

    it('is a tenth of the nodes with GPUs where nothing is known', () => {
      expect(findCap([aPolicy()], partitions)).to.equal(3);
      expect(findCap([], [])).to.equal(1);
    });
  });
});

describe('a node with GPUs', () => {
  it('is one that has or had some, and none whose agent has not reported', () => {
    const device = { ...aDevice(), error: lost };
    expect(hasGpus(aPartition({ device: aDevice(aGpu()) }))).to.equal(true);
    expect(hasGpus(aPartition({ device: { ...device, lastGood: { gpus: [{ uuid: 'GPU-1' }] } } }))).to.equal(true);
    expect(hasGpus(aPartition({ device }))).to.equal(false);
    expect(hasGpus(aPartition())).to.equal(false);
    expect(hasGpus(undefined)).to.equal(false);
  });
});
