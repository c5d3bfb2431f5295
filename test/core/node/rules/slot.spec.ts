import { expect } from 'chai';
import type { Command, RuleInput } from '../../../../src/core/node/commands.ts';
import { needsSlot, awaitSlot, awaitTurn, slotInForce, type SlotUse } from '../../../../src/core/node/rules/slot.ts';
import { closeNode, markState } from '../../../../src/core/node/marks.ts';
import { fenceRestart } from '../../../../src/core/node/rules/wish.ts';
import {
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aSlot,
  aSnapshot,
  aWriteGrant,
  noMemory,
  slicedGpu,
  type SnapshotParts,
  taints,
  aGpuPod,
  aFreshRead,
  aSituation,
  judge,
  namesOf,
  noon,
} from '../../../support/node-builders.ts';
import { situations } from '../../../support/node-situations.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PolicySpec } from '../../../../src/api/types.ts';
import { askedOf } from '../../../../src/core/node/eviction.ts';
import { decide } from '../../../../src/core/node/decide.ts';
import { slotOf } from '../../../../src/core/rollout/budget.ts';
import { aDevice, aGpu, uuidOf, withPods } from '../../../support/builders.ts';

const patch = (change: Extract<Command, { name: 'PatchNode' }>['change']): Command => ({ name: 'PatchNode', change });
const pod = { namespace: 'ns', name: 'a', uid: 'uid-a' };
const evict: Command = { name: 'EvictPod', pod, round: 1 };
const close = patch(closeNode());

function needs(command: Command, parts: SnapshotParts = {}): boolean {
  const partition = parts.partition ?? aManagedPartition();
  const snapshot = aSnapshot({ slot: undefined, partition, ...parts });
  const situation: RuleInput = { ...snapshot, partition, memory: noMemory };
  return needsSlot(situation, [command]);
}

describe('what may be done to a node', () => {
  it('takes a slot where it closes the node, ends a pod, or changes what others run by', () => {
    const label = patch({ borrow: { 'nvidia.com/device-plugin.config': 'x' } });
    for (const command of [close, evict, label]) {
      expect(needs(command)).to.equal(true);
      expect(needs(command, { slot: aSlot })).to.equal(false);
    }
  });

  it('takes none where it ends what was begun', () => {
    const out = [
      { node: aNode({ taints: taints.closed }) },
      { node: aNode({ taints: taints.startup }) },
      { partition: aManagedPartition({ granted: aGrant(), device: { observedEpoch: 2 } }) },
    ];
    for (const parts of out) expect(needs(evict, parts)).to.equal(false);
    expect(needs({ name: 'EvictPod', pod, round: 1, isClient: true }), 'an exporter after the change').to.equal(false);
  });

  it('takes a slot also on a closed node where it may destroy what pods use', () => {
    const closed = { node: aNode({ taints: taints.closed }) };
    for (const command of [aWriteGrant(), { name: 'DeletePod', pod } as const]) {
      expect(needs(command, closed)).to.equal(true);
    }
  });

  it('takes none for marks of ours, for the fence of a restarted node, and for what is given back', () => {
    const all = [markState('ready'), fenceRestart(), { giveBack: ['nvidia.com/gpu.deploy.dcgm'] }];
    for (const change of all) expect(needs(patch(change))).to.equal(false);
  });

  it('takes another slot where that was given to a node that was closed then, or records one of a paused policy', () => {
    expect(needs(close, { slot: { ...aSlot, kind: 'Fresh' } })).to.equal(true);
    const policy = aSlicingPolicy({ generation: 2, rollout: { paused: true } });
    expect(needs(close, { policy, slot: { ...aSlot, generation: 2 } })).to.equal(true);
    expect(needs(close, { policy, slot: aSlot }), 'it has started').to.equal(false);
  });
});

