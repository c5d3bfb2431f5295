import { expect } from 'chai';
import type { DeviceReport, Grant, GpuReport } from '../../../src/api/types.ts';
import { Claim, hasLasted } from '../../../src/core/device/grants.ts';
import { aGpu, aPartition, uuidOf } from '../../support/builders.ts';
import { aGrant } from '../../support/node-builders.ts';

const boot = 'boot-1';
const gpu = aGpu({ slices: ['3g.20gb@0', '1g.5gb@4', '1g.5gb@5'] });
const places = (foreign: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] => [
  ...(foreign.get(uuidOf(0)) ?? []),
];

type LastGood = DeviceReport['lastGood'];
const claimOf = (gpus: readonly GpuReport[], bootID: string) =>
  new Claim({ report: { gpus: [...gpus] } }, bootID, () => undefined);
const remembering = (lastGood: LastGood) => aPartition({ device: lastGood ? { lastGood } : {} });
const findForeign = (gpus: readonly GpuReport[], bootID: string, lastGood: LastGood, unfinished?: Grant) =>
  claimOf(gpus, bootID).foreign(remembering(lastGood), unfinished);

/** What is remembered after a grant of all these GPUs that ended well. */
const afterSuccess = (gpus: readonly GpuReport[], bootID: string, before?: LastGood): LastGood =>
  claimOf(gpus, bootID).conclude(
    remembering(before),
    aGrant({ gpus: gpus.map(({ uuid }) => ({ uuid })) }),
    {},
    undefined,
  ).lastGood;
const fault = { code: 'GpuLost', message: 'GPU is lost' };
const afterFailure = (gpus: readonly GpuReport[], granted: Grant, before?: LastGood): LastGood =>
  claimOf(gpus, boot).conclude(remembering(before), granted, { fault, hasBegun: true }, undefined).lastGood;
/** What is remembered after a grant if nothing at all could be read. */
const afterUnread = (granted: Grant, before?: LastGood): LastGood =>
  claimOf([], boot).conclude(remembering(before), granted, { hasBegun: true }, fault).lastGood;
const settleClaims = (gpus: readonly GpuReport[], lastGood: LastGood): LastGood =>
  claimOf(gpus, boot).review(remembering(lastGood)).lastGood;

