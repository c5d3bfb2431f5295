import { expect } from 'chai';
import type { PolicySpec } from '../../../src/api/types.ts';
import { growingRestMs, type Waits } from '../../../src/core/node/memory.ts';
import { beginRest, findRest, blocksDrain, keepsAll, findResting } from '../../../src/core/node/eviction.ts';
import type { RuleInput } from '../../../src/core/node/commands.ts';
import { aManagedPartition, aNode, aSlicingPolicy, aSnapshot, noMemory, noon } from '../../support/node-builders.ts';
import { aDevice, aGpu, aPartition } from '../../support/builders.ts';

interface Parts {
  readonly now?: number;
  readonly generation?: number;
  readonly retry?: string;
  /** As a schedule, or a plan for a demand, makes another one without an edit. */
  readonly layouts?: NonNullable<PolicySpec['layouts']>;
}

function aSituation(before: Waits, { now = noon, generation = 1, retry, layouts }: Parts = {}): RuleInput {
  const partition = aManagedPartition();
  const node = aNode(retry === undefined ? {} : { annotations: { 'gpupartition.dev/retry': retry } });
  const snapshot = aSnapshot({
    now,
    node,
    partition,
    policy: aSlicingPolicy({ generation, ...(layouts && { layouts }) }),
  });
  return { ...snapshot, partition, memory: { ...noMemory, waits: before } };
}

/** What is remembered after this many rests at noon. */
function restTimes(times: number): Waits {
  let waits: Waits = {};
  for (let count = 0; count < times; count += 1) {
    ({ waits } = beginRest(aSituation(waits), 'DrainRest', 'DrainTimeout', 'ns/a: no; ns/b'));
  }
  return waits;
}

describe('a rest', () => {
  it('lasts a minute, twice as long each time, and at most an hour', () => {
    const minutes = Array.from({ length: 9 }, (_, index) => growingRestMs(index + 1) / 60_000);
    expect(minutes).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(growingRestMs(1_000_000)).to.equal(3600_000);
  });

  it('is found with its reason, who was in the way, and what is left of it', () => {
    expect(findRest(aSituation({}), 'DrainRest')).to.equal(undefined);
    expect(findRest(aSituation(restTimes(2), { now: noon + 30_000 }), 'DrainRest')).to.deep.equal({
      reason: 'DrainTimeout',
      blockers: 'ns/a: no; ns/b',
      count: 2,
      size: 0,
      pods: { count: 0, marks: [] },
      since: noon,
      leftMs: 90_000,
    });
  });

  it('ends, and is no longer counted, when somebody edits the policy or asks for a retry, or it makes something else of the node', () => {
    const layouts = [{ profiles: { '1g.5gb': 7 } }];
    for (const parts of [{ generation: 2 }, { retry: 'now' }, { layouts }]) {
      const situation = aSituation(restTimes(3), parts);
      expect(findRest(situation, 'DrainRest')).to.equal(undefined);
      expect(beginRest(situation, 'DrainRest', 'DrainLoop', 'ns/a')).to.include({ count: 1, leftMs: 60_000 });
    }
  });

  it('keeps how many pods had to go when some were evicted', () => {
    const first = beginRest(aSituation({}), 'DrainRest', 'DrainTimeout', 'ns/a', [], 3);
    const second = beginRest(aSituation(first.waits), 'DrainRest', 'EvictionBlocked', 'ns/a');
    expect(second).to.include({ count: 2, size: 3 });
    expect(findRest(aSituation(second.waits), 'DrainRest')).to.include({ size: 3, blockers: 'ns/a' });
  });

  it('keeps each of its pods by its uid, whatever is said of them', () => {
    const pods = Array.from({ length: 9 }, (_, index) => ({ metadata: { name: 'a', uid: `uid-${index}` } }));
    const restOf = (most: number) => {
      const { waits } = beginRest(aSituation({}), 'DrainRest', 'DrainTimeout', 'ns/a and 3 more', pods.slice(0, most));
      const rest = findRest(aSituation(waits), 'DrainRest');
      if (rest === undefined) throw new Error('no rest');
      return rest;
    };
    const kept = (most: number) => pods.filter((pod) => blocksDrain(pod, restOf(most))).length;
    expect([0, 1, 8, 9].map((most) => [kept(most), keepsAll(restOf(most))])).to.deep.equal([
      [0, true],
      [1, true],
      [8, true],
      [8, false],
    ]);
  });

  it('has room in the status for a long text', () => {
    const pods = Array.from({ length: 500 }, (_, index) => ({ metadata: { name: 'a', uid: `uid-${index}` } }));
    const { waits } = beginRest(aSituation({}), 'DrainRest', 'EvictionBlocked', 'x'.repeat(2000), pods, 500);
    expect(waits['DrainRest']?.of?.length).to.be.below(1025);
  });
});

const error = { code: 'CreateFailed', message: 'no', gpu: 'GPU-1' };
const failed = aPartition({ device: { ...aDevice(aGpu()), step: 'Failed', error } });
const ready = (reason: string, message = '') => [
  { type: 'Ready', status: 'False' as const, reason, message, lastTransitionTime: '2026-01-01T12:00:00Z' },
];

describe('what a person asks to be tried again', () => {
  it('is nothing on a node where nothing has failed', () => {
    expect(findResting(aPartition())).to.equal(undefined);
    expect(findResting(aPartition({ device: aDevice(aGpu()) }))).to.equal(undefined);
  });

  it('is a failure that waits for its next try', () => {
    expect(findResting(failed)).to.deep.equal({ ...error, equal: 1, isResting: false });
  });

  it('names a failure that rests, with the number of identical failures', () => {
    const waits = [{ name: 'GrantFailed', since: '2026-01-01T12:00:00Z', of: 'uid.1|4|fault|2', count: 3 }];
    const status = { ...failed.status, waits, conditions: ready('Resting') };
    expect(findResting({ ...failed, status })).to.deep.equal({ ...error, equal: 2, isResting: true });
  });

  it('is a layout that something else keeps changing', () => {
    const idle = aPartition({ device: aDevice(aGpu()) });
    const status = { ...idle.status, conditions: ready('Drifting', 'something else changes the GPUs') };
    expect(findResting({ ...idle, status })).to.deep.equal({
      code: 'Drifting',
      message: 'something else changes the GPUs',
      equal: 3,
      isResting: true,
    });
  });

  it('is a drain that was given up, and GPU clients that did not end', () => {
    const idle = aPartition({ device: aDevice(aGpu()) });
    for (const [name, reason] of [
      ['DrainRest', 'DrainTimeout'],
      ['HoldersRest', 'ClientsStay'],
    ] as const) {
      const waits = [{ name, since: '2026-01-01T12:00:00Z', of: `${reason} asked team/a`, count: 2 }];
      const conditions = ready(reason, 'the pods have not gone');
      expect(findResting({ ...idle, status: { ...idle.status, waits, conditions } })).to.deep.equal({
        code: reason,
        message: 'the pods have not gone',
        equal: 2,
        isResting: true,
      });
      const later = { ...idle.status, waits, conditions: ready('Draining') };
      expect(findResting({ ...idle, status: later }), 'under way').to.equal(undefined);
    }
  });
});
