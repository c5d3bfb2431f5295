import { expect } from 'chai';
import { retryAnnotation } from '../../../../src/api/names.ts';
import type { DeviceReport, GpuNodePartition, GpuPartitionPolicy } from '../../../../src/api/types.ts';
import { isDrifting } from '../../../../src/core/node/repair.ts';
import { policyOutdated, wishOutdated } from '../../../../src/core/node/rules/wish.ts';
import { specUnder } from '../../../../src/core/policy/schedules.ts';
import { wishHash } from '../../../../src/core/wish/wish.ts';
import type { NodeMemory } from '../../../../src/core/node/memory.ts';
import { aDevice, aGpu, uuidOf } from '../../../support/builders.ts';
import {
  type Answer,
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aFreshRead,
  aSituation,
  judge,
  namesOf,
  noMemory,
  noon,
  slicedGpu,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const ago = (...minutes: readonly number[]) => minutes.map((minute) => new Date(noon - minute * 60_000).toISOString());

/** The layout was made, and is not there again. */
function aDrift(more: Parameters<typeof aManagedPartition>[0] = {}): GpuNodePartition {
  const device = { ...wholeGpu, lastGood: { bootID: 'boot-a' } };
  return aManagedPartition({ granted: aGrant({ deadline: '2026-01-01T10:00:00Z' }), device, ...more });
}

const wishOf = ({ commands }: Pick<Answer, 'commands'>) =>
  commands.flatMap((command) => (command.name === 'WriteWish' ? [command.fields] : []))[0];

describe('GPUs that have moved', () => {
  const [a, b] = [{ '7g.40gb': 1 }, { '1g.5gb': 7 }];
  const byIndex = [
    { gpus: { indices: [0, 1] }, profiles: a },
    { gpus: { indices: [2, 3] }, profiles: b },
  ];
  const wanted = [a, a, b, b];
  const wish = { gpus: wanted.map((profiles, index) => ({ uuid: uuidOf(index), profiles })) };
  const slicesOf = (index: number) =>
    index < 2 ? ['7g.40gb@0'] : Array.from({ length: 7 }, (_, start) => `1g.5gb@${start}`);
  /** The GPUs that are left, as the driver numbers them now. */
  const left = (...gpus: readonly number[]) =>
    aDevice(...gpus.map((gpu, index) => ({ ...aGpu({ index: gpu, slices: slicesOf(gpu) }), index })));
  const judgeLeft = (
    device: DeviceReport,
    {
      layouts = byIndex,
      annotations = {},
      generation = 1,
      memory = noMemory,
      before = wish,
    }: {
      readonly layouts?: NonNullable<GpuPartitionPolicy['spec']['layouts']>;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly generation?: number;
      readonly memory?: NodeMemory;
      readonly before?: typeof wish;
    } = {},
  ) => {
    const policy = aSlicingPolicy({ layouts, generation });
    const partition = aManagedPartition({ wish: before, device });
    return judge({ policy, partition, node: aNode({ annotations }) }, {}, memory);
  };

  it('are not changed for another GPU that is gone, until somebody says so', () => {
    const held = judgeLeft(left(0, 2, 3));
    expect(held.verdict).to.include({ phase: 'Failed', reason: 'GpusGone' });
    expect(held.verdict.message).to.contain(uuidOf(1)).and.to.contain('3 GPUs').and.to.contain('gpu-partition retry n');
    expect(namesOf(held)).to.not.include('WriteWish');
    const again = judgeLeft(left(0, 2, 3), { generation: 2, memory: held.memory });
    expect(again.verdict.reason, 'another generation').to.equal('GpusGone');
    const asked = { [retryAnnotation]: 'now' };
    expect(namesOf(judgeLeft(left(0, 2, 3), { annotations: asked, memory: held.memory }))).to.include('WriteWish');
    const earlier = judgeLeft(left(0, 2, 3), { annotations: asked });
    expect(earlier.verdict.reason, 'a retry of before').to.equal('GpusGone');
  });

  it('are not changed where the GPU that is gone was none of the policy’s', () => {
    const layouts = [
      { gpus: { indices: [1] }, profiles: a },
      { gpus: { indices: [2] }, profiles: b },
    ];
    const before = { gpus: [wish.gpus[1], wish.gpus[2]].flatMap((one) => one ?? []) };
    expect(judgeLeft(left(1, 2), { layouts, before }).verdict.reason).to.equal('GpusGone');
    expect(namesOf(judgeLeft(left(1, 2), { layouts, before, generation: 2 }))).to.include('WriteWish');
  });

  it('do not matter where the others keep what they have, or are not told by their numbers', () => {
    expect(namesOf(judgeLeft(left(0, 1, 2)))).to.include('WriteWish');
    const all = [{ profiles: a }];
    expect(namesOf(judgeLeft(left(0, 2, 3), { layouts: all }))).to.include('WriteWish');
    const lost = { ...left(0, 2, 3), gpus: [...(left(0, 2, 3).gpus ?? []), aGpu({ index: 1, error: 'GpuLost' })] };
    expect(judgeLeft(lost).verdict.reason, 'a GPU that does not answer').to.equal('GpusGone');
  });
});

describe('an outdated wish', () => {
  const fieldsOf = (more: Parameters<typeof aManagedPartition>[0], policy = aSlicingPolicy()) => {
    const ruling = wishOutdated({ ...aSituation({ partition: aManagedPartition(more), policy }), slices: [] });
    return wishOf({ commands: ruling?.commands ?? [] });
  };
  const policy = { name: 'p', uid: 'uid-p', generation: 1 };
  const edited = { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' as const }] };
  const gpus = [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }];
  const fields = {
    policy,
    strategy: 'mixed',
    wish: { gpus, replaceForeignInstances: null, allowGpuReset: null },
    repairs: null,
    drain: null,
  };
  const dra = aSlicingPolicy({ backend: 'DRA' });

  it('is written whole, with the backend only where that changes, and without monitors that no backend has', () => {
    expect(fieldsOf({})).to.equal(undefined);
    expect(fieldsOf({ wish: edited })).to.deep.equal(fields);
    expect(fieldsOf({ wish: edited, monitors: ['ns/c'] })).to.deep.equal({ ...fields, monitors: null });
    expect(fieldsOf({ wish: edited, backend: 'DRA' })).to.deep.equal({ ...fields, backend: null });
    expect(fieldsOf({ wish: edited, backend: 'DRA', monitors: ['ns/c'] }, dra)).to.deep.equal(fields);
    expect(fieldsOf({ wish: edited }, dra)).to.deep.equal({ ...fields, backend: 'DRA' });
  });

  it('is one of another strategy, too', () => {
    expect(fieldsOf({ strategy: 'single' })).to.deep.equal(fields);
  });

  it('is one of the demand of another schedule, which is named, and never one of the same', () => {
    const { layouts: _none, ...rest } = aSlicingPolicy().spec;
    const slices = [{ profiles: ['1g.5gb'], count: 4 }];
    const times = { schedule: '0 22 * * *', duration: '8h' };
    const spec = { ...rest, demand: { slices }, schedules: [{ name: 'night', ...times, demand: { slices } }] };
    const told = (in_: string | undefined, written: string | undefined) => {
      const policy = { name: 'p', uid: 'uid-p', generation: 1, ...(written !== undefined && { schedule: written }) };
      const partition = aManagedPartition({ policy, wish: { gpus } });
      const winner = { ...aSlicingPolicy(), spec: specUnder(spec, in_) };
      const claim = { winner, wish: { wish: { gpus }, skipped: [] } };
      const ruling = wishOutdated(aSituation({ partition, claim }));
      return ruling && wishOf({ commands: ruling.commands ?? [] })?.policy?.schedule;
    };
    expect([told('night', undefined), told('night', 'day'), told(undefined, 'night')]).to.deep.equal([
      'night',
      'night',
      null,
    ]);
    expect([told('night', 'night'), told(undefined, undefined)]).to.deep.equal([undefined, undefined]);
  });

  it('keeps that a GPU may be reset, and that the instances of others may go', () => {
    const partition = aManagedPartition({ wish: edited });
    const allowed = { allowGpuReset: true, replaceForeignInstances: true } as const;
    const claim = { wish: { wish: { gpus, ...allowed }, skipped: [] } };
    const ruling = wishOutdated(aSituation({ partition, claim }));
    expect(wishOf({ commands: ruling?.commands ?? [] })?.wish).to.deep.include(allowed);
  });
});

describe('a policy of an earlier generation than the one that a node serves', () => {
  const serving = aManagedPartition({ policy: { name: 'p', uid: 'uid-p', generation: 3 } });
  const { generation: listed } = aSlicingPolicy().metadata;
  const outdated = (generation: number, told = generation, uid = 'uid-p') => {
    const fresh = aFreshRead({ policy: { uid, generation, told } });
    return policyOutdated(aSituation({ partition: serving, claim: { newestGeneration: generation } }, { fresh }));
  };

  it('is in force if the API server has no later one: it was restored', () => {
    expect(outdated(1, listed)).to.equal(undefined);
    expect(outdated(2, listed)).to.equal(undefined);
  });

  it('is in force if the one that the node serves only planned, and the newest is not accepted', () => {
    expect(outdated(4, listed)).to.equal(undefined);
  });

  it('is not if the API server has another policy of the name: it was deleted and created again', () => {
    expect(outdated(1, listed, 'uid-again')).to.have.nested.property('verdict.reason', 'AwaitingPlan');
  });

  it('is not if the API server has accepted a later one', () => {
    for (const generation of [3, 4]) {
      const outcome = outdated(generation);
      expect(outcome).to.include({ ifClosed: 'Stays' }).and.have.nested.property('verdict.reason', 'AwaitingPlan');
    }
  });
});

describe('the wish', () => {
  it('is written with the policy that decides, its uid and generation', () => {
    const policy = aSlicingPolicy({ generation: 4, layouts: [{ mig: 'Disabled' }] });
    const fields = wishOf(judge({ policy }));
    expect(fields?.policy).to.deep.equal({ name: 'p', uid: 'uid-p', generation: 4 });
    expect(fields?.wish?.gpus).to.deep.equal([{ uuid: uuidOf(0), mig: 'Disabled' }]);
  });

  it('is taken away with its policy, and is never taken for a wish: the node keeps its layout', () => {
    const left = judge({ policy: undefined });
    expect(left.verdict).to.include({ phase: 'Unmanaged', reason: 'NoPolicy' });
    expect(wishOf(left)).to.deep.equal({ policy: null, strategy: null, wish: null, drain: null, repairs: null });
    const world = new NodeWorld({ policy: undefined });
    world.settle();
    expect(world.partition.spec).to.have.keys('nodeUID');
  });

  it('says of what it has not that it has not: a merge would keep what was allowed before', () => {
    const allowing = aManagedPartition({
      wish: { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }], replaceForeignInstances: true },
    });
    expect(wishOf(judge({ partition: allowing }))?.wish).to.deep.equal({
      gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }],
      replaceForeignInstances: null,
      allowGpuReset: null,
    });
    const world = new NodeWorld({ partition: allowing });
    world.step();
    expect(world.partition.spec.wish).not.to.have.property('replaceForeignInstances');
    expect(world.step().verdict.reason).not.to.equal('AwaitingGrant');
    expect(world.done).to.deep.equal(['WriteWish']);
  });

  it('is looked at again at once where the agent has planned the same before, and will not answer', () => {
    const { wish } = aManagedPartition().spec;
    const gpus = (wish?.gpus ?? []).map((one) => ({ ...one, entry: 'of-before' }));
    const plan = { hash: 'h', wishHash: wishHash({ gpus }), keep: 0, destroy: 0, create: 1 };
    const partition = aManagedPartition({ wish: { gpus }, device: { ...wholeGpu, plan } });
    const answer = judge({ policy: aSlicingPolicy(), partition });
    expect(namesOf(answer)).to.deep.equal(['WriteWish']);
    expect(answer.verdict).to.include({ reason: 'AwaitingPlan', requeueAfterMs: 10 });
    const edited = judge({ policy: aSlicingPolicy({ layouts: [{ mig: 'Disabled' }] }), partition });
    expect(namesOf(edited)).to.deep.equal(['WriteWish']);
    expect(edited.verdict).not.to.have.property('requeueAfterMs');
  });

  it('is taken for outdated where the policy of the same name is another one', () => {
    const policy = aSlicingPolicy();
    const again = { ...policy, metadata: { ...policy.metadata, uid: 'uid-again' } };
    expect(wishOf(judge({ policy: again }))?.policy).to.include({ uid: 'uid-again' });
  });

  it('keeps a closed node closed until it is planned', () => {
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const { commands } = judge({ node, policy: aSlicingPolicy({ layouts: [{ mig: 'Disabled' }] }) });
    expect(namesOf({ commands })).to.deep.equal(['WriteWish']);
  });
});

