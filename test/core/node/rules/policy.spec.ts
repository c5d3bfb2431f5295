import { expect } from 'chai';
import { aDevice, aGpu, uuidOf } from '../../../support/builders.ts';
import {
  advertisesWhole,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  slicedGpu,
  wholeGpu,
  advertisesSlice,
  aGrant,
  aSituation,
  checkingHold,
  judge,
  notInForce,
  refusedHold,
  taints,
  type Answer,
  aFreshRead,
  namesOf,
  noMemory,
  noon,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { GpuNodePartition, DeviceReport, GpuPartitionPolicy } from '../../../../src/api/types.ts';
import { noPolicy, policyRefused, policyOutdated, wishOutdated } from '../../../../src/core/node/rules/wish.ts';
import { onHold } from '../../../../src/core/node/rules/slot.ts';
import { retryAnnotation } from '../../../../src/api/names.ts';
import { driftEndsAt } from '../../../../src/core/node/grants.ts';
import { specUnder } from '../../../../src/core/policy/spec.ts';
import { wishHash } from '../../../../src/core/device/plan.ts';
import type { NodeMemory } from '../../../../src/core/node/memory.ts';

const product = 'nvidia.com/gpu.product';
const slice = 'NVIDIA-A100-SXM4-40GB-MIG-7g.40gb';
const single = { strategy: 'single' } as const;

/** Ready under strategy single, as its plugin runs: its one slice is offered, and labelled, as a GPU. */
function aSingleNode(): NodeWorld {
  const world = new NodeWorld({
    policy: aSlicingPolicy(single),
    partition: aManagedPartition({ device: slicedGpu, ...single }),
    node: aNode({ allocatable: advertisesWhole }),
    pods: [aPluginPod({ ...single, tolerates: true })],
  });
  expect(world.settle().verdict.phase).to.equal('Ready');
  expect(world.labels).to.include({ [product]: slice, 'nvidia.com/mig.strategy': 'single' });
  return world;
}

/** Minute by minute. */
function wait(world: NodeWorld, minutes: number): void {
  for (let minute = 0; minute < minutes; minute += 1) world.step(60_000);
}

describe('a policy in mode Plan', () => {
  const plan = aSlicingPolicy({ generation: 2, mode: 'Plan', strategy: 'mixed' });

  it('writes nothing on a node, whatever it plans and whatever happens there', () => {
    const happenings: Readonly<Record<string, (world: NodeWorld) => void>> = {
      nothing: () => {},
      'the device changes': (world) => world.report({ gpus: wholeGpu.gpus ?? [] }),
      'the device cannot be read': (world) =>
        world.report({ step: 'Unknown', error: { code: 'Timeout', message: '' } }),
      'the agent goes': (world) => void (world.agent = { state: 'Missing' }),
      'the node restarts': (world) => {
        world.node = { ...world.node, status: { ...world.node.status, nodeInfo: { bootID: 'boot-b' } } };
      },
      'the driver is replaced': (world) =>
        world.label({ 'nvidia.com/gpu-driver-upgrade-state': 'validation-required' }),
    };
    for (const [what, happens] of Object.entries(happenings)) {
      const world = aSingleNode();
      world.slot = undefined;
      world.policy = plan;
      happens(world);
      const before = structuredClone(world.node);
      wait(world, 90);
      expect(world.node, what).to.deep.equal(before);
      expect(world.done.filter((one) => one.startsWith('Evict'))).to.deep.equal([]);
    }
  });
});

describe('a policy with another strategy than the device plugin', () => {
  it('changes nothing on the node: its labels are those of what the plugin offers', () => {
    const layouts = [[{ profiles: { '7g.40gb': 1 } }], [{ profiles: { '1g.5gb': 7 } }]];
    for (const layout of layouts) {
      const world = aSingleNode();
      world.policy = aSlicingPolicy({ generation: 2, strategy: 'mixed', layouts: layout });
      const wish = { gpus: [{ uuid: uuidOf(0), ...layout[0] }] };
      world.partition = aManagedPartition({ device: slicedGpu, strategy: 'mixed', wish });
      const before = structuredClone(world.node);
      wait(world, 90);
      expect(world.step().verdict.reason).to.equal('StrategyMismatch');
      expect(world.node).to.deep.equal(before);
    }
  });

  it('is named at once, not when a plugin that may follow has had its time', () => {
    const world = aSingleNode();
    world.policy = aSlicingPolicy({ generation: 2, strategy: 'mixed' });
    world.partition = aManagedPartition({ device: slicedGpu, strategy: 'mixed' });
    expect(world.step().verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
  });

  it('does not keep labels from following the device by the strategy of the plugin', () => {
    const world = aSingleNode();
    world.policy = aSlicingPolicy({ generation: 2, strategy: 'mixed' });
    world.partition = aManagedPartition({ device: aDevice(aGpu({ slices: ['3g.20gb@4'] })), strategy: 'mixed' });
    wait(world, 3);
    expect(world.labels).to.include({
      [product]: 'NVIDIA-A100-SXM4-40GB-MIG-3g.20gb',
      'nvidia.com/mig.strategy': 'single',
    });
  });

  it('labels the node by a reconfigured plugin until the policy agrees', () => {
    const world = aSingleNode();
    world.pods = [aPluginPod({ strategy: 'mixed', uid: 'other' })];
    world.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1' });
    world.step();
    expect(world.labels).to.include({ 'nvidia.com/mig.strategy': 'mixed', 'nvidia.com/mig-7g.40gb.count': '1' });
  });
});

const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
const done = aManagedPartition({ device: slicedGpu });

describe('a policy of which no generation is in force', () => {
  it('touches nothing, and says why', () => {
    const { verdict, commands } = judge({ claim: notInForce(refusedHold) });
    expect(verdict).to.include({ phase: 'Invalid', reason: 'PolicyInvalid' });
    expect(verdict.message).to.equal(`${refusedHold.message}. Nothing is touched`);
    expect(commands).to.deep.equal([]);
  });

  it('starts nothing while it is being checked against its nodes', () => {
    const { verdict, commands } = judge({ claim: notInForce(checkingHold) });
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan', transient: true });
    expect(verdict.message).to.include('is being checked');
    expect(commands).to.deep.equal([]);
  });
});

describe('a policy that a node cannot take', () => {
  it('makes that node alone Invalid', () => {
    const { verdict, commands } = judge({ claim: { wish: { refusal, told: refusal } } });
    expect(verdict).to.include({ phase: 'Invalid', reason: 'DoesNotFit' });
    expect(verdict.message).to.include('needs 9 of 8').and.include('Nothing on this node is touched');
    expect(commands).to.deep.equal([]);
  });
});

describe('a newer generation that is not accepted', () => {
  const ready = aNode({ allocatable: advertisesSlice });
  const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });

  it('leaves a node Ready that matches the generation in force', () => {
    for (const hold of [refusedHold, checkingHold]) {
      const { verdict } = judge({ node: ready, partition: done, slot: undefined, claim: { hold } });
      expect(verdict, hold.kind).to.include({ phase: 'Ready', reason: 'Ready' });
    }
  });

  it('starts no change on a node that does not, and says why', () => {
    const { verdict, commands } = judge({ slot: undefined, claim: { hold: refusedHold } });
    expect(verdict).to.include({ phase: 'Pending', reason: 'PolicyInvalid' });
    expect(verdict.message).to.equal(
      `${refusedHold.message}. The node does not match generation 1, and no change to it starts`,
    );
    expect(commands).to.deep.equal([]);
  });

  it('starts none either if it only plans', () => {
    const hold = { kind: 'Plan', message: 'policy p only plans since generation 2' } as const;
    expect(judge({ slot: undefined, claim: { hold } }).verdict).to.include({ phase: 'Pending', reason: 'PlanOnly' });
    const { verdict } = judge({ node: ready, partition: done, slot: undefined, claim: { hold } });
    expect(verdict).to.include({ phase: 'Ready', reason: 'Ready' });
  });

  it('lets a change that was granted finish: the node is opened, and Ready', () => {
    const partition = aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, observedEpoch: 3 } });
    const world = new NodeWorld({ node: closed, partition, pods: [aPluginPod()], claim: { hold: refusedHold } });
    world.settle();
    world.pods = [aPluginPod({ name: 'again' })];
    world.advertise(advertisesSlice);
    expect(world.settle(2000).verdict).to.include({ phase: 'Ready' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('opens a node again that was closed for a change and has not been granted it', () => {
    const world = new NodeWorld({ pods: [aPluginPod()] });
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.claim = { hold: refusedHold };
    expect(world.settle().verdict).to.include({ phase: 'Pending', reason: 'PolicyInvalid' });
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.done).to.not.include('WriteGrant');
  });

  it('leaves a closed node as it is while it is being checked: its change is about to continue', () => {
    const { commands } = judge({ node: closed, partition: aManagedPartition(), claim: { hold: checkingHold } });
    expect(commands).to.deep.equal([]);
  });
});

