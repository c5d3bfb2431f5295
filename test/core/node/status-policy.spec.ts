import { expect } from 'chai';
import { type NodeOutcome, NodeCounts } from '../../../src/core/policy/tally.ts';
import { policyStatus } from '../../../src/core/node/status.ts';
import type { PolicyRefusal } from '../../../src/core/policy/resolve-node.ts';
import { aPolicy } from '../../support/builders.ts';
import { storeVersions } from '../../../src/core/policy/record.ts';

const ready: NodeOutcome = { node: 'a', phase: 'Ready', reason: 'Ready', message: '' };
const failed: NodeOutcome = { node: 'b', phase: 'Failed', reason: 'Failed', message: 'InUse: pid 42' };
const waiting: NodeOutcome = { node: 'c', phase: 'Waiting', reason: 'PodsUseGpus', message: 'pods: ns/x' };

function tallyOf(outcomes: readonly NodeOutcome[]): NodeCounts {
  const tally = new NodeCounts([]);
  for (const outcome of outcomes) tally.put(outcome);
  return tally;
}

function conditions(outcomes: readonly NodeOutcome[], policy = aPolicy(), refusal?: PolicyRefusal) {
  const status = policyStatus({ policy, refusal }, tallyOf(outcomes));
  return Object.fromEntries(status.conditions.map(({ type, status: holds, reason }) => [type, `${holds} ${reason}`]));
}

