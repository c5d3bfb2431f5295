import { expect } from 'chai';
import {
  findForeign,
  lastGoodOf,
  settleClaims,
  isSameLoad,
  isToMakeAgain,
  driverEpochOf,
} from '../../../src/core/device/ownership.ts';
import { aGpu, uuidOf } from '../../support/builders.ts';

const boot = 'boot-1';
const gpu = aGpu({ slices: ['3g.20gb@0', '1g.5gb@4', '1g.5gb@5'] });
const places = (foreign: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] => [
  ...(foreign.get(uuidOf(0)) ?? []),
];

describe('ownership of GPU instances', () => {
  it('takes everything for foreign where nothing is known', () => {
    expect(places(findForeign([gpu], boot, undefined, undefined))).to.deep.equal(['3g.20gb@0', '1g.5gb@4', '1g.5gb@5']);
  });

  it('knows what was there when a grant ended well, in this boot alone', () => {
    const lastGood = lastGoodOf([aGpu({ slices: ['3g.20gb@0', '1g.5gb@4'] })], boot, new Map());
    expect(places(findForeign([gpu], boot, lastGood, undefined))).to.deep.equal(['1g.5gb@5']);
    expect(places(findForeign([gpu], 'boot-2', lastGood, undefined))).to.have.lengthOf(3);
  });

  it('takes as many as a grant that was cut off was to make for its work', () => {
    const unfinished = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 1, '3g.20gb': 1 } }] };
    expect(places(findForeign([gpu], boot, undefined, unfinished))).to.deep.equal(['1g.5gb@5']);
  });

  it('does not note foreign instances as its own', () => {
    const foreign = new Map([[uuidOf(0), new Set(['1g.5gb@5'])]]);
    const lastGood = lastGoodOf([gpu], boot, foreign);
    expect(lastGood.gpus?.[0]?.placements).to.deep.equal(['3g.20gb@0', '1g.5gb@4']);
    expect(findForeign([gpu], boot, lastGood, undefined)).to.deep.equal(foreign);
  });

  describe('of a GPU that does not answer', () => {
    const second = aGpu({ index: 1, slices: ['7g.40gb@0'] });
    const lost = aGpu({ error: 'GpuLost: GPU is lost' });
    const before = lastGoodOf([gpu, second], boot, new Map());
    const none: ReadonlyMap<string, ReadonlySet<string>> = new Map();

    it('stays ours when a grant ends while the GPU is lost', () => {
      const lastGood = lastGoodOf([lost, second], boot, none, { lastGood: before });
      expect(findForeign([gpu, second], boot, lastGood, undefined).size).to.equal(0);
      expect(lastGood.gpus?.[0]).to.deep.equal(before.gpus?.[0]);
    });

    it('stays ours when the driver does not even list the GPU', () => {
      const lastGood = lastGoodOf([second], boot, none, { lastGood: before });
      expect(findForeign([gpu, second], boot, lastGood, undefined).size).to.equal(0);
    });

    it('stays ours where nothing at all could be read after a grant', () => {
      const lastGood = lastGoodOf([], boot, none, { lastGood: before });
      expect(findForeign([gpu, second], boot, lastGood, undefined).size).to.equal(0);
    });

    it('is ours as far as the grant may have made it before the GPU was lost, and no further', () => {
      const unfinished = { gpus: [{ uuid: uuidOf(0), profiles: { '2g.10gb': 2 } }] };
      const lastGood = lastGoodOf([lost], boot, none, { lastGood: before, unfinished });
      const back = aGpu({ slices: ['3g.20gb@4', '2g.10gb@0', '2g.10gb@2'] });
      expect(places(findForeign([back], boot, lastGood, undefined))).to.deep.equal(['3g.20gb@4']);
    });

    it('is ours by the first grant of all too', () => {
      const unfinished = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 2 } }] };
      const lastGood = lastGoodOf([], boot, none, { unfinished });
      const back = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'] });
      expect(places(findForeign([back], boot, lastGood, undefined))).to.deep.equal(['1g.5gb@2']);
    });

    it('stays ours over a second grant that finds the GPU lost', () => {
      const first = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }] };
      const next = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 1, '7g.40gb': 1 } }] };
      const lastGood = lastGoodOf([lost], boot, none, { unfinished: first });
      const later = lastGoodOf([lost], boot, none, { lastGood, unfinished: next });
      const back = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'] });
      expect(findForeign([back], boot, later, undefined).size).to.equal(0);
    });

    it('is nobody’s after a reboot: no instance survives one', () => {
      const lastGood = lastGoodOf([lost], 'boot-2', none, { lastGood: before });
      expect(places(findForeign([gpu], 'boot-2', lastGood, undefined))).to.have.lengthOf(3);
    });

    it('is settled when the GPU answers again: what comes later is not ours by that grant', () => {
      const unfinished = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }] };
      const lastGood = lastGoodOf([lost, second], boot, none, { unfinished });
      expect(settleClaims([lost, second], boot, lastGood), 'it does not answer yet').to.equal(undefined);
      const back = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1'] });
      const settled = settleClaims([back, second], boot, lastGood);
      const byHand = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@6'] });
      expect(places(findForeign([byHand, second], boot, settled, undefined))).to.deep.equal(['1g.5gb@6']);
      expect(settleClaims([back, second], boot, settled), 'once').to.equal(undefined);
    });
  });
});

describe('a load of the driver', () => {
  it('ends what a boot ends, as far as both are known', () => {
    expect(driverEpochOf({ bootID: 'a' })).to.equal('a');
    expect(driverEpochOf({ bootID: 'a', driverLoad: '7' })).to.equal('a+7');
    expect(isSameLoad('a+7', 'a+7')).to.equal(true);
    expect(isSameLoad('a+7', 'a+8')).to.equal(false);
    expect(isSameLoad('a', 'a+8')).to.equal(true);
    expect(isSameLoad('b+7', 'a+7')).to.equal(false);
  });

  it('lets what was done before be made again once: not if nothing was, nor if a process has failed in this load', () => {
    const lastGood = { bootID: 'a', gpus: [] };
    expect(isToMakeAgain({}, 'b')).to.equal(false);
    expect(isToMakeAgain({ lastGood }, 'a')).to.equal(false);
    expect(isToMakeAgain({ lastGood, bootID: 'a', step: 'Failed' }, 'b')).to.equal(true);
    expect(isToMakeAgain({ lastGood, bootID: 'b', step: 'Failed' }, 'b')).to.equal(false);
    expect(isToMakeAgain({ lastGood, bootID: 'b', step: 'Idle' }, 'b')).to.equal(true);
  });
});