describe('a node without a policy', () => {
  const marks = {
    'gpupartition.dev/policy': 'p',
    'gpupartition.dev/state': 'ready',
    'gpupartition.dev/layout': '1x7g.40gb',
  };

  it('is released: marks go, what was borrowed is given back, and the layout and its labels stay', () => {
    const world = new NodeWorld({
      policy: undefined,
      partition: done,
      node: aNode({
        allocatable: advertisesSlice,
        labels: {
          ...marks,
          'nvidia.com/mig.config.state': 'success',
          'nvidia.com/mig-7g.40gb.count': '1',
          'nvidia.com/gpu.deploy.mig-manager': 'false',
        },
        annotations: {
          'gpupartition.dev/on-loan': JSON.stringify({
            'nvidia.com/mig.config.state': { was: null, set: 'success' },
            'nvidia.com/gpu.deploy.mig-manager': { was: 'true', set: 'false' },
          }),
        },
      }),
    });
    world.settle();
    expect(world.labels).not.to.have.any.keys(...Object.keys(marks), 'nvidia.com/mig.config.state');
    expect(world.labels).to.include({
      'nvidia.com/gpu.deploy.mig-manager': 'true',
      'nvidia.com/mig-7g.40gb.count': '1',
    });
    expect(world.step().verdict).to.include({ phase: 'Unmanaged', reason: 'NoPolicy' });
  });

  it('keeps the plugin’s settings that there was nothing before: without, it might run with a strategy that does not fit', () => {
    const config = 'nvidia.com/device-plugin.config';
    const released = (was: string | null): NodeWorld => {
      const loans = { [config]: { was, set: 'gpu-partition-mixed-0' } };
      const annotations = { 'gpupartition.dev/on-loan': JSON.stringify(loans) };
      const labels = { ...marks, [config]: 'gpu-partition-mixed-0' };
      const world = new NodeWorld({ policy: undefined, partition: done, node: aNode({ labels, annotations }) });
      world.settle();
      return world;
    };
    expect(released(null).labels[config]).to.equal('gpu-partition-mixed-0');
    expect(released('theirs').labels[config]).to.equal('theirs');
  });

  it('keeps its start-up taint when it is released in the middle of its first change', () => {
    const labels = { ...marks, 'gpupartition.dev/state': 'updating' };
    const world = new NodeWorld({
      policy: undefined,
      node: aNode({ taints: taints.both, labels, allocatable: { 'nvidia.com/gpu': '0' } }),
    });
    world.settle();
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
    expect(world.labels).not.to.have.any.keys(...Object.keys(marks));
  });

  it('takes its partition along where it has no GPUs, and keeps one that has, or may have', () => {
    const claim = { winner: undefined, isInForce: false, wish: undefined };
    const unmarked = aNode({ labels: { 'nvidia.com/gpu.present': 'false' } });
    const without = judge({ claim, node: unmarked, partition: aManagedPartition({ device: { gpus: [] } }) });
    expect(without.commands.map(({ name }) => name)).to.include('DeletePartition');
    const marked = aNode();
    for (const kept of [
      { node: unmarked, partition: done },
      { node: marked, partition: aManagedPartition({ device: { gpus: [] } }) },
    ]) {
      expect(judge({ claim, ...kept }).commands.map(({ name }) => name)).to.not.include('DeletePartition');
    }
  });
});