describe('a list of policies that is of before', () => {
  const served = aManagedPartition({ policy: { name: 'p', uid: 'uid-p', generation: 3 } });

  it('is refused where its generation is lower than the one that the node serves', () => {
    const policy = aSlicingPolicy({ generation: 2, layouts: [{ mig: 'Disabled' }] });
    const fresh = { policy: { uid: 'uid-p', generation: 3, told: 3 } };
    const { verdict, commands } = judge({ partition: served, policy }, { fresh });
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan' });
    expect(verdict.message).to.include('generation 2').and.include('generation 3');
    expect(commands).to.deep.equal([]);
  });

  it('is refused also after a restore, as long as it is not what the API server has now', () => {
    const policy = aSlicingPolicy({ generation: 1, layouts: [{ mig: 'Disabled' }] });
    const { verdict, commands } = judge(
      { partition: served, policy },
      { fresh: { policy: { uid: 'uid-p', generation: 2, told: 2 } } },
    );
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan' });
    expect(commands).to.deep.equal([]);
  });

  // A controller whose list of policies was the last to be read again wrote the wish of an edit that a restore had undone.
  it('is believed where the API server itself says so: it was restored from a backup', () => {
    const policy = aSlicingPolicy({ generation: 2, layouts: [{ mig: 'Disabled' }] });
    const { reads, commands } = judge({ partition: served, policy });
    expect(reads).to.deep.equal(['All']);
    expect(wishOf({ commands })).to.deep.include({ policy: { name: 'p', uid: 'uid-p', generation: 2 } });
  });

  it('is asked for once, even if the wish of both generations is the same', () => {
    const world = new NodeWorld({ partition: served, policy: aSlicingPolicy({ generation: 2 }), pods: [aPluginPod()] });
    world.step();
    expect(world.partition.spec.policy?.generation).to.equal(2);
    world.step();
    expect(world.done.filter((name) => name === 'WriteWish')).to.have.length(1);
  });

  it('is believed where the policy was deleted and recreated', () => {
    const policy = aSlicingPolicy({ generation: 1 });
    const again = { ...policy, metadata: { ...policy.metadata, uid: 'uid-again' } };
    expect(namesOf(judge({ partition: served, policy: again }))).to.deep.equal(['WriteWish']);
  });

  it('is not granted: the policy at the API server has to be the same', () => {
    const parts = { pods: [aPluginPod()] };
    for (const [uid, generation] of [['uid-p', 2], ['uid-again', 1], []] as const) {
      const policy = uid && { uid, generation, told: generation };
      const { verdict, commands } = judge({}, { ...parts, fresh: { policy } });
      expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan' });
      expect(verdict.message).to.include('waiting for the watch');
      expect(commands).to.deep.equal([]);
    }
    expect(namesOf(judge({}, parts))).to.deep.equal(['PatchNode']);
  });
});

