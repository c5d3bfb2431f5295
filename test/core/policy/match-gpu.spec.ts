import { expect } from 'chai';
import type { GpuSelector } from '../../../src/api/types.ts';
import { matchesGpu } from '../../../src/core/policy/match-gpu.ts';
import { aGpu, uuidOf } from '../../support/builders.ts';

const gpu = aGpu({ index: 1, pciDeviceId: '0x20B010DE' });
const matches = (selector: GpuSelector): boolean => matchesGpu(selector, gpu);

describe('the selector of a layout', () => {
  it('matches every GPU if it says nothing', () => {
    expect(matches({})).to.equal(true);
  });

  it('takes any one of what a field lists, in either case', () => {
    const selectors: readonly GpuSelector[] = [
      { models: ['H100-*', 'a100-*-40gb'] },
      { indices: [0, 1] },
      { uuids: [uuidOf(0), gpu.uuid.toLowerCase()] },
      { pciDeviceIds: ['0x233010de', '0x20b010de'] },
    ];
    for (const selector of selectors) expect(matches(selector), JSON.stringify(selector)).to.equal(true);
  });

  it('requires each of its fields', () => {
    const all = { models: ['A100-*'], indices: [1], uuids: [gpu.uuid], pciDeviceIds: ['0x20B010DE'] };
    expect(matches(all)).to.equal(true);
    const others: readonly GpuSelector[] = [
      { models: ['H100-*'] },
      { indices: [0] },
      { uuids: [uuidOf(0)] },
      { pciDeviceIds: ['0x233010DE'] },
    ];
    for (const other of others) expect(matches({ ...all, ...other }), JSON.stringify(other)).to.equal(false);
  });
});