describe('an edit that is being checked', () => {
  const hold = { kind: 'Checking', message: 'generation 2 is being checked' } as const;

  it('keeps a node as it is that no generation covers, and one that does not match the generation in force', () => {
    for (const rule of [policyRefused, onHold]) {
      const ruling = rule(aSituation({ claim: { isInForce: false, hold, wish: undefined } }));
      expect(ruling?.verdict).to.include({ reason: 'AwaitingPlan', transient: true });
      expect(ruling?.ifClosed).to.equal('Stays');
    }
  });
});

describe('the strategy of a node that lost its policy', () => {
  const strategyAt = (
    node: ReturnType<typeof aNode>,
    pods = [aPluginPod({ strategy: 'single' })],
    partition: GpuNodePartition = done,
  ) => {
    const outcome = noPolicy(aSituation({ policy: undefined, node, partition }, { pods }));
    const commands = outcome && 'commands' in outcome ? (outcome.commands ?? []) : [];
    return commands.map((command) => (command.name === 'WriteWish' ? command.fields.strategy : command.name));
  };
  const closed = aNode({ taints: taints.closed });

  it('is its plugin’s as long as it is closed: agent and controller must judge its offer by the same', () => {
    expect(strategyAt(closed)).to.deep.equal(['single']);
    expect(strategyAt(closed, []), 'as the policy had it, while its pod is away').to.deep.equal(['mixed']);
    expect(strategyAt(aNode())).to.deep.equal([null]);
    const { policy: _gone, wish: _too, ...spec } = done.spec;
    const left = { ...done, spec: { ...spec, strategy: 'single' as const } };
    expect(strategyAt(closed, [], left), 'while its pod is replaced').to.deep.equal([]);
    expect(strategyAt(closed, [aPluginPod({ strategy: 'mixed' })], left)).to.deep.equal(['mixed']);
    expect(strategyAt(aNode(), [], left)).to.deep.equal([null]);
  });

  it('asks for the node’s pods', () => {
    expect(noPolicy(aSituation({ policy: undefined, node: closed, partition: done }))).to.deep.equal({ needs: 'Pods' });
  });
});