describe('a layout that something else changes', () => {
  it('is repaired three times an hour and no more', () => {
    for (const repairs of [ago(), ago(50, 40), ago(90, 40, 20)]) {
      expect(judge({ partition: aDrift({ repairs }) }).verdict.reason).to.equal('AwaitingGrant');
    }
    const { verdict, commands } = judge({ partition: aDrift({ repairs: ago(50, 40, 20) }) });
    expect(verdict).to.include({ phase: 'Failed', reason: 'Drifting', requeueAfterMs: 10 * 60_000 + 1000 });
    expect(verdict.message).to.match(/3 times within an hour.*next repair is at 2026-01-01T12:10:00/);
    expect(commands).to.deep.equal([]);
  });

  it('is counted when it is repaired', () => {
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const settled = { waits: { Closed: { since: noon - 1000 } }, evictions: {} };
    const { commands } = judge({ node, partition: aDrift({ repairs: ago(90, 40) }) }, {}, settled);
    const [grant] = commands.flatMap((command) => (command.name === 'WriteGrant' ? [command] : []));
    expect(grant?.repairs).to.deep.equal([...ago(40), '2026-01-01T12:00:00Z']);
  });

  it('is not meant where the wish is new, after a failure, or in a new boot', () => {
    const repairs = ago(3, 2, 1);
    const other = aGrant({ gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] });
    expect(judge({ partition: aDrift({ repairs, granted: other }) }).verdict.reason).to.equal('AwaitingGrant');
    const rebooted = { ...wholeGpu, bootID: 'boot-b', lastGood: { bootID: 'boot-a' } };
    const partition = aDrift({ repairs, device: rebooted });
    const node = aNode({ nodeInfo: { bootID: 'boot-b' } });
    expect(judge({ partition, node }).verdict.reason).to.equal('AwaitingGrant');
  });

  it('is repaired again at once when its policy is edited, as the message says', () => {
    const world = new NodeWorld({ partition: aDrift({ repairs: ago(3, 2, 1) }), pods: [aPluginPod()] });
    expect(world.step().verdict.message).to.include('as soon as the policy changes');
    world.policy = aSlicingPolicy({ generation: 2 });
    world.step();
    expect(world.done).to.deep.equal(['WriteWish']);
    expect(isDrifting(world.partition, world.now)).to.equal(false);
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(world.done.filter((what) => what === 'WriteWish')).to.have.lengthOf(1);
  });

  it('is left alone after a retry that was asked for in more words than a wait can say, also by the next leader', () => {
    const node = aNode({ annotations: { 'gpupartition.dev/retry': 'please '.repeat(500) } });
    const partition = aDrift({ repairs: ago(3, 2, 1) });
    const { verdict, memory } = judge({ partition, node });
    expect(verdict.reason).to.equal('Drifting');
    expect(memory.waits.Drift?.of?.length).to.be.at.most(1024);
    expect(judge({ partition, node }, {}, memory).verdict.reason).to.equal('Drifting');
  });

  it('is left alone after an edit that its last repair was granted for', () => {
    // An edit that leaves the wish as it is writes nothing: the wish has the generation before.
    const partition = aDrift({
      repairs: ago(3, 2, 1),
      granted: aGrant({ policy: { uid: 'uid-p', generation: 2 } }),
    });
    const reasonAt = (generation: number) =>
      judge({ partition, policy: aSlicingPolicy({ generation }) }).verdict.reason;
    expect([reasonAt(2), reasonAt(3)]).to.deep.equal(['Drifting', 'AwaitingPlan']);
  });

  it('is repaired again at once when a retry is asked for, and then left alone as before', () => {
    const world = new NodeWorld({ partition: aDrift({ repairs: ago(3, 2, 1) }), pods: [aPluginPod()] });
    expect(world.step().verdict.message).to.include('gpu-partition retry');
    world.failOver();
    world.node = aNode({ annotations: { 'gpupartition.dev/retry': '2026-01-01T12:00:00Z' } });
    world.step();
    expect(world.done).to.deep.equal(['WriteWish']);
    expect(isDrifting(world.partition, world.now)).to.equal(false);
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    // The same request does not count again when something else has changed the GPUs three times more.
    world.partition = aDrift({ repairs: ago(3, 2, 1) });
    expect(world.step().verdict.reason).to.equal('Drifting');
    expect(world.step().verdict.reason).to.equal('Drifting');
  });

  it('does not exist if the device matches the wish', () => {
    const partition = aDrift({ repairs: ago(3, 2, 1), device: { ...slicedGpu, lastGood: { bootID: 'boot-a' } } });
    expect(judge({ partition, node: aNode({ allocatable: advertisesSlice }) }).verdict.phase).to.equal('Ready');
  });
});
