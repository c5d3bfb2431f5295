import { expect } from 'chai';
import type { PolicySpec, GpuPartitionPolicy } from '../../../src/api/types.ts';
import { isCleaningUp } from '../../../src/core/policy/spec.ts';
import {
  asDeleted,
  wantedFinalizers,
  accept,
  currentOf,
  isAccepted,
  PolicyRecord,
  readVersions,
  WritePace,
} from '../../../src/core/policy/record.ts';
import { aPolicy } from '../../support/builders.ts';

const cleanup = 'gpupartition.dev/cleanup';
const deletionTimestamp = '2026-01-01T12:00:00Z';

function aGoing(spec: Partial<PolicySpec>, metadata: object = { deletionTimestamp, finalizers: [cleanup] }) {
  const policy = aPolicy(spec);
  return { ...policy, metadata: { ...policy.metadata, ...metadata } };
}

describe('a policy that makes its GPUs whole before it goes', () => {
  it('asks for whole GPUs where it had layouts, and for nothing elsewhere', () => {
    const layouts = [
      { gpus: { indices: [0] }, profiles: { '1g.5gb': 7 } },
      { gpus: { models: ['H100-*'] }, preset: 'all-balanced' as const },
    ];
    const { spec } = asDeleted(aGoing({ layouts, mode: 'Plan', onDelete: 'DisableMig' }));
    expect(spec.layouts).to.deep.equal([
      { gpus: { indices: [0] }, mig: 'Disabled' },
      { gpus: { models: ['H100-*'] }, mig: 'Disabled' },
    ]);
    expect(spec.mode).to.equal('Enforce');
  });

  it('is held by no window, pause, canary, threshold or budget of 0, and keeps any other budget and its drain', () => {
    const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
    const drain = { scope: 'Node', timeout: '5m' } as const;
    for (const [maxUnavailable, kept] of [
      [0, 1],
      ['0%', 1],
      [3, 3],
      ['20%', '20%'],
      [undefined, 1],
    ] as const) {
      const rollout = {
        windows,
        paused: true,
        canary: { nodes: 1, soak: '1h' },
        failureThreshold: 1,
        ...(maxUnavailable !== undefined && { maxUnavailable }),
      };
      const { spec } = asDeleted(aGoing({ rollout, drain }));
      expect(spec.rollout).to.deep.equal({ maxUnavailable: kept, failureThreshold: '100%', paused: false });
      expect(spec.drain).to.deep.equal(drain);
    }
  });

  it('is being deleted, says DisableMig, and has our finalizer', () => {
    const onDelete = 'DisableMig';
    expect(isCleaningUp(aGoing({ onDelete }))).to.equal(true);
    expect(isCleaningUp(aGoing({ onDelete: 'Keep' }))).to.equal(false);
    expect(isCleaningUp(aGoing({ onDelete }, { finalizers: [cleanup] }))).to.equal(false);
    expect(isCleaningUp(aGoing({ onDelete }, { deletionTimestamp, finalizers: ['other'] }))).to.equal(false);
  });

  it('has the finalizer as long as it says so and is not done, and no other policy has it', () => {
    const wanted = (onDelete: 'Keep' | 'DisableMig', metadata: object, isDone = false) =>
      wantedFinalizers(aGoing({ onDelete }, metadata), isDone);
    expect(wanted('DisableMig', { finalizers: ['other'] })).to.deep.equal(['other', cleanup]);
    expect(wanted('DisableMig', { finalizers: [cleanup] })).to.equal(undefined);
    expect(wanted('Keep', { finalizers: [cleanup, 'other'] })).to.deep.equal(['other']);
    expect(wanted('Keep', {})).to.equal(undefined);
    expect(wanted('DisableMig', { deletionTimestamp, finalizers: [cleanup, 'other'] }, true)).to.deep.equal(['other']);
    // The API server refuses a new finalizer then.
    expect(wanted('DisableMig', { deletionTimestamp, finalizers: ['other'] })).to.equal(undefined);
  });
});

const { spec } = aPolicy();

