import { expect } from 'chai';
import type { BudgetView } from '../../../../src/core/node/eviction.ts';
import { aDevice, aGpu, withPods } from '../../../support/builders.ts';
import {
  aDrain,
  aPod,
  aSlotFrom,
  close,
  drainOf,
  drainWish,
  evictionsOf,
  stays,
  stepUntil,
} from '../../../support/drain-world.ts';
import {
  aManagedPartition,
  aSlicingPolicy,
  type Answer,
  advertisesSlice,
  advertisesWhole,
  aDriverPod,
  aGrant,
  aNode,
  aPluginPod,
  aSituation,
  noon,
  slicesOf,
  taints,
  wholeGpu,
  aWish,
  judge,
  noMemory,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import { planWish } from '../../../../src/core/device/plan.ts';
import type { PolicySpec } from '../../../../src/api/types.ts';
import type { PodView } from '../../../../src/core/kubernetes/pod.ts';
import { awaitAnswer } from '../../../../src/core/node/rules/grant.ts';
import { nextGrant } from '../../../../src/core/device/grants.ts';

const train = { app: 'train' };
const aBudget = (disruptionsAllowed: number, { expectedPods = 4, desiredHealthy = 3 } = {}): BudgetView => ({
  metadata: { name: 'train', namespace: 'ns', generation: 1 },
  spec: { selector: { matchLabels: train } },
  status: { observedGeneration: 1, disruptionsAllowed, currentHealthy: expectedPods, desiredHealthy, expectedPods },
});
const never = aBudget(0, { desiredHealthy: 4 });

/** Two pods of one budget on the slice that goes, and one without a budget. */
const [one, two, free] = [
  aPod('one', { owner: 'set', labels: train }),
  aPod('two', { owner: 'set', labels: train }),
  aPod('free'),
];
const shared = aDevice(
  withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), {
    '2g.10gb@0': ['ns/one', 'ns/two', 'ns/free'],
    '3g.20gb@4': ['ns/stays'],
  }),
);

function aBudgetedDrain(budget: BudgetView, drain: PolicySpec['drain'] = {}): NodeWorld {
  const world = aDrain(drain, { pods: [one, two, free, stays] });
  world.partition = aManagedPartition({ device: shared, wish: drainWish });
  world.drain = { budgets: [budget] };
  return world;
}

/** The next slot, when the rest is over. */
function restAndAsk(world: NodeWorld, most = 70): void {
  world.slot = undefined;
  for (let minutes = 0; minutes < most; minutes += 1) {
    if (world.step(60_000).verdict.reason !== 'AwaitingSlot') continue;
    world.slot = aSlotFrom(world.now, 600_000);
    return;
  }
  throw new Error('it does not ask for a slot');
}

/** The first pod of the budget goes, the other one is refused until the time is over, and both are back. */
function failOnce(world: NodeWorld): Answer {
  world.refusals = { 'uid-two': 'the disruption budget train needs 3 healthy pods' };
  close(world);
  const answer = stepUntil(world, 'DrainTimeout', 10_000);
  expect(evictionsOf(world)).to.include.members(['EvictPod uid-one', 'EvictPod uid-free']);
  world.pods = [one, two, free, stays];
  return answer;
}

