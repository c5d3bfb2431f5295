import { expect } from 'chai';
import {
  advertisesSlice,
  advertisesWhole,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  noon,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { planWish } from '../../../../src/core/wish/plan-wish.ts';
import { grantOverdue, grantUnanswered } from '../../../../src/core/node/rules/grant-in-flight.ts';
import { revoke } from '../../../../src/core/node/revocation.ts';
import { NodeWorld } from '../../../support/node-world.ts';

/** A node that was closed for grant 3, whose agent has not said a word since, a second after the deadline. */
function anOverdueGrant(more: ConstructorParameters<typeof NodeWorld>[0] = {}): NodeWorld {
  const world = new NodeWorld({
    node: aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } }),
    partition: aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, observedEpoch: 2 } }),
    agent: { state: 'Missing' },
    pods: [aPluginPod({ uid: 'old' })],
    ...more,
  });
  world.now = Date.parse('2026-01-01T12:10:01Z');
  return world;
}

/** The same after the grant was taken back, and anything that an agent had begun has ended. */
function anUnansweredGrant(more: ConstructorParameters<typeof NodeWorld>[0] = {}): NodeWorld {
  const world = anOverdueGrant(more);
  world.step();
  world.step();
  world.now += workEndsMs;
  world.done.length = 0;
  return world;
}

/** The plugin's DaemonSet, once a second: a pod where no taint that it does not tolerate is on the node. */
function runPlugin(world: NodeWorld, offer: Readonly<Record<string, string>>, tolerates = false): void {
  if (world.pods.length > 0) return world.advertise(offer);
  world.advertise({});
  const mayCome = tolerates || world.taintKeys.length === 0;
  if (mayCome) world.pods = [aPluginPod({ uid: `new-${world.now}`, tolerates })];
}

/** Of a grant that does not say how long it is valid. */
const workEndsMs = 90_000;

describe('a grant', () => {
  it('is in force up to its deadline, and looked at again a second after that', () => {
    const world = anOverdueGrant();
    world.now = Date.parse('2026-01-01T12:10:00Z');
    expect(world.step().verdict).to.include({ phase: 'Updating', reason: 'Applying', requeueAfterMs: 1000 });
    expect(world.done).to.deep.equal([]);
  });
});

describe('a grant whose deadline is over', () => {
  it('is taken back by the next grant, which allows nothing, and nothing else is done before that is written', () => {
    const world = anOverdueGrant();
    const { granted } = world.partition.spec;
    const { verdict } = world.step();
    expect(verdict).to.include({ phase: 'Failed', reason: 'Failed', transient: true, requeueAfterMs: 1000 });
    expect(world.done).to.deep.equal(['RevokeGrant']);
    // What an agent made before it was stopped stays recognisable as ours.
    expect(world.partition.spec.granted).to.deep.equal({ ...granted, epoch: 4, planHash: '' });
  });

  it('is taken back even if its node is open, and if no policy is left', () => {
    const world = anOverdueGrant({ node: aNode(), policy: undefined });
    world.step();
    expect(world.done).to.deep.equal(['RevokeGrant']);
  });

  it('keeps its node closed, and the plugin as it is, until an agent that was at work has stopped', () => {
    const world = anOverdueGrant();
    world.advertise({ 'nvidia.com/gpu': '0' });
    world.step();
    for (let second = 0; second < 89; second += 1) {
      const { verdict } = world.step(1000);
      expect(verdict.message).to.include('an agent that is at work stops by 2026-01-01T12:11:3');
    }
    expect(world.done).to.deep.equal(['RevokeGrant']);
    world.failOver();
    world.step(5000);
    expect(world.done).to.deep.equal(['RevokeGrant', 'PatchNode', 'EvictPod old']);
  });

  it('is not waited for any longer than it is valid, where another leader’s clock is behind', () => {
    const world = anOverdueGrant({
      partition: aManagedPartition({ granted: aGrant({ seconds: 60 }), device: { ...wholeGpu, observedEpoch: 2 } }),
    });
    world.now = noon - 3_600_000;
    world.step();
    world.step(60_001);
    expect(world.done).to.deep.equal(['RevokeGrant']);
  });

  it('is answered by an agent that is back, and a new one follows', () => {
    const world = anOverdueGrant({ agent: { state: 'Ready' } });
    world.step();
    const { gpus, wish = { gpus: [] } } = { ...world.device, ...world.partition.spec };
    world.report({ observedEpoch: 4, step: 'Failed', error: { code: 'Stale', message: 'taken back' } });
    world.report({ plan: planWish({ ...world.device, gpus: gpus ?? [] }, wish).report });
    for (let second = 0; second < 10; second += 1) world.step(1000);
    expect(world.done.at(-1)).to.equal('WriteGrant');
    expect(world.partition.spec.granted).to.include({ epoch: 5 });
    expect(world.partition.spec.granted?.planHash).to.not.equal('');
  });
});