describe('ownership of GPU instances', () => {
  it('takes everything for foreign where nothing is known', () => {
    expect(places(findForeign([gpu], boot, undefined))).to.deep.equal(['3g.20gb@0', '1g.5gb@4', '1g.5gb@5']);
  });

  it('knows what was there when a grant ended well, in this boot alone', () => {
    const lastGood = afterSuccess([aGpu({ slices: ['3g.20gb@0', '1g.5gb@4'] })], boot);
    expect(places(findForeign([gpu], boot, lastGood))).to.deep.equal(['1g.5gb@5']);
    expect(places(findForeign([gpu], 'boot-2', lastGood))).to.have.lengthOf(3);
  });

  it('takes as many as a grant that was cut off was to make for its work', () => {
    const unfinished = aGrant({ gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 1, '3g.20gb': 1 } }] });
    expect(places(findForeign([gpu], boot, undefined, unfinished))).to.deep.equal(['1g.5gb@5']);
  });

  it('does not note foreign instances as its own', () => {
    const foreign = new Map([[uuidOf(0), new Set(['1g.5gb@5'])]]);
    const before = afterSuccess([aGpu({ slices: ['3g.20gb@0', '1g.5gb@4'] })], boot);
    const { lastGood } = claimOf([gpu], boot).conclude(remembering(before), aGrant({ gpus: [] }), {}, undefined);
    expect(lastGood?.gpus?.[0]?.placements).to.deep.equal(['3g.20gb@0', '1g.5gb@4']);
    expect(findForeign([gpu], boot, lastGood)).to.deep.equal(foreign);
  });

  describe('of a GPU that does not answer', () => {
    const second = aGpu({ index: 1, slices: ['7g.40gb@0'] });
    const lost = aGpu({ error: 'GpuLost: GPU is lost' });
    const before = afterSuccess([gpu, second], boot);

    it('stays ours when a grant ends while the GPU is lost', () => {
      const lastGood = afterSuccess([lost, second], boot, before);
      expect(findForeign([gpu, second], boot, lastGood).size).to.equal(0);
      expect(lastGood?.gpus?.[0]).to.deep.equal(before?.gpus?.[0]);
    });

    it('stays ours when the driver does not even list the GPU', () => {
      const lastGood = afterSuccess([second], boot, before);
      expect(findForeign([gpu, second], boot, lastGood).size).to.equal(0);
    });

    it('stays ours where nothing at all could be read after a grant', () => {
      const lastGood = afterUnread(aGrant({ gpus: [] }), before);
      expect(findForeign([gpu, second], boot, lastGood).size).to.equal(0);
    });

    it('is ours as far as the grant may have made it before the GPU was lost, and no further', () => {
      const unfinished = aGrant({ gpus: [{ uuid: uuidOf(0), profiles: { '2g.10gb': 2 } }] });
      const lastGood = afterFailure([lost], unfinished, before);
      const back = aGpu({ slices: ['3g.20gb@4', '2g.10gb@0', '2g.10gb@2'] });
      expect(places(findForeign([back], boot, lastGood))).to.deep.equal(['3g.20gb@4']);
    });

    it('is ours by the first grant of all too', () => {
      const unfinished = aGrant({ gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 2 } }] });
      const lastGood = afterUnread(unfinished);
      const back = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'] });
      expect(places(findForeign([back], boot, lastGood))).to.deep.equal(['1g.5gb@2']);
    });

    it('stays ours over a second grant that finds the GPU lost', () => {
      const first = aGrant({ gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }] });
      const next = aGrant({ gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 1, '7g.40gb': 1 } }] });
      const lastGood = afterFailure([lost], first);
      const later = afterFailure([lost], next, lastGood);
      const back = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'] });
      expect(findForeign([back], boot, later).size).to.equal(0);
    });

    it('is nobody’s after a reboot: no instance survives one', () => {
      const lastGood = afterSuccess([lost], 'boot-2', before);
      expect(places(findForeign([gpu], 'boot-2', lastGood))).to.have.lengthOf(3);
    });

    it('is settled when the GPU answers again: what comes later is not ours by that grant', () => {
      const unfinished = aGrant({ gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }] });
      const lastGood = afterFailure([lost, second], unfinished);
      expect(settleClaims([lost, second], lastGood), 'it does not answer yet').to.equal(undefined);
      const back = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1'] });
      const settled = settleClaims([back, second], lastGood);
      const byHand = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@6'] });
      expect(places(findForeign([byHand, second], boot, settled))).to.deep.equal(['1g.5gb@6']);
      expect(settleClaims([back, second], settled), 'once').to.equal(undefined);
    });
  });
});

describe('a load of the driver', () => {
  const lastGood = { bootID: 'a', gpus: [] };

  it('ends what a boot ends, as far as both are known', () => {
    const lasts = (bootID: string, seen: DeviceReport) => hasLasted({ ...seen, lastGood: { bootID } });
    expect(lasts('a+7', { bootID: 'a', driverLoad: '7' })).to.equal(true);
    expect(lasts('a+7', { bootID: 'a', driverLoad: '8' })).to.equal(false);
    expect(lasts('a', { bootID: 'a', driverLoad: '8' })).to.equal(true);
    expect(lasts('a+8', { bootID: 'a' })).to.equal(true);
    expect(lasts('b+7', { bootID: 'a', driverLoad: '7' })).to.equal(false);
  });

  it('is remembered with the boot, if it is known', () => {
    const remembered = (load: string | undefined) =>
      new Claim({ report: {} }, 'a', () => load).conclude(aPartition(), aGrant({ gpus: [] }), {}, undefined).lastGood;
    expect([remembered(undefined)?.bootID, remembered('7')?.bootID]).to.deep.equal(['a', 'a+7']);
  });

  it('lets what was done before be made again once: not if nothing was, nor if a process has failed in this load', () => {
    const isToMakeAgain = (device: DeviceReport, bootID: string) =>
      claimOf([], bootID).isToMakeAgain(aPartition({ device }));
    expect(isToMakeAgain({}, 'b')).to.equal(false);
    expect(isToMakeAgain({ lastGood }, 'a')).to.equal(false);
    expect(isToMakeAgain({ lastGood, bootID: 'a', step: 'Failed' }, 'b')).to.equal(true);
    expect(isToMakeAgain({ lastGood, bootID: 'b', step: 'Failed' }, 'b')).to.equal(false);
    expect(isToMakeAgain({ lastGood, bootID: 'b', step: 'Idle' }, 'b')).to.equal(true);
  });
});