describe('a node without a slot', () => {
  for (const [name, start] of Object.entries(situations)) {
    it(`loses nothing, however long it waits: ${name}`, () => {
      const world = new NodeWorld(start());
      world.slot = undefined;
      for (let seconds = 0; seconds < 400; seconds += 20) {
        const { node, partition, policy } = world;
        const { commands } = world.step(20_000);
        const parts = { node, partition, policy, slot: undefined, now: world.now };
        for (const command of commands) expect(needs(command, parts), command.name).to.equal(false);
      }
      expect(world.done).to.not.include('WriteGrant');
    });
  }

  it('keeps its device plugin, however wrong what that offers', () => {
    const world = new NodeWorld({
      partition: aManagedPartition({ device: slicedGpu }),
      node: aNode({ allocatable: {} }),
      pods: [aPluginPod()],
    });
    world.slot = undefined;
    for (let second = 0; second < 60; second += 5) world.step(5000);
    expect(world.done).to.deep.equal([]);
    expect(world.step().verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot' });
    world.slot = { ...aSlot, deadline: '2100-01-01T00:00:00Z' };
    world.step();
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod uid-plugin']);
  });

  it('does not turn mig-manager off', () => {
    const label = 'nvidia.com/gpu.deploy.mig-manager';
    const policy = aSlicingPolicy({ allow: { takeOver: ['mig-manager'] } });
    for (const partition of [aManagedPartition(), aManagedPartition({ device: slicedGpu })]) {
      const node = aNode({ labels: { [label]: 'true' }, allocatable: advertisesSlice });
      const world = new NodeWorld({ partition, policy, node, pods: [aPluginPod()] });
      world.slot = undefined;
      world.settle();
      expect(world.labels[label]).to.equal('true');
      world.slot = aSlot;
      world.step();
      expect(world.labels[label]).to.equal('false');
    }
  });
});

const device = aDevice(
  withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), { '2g.10gb@0': ['ns/goes'], '3g.20gb@4': ['ns/stays'] }),
);
const allocatable = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-2g.10gb': '1', 'nvidia.com/mig-3g.20gb': '1' };
const profiles = { '1g.5gb': 3, '3g.20gb': 1 };
const partition = aManagedPartition({ device, wish: { gpus: [{ uuid: uuidOf(0), profiles }] } });
const policyOf = (drain: PolicySpec['drain'] = {}) => aSlicingPolicy({ layouts: [{ profiles }], drain });
const parts: SnapshotParts = { node: aNode({ allocatable }), partition, policy: policyOf(), slot: undefined };
const pods = [aGpuPod('goes'), aGpuPod('stays')];

/** How the node stands. */
function rolloutStateOf(more: SnapshotParts = {}, memory = noMemory) {
  const decision = decide({ ...aSnapshot({ ...parts, ...more }), pods, fresh: freshOf(more.slot) }, memory);
  if ('needs' in decision) throw new Error(`it needs ${decision.needs}`);
  return decision.rolloutState;
}