describe('a grant that is not answered by its deadline', () => {
  it('names the agent and what is wrong with it', () => {
    const missing = anUnansweredGrant().step();
    expect(missing.verdict).to.include({ phase: 'Failed', reason: 'Failed' });
    expect(missing.verdict.message).to.include('no agent pod runs on node n');
    const crashing = anUnansweredGrant({ agent: { state: 'NotReady', why: 'pod agents/a: CrashLoopBackOff' } }).step();
    expect(crashing.verdict.message).to.include('CrashLoopBackOff');
    const silent = anUnansweredGrant({ agent: { state: 'Ready' } }).step();
    expect(silent.verdict.message).to.include('look at its log');
  });

  it('has the device plugin replaced, once, and takes the taint off when nothing is offered any more', () => {
    const world = anUnansweredGrant();
    expect(world.step().verdict.message).to.include('its device plugin is restarting');
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod old']);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.step(1000);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.advertise({ 'nvidia.com/gpu': '0' });
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('waits for a plugin that tolerates the taint to be back, and takes the taint off then', () => {
    const world = anUnansweredGrant({ pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    world.step();
    world.pods = [aPluginPod({ uid: 'new', tolerates: true, isReady: false })];
    world.step(1000);
    world.pods = [aPluginPod({ uid: 'new', tolerates: true })];
    world.step(1000);
    // The Node may still show what the old plugin offered.
    world.step(20_000);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.step(10_000);
    expect(world.taintKeys).to.deep.equal([]);
  });

  for (const tolerates of [false, true]) {
    for (const [found, offer] of Object.entries({
      'what it was': advertisesWhole,
      'something else': advertisesSlice,
    })) {
      it(`ends open, and leaves the plugin alone, where the GPUs are ${found} and the plugin ${tolerates ? 'tolerates' : 'does not tolerate'} the taint`, () => {
        const world = anUnansweredGrant({ pods: [aPluginPod({ uid: 'old', tolerates })] });
        for (let second = 0; second < 60; second += 1) {
          world.step(1000);
          runPlugin(world, offer, tolerates);
        }
        expect(world.taintKeys).to.deep.equal([]);
        expect(world.done.filter((what) => what.startsWith('EvictPod'))).to.deep.equal(['EvictPod old']);
        expect(world.labels['gpupartition.dev/state']).to.equal('failed');
        const before = world.done.length;
        world.step(60_000);
        expect(world.done).to.have.lengthOf(before);
      });
    }
  }

  it('keeps the node closed as long as the plugin of before may not be evicted: what that offers may be gone', () => {
    const world = anUnansweredGrant();
    world.refusals = { old: 'gpu/plugin: the disruption budget needs 1 pod' };
    world.step();
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod old']);
    for (let minute = 0; minute < 6; minute += 1) world.step(60_000);
    expect(world.step(1000).verdict.message).to.include('the disruption budget needs 1 pod');
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.refusals = {};
    world.step(60_000);
    world.advertise({});
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('does not hold a dead node, and its slot, for a plugin that never ends: neither evicted nor refused', () => {
    for (const pod of [{ isLeaving: true }, {}]) {
      const down = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' }, ready: 'Unknown' });
      const world = anUnansweredGrant({ node: down, pods: [aPluginPod({ uid: 'old', tolerates: true, ...pod })] });
      world.refusals = { old: 'gpu/plugin: the disruption budget needs 1 pod' };
      for (let minute = 0; minute < 5; minute += 1) world.step(60_000);
      expect(world.taintKeys).to.deep.equal(['repartitioning']);
      world.step(61_000);
      expect(world.taintKeys).to.deep.equal([]);
      expect(world.step(1000).rolloutState.isUnderWay).to.equal(false);
    }
  });

  it('lets go of the node when its policy has been deleted meanwhile', () => {
    const world = anUnansweredGrant();
    world.policy = undefined;
    for (let second = 0; second < 60; second += 1) {
      world.step(1000);
      runPlugin(world, advertisesSlice);
    }
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).not.to.have.property('gpupartition.dev/state');
    expect(world.labels).not.to.have.property('nvidia.com/mig.config.state');
    expect(world.step().verdict).to.include({ phase: 'Unmanaged', reason: 'NoPolicy' });
    expect(world.partition.spec).not.to.have.any.keys('policy', 'strategy', 'wish');
  });

  it('does not believe what is advertised by nobody that is known, until the deadline of a layout', () => {
    const world = anUnansweredGrant({ pods: [] });
    world.step();
    world.step(60_000);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    for (let minute = 0; minute < 6; minute += 1) world.step(60_000);
    expect(world.taintKeys).to.deep.equal([]);
    const gone = anUnansweredGrant({ pods: [] });
    gone.advertise({ 'nvidia.com/gpu': '0' });
    gone.step();
    expect(gone.taintKeys).to.deep.equal([]);
  });

  it('keeps the start-up taint: no layout of the node was ever verified', () => {
    const world = anUnansweredGrant({
      node: aNode({ taints: taints.both, labels: { 'gpupartition.dev/state': 'updating' } }),
    });
    for (let second = 0; second < 60; second += 1) {
      world.step(1000);
      runPlugin(world, advertisesWhole);
    }
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
  });
});

describe('a grant that was not answered', () => {
  const partition = aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, observedEpoch: 2 } });
  const now = Date.parse('2026-01-01T12:10:01Z');

  it('is taken back within moments', () => {
    expect(grantOverdue(aSituation({ partition, now }))?.verdict).to.include({ transient: true });
  });

  it('leaves an open node as it is, and a closed one until an agent that is at work has stopped', () => {
    const { granted } = partition.spec;
    const revoked = {
      ...partition,
      spec: { ...partition.spec, ...(granted && { granted: { ...granted, ...revoke(partition) } }) },
    };
    const open = grantUnanswered(aSituation({ partition: revoked, now }));
    expect(open).to.deep.include({ commands: [] });
    const closed = grantUnanswered(aSituation({ partition: revoked, now, node: aNode({ taints: taints.closed }) }));
    expect(closed).to.have.nested.property('verdict.requeueAfterMs').that.is.above(0);
  });
});
