import { expect } from 'chai';
import { decide } from '../../../src/core/node/decide.ts';
import { timeText } from '../../../src/core/text/syntax.ts';
import { planWish } from '../../../src/core/device/plan.ts';
import { aDevice, aGpu, aPartition, uuidOf } from '../../support/builders.ts';
import {
  aClaim,
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aSlot,
  aSlicingPolicy,
  aSnapshot,
  checkingHold,
  judge,
  namesOf,
  noMemory,
  noon,
  notInForce,
  refusedHold,
  slicedGpu,
  taints,
  wholeGpu,
} from '../../support/node-builders.ts';

const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };

describe('decide', () => {
  it('closes a node whose agent has planned the wish, and grants when no late pod has arrived', () => {
    const first = judge();
    expect(first.verdict).to.include({ phase: 'Updating', reason: 'AwaitingGrant', requeueAfterMs: 300 });
    expect(namesOf(first)).to.deep.equal(['PatchNode']);
    const second = judge({ node: closed }, {}, settled);
    expect(second.verdict).to.include({ phase: 'Updating', reason: 'Applying' });
    expect(namesOf(second)).to.deep.equal(['WriteGrant']);
  });

  it('decides a grant on nothing less than a fresh read of everything', () => {
    expect(judge({ node: closed }, {}, settled).reads).to.deep.equal(['All']);
    const isGranted = ({ commands }: { readonly commands?: readonly { readonly name: string }[] }) =>
      (commands ?? []).some(({ name }) => name === 'WriteGrant');
    const known = { ...aSnapshot({ node: closed }), pods: [] };
    const decision = decide(known, settled);
    expect('needs' in decision || !isGranted(decision)).to.equal(true);
  });

  it('opens a node on nothing less than a fresh read of everything, and asks for none where it is open', () => {
    const partition = aManagedPartition({ device: slicedGpu });
    const open = aNode({ allocatable: advertisesSlice });
    expect(judge({ partition, node: open }).reads).to.deep.equal([]);
    const node = aNode({ allocatable: advertisesSlice, taints: taints.startup });
    const opened = judge({ partition, node });
    expect(opened.reads).to.deep.equal(['All']);
    const removed = opened.commands.flatMap((command) =>
      command.name === 'PatchNode' ? (command.change.removeTaints ?? []) : [],
    );
    expect(removed).to.deep.equal(taints.startup.map(({ key }) => key));
  });

  it('writes the wish first, once: a new generation alone does not cause a write', () => {
    const fresh = judge({ partition: aPartition({ device: { ...wholeGpu, bootID: 'boot-a' } }) });
    expect(namesOf(fresh)).to.deep.equal(['WriteWish']);
    expect(fresh.verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan', transient: true });
    const edited = judge({ policy: aSlicingPolicy({ generation: 9 }) });
    expect(edited.verdict.reason).to.equal('AwaitingGrant');
  });

  it('waits for the plan of this wish', () => {
    const plan = planWish(wholeGpu, { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] }).report;
    const stale = judge({ partition: aManagedPartition({ device: { ...wholeGpu, plan } }) });
    expect(stale.verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan' });
    expect(stale.commands).to.deep.equal([]);
  });

  it('is Ready when device, labels and resources match the policy', () => {
    const partition = aManagedPartition({ device: slicedGpu });
    const { verdict } = judge({ partition, node: aNode({ allocatable: advertisesSlice }) });
    expect(verdict).to.include({ phase: 'Ready', reason: 'Ready' });
  });

  it('lets a grant in flight end before anything else, until its deadline', () => {
    const partition = aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, observedEpoch: 2 } });
    for (const parts of [
      {},
      { policy: undefined },
      { claim: notInForce(refusedHold) },
      { claim: { hold: refusedHold } },
      { claim: { hold: checkingHold } },
      { agent: { state: 'Missing' as const } },
      { node: aNode({ nodeInfo: { bootID: 'boot-b' } }) },
    ]) {
      const answer = judge({ partition, ...parts });
      expect(answer.verdict).to.include({ phase: 'Updating', reason: 'Applying', requeueAfterMs: 601_000 });
      // Somebody has opened the node under the grant: it is closed again, and nothing else.
      expect(namesOf(answer)).to.deep.equal(['PatchNode']);
    }
    const late = judge({ partition, now: Date.parse('2026-01-01T12:10:01Z') });
    expect(late.verdict).to.include({ phase: 'Failed', reason: 'Failed' });
    expect(late.verdict.message).to.include('2026-01-01T12:10:00Z').and.include('look at its log');
  });

  it('tries again after a failure when it has rested, not before', () => {
    const error = { code: 'CommandFailed', message: 'it said no' };
    const partition = aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, step: 'Failed', error } });
    const early = judge({ partition });
    expect(early.verdict).to.deep.include({
      phase: 'Failed',
      message: 'CommandFailed: it said no',
      requeueAfterMs: 5_000,
    });
    expect(early.commands).to.deep.equal([]);
    expect(judge({ partition, now: noon + 5_000 }, {}, early.memory).verdict.reason).to.equal('AwaitingGrant');
  });

  it('makes the partition of a GPU node, and asks for nothing of a node without GPUs', () => {
    const gpuNode = judge({ partition: undefined });
    expect(namesOf(gpuNode)).to.deep.equal(['CreatePartition']);
    const marked = judge({ partition: undefined, policy: undefined });
    expect(namesOf(marked)).to.deep.equal(['CreatePartition']);
    const plain = judge({
      partition: undefined,
      policy: undefined,
      node: aNode({ labels: { 'nvidia.com/gpu.present': 'false' } }),
    });
    expect(plain.commands).to.deep.equal([]);
    // A cluster has many of them: none is looked at again before something happens to it.
    expect(plain.verdict.requeueAfterMs).to.equal(undefined);
  });

  it('lets go of a node without policy and partition: where the CRDs were removed first no other can be made', () => {
    const labels = {
      'nvidia.com/gpu.present': 'true',
      'gpupartition.dev/policy': 'p',
      'gpupartition.dev/state': 'ready',
    };
    const gone = { partition: undefined, policy: undefined };
    expect(namesOf(judge({ ...gone, node: aNode({ labels }) }))).to.deep.equal(['PatchNode', 'CreatePartition']);
    const closed = aNode({ labels, taints: taints.closed });
    expect(namesOf(judge({ ...gone, node: closed })), 'its agent may be at work').to.deep.equal(['CreatePartition']);
    expect(namesOf(judge({ partition: undefined, node: aNode({ labels }) }))).to.deep.equal(['CreatePartition']);
  });

  it('takes the partition of an earlier node of the same name away', () => {
    const stranger = judge({ partition: aManagedPartition({ nodeUID: 'uid-before', device: slicedGpu }) });
    expect(stranger.commands).to.deep.equal([{ name: 'DeletePartition', uid: 'uid-gpn' }]);
  });

  it('knows of a node that was recreated under its name while it is closed: its ledger must have it at once', () => {
    const node = aNode({ taints: taints.closed });
    const anew = judge({ node, partition: aManagedPartition({ nodeUID: 'uid-before', granted: aGrant() }) });
    expect(anew.rolloutState).to.include({ isUnderWay: true, hasGpus: false });
    expect(judge({ node, partition: undefined }).rolloutState.isUnderWay).to.equal(true);
    // The grant was the earlier node's.
    const open = judge({ partition: aManagedPartition({ nodeUID: 'uid-before', granted: aGrant({ epoch: 9 }) }) });
    expect(open.rolloutState.isUnderWay).to.equal(false);
  });

  it('keeps a slot that it begins to use at that moment, however late: the node would be closed without one', () => {
    const late = judge({ slot: { ...aSlot, deadline: timeText(noon - 3_600_000) } });
    expect(namesOf(late)).to.deep.equal(['PatchNode']);
    expect(late.rolloutState.isUnderWay).to.equal(true);
  });

  it('patches the Node once for all that changes on it', () => {
    const partition = aManagedPartition({ device: slicedGpu });
    const answer = judge({ partition, node: aNode({ allocatable: advertisesSlice }) });
    expect(namesOf(answer).filter((name) => name === 'PatchNode')).to.have.lengthOf(1);
  });

  it('decides the same of the same', () => {
    const snapshot = aSnapshot({ partition: aManagedPartition({ device: aDevice(aGpu({ slices: ['1g.5gb@0*'] })) }) });
    expect(decide(snapshot, noMemory)).to.deep.equal(decide(snapshot, noMemory));
    expect(aClaim(undefined, undefined).winner).to.equal(undefined);
  });
});