describe('a node without a slot', () => {
  it('asks for one, says what it would do with it, and does nothing', () => {
    const { verdict, commands, reads } = judge(parts, { pods });
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot', transient: true });
    expect(verdict.message).to.equal(
      'waiting for a slot in the rollout of policy p: would keep 1, destroy 1 and create 3 instances, evict ns/goes',
    );
    expect(commands).to.deep.equal([]);
    expect(reads).to.deep.equal(['Pods']);
    expect(rolloutStateOf().request).to.deep.equal({
      kind: 'New',
      isClosedAnyway: false,
      evictions: 1,
      destroys: 1,
      failedDrains: 0,
    });
  });

  it('says what becomes of its pods as the policy has it', () => {
    const messageOf = (drain: PolicySpec['drain']) =>
      judge({ ...parts, policy: policyOf(drain) }, { pods }).verdict.message;
    expect(messageOf({ scope: 'None' })).to.match(/create 3 instances, wait for ns\/goes to end$/);
    expect(messageOf({ scope: 'Node' })).to.match(/create 3 instances, evict all pods that use its GPUs$/);
    const plan = judge({ ...parts, policy: aSlicingPolicy({ mode: 'Plan', drain: { scope: 'None' } }) }, { pods });
    expect(plan.verdict.message).to.not.include('evict');
  });

  it('asks as an already closed one if making it available disrupts no user', () => {
    const quiet = aManagedPartition();
    const fresh = { node: aNode({ taints: taints.startup }), partition: quiet, policy: aSlicingPolicy() };
    expect(rolloutStateOf(fresh)).to.deep.include({ isClosedAnyway: true, isUnderWay: false });
    expect(rolloutStateOf(fresh).request).to.include({ kind: 'Fresh', isClosedAnyway: true });
    const restarted = [{ key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule', value: 'restarted' }];
    const closed = { ...fresh, node: aNode({ taints: restarted }) };
    const memory = { ...noMemory, waits: { Closed: { since: noon - 10_000 } } };
    expect(rolloutStateOf(closed, memory).request).to.include({ kind: 'Fresh', isClosedAnyway: true });
  });

  it('keeps its slot while it is already closed only as long as its kubelet reports', () => {
    const restarted = [{ key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule', value: 'restarted' }];
    for (const own of [restarted, [...taints.startup, ...taints.closed]]) {
      const isUnderWay = (ready: 'True' | 'Unknown'): boolean =>
        rolloutStateOf({ node: aNode({ taints: own, ready }), slot: aSlot }).isUnderWay;
      expect(isUnderWay('True')).to.equal(true);
      expect(isUnderWay('Unknown')).to.equal(false);
    }
  });

  it('asks as any other where pods would have to go, closed or not', () => {
    const { request } = rolloutStateOf({ node: aNode({ allocatable, taints: taints.startup }) });
    expect(request).to.include({ kind: 'New', isClosedAnyway: false, evictions: 1 });
  });

  it('counts every pod that uses GPUs where the policy drains the whole node, and takes no place without a budget then', () => {
    const policy = policyOf({ scope: 'Node' });
    expect(rolloutStateOf({ policy }).request).to.include({ kind: 'New', evictions: 2 });
    const idle = aDevice(withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), { '3g.20gb@4': ['ns/stays'] }));
    const quiet = aManagedPartition({ device: idle, wish: { gpus: [{ uuid: uuidOf(0), profiles }] } });
    const closed = { partition: quiet, node: aNode({ allocatable, taints: taints.startup }) };
    expect(rolloutStateOf(closed).request).to.include({ kind: 'Fresh', evictions: 0 });
    expect(rolloutStateOf({ ...closed, policy }).request).to.include({
      kind: 'New',
      isClosedAnyway: false,
      evictions: 2,
    });
  });

  it('counts pods that its plan could not name', () => {
    const { plan } = partition.status?.device ?? {};
    if (!plan) throw new Error('no plan');
    const many = aManagedPartition({
      device: { ...device, plan: { ...plan, morePods: 7 } },
      wish: partition.spec.wish ?? { gpus: [] },
    });
    expect(rolloutStateOf({ partition: many }).request).to.include({ evictions: (plan.affectedPods ?? []).length + 7 });
  });

  it('is not remembered as refused by what was seen without a look at the API server itself', () => {
    const { verdict, memory, reads } = judge({ ...parts, node: aNode({ allocatable: {} }) }, { pods: [] });
    expect(verdict.reason).to.equal('NoDevicePlugin');
    expect([reads, memory.waits.Refused]).to.deep.equal([['Pods'], undefined]);
  });

  it('asks as one that has failed after a grant of this generation has', () => {
    const failed = aManagedPartition({
      device: { ...device, step: 'Failed', error: { code: 'CommandFailed', message: 'no' } },
      wish: partition.spec.wish ?? { gpus: [] },
      granted: aGrant(),
    });
    const { memory } = judge({ ...parts, partition: failed }, { pods });
    const rolloutState = rolloutStateOf({ partition: failed, now: noon + 5_000 }, memory);
    expect(rolloutState.hasFailed).to.equal(true);
    expect(rolloutState.request).to.include({ kind: 'Retry' });
    // At another generation it counts against no threshold, and is as new as any other.
    const edited = aSlicingPolicy({ layouts: [{ profiles }], generation: 2 });
    const anew = rolloutStateOf({ partition: failed, policy: edited }, memory);
    expect(anew.hasFailed).to.equal(false);
    expect(anew.request).to.include({ kind: 'New' });
  });

  it('asks for nothing where it has nothing to do, or cannot do it', () => {
    expect(rolloutStateOf({ node: aNode({ ready: 'False' }) }).request).to.equal(undefined);
    expect(rolloutStateOf({ node: aNode({ unschedulable: true }) }).request).to.equal(undefined);
    expect(rolloutStateOf({ policy: aSlicingPolicy({ mode: 'Plan' }) }).request).to.equal(undefined);
  });

  it('is opened only when the API server has no slot for it either: another leader may have closed it for its own', () => {
    const memory = { ...noMemory, waits: { Closed: { since: noon - 10_000 } } };
    const closed = { ...parts, node: aNode({ allocatable, taints: taints.closed }) };
    const kept = judge(closed, { pods, fresh: { slot: aSlot } }, memory);
    expect(kept.verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot', requeueAfterMs: 2000 });
    expect(kept.commands).to.deep.equal([]);
    const opened = judge(closed, { pods, fresh: { slot: undefined } }, memory);
    expect(namesOf(opened)).to.deep.equal(['PatchNode']);
    expect(opened.reads).to.deep.equal(['All']);
  });

  it('that is closed for a change counts as under way, whoever closed it', () => {
    const closed = aNode({ allocatable, taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const memory = { ...noMemory, waits: { Closed: { since: noon - 10_000 } } };
    expect(rolloutStateOf({ node: closed }, memory).isUnderWay).to.equal(true);
  });
});

describe('a node with a slot', () => {
  const found = { fresh: {} };

  it('counts as under way until it is done or given up', () => {
    const { slot = aSlot } = aSnapshot();
    const { rolloutState, verdict } = (() => {
      const answer = decide({ ...aSnapshot({ ...parts, slot }), pods, fresh: freshOf(slot) }, noMemory);
      if ('needs' in answer) throw new Error(answer.needs);
      return answer;
    })();
    expect(verdict.reason).to.equal('AwaitingGrant');
    expect(rolloutState).to.deep.include({ isUnderWay: true, slot: slot.startTime });
  });

  it('does nothing that the ledger at the API server does not have any more', () => {
    for (const slot of [undefined, { ...aSlot, startTime: '2026-01-01T11:00:00Z' }]) {
      const { verdict, commands } = judge({ ...parts, slot: aSlot }, { pods, ...found, fresh: { slot } });
      expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot', requeueAfterMs: 2000 });
      expect(commands).to.deep.equal([]);
    }
    expect(namesOf(judge({ ...parts, slot: aSlot }, { pods }))).to.deep.equal(['PatchNode']);
  });

  it('that was given to an already closed node, which is open by now, is requested again: it would not be counted', () => {
    const slot = { ...aSlot, kind: 'Fresh' as const };
    const open = rolloutStateOf({ slot });
    expect(open.request).to.include({ kind: 'New' });
    expect(open).to.deep.include({ isUnderWay: false, slot: slot.startTime });
    expect(rolloutStateOf({ slot, node: aNode({ allocatable, taints: taints.startup }) }).isUnderWay).to.equal(true);
    const begun = aNode({ allocatable, taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    expect(rolloutStateOf({ slot, node: begun }).isUnderWay).to.equal(true);
  });

  it('does not keep it for nothing: when its time is over and nothing has begun, it is given back', () => {
    const late = { ...parts, slot: aSlot, partition: undefined };
    const rolloutState = (now: number) => {
      const decision = decide({ ...aSnapshot({ ...late, now }), pods }, noMemory);
      if ('needs' in decision) throw new Error(decision.needs);
      return decision.rolloutState;
    };
    expect(rolloutState(noon).isUnderWay).to.equal(false);
    const silent = aManagedPartition({ device: {} });
    expect(rolloutStateOf({ slot: aSlot, partition: silent, now: noon + 60_000 }).isUnderWay).to.equal(true);
    expect(rolloutStateOf({ slot: aSlot, partition: silent, now: noon + 3600_000 }).isUnderWay).to.equal(false);
  });

  it('has it for the wish that it has: an earlier one is for another change, a later edit takes nothing away', () => {
    const node = { node: 'n', nodeUID: 'uid-n' };
    const ledger = [{ ...aSlot, generation: 2 }];
    expect(slotOf(ledger, { ...node, wishGeneration: 1 })).to.equal(ledger[0]);
    expect(slotOf(ledger, { ...node, wishGeneration: 2 })).to.equal(ledger[0]);
    expect(slotOf(ledger, { ...node, wishGeneration: 3 })).to.equal(undefined);
    expect(slotOf(ledger, { ...node, nodeUID: 'uid-of-another', wishGeneration: 1 })).to.equal(undefined);
    expect(slotOf(undefined, { ...node, wishGeneration: 1 })).to.equal(undefined);
  });
});

describe('a slot', () => {
  const closed = aNode({ allocatable, taints: taints.closed });
  const situationOf = (more: SnapshotParts = {}, seen: Partial<RuleInput> = {}): RuleInput =>
    aSituation({ ...parts, ...more }, { pods, ...seen });

  const of = `DrainTimeout ${askedOf(situationOf())} 0 ns/goes`;
  const memory = { ...noMemory, waits: { DrainRest: { since: noon, of, count: 2 } } };

  it('is in force on a node that is closed, even if it was given because the node was closed', () => {
    const slot = { ...aSlot, kind: 'Fresh' as const };
    expect(slotInForce(situationOf({ slot, node: closed }))).to.equal(slot);
    expect(slotInForce(situationOf({ slot }))).to.equal(undefined);
  });

  it('of a generation that is paused is not, nor one that tells no generation if there is no other', () => {
    const policy = aSlicingPolicy({ rollout: { paused: true } });
    const { generation: _none, ...untold } = aSlot;
    expect(slotInForce(situationOf({ policy, slot: aSlot }))).to.equal(undefined);
    expect(slotInForce(situationOf({ policy, slot: untold }))).to.equal(untold);
  });

  it('may be at the API server already if the node is closed: that is looked up whatever for it would be', () => {
    for (const use of ['Layout', 'Settings', 'Plugin', 'Status'] as const) {
      const known = aFreshRead({ slot: aSlot });
      expect(awaitSlot(situationOf({ node: closed }), use)).to.deep.equal({ needs: 'All' });
      const held = awaitSlot(situationOf({ node: closed }, { fresh: known }), use);
      expect(held).to.include({ ifClosed: 'Stays' });
      expect(held).to.not.have.property('request');
      const none = awaitSlot(situationOf({ node: closed }, { fresh: { ...known, slot: undefined } }), use);
      expect(none).to.include({ ifClosed: 'Opens' }).and.have.property('request');
    }
  });

  it('is compared with the API server’s before anything is touched', () => {
    expect(awaitTurn(situationOf({ slot: aSlot }), 'Layout', [])).to.deep.equal({ needs: 'All' });
  });

  it('at the API server does not keep a paused node closed', () => {
    const found = { ...aSlot, kind: 'Found' as const };
    const known = aFreshRead({ slot: found });
    const policy = aSlicingPolicy({ rollout: { paused: true } });
    const outcome = awaitSlot(situationOf({ policy, node: closed, slot: found }, { fresh: known }), 'Layout');
    expect(outcome).to.include({ ifClosed: 'Opens' });
    expect(outcome).to.have.nested.property('verdict.reason', 'Paused');
  });

  it('for anything but a layout is requested without what the plan would cost', () => {
    const requestOf = (use: SlotUse, seen: Partial<RuleInput> = {}) => {
      const outcome = awaitSlot(situationOf({}, seen), use);
      return outcome && 'request' in outcome ? outcome.request : undefined;
    };
    expect(requestOf('Layout', { memory })).to.include({ kind: 'New', evictions: 1, destroys: 1, failedDrains: 2 });
    for (const [use, kind] of [
      ['Settings', 'New'],
      ['Plugin', 'Repair'],
      ['Status', 'Repair'],
    ] as const)
      expect(requestOf(use, { memory })).to.deep.equal({
        kind,
        isClosedAnyway: false,
        evictions: 0,
        destroys: 0,
        failedDrains: 0,
      });
    const bare = { ...partition, status: { device } };
    expect(requestOf('Layout', { partition: bare })).to.include({ evictions: 0, destroys: 0 });
    const changed = aManagedPartition({
      device: { ...device, step: 'Idle', lastGood: { bootID: 'boot-a', gpus: [] } },
      wish: partition.spec.wish ?? { gpus: [] },
      granted: aGrant({ gpus: partition.spec.wish?.gpus ?? [] }),
    });
    expect(requestOf('Layout', { partition: changed })?.kind).to.equal('Repair');
    expect(requestOf('Settings', { partition: changed })?.kind).to.equal('New');
  });

  it('is waited for only moments: no one has to hear of it at once', () => {
    expect(judge({ ...parts, slot: aSlot }, { pods, fresh: { slot: undefined } }).verdict.transient).to.equal(true);
    const elsewhere = { policy: { uid: 'uid-p', generation: 2, told: 2 } };
    const { verdict } = judge({ ...parts, slot: aSlot }, { pods, fresh: { slot: aSlot, ...elsewhere } });
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan', transient: true });
  });
});

function freshOf(slot: typeof aSlot | undefined) {
  const policy = { uid: 'uid-p', generation: 1, told: 1 };
  return {
    policy,
    slot,
    resourceSlices: [],
    holders: ['ns/goes', 'ns/stays'],
    going: ['ns/goes'],
    drain: { budgets: [] },
  };
}