it('a node without a policy names GPU instances of which a stopped change has made no compute instance', () => {
  const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1'] });
  const instances = gpu.instances.map((one) => ({ ...one, computeInstances: [] }));
  const partition = aManagedPartition({ device: aDevice({ ...gpu, instances }) });
  const outcome = noPolicy(aSituation({ policy: undefined, partition }));
  expect(outcome && 'verdict' in outcome && outcome.verdict.message).to.equal(
    'no policy selects this node; it keeps its layout. GPU 0 has GPU instances without compute instances, which no pod can use: ' +
      '1g.5gb at 0, 1g.5gb at 1. To destroy them, on the node: nvidia-smi mig -i 00000000:00:00.0 -dgi -gi 0,1',
  );
});

describe('the partition of a node without GPUs and without a policy', () => {
  const empty = (
    more: Parameters<typeof aManagedPartition>[0] = {},
    node = aNode({ labels: { 'nvidia.com/gpu.present': 'false' } }),
  ) => {
    const partition = aManagedPartition({ device: { gpus: [] }, ...more });
    const outcome = noPolicy(aSituation({ policy: undefined, node, partition }));
    return outcome && 'commands' in outcome ? outcome.commands : undefined;
  };

  it('is deleted by its uid, unless something was granted or the node is to have GPUs', () => {
    expect(empty()).to.deep.equal([{ name: 'DeletePartition', uid: 'uid-gpn' }]);
    for (const kept of [empty({ granted: aGrant() }), empty({}, aNode()), empty({ device: wholeGpu })])
      expect(kept?.map(({ name }) => name)).to.deep.equal(['WriteWish']);
  });
});

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
      const claim = { winner, schedule: in_, wish: { wish: { gpus }, skipped: [] } };
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
    expect(driftEndsAt(world.partition, world.now)).to.equal(undefined);
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
    expect(driftEndsAt(world.partition, world.now)).to.equal(undefined);
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