describe('policyStatus', () => {
  it('is Ready without any node: pools scale from zero', () => {
    expect(conditions([])).to.deep.equal({
      Ready: 'True NoNodes',
      Reconciling: 'False NotReconciling',
      Stalled: 'False NotStalled',
      Valid: 'True Valid',
    });
  });

  it('is Ready when every node is, and in mode Plan', () => {
    expect(conditions([ready])).to.include({ Ready: 'True Ready' });
    expect(conditions([failed], aPolicy({ mode: 'Plan' }))).to.include({ Ready: 'True PlanOnly' });
  });

  it('is reconciling while nodes wait for pods, and names them', () => {
    expect(conditions([ready, waiting])).to.include({ Ready: 'False Waiting', Reconciling: 'True Waiting' });
    expect(policyStatus({ policy: aPolicy() }, tallyOf([waiting])).conditions[0]?.message).to.include('ns/x');
  });

  it('is stalled by a failure and by a refusal', () => {
    expect(conditions([ready, failed, waiting])).to.include({ Stalled: 'True Failed' });
    const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
    expect(conditions([ready], aPolicy(), refusal)).to.include({
      Valid: 'False DoesNotFit',
      Stalled: 'True DoesNotFit',
    });
  });

  describe('that has lost nodes to another policy', () => {
    const outranked: NodeOutcome = { ...ready, node: 'x', wonBy: 'other', isOutranked: true };
    const conflicted: NodeOutcome = { ...ready, node: 'y', wonBy: 'twin' };
    const gate = { reason: 'Halted', failed: new Set(['b']), threshold: 1, isCanary: false } as const;

    it('is Ready where that was meant by its priority, and says which policy has them', () => {
      expect(conditions([ready, outranked])).to.deep.equal({
        Ready: 'True Outranked',
        Reconciling: 'False NotReconciling',
        Stalled: 'False NotStalled',
        Valid: 'True Valid',
      });
      const status = policyStatus({ policy: aPolicy() }, tallyOf([outranked]));
      expect(status.conditions[0]?.message).to.equal(
        'a policy of higher priority decides over 1 selected node: x: policy other',
      );
      expect(status.nodes).to.include({ matched: 1, ready: 0, outranked: 1, conflicted: 0 });
      expect(status.summary).to.equal('0/1 ready, 1 outranked');
      const both = policyStatus({ policy: aPolicy() }, tallyOf([ready, outranked])).conditions[0]?.message;
      expect(both).to.match(/^the selected node matches the policy; a policy of higher priority/);
    });

    it('is stalled where only age or name decided: somebody has to say what is meant', () => {
      const found = policyStatus({ policy: aPolicy() }, tallyOf([ready, outranked, conflicted]));
      expect(conditions([ready, outranked, conflicted])).to.include({
        Ready: 'False Conflicted',
        Stalled: 'True Conflicted',
      });
      expect(found.conditions[0]?.message).to.match(/^y: won by policy twin; at equal priority/);
      expect(found.nodes).to.include({ outranked: 1, conflicted: 1 });
    });

    it('says first what has failed on its own nodes, and whether it is halted', () => {
      for (const lost of [outranked, conflicted]) {
        expect(conditions([failed, lost])).to.include({ Stalled: 'True Failed' });
        const halted = policyStatus({ policy: aPolicy(), gate }, tallyOf([failed, lost]));
        expect(halted.conditions[0]).to.include({ type: 'Ready', status: 'False', reason: 'Halted' });
      }
      expect(conditions([waiting, outranked])).to.include({ Reconciling: 'True Waiting' });
    });
  });

  describe('of which the newest generation is not accepted', () => {
    const refusedBy = { reason: 'DoesNotFit', message: 'node n: needs 9 of 8' } as const;
    const inForce = aPolicy({ generation: 3 });

    it('counts its nodes as they are under the generation in force, keeps that, and says so', () => {
      const versions = { acceptedGeneration: 3, inForce };
      const facts = { policy: aPolicy({ generation: 4 }), ...versions, stored: storeVersions(versions), refusedBy };
      const status = policyStatus(facts, tallyOf([ready, { ...ready, node: 'b' }]));
      expect(status.summary).to.equal('2/2 ready');
      expect(status).to.include({ observedGeneration: 4, acceptedGeneration: 3 });
      expect(status.inForce).to.deep.equal({ generation: 3, spec: inForce.spec });
      const [told, , , valid] = status.conditions;
      expect(told).to.include({ type: 'Ready', status: 'False', reason: 'DoesNotFit' });
      expect(told?.message).to.equal(
        'generation 4 is not accepted and touches nothing; generation 3 stays in force: node n: needs 9 of 8',
      );
      expect(valid).to.include({ type: 'Valid', status: 'False', reason: 'DoesNotFit' });
    });

    it('says something else where the controller cannot carry out what it had accepted', () => {
      const refusal = { reason: 'NotConfigured', message: 'needs an option' } as const;
      const facts = { policy: inForce, acceptedGeneration: 3, inForce, refusal };
      expect(policyStatus(facts, tallyOf([ready])).conditions[0]?.message).to.equal(
        'no change starts, and nodes stay as they are: needs an option',
      );
    });
  });

  it('is not said to be at rest while nodes finish what they had started', () => {
    const updating: NodeOutcome = { node: 'u', phase: 'Updating', reason: 'Applying', message: '' };
    const saidOf = (...outcomes: readonly NodeOutcome[]) =>
      policyStatus({ policy: aPolicy() }, tallyOf(outcomes)).conditions.find(({ type }) => type === 'Reconciling');
    expect(saidOf(failed)).to.include({ status: 'False', message: 'no change is in progress' });
    expect(saidOf(failed, updating)).to.include({
      status: 'False',
      message: 'no node starts to change; 1 node that had started before will finish',
    });
  });

  it('is never said to match nodes that it leaves alone', () => {
    const message = 'GPU 0 (Tesla T4) has no MIG support, so it cannot be sliced';
    const skipped: NodeOutcome = { node: 't4', phase: 'Ready', reason: 'NothingToDo', message };
    const saidOf = (...outcomes: readonly NodeOutcome[]) =>
      policyStatus({ policy: aPolicy() }, tallyOf(outcomes)).conditions[0];
    expect(saidOf(skipped)).to.include({
      status: 'True',
      reason: 'Ready',
      message: `no layout of the policy applies to a GPU of the 1 selected node: t4: ${message}`,
    });
    expect(saidOf(ready, skipped)?.message).to.equal(
      `1 of 2 selected nodes match the policy; no layout of it applies to a GPU of the others: t4: ${message}`,
    );
  });

  it('says that it is being deleted, who is left, until when, and how to let it go at once', () => {
    const policy = aPolicy({ onDelete: 'DisableMig' });
    const deletionTimestamp = '2026-01-01T12:00:00Z';
    const metadata = { ...policy.metadata, deletionTimestamp, finalizers: ['gpupartition.dev/cleanup'] };
    const stays = 'waiting, with the node open, for 1 pod that no eviction moves: ns/train';
    const waiting: NodeOutcome = { node: 'n2', phase: 'Waiting', reason: 'PodsUseGpus', message: stays };
    const facts = { policy: { ...policy, metadata }, goesAt: Date.parse('2026-01-01T12:30:00Z') };
    const { summary, conditions: found } = policyStatus(facts, tallyOf([ready, waiting]));
    expect(summary).to.equal('1/2 ready, 1 waiting, deleting');
    expect(found[0]).to.deep.equal({
      type: 'Ready',
      status: 'False',
      reason: 'Deleting',
      message:
        'the policy is being deleted, and makes its GPUs whole first (onDelete: DisableMig): 1 of 2 nodes done; ' +
        `n2: ${stays}. It goes without the rest at 2026-01-01T12:30:00Z; spec.onDelete: Keep lets it go now`,
    });
    expect(found[1]).to.include({ type: 'Reconciling', status: 'True', reason: 'Deleting' });
    // One that keeps its layouts only waits for somebody else's finalizer.
    const kept = { ...facts.policy, spec: { ...policy.spec, onDelete: 'Keep' as const } };
    expect(policyStatus({ ...facts, policy: kept }, tallyOf([ready])).conditions[0]?.reason).to.equal('Ready');
  });

  it('counts a node to which nothing of it applies as skipped and not as ready, and says why', () => {
    const message = 'GPU 0 (Tesla T4) has no MIG support, so it cannot be sliced';
    const skipped: NodeOutcome = { node: 't4', phase: 'Ready', reason: 'NothingToDo', message };
    const { nodes, summary, conditions: found } = policyStatus({ policy: aPolicy() }, tallyOf([ready, skipped]));
    expect(nodes).to.include({ matched: 2, ready: 1, skipped: 1 });
    expect(summary).to.equal('1/2 ready, 1 skipped');
    expect(found.find(({ type }) => type === 'Valid')?.message).to.equal(`accepted; skipped: t4: ${message}`);
  });

  it('counts nodes and sums plans', () => {
    const plan = { hash: '', wishHash: '', keep: 2, destroy: 1, create: 3, gpusChanging: 1 };
    const status = policyStatus(
      { policy: aPolicy() },
      tallyOf([ready, failed, { ...waiting, plan }, { ...ready, node: 'd', plan }]),
    );
    expect(status.nodes).to.deep.include({ matched: 4, ready: 2, failed: 1, pending: 1 });
    expect(status.plan).to.include({ instancesKept: 4, instancesDestroyed: 2, instancesCreated: 6, gpusChanging: 2 });
    expect(status.summary).to.equal('2/4 ready, 1 waiting, 1 failed');
    expect(status.failures).to.deep.equal([{ node: 'b', reason: 'Failed', message: 'InUse: pid 42' }]);
  });

  it('tells of a freeze of the whole cluster whatever else there is to say, and keeps its state', () => {
    const frozen = 'incident 7';
    for (const outcomes of [[], [ready], [ready, waiting], [ready, failed]]) {
      const { summary, conditions: found } = policyStatus({ policy: aPolicy(), frozen }, tallyOf(outcomes));
      const calm = policyStatus({ policy: aPolicy() }, tallyOf(outcomes));
      expect(summary).to.equal(`${calm.summary}, frozen`);
      expect(found.map(({ status, reason }) => `${status} ${reason}`)).to.deep.equal(
        calm.conditions.map(({ status, reason }) => `${status} ${reason}`),
      );
      expect(found[0]?.message).to.equal(
        `${calm.conditions[0]?.message}; the whole cluster is frozen: incident 7. No node starts to change; restart the controller without --freeze to continue`,
      );
    }
    const long = { ...failed, message: 'x'.repeat(5000) };
    const [told] = policyStatus({ policy: aPolicy(), frozen }, tallyOf([long])).conditions;
    expect(told?.message)
      .to.have.length(4096)
      .and.to.match(/--freeze to continue$/);
  });

  it('says once that the cluster is frozen where nodes wait for just that', () => {
    const gate = { reason: 'Frozen', why: 'incident 7' } as const;
    const asking: NodeOutcome = { node: 'a', phase: 'Pending', reason: 'AwaitingSlot', message: 'a slot' };
    const [told] = policyStatus({ policy: aPolicy(), gate, frozen: gate.why }, tallyOf([asking])).conditions;
    expect(told?.reason).to.equal('Frozen');
    expect(told?.message.match(/frozen/g)).to.have.length(1);
  });

  it('joins nodes by what keeps them, and gives one of each as an example', () => {
    const cordoned = (node: string): NodeOutcome => ({
      node,
      phase: 'Waiting',
      reason: 'ForeignCordon',
      message: `kubectl uncordon ${node}`,
    });
    const many = ['c1', 'c2', 'c3', 'c4', 'c5'].map(cordoned);
    const [told] = policyStatus({ policy: aPolicy() }, tallyOf([waiting, ...many])).conditions;
    expect(told?.message).to.equal(
      '5 nodes ForeignCordon (c1, c2, c3 and 2 more), for example c1: kubectl uncordon c1; c: pods: ns/x',
    );
  });

  it('leaves out nodes that were not looked at yet where others say more', () => {
    const tally = new NodeCounts(['a', 'b']);
    const [unseen] = policyStatus({ policy: aPolicy() }, tally).conditions;
    expect(unseen?.message).to.equal('2 nodes AwaitingPlan (a, b), for example a: not looked at yet');
    tally.put({ ...waiting, node: 'a', phase: 'Pending' });
    const [told] = policyStatus({ policy: aPolicy() }, tally).conditions;
    expect(told?.message).to.equal('a: pods: ns/x');
  });

  it('counts the causes that it does not name', () => {
    const reasons = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    const each = reasons.map((reason, at): NodeOutcome => ({ ...waiting, node: `n${at}`, reason }));
    const [told] = policyStatus({ policy: aPolicy() }, tallyOf(each)).conditions;
    expect(told?.message).to.match(/^n0: pods: ns\/x; .*; n4: pods: ns\/x; and 2 more nodes$/);
  });

  it('stays small with thousands of nodes', () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({
      ...failed,
      node: `node-${index}`,
      message: 'x'.repeat(2000),
    }));
    expect(JSON.stringify(policyStatus({ policy: aPolicy() }, tallyOf(many))).length).to.be.lessThan(100_000);
  });
});
