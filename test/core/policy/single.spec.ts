import { expect } from 'chai';
import type { GpuReport, PolicyLayout } from '../../../src/api/types.ts';
import { resolveNode } from '../../../src/core/policy/resolve-node.ts';
import { aDevice, aGpu, aPolicy } from '../../support/builders.ts';

describe('strategy single', () => {
  /** What is wrong of a node; undefined if nothing is. */
  function wrongWith(layouts: readonly PolicyLayout[], ...gpus: readonly GpuReport[]): string | undefined {
    const resolved = resolveNode(aPolicy({ strategy: 'single', layouts }).spec, aDevice(...gpus), undefined);
    if ('wish' in resolved) return undefined;
    expect(resolved.refusal.reason).to.equal('SingleNeedsOneProfile');
    return /with the same profile, or none in MIG mode: (.*?);/.exec(resolved.refusal.message)?.[1];
  }
  const first = { gpus: { indices: [0] } };
  const sliced = aGpu({ index: 1, slices: ['1g.5gb@0', '1g.5gb@1'] });

  it('takes a node whose GPUs are all whole, or all have slices of one profile', () => {
    expect(wrongWith([{ mig: 'Disabled' }], aGpu(), sliced)).to.equal(undefined);
    expect(wrongWith([{ profiles: { '1g.5gb': 7 } }], aGpu(), sliced)).to.equal(undefined);
    expect(wrongWith([{ ...first, profiles: { '1g.5gb': 7 } }], aGpu(), sliced), 'beside what is there').to.equal(
      undefined,
    );
  });

  it('refuses a node that would have two profiles, whole GPUs beside slices, or MIG mode without a slice', () => {
    const profiles = { '3g.20gb': 2 };
    expect(wrongWith([{ ...first, profiles }, { profiles: { '1g.5gb': 7 } }], aGpu(), sliced)).to.equal(
      'the node would have slices of 3g.20gb and 1g.5gb',
    );
    expect(wrongWith([{ ...first, profiles }], aGpu(), sliced)).to.match(/slices of 3g\.20gb and 1g\.5gb$/);
    expect(wrongWith([{ ...first, mig: 'Disabled' }], aGpu(), sliced)).to.equal(
      'GPU 0 (NVIDIA A100-SXM4-40GB) would stay whole beside sliced GPUs',
    );
    const empty = aGpu({ index: 1, slices: [] });
    expect(wrongWith([{ ...first, profiles }], aGpu(), empty)).to.equal('GPU 1 would be in MIG mode without a slice');
  });

  it('ignores a lost GPU over which no layout decides: nothing tells how it was sliced', () => {
    const { mig: _mig, ...rest } = aGpu({ index: 1 });
    const lost = { ...rest, error: 'GpuLost: no answer', instances: [] };
    const profiles = { '1g.5gb': 7 };
    expect(wrongWith([{ ...first, profiles }], aGpu(), lost)).to.equal(undefined);
    const nameless = { ...lost, uuid: lost.pciBusId, product: 'unknown' };
    expect(wrongWith([{ profiles }], aGpu(), nameless), 'of which only the address is known').to.equal(undefined);
    expect(wrongWith([{ ...first, profiles }, { mig: 'Disabled' }], aGpu(), lost), 'a layout does').to.match(/^GPU 1 /);
  });
});
