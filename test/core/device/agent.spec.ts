import { expect } from 'chai';
import { paceReading, reportState } from '../../../src/core/device/agent.ts';
import { withHolders } from './sliced-gpu.ts';
import { retryMs } from '../../../src/core/device/grants.ts';
import type { DeviceReport, GpuReport } from '../../../src/api/types.ts';
import { aGpu, withPods } from '../../support/builders.ts';

const agent = {
  agentVersion: '1.2.3',
  bootID: 'boot-2',
  driverLoad: undefined,
  machine: undefined,
  hostProblems: [],
  skewMs: undefined,
  signalled: undefined,
  reading: undefined,
};
const reportSkew = (skewMs: number | undefined, seen?: DeviceReport) =>
  reportState({ ...agent, skewMs }, seen).clockSkewSeconds;
const cutHolders = (gpus: readonly GpuReport[]) =>
  reportState({ ...agent, reading: { gpus: [...gpus] } }, undefined).gpus ?? [];

describe('a wrong clock of a node', () => {
  it('is reported from ten seconds on, ahead or behind', () => {
    expect(reportSkew(9_400)).to.equal(undefined);
    expect(reportSkew(3_600_400)).to.equal(3600);
    expect(reportSkew(-11_000)).to.equal(-11);
    expect(reportSkew(1e18)).to.equal(2_000_000_000);
  });

  it('is not reported again while it is about the same, nor forgotten before anything is measured', () => {
    expect(reportSkew(3_609_000, { clockSkewSeconds: 3600 })).to.equal(3600);
    expect(reportSkew(3_611_000, { clockSkewSeconds: 3600 })).to.equal(3611);
    expect(reportSkew(0, { clockSkewSeconds: 3600 })).to.equal(undefined);
    expect(reportSkew(undefined, { clockSkewSeconds: 3600 })).to.equal(3600);
    expect(reportSkew(undefined)).to.equal(undefined);
  });
});

describe('the claims that a report names', () => {
  it('stand beside the pods that have a slice or a GPU by them', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1'] });
    const [first, second] = gpu.instances.map((one, at) => ({
      ...one,
      computeInstances: [{ profile: '1g.5gb', uuid: `MIG-${at}` }],
    }));
    if (!first || !second) throw new Error('the GPU has two slices');
    const pods = new Map([
      ['MIG-0', ['team/a']],
      ['MIG-1', ['team/b']],
      [gpu.uuid, ['team/c']],
    ]);
    const claimsOf = new Map([
      ['MIG-0', ['team/a-gpu']],
      [gpu.uuid, ['team/c-gpu']],
    ]);
    const holders = { ofDevice: pods, ofAny: [], stale: [], claimsOf };
    const [found] = withHolders([{ ...gpu, instances: [first, second] }], holders);
    expect(found).to.deep.include({ busy: true, pods: ['team/c'], claims: ['team/c-gpu'] });
    expect(found?.instances[0]).to.deep.include({ busy: true, pods: ['team/a'], claims: ['team/a-gpu'] });
    expect(found?.instances[1])
      .to.deep.include({ busy: true, pods: ['team/b'] })
      .and.not.to.have.property('claims');
  });

  it('are cut with the pods, within the same size', () => {
    const names = Array.from({ length: 40 }, (_, at) => `team/claim-${at}-${'x'.repeat(200)}`);
    const gpu = { ...aGpu(), busy: true, pods: names, claims: names };
    const [cut] = cutHolders([gpu, gpu]);
    expect(cut?.claims).to.have.lengthOf(cut?.pods?.length ?? 0);
    expect(names.slice(0, cut?.pods?.length).join('').length * 4).to.be.within(6_000, 8_000);
  });
});

describe('the pods that a report names', () => {
  const manyPods = (length: number): readonly string[] =>
    Array.from({ length }, (_, index) => `research-team-${index}/training-${'x'.repeat(30)}`);

  it('are sixteen of a device', () => {
    const gpu = { ...aGpu(), busy: true, pods: [...manyPods(20)] };
    expect(cutHolders([gpu])[0]?.pods).to.deep.equal(manyPods(16));
    expect(cutHolders([aGpu()])).to.deep.equal([aGpu()]);
  });

  it('are fewer where many devices are shared by many, so that the report stays within what an agent may write', () => {
    const gpus = Array.from({ length: 8 }, (_, index) => {
      const slices = Array.from({ length: 7 }, (_none, start) => `1g.5gb@${start}`);
      return withPods(aGpu({ index, slices }), Object.fromEntries(slices.map((slice) => [slice, manyPods(48)])));
    });
    const lists = cutHolders(gpus).flatMap(({ instances }) => instances.map(({ pods = [] }) => pods));
    expect(lists.flat().join('').length).to.be.within(4_000, 8_000);
    for (const pods of lists) expect(pods).to.have.lengthOf.at.least(1);
  });
});

describe('the fields that an agent always reports', () => {
  const signalled = { epoch: 3, uids: ['u'] };

  it('keep what the process before it has signalled, unless the node was rebooted since', () => {
    const seen = { bootID: 'boot-2', observedEpoch: 3, signalled };
    expect(reportState(agent, seen)).to.deep.equal({
      agentVersion: '1.2.3',
      bootID: 'boot-2',
      observedEpoch: 3,
      signalled,
    });
    expect(reportState(agent, { ...seen, bootID: 'boot-1' })).to.deep.equal({
      agentVersion: '1.2.3',
      bootID: 'boot-1',
      observedEpoch: 3,
    });
  });

  it('have no more of the machine’s name than the API takes: it would refuse the whole report', () => {
    expect(reportState({ ...agent, machine: 'x'.repeat(300) }, undefined).machine).to.have.length(128);
  });

  it('forget it when this process has worked and signalled nothing, or something else', () => {
    const seen = { bootID: 'boot-2', signalled };
    expect(reportState({ ...agent, signalled: null }, seen).signalled).to.equal(undefined);
    expect(reportState({ ...agent, signalled: { epoch: 4, uids: ['v'] } }, seen).signalled).to.deep.equal({
      epoch: 4,
      uids: ['v'],
    });
  });
});

describe('the rest after a failure', () => {
  it('doubles up to five minutes', () => {
    expect([1, 2, 3, 20].map((failures) => retryMs(failures) / 1000)).to.deep.equal([5, 10, 20, 300]);
  });

  it('of a reading ends at 15 s: a fault that has gone is noticed soon', () => {
    const need = { intervalMs: 3_600_000, isKubeletAway: false, isSick: false, isInUse: false, isDraining: false };
    expect([1, 2, 3, 20].map((failures) => paceReading({ ...need, failures }).ms / 1000)).to.deep.equal([
      5, 10, 15, 15,
    ]);
  });
});