describe('disruption budgets', () => {
  it('are read before a node is closed, and again before the first eviction, and not for each further one', () => {
    const world = aBudgetedDrain(aBudget(2));
    const reads: string[] = [];
    for (let steps = 0; steps < 20; steps += 1) {
      const answer = world.step(1000);
      reads.push(...answer.reads.filter((read) => read === 'Drain'));
      if (answer.verdict.reason === 'Applying') break;
    }
    expect(world.done).to.include('WriteGrant');
    expect(reads).to.have.length(2);
  });

  it('that never allow a disruption end the attempt with the node open and no pod evicted, not even one without a budget', () => {
    for (const onTimeout of ['Skip', 'Wait'] as const) {
      const world = aBudgetedDrain(never, { onTimeout });
      const { verdict } = world.step();
      expect(verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
      expect(verdict.message).to.match(
        /^disruption budgets never allow the eviction of pods that must go: ns\/one, ns\/two: PodDisruptionBudget ns\/train never allows a disruption: it needs 4 healthy pods and covers 4\. .*the next attempt is at /,
      );
      expect(world.rolloutState?.isUnderWay, 'the turn is another node’s').to.equal(false);
      expect(world.done).to.deep.equal([]);
      restAndAsk(world);
      world.drain = { budgets: [aBudget(2)] };
      stepUntil(world, 'Applying');
    }
  });

  it('count for a single pod as for several', () => {
    for (const [budget, phase] of [
      [never, 'Waiting'],
      [aBudget(0), 'Updating'],
    ] as const) {
      const world = aBudgetedDrain(budget);
      world.pods = [one, free, stays];
      const { verdict } = world.step();
      expect(verdict).to.include({ phase, reason: 'EvictionBlocked' });
      expect(world.done).to.deep.equal([]);
    }
  });

  it('that allow none now are waited for with the node open, within the time of a drain', () => {
    const world = aBudgetedDrain(aBudget(0));
    for (let steps = 0; steps < 100; steps += 1) {
      const { verdict } = world.step(5000);
      expect(verdict).to.include({ phase: 'Updating', reason: 'EvictionBlocked', requeueAfterMs: 5000 });
      expect(verdict.message).to.include('with the node open');
      expect(world.rolloutState?.isUnderWay, 'it keeps its slot').to.equal(true);
    }
    expect(world.done).to.deep.equal([]);
    const later = stepUntil(world, 'DrainTimeout', 5000, 30);
    expect(later.verdict.phase).to.equal('Waiting');
    expect(world.done).to.deep.equal([]);
    restAndAsk(world);
    world.drain = { budgets: [aBudget(1)] };
    stepUntil(world, 'Applying');
  });

  it('that allow none now are waited for as long as it takes where the policy waits', () => {
    const world = aBudgetedDrain(aBudget(0), { onTimeout: 'Wait' });
    for (let minutes = 0; minutes < 30; minutes += 1)
      expect(world.step(60_000).verdict).to.include({ phase: 'Updating', reason: 'EvictionBlocked' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('do not end a drain that is under way, even of one pod', () => {
    const world = aDrain();
    world.refusals = { 'uid-goes': 'not yet' };
    close(world);
    world.step();
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
    world.drain = { budgets: [{ ...never, spec: { selector: {} } }] };
    for (let steps = 0; steps < 20; steps += 1)
      expect(world.step(1000).verdict.reason).to.be.oneOf(['Draining', 'EvictionBlocked']);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('are read before the first eviction for a plan, whatever was announced for another or to nobody', () => {
    for (const drain of [
      { planHash: 'another', pods: [{ namespace: 'ns', name: 'one', uid: 'uid-one' }] },
      { planHash: planWish(shared, drainWish).report.hash, pods: [] },
    ]) {
      const world = aBudgetedDrain(never);
      world.partition = aManagedPartition({ device: shared, wish: drainWish, drain });
      expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
      expect(world.taintKeys).to.deep.equal([]);
    }
  });

  it('that allow some now are used one after the other at the first attempt', () => {
    const world = aBudgetedDrain(aBudget(1));
    world.refusals = { 'uid-two': 'not yet' };
    close(world);
    for (let steps = 0; steps < 20; steps += 1) world.step(1000);
    expect(evictionsOf(world)).to.include.members(['EvictPod uid-one', 'EvictPod uid-free']);
    world.refusals = {};
    stepUntil(world, 'Applying');
  });

  it('do not cost the same pods their place at each attempt: they have to go all at once, if as many are there again', () => {
    const world = aBudgetedDrain(aBudget(1));
    failOnce(world);
    const before = evictionsOf(world).length;
    for (let attempts = 0; attempts < 4; attempts += 1) {
      restAndAsk(world);
      const { verdict } = world.step();
      expect(verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
      expect(verdict.message).to.include('PodDisruptionBudget ns/train allows 1 of the 2 evictions');
      expect(world.taintKeys).to.deep.equal([]);
    }
    expect(evictionsOf(world)).to.have.length(before);
    restAndAsk(world);
    world.refusals = {};
    world.drain = { budgets: [aBudget(2)] };
    stepUntil(world, 'Applying');
  });

  it('are used one after the other again where the attempt before has moved pods, and after an edit', () => {
    const moved = aBudgetedDrain(aBudget(1));
    failOnce(moved);
    moved.pods = [two, free, stays];
    restAndAsk(moved);
    close(moved);
    const fewer = aBudgetedDrain(aBudget(1));
    failOnce(fewer);
    fewer.pods = [one, two, stays];
    restAndAsk(fewer);
    close(fewer);
    const edited = aBudgetedDrain(aBudget(1));
    failOnce(edited);
    restAndAsk(edited);
    edited.policy = aSlicingPolicy({ ...edited.policy?.spec, generation: 2 });
    edited.slot = { ...aSlotFrom(edited.now, 600_000), generation: 2 };
    edited.step();
    edited.step();
    expect(edited.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('are used one after the other again where no pod was evicted before', () => {
    const world = aBudgetedDrain(aBudget(1));
    world.refusals = Object.fromEntries(['one', 'two', 'free'].map((name) => [`uid-${name}`, 'not now']));
    close(world);
    stepUntil(world, 'DrainTimeout', 10_000);
    restAndAsk(world);
    close(world);
  });

  it('count one pod that was evicted for nothing, too: it did not end in time', () => {
    const world = aBudgetedDrain(aBudget(2));
    const ending = aPod('one', { owner: 'set', labels: train });
    world.pods = [ending, stays];
    close(world);
    world.step();
    const { metadata } = ending;
    world.pods = [{ ...ending, metadata: { ...metadata, deletionTimestamp: '2026-01-01T12:00:02Z' } }, stays];
    stepUntil(world, 'DrainTimeout', 10_000);
    world.drain = { budgets: [aBudget(1)] };
    world.pods = [one, two, stays];
    restAndAsk(world);
    expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('keep no pod that goes by force', () => {
    const world = close(aBudgetedDrain(never, { onTimeout: 'Force' }));
    stepUntil(world, 'Applying');
    expect(drainOf(world)).to.have.length(3);
  });
});

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
    expect(awaitAnswer(aSituation({ partition, now }))).to.have.nested.property('verdict.transient', true);
  });

  it('leaves an open node as it is, and a closed one until an agent that is at work has stopped', () => {
    const { granted } = partition.spec;
    const revoked = {
      ...partition,
      spec: { ...partition.spec, ...(granted && { granted: { ...granted, ...nextGrant(partition) } }) },
    };
    const open = awaitAnswer(aSituation({ partition: revoked, now }));
    expect(open).to.deep.include({ commands: [] });
    const closed = awaitAnswer(aSituation({ partition: revoked, now, node: aNode({ taints: taints.closed }) }));
    expect(closed).to.have.nested.property('verdict.requeueAfterMs').that.is.above(0);
  });
});

const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };

/** What the agent of a closed node is told under a policy that says this, ten minutes being allowed for it. */
function grantUnder(
  spec: Partial<PolicySpec> = {},
  deadlineMs = 600_000,
  managed: Parameters<typeof aManagedPartition>[0] = {},
) {
  const policy = aSlicingPolicy();
  const answer = judge(
    {
      node: aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } }),
      partition: aManagedPartition({ device: wholeGpu, ...managed }),
      policy: { ...policy, spec: { ...policy.spec, ...spec } },
      settings: { deadlineMs },
    },
    {},
    settled,
  );
  const [write] = answer.commands.flatMap((command) => (command.name === 'WriteGrant' ? [command] : []));
  if (!write) throw new Error(`no grant: ${answer.verdict.message}`);
  return { ...write, requeueAfterMs: answer.verdict.requeueAfterMs };
}

describe('a grant', () => {
  it('is of what the node is told, with what the policy allows', () => {
    const { granted } = grantUnder({ allow: { replaceForeignInstances: true } }, 600_000, {
      wish: { ...aWish, replaceForeignInstances: true },
    });
    expect(granted).to.deep.include({ gpus: aWish.gpus, replaceForeignInstances: true });
    expect(grantUnder().granted).to.deep.include({ gpus: aWish.gpus, replaceForeignInstances: null });
  });

  it('gives the agent as many seconds as there are until its deadline, and is looked at when that has passed', () => {
    const { granted, requeueAfterMs } = grantUnder();
    expect(granted).to.include({ deadline: '2026-01-01T12:10:00Z', seconds: 600 });
    expect(requeueAfterMs).to.equal(601_000);
    expect(grantUnder({}, 300).granted.seconds, 'never none').to.equal(1);
  });

  it('allows a GPU reset by default, and a reboot or no rollback only if the policy says so', () => {
    expect(grantUnder().granted).to.include({ allowGpuReset: true, allowReboot: null, rollback: null });
    const spec = { allow: { reboot: true }, rollout: { rollback: 'Never' } } as const;
    expect(grantUnder(spec).granted).to.include({ allowGpuReset: true, allowReboot: true, rollback: 'Never' });
  });

  it('that repairs a layout is counted, beside those of the last hour', () => {
    const device = { ...wholeGpu, step: 'Idle' as const, lastGood: { bootID: 'boot-a', gpus: [] } };
    const changed = { granted: aGrant(), device, repairs: ['2026-01-01T11:30:00Z'] };
    expect(grantUnder({}, 600_000, { granted: aGrant(), device }).repairs).to.deep.equal(['2026-01-01T12:00:00Z']);
    expect(grantUnder({}, 600_000, changed).repairs).to.deep.equal(['2026-01-01T11:30:00Z', '2026-01-01T12:00:00Z']);
  });

  it('that repairs nothing counts as no repair', () => {
    expect(grantUnder().repairs).to.equal(null);
  });
});

describe('a DRA driver whose next restart the kubelet would delay', () => {
  /** Its container was restarted by a change some minutes ago. */
  function aRestartedDriver(uid: string, minutes: number): PodView {
    const startedAt = new Date(noon - minutes * 60_000).toISOString();
    const containerStatuses = [{ name: 'gpus', restartCount: 1, state: { running: { startedAt } } }];
    const pod = aDriverPod({ uid });
    return { ...pod, status: { ...pod.status, containerStatuses } };
  }

  function aChange(...pods: readonly PodView[]): NodeWorld {
    const world = new NodeWorld({
      policy: aSlicingPolicy({ backend: 'DRA' }),
      partition: aManagedPartition({ backend: 'DRA' }),
      node: aNode({ allocatable: {} }),
      slices: slicesOf(wholeGpu),
      pods,
    });
    world.claims = [];
    return world;
  }

  const signalled = ({ partition }: NodeWorld) => partition.spec.granted?.signalPods;

  it('is replaced while the node is open, and signalled when it is back: another leader waits, too', () => {
    const world = aChange(aRestartedDriver('old', 9));
    expect(world.step().verdict).to.include({ phase: 'Updating', reason: 'AwaitingGrant' });
    expect(world.done).to.deep.equal(['EvictPod old']);
    for (const pods of [[], [aDriverPod({ uid: 'new', isReady: false })]]) {
      world.pods = pods;
      world.failOver();
      expect(world.step(2000).verdict).to.include({ phase: 'Updating', reason: 'AwaitingGrant' });
      expect(world.taintKeys, 'the node is open').to.deep.equal([]);
    }
    world.pods = [aDriverPod({ uid: 'new' })];
    stepUntil(world, 'Applying');
    expect(world.done.filter((what) => what.startsWith('Evict'))).to.deep.equal(['EvictPod old']);
    expect(signalled(world)).to.deep.equal(['new']);
  });

  it('is signalled as it is where its eviction is refused, and left alone where the delay is over or nothing is signalled', () => {
    const refused = aChange(aRestartedDriver('old', 9));
    refused.refusals = { old: 'the disruption budget drivers needs 1 healthy pod' };
    stepUntil(refused, 'Applying');
    expect(refused.done.filter((what) => what.startsWith('Evict'))).to.deep.equal(['EvictPod old']);
    expect(signalled(refused)).to.deep.equal(['old']);

    const calm = aChange(aRestartedDriver('old', 11));
    stepUntil(calm, 'Applying');
    const replacing = aChange(aRestartedDriver('old', 9));
    replacing.settings = { ...replacing.settings, pluginRefresh: 'Evict' };
    stepUntil(replacing, 'Applying');
    for (const { done } of [calm, replacing]) expect(done).to.not.include('EvictPod old');
  });

  it('that does not come back within a minute is told as missing', () => {
    const world = aChange(aRestartedDriver('old', 9));
    world.step();
    expect(world.step(61_000).verdict).to.include({ phase: 'Failed', reason: 'NoDraDriver' });
  });
});