/** Generation 2 of a policy of which generation 1 is in force, and nothing says that 2 is accepted. */
function anEdit(inForce: object = { generation: 1, spec }): GpuPartitionPolicy {
  const policy = aPolicy({ generation: 2, layouts: [{ profiles: { '3g.20gb': 2 } }] });
  return { ...policy, status: { acceptedGeneration: 1, inForce } } as GpuPartitionPolicy;
}

describe('the versions of a policy', () => {
  it('tell nodes the version in force until the newest is accepted', () => {
    const versions = readVersions(anEdit());
    expect(currentOf(versions).metadata.generation).to.equal(1);
    expect(currentOf(accept(versions)).metadata.generation).to.equal(2);
  });

  it('keep the spec that is in force as the object that it was, when another status comes', () => {
    const before = readVersions(anEdit());
    const after = readVersions(anEdit({ generation: 1, spec: structuredClone(spec) }), before);
    expect(after.inForce?.spec).to.equal(before.inForce?.spec);
  });

  it('have the metadata of now: it changes without a new generation', () => {
    const before = readVersions(anEdit());
    const edit = anEdit();
    const annotations = { team: 'a' };
    const after = readVersions({ ...edit, metadata: { ...edit.metadata, annotations } }, before);
    expect(after.inForce?.metadata).to.deep.include({ generation: 1, annotations });
  });

  it('are those that the API server tells: which its author wrote last, and which its nodes are told', () => {
    const { versions, told } = PolicyRecord.read(anEdit());
    expect(versions.newest.metadata).to.include({ uid: 'uid-p', generation: 2 });
    expect(told).to.equal(1);
  });

  it('are not accepted of a file, which has no generation', () => {
    const { generation: _none, ...metadata } = aPolicy().metadata;
    expect(isAccepted(readVersions({ ...aPolicy(), metadata }))).to.equal(false);
  });

  it('may have a demand instead of layouts', () => {
    const { layouts: _none, ...rest } = spec;
    const demand = { slices: [{ profiles: ['1g.5gb'], count: 4 }] };
    expect(readVersions(anEdit({ generation: 1, spec: { ...rest, demand } })).inForce?.spec).to.deep.include({
      demand,
    });
  });

  it('do not go by what a status holds if it is not a spec', () => {
    for (const broken of [
      {},
      { ...spec, nodeSelector: null },
      { ...spec, nodeSelector: 'pool=p' },
      { ...spec, strategy: 1 },
      { ...spec, layouts: undefined },
      { ...spec, layouts: undefined, demand: null },
    ]) {
      expect(readVersions(anEdit({ generation: 1, spec: broken })).inForce, JSON.stringify(broken)).to.equal(undefined);
    }
  });
});

describe('writes of a status', () => {
  /** In how many ms the status may be written. @param before what was written, and when */
  const dueInMs = (what: News, now: number, ...before: readonly (readonly [number, News])[]): number => {
    const pace = new WritePace();
    for (const [at, news] of before) pace.written(undefined, statuses[news], at);
    return pace.dueInMs(undefined, statuses[what], now);
  };
  /** A status after an empty one. */
  const statuses = {
    Turn: { acceptedGeneration: 1 },
    News: { failures: [{ node: 'a', reason: 'InUse', message: 'x' }] },
    Counts: { summary: '1/1 ready' },
  } as const;
  type News = keyof typeof statuses;

  it('are made at once if nothing was written lately', () => {
    for (const what of ['Turn', 'News', 'Counts'] as const) {
      expect(dueInMs(what, 100), what).to.equal(0);
      expect(dueInMs(what, 2100, [100, what]), what).to.equal(0);
    }
  });

  it('are made once a second for news, and every two seconds for words and counts', () => {
    for (const before of ['Turn', 'News', 'Counts'] as const) {
      expect(dueInMs('News', 100, [100, before]), before).to.equal(1000);
      expect(dueInMs('News', 1099, [100, before]), before).to.equal(1);
      expect(dueInMs('Counts', 100, [100, before]), before).to.equal(2000);
    }
  });

  it('do not keep an edit waiting, unless that came within a second of another', () => {
    expect(dueInMs('Turn', 101, [100, 'News'])).to.equal(0);
    expect(dueInMs('Turn', 101, [0, 'Turn'], [100, 'Counts'])).to.equal(899);
  });
});
