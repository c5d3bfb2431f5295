import { expect } from 'chai';
import type { GpuNodePartition } from '../../../../src/api/types.ts';
import {
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  checkingHold,
  judge,
  notInForce,
  refusedHold,
  slicedGpu,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { noPolicy, onHold, policyRefused } from '../../../../src/core/node/rules/policy.ts';
import { NodeWorld } from '../../../support/node-world.ts';

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
    const { verdict, commands } = judge({ claim: { wish: { refusal } } });
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
