import { expect } from 'chai';
import type { PolicySpec, PolicyDemand } from '../../../../src/api/types.ts';
import type { Command, RuleInput } from '../../../../src/core/node/commands.ts';
import { decide } from '../../../../src/core/node/decide.ts';
import { drain, roundOf, terminationMs, sparePods, writeDrain } from '../../../../src/core/node/rules/drain.ts';
import { adoptRests } from '../../../../src/core/node/eviction.ts';
import { planWish } from '../../../../src/core/device/plan.ts';
import { aDevice, aGpu, uuidOf, withPods } from '../../../support/builders.ts';
import {
  aDrain,
  aPod,
  aSlotFrom,
  close,
  drainOf,
  drainProfiles,
  drainWish,
  evictionsOf,
  goes,
  heldDevice,
  stays,
  stepUntil,
  withHolders,
} from '../../../support/drain-world.ts';
import {
  type Answer,
  aManagedPartition,
  aSlicingPolicy,
  aSnapshot,
  namesOf,
  noon,
  taints,
  aBarePod,
  noMemory,
  aSituation,
} from '../../../support/node-builders.ts';
import type { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/kubernetes/pod.ts';
import type { Eviction } from '../../../../src/core/node/memory.ts';
import { cleanupFinalizer } from '../../../../src/api/names.ts';
import { demandEntry, restEntry } from '../../../../src/core/policy/spec.ts';
import { asDeleted } from '../../../../src/core/policy/record.ts';
import { userKey } from '../../../../src/core/gpu/device-state.ts';

function requestOf({ now, node, partition, policy, pods, memory }: NodeWorld) {
  const decision = decide({ ...aSnapshot({ now, node, partition, policy, slot: undefined }), pods }, memory);
  return 'needs' in decision ? undefined : decision.rolloutState.request;
}

const find = <Name extends Command['name']>({ commands }: Answer, name: Name) =>
  commands.filter((command): command is Extract<Command, { name: Name }> => command.name === name);

describe('a drain', () => {
  it('is told of with its pods and what they hold, which may be a GPU that is gone', () => {
    const partition = aManagedPartition({ device: heldDevice });
    const pods = ['a', 'b'].map((name) => ({ namespace: 'team', name, uid: name }));
    const places = [`${uuidOf(0)} 2g.10gb@0`, `${uuidOf(0)} 3g.20gb@4`, 'GPU-gone'];
    const tell = (names: typeof pods) => writeDrain({ partition }, { planHash: 'h', pods: names, places });
    expect(tell(pods)).to.have.property(
      'going',
      '2 pods: team/a, team/b (GPU 0: 2g.10gb at 0, 3g.20gb at 4; GPU GPU-gone)',
    );
    expect(tell([])).to.not.have.property('going');
  });

  it('announces which pods go, evicts exactly these by uid, and grants when they have gone', () => {
    const world = close(aDrain());
    const announced = world.step();
    expect(namesOf(announced)).to.deep.equal(['WriteDrain']);
    expect(announced.verdict).to.include({ phase: 'Updating', reason: 'Draining', message: 'ns/goes will be evicted' });
    const { hash, drains } = planWish(heldDevice, drainWish).report;
    expect(drains).to.have.length(1);
    expect(find(announced, 'WriteDrain')[0]?.going).to.match(/^1 pod: ns\/goes \(GPU 0: /);
    expect(world.partition.spec.drain).to.deep.equal({
      planHash: hash,
      places: drains,
      pods: [{ namespace: 'ns', name: 'goes', uid: 'uid-goes' }],
    });
    expect(announced.verdict.transient).to.equal(true);
    expect(evictionsOf(world)).to.deep.equal([]);
    const evicted = world.step(1000);
    expect(find(evicted, 'EvictPod').map(({ pod }) => pod)).to.deep.equal([
      { namespace: 'ns', name: 'goes', uid: 'uid-goes' },
    ]);
    expect(namesOf(world.step(1000))).to.deep.equal(['WriteGrant']);
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
    expect(world.partition.spec.granted?.planHash).to.equal(world.partition.spec.drain?.planHash);
  });

  it('of the whole node evicts every pod that uses GPUs, and no other', () => {
    const other: PodView = { ...aPod('web'), spec: { containers: [] } };
    const world = close(aDrain({ scope: 'Node' }, { pods: [goes, stays, other] }));
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes', 'EvictPod uid-stays']);
  });

  it('of the whole node spares the others as soon as the policy says so, also those that were announced', () => {
    const world = close(aDrain({ scope: 'Node' }, { pods: [goes, stays] }));
    world.step();
    expect(drainOf(world)).to.deep.equal(['uid-goes', 'uid-stays']);
    world.policy = aSlicingPolicy({ layouts: [{ profiles: drainProfiles }], drain: { scope: 'Affected' } });
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
  });

  it('keeps pods that have ended in what it announces, as they are, for the agent’s plan to stay the same', () => {
    const world = aDrain({ scope: 'Node' }, { pods: [goes, stays] });
    world.refusals = { 'uid-stays': 'no', 'uid-goes': 'no' };
    close(world);
    world.step();
    world.pods = [goes, { ...stays, status: { phase: 'Succeeded' } }];
    const before = world.partition.spec.drain;
    for (let seconds = 0; seconds < 3; seconds += 1) world.step(1000);
    expect(world.partition.spec.drain).to.deep.equal(before);
    expect(world.done.filter((one) => one === 'WriteDrain')).to.have.length(1);
    world.pods = [{ ...goes, status: { phase: 'Succeeded' } }, stays];
    for (let seconds = 0; seconds < 3; seconds += 1) world.step(1000);
    expect(world.partition.spec.drain).to.deep.equal(before);
    expect(world.done.filter((one) => one === 'WriteDrain')).to.have.length(1);
  });

  it('announces no places for an agent that names none', () => {
    const world = aDrain();
    const { drains: _none, ...plan } = planWish(heldDevice, drainWish).report;
    world.partition = aManagedPartition({ device: { ...heldDevice, plan }, wish: drainWish });
    close(world);
    world.step();
    expect(world.partition.spec.drain).to.deep.equal({
      planHash: plan.hash,
      pods: [{ namespace: 'ns', name: 'goes', uid: 'uid-goes' }],
    });
  });

  it('with scope None waits for the pods in the way, with the node closed, and evicts none', () => {
    const world = close(aDrain({ scope: 'None', onTimeout: 'Wait' }));
    const { verdict, commands } = world.step();
    expect(verdict).to.include({ phase: 'Updating', reason: 'PodsUseGpus' });
    expect(verdict.message).to.equal(
      'waiting for a pod to go: ns/goes: with spec.drain.scope None they end on their own',
    );
    expect(commands).to.deep.equal([]);
    world.now += 3600_000;
    expect(world.step().commands).to.deep.equal([]);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.pods = [stays];
    expect(namesOf(world.step())).to.deep.equal(['WriteGrant']);
  });

  it('with scope None gives up at its deadline, too', () => {
    const world = close(aDrain({ scope: 'None' }));
    world.step();
    world.now += 600_001;
    expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('waits for a pod that the agent does not know yet, tells the agent so, and evicts nobody until it is known', () => {
    const world = close(aDrain({}, { pods: [goes, stays, aPod('new')] }));
    const { verdict, commands } = world.step();
    const { hash, drains } = planWish(heldDevice, drainWish).report;
    expect(commands).to.deep.equal([{ name: 'WriteDrain', drain: { planHash: hash, places: drains, pods: [] } }]);
    expect(verdict).to.include({ phase: 'Updating', reason: 'Draining' });
    expect(verdict.message).to.equal('the agent does not know yet which GPUs ns/new uses');
    expect(world.step(1000).commands).to.deep.equal([]);
    world.report(withHolders({ '2g.10gb@0': ['ns/goes'], '3g.20gb@4': ['ns/new', 'ns/stays'] }));
    world.step(1000);
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
    world.step(1000);
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
  });

  it('does not take a reading that is late for pods that did not go: the time of a drain is not touched', () => {
    const world = close(aDrain({ timeout: '20s' }, { pods: [goes, stays, aPod('new')], timeoutMs: 20_000 }));
    for (let seconds = 0; seconds < 60; seconds += 1) expect(world.step(1000).verdict.reason).to.equal('Draining');
    world.pods = [goes, stays];
    expect(stepUntil(world, 'Applying').verdict.phase).to.equal('Updating');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
  });

  it('leaves a node open whose kubelet does not report in two minutes what a pod holds, and tries again', () => {
    const world = close(aDrain({}, { pods: [stays, aPod('new')] }));
    const { verdict } = stepUntil(world, 'PodsUseGpus', 1000, 130);
    expect(verdict).to.include({ phase: 'Waiting' });
    expect(verdict.message).to.match(/^the kubelet has not reported in time which GPUs some pods use: ns\/new\. /);
    expect(world.taintKeys).to.deep.equal([]);
    world.step(1000);
    expect(world.rolloutState).to.include({ isUnderWay: false, hasFailed: false });
    expect(world.partition.spec.drain).to.equal(undefined);
    expect(stepUntil(world, 'AwaitingGrant', 5000, 13).verdict.phase).to.equal('Updating');
  });

  it('stays given up if the answer to the write that opened the node was lost', () => {
    const world = aDrain({ timeout: '20s' }, { timeoutMs: 20_000 });
    world.refusals = { 'uid-goes': 'no' };
    close(world);
    let before = world.memory;
    for (let tries = 0; tries < 30 && world.taintKeys.length > 0; tries += 1) {
      before = world.memory;
      world.step(1000);
    }
    expect(world.taintKeys).to.deep.equal([]);
    world.memory = adoptRests(before, world.memory);
    expect(world.step(100).verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('has all of its time from its first eviction on, whatever came before', () => {
    const world = aDrain({ timeout: '20s' }, { timeoutMs: 20_000 });
    world.refusals = { 'uid-goes': 'no' };
    world.now += 120_000;
    close(world);
    for (let seconds = 0; seconds < 20; seconds += 1) expect(world.step(1000).verdict.phase).to.equal('Updating');
    expect(evictionsOf(world)).to.have.length.above(2);
    world.failOver();
    expect(stepUntil(world, 'DrainTimeout', 1000, 4).verdict.phase).to.equal('Waiting');
    // The next slot has all of it again.
    world.slot = aSlotFrom(world.now + 60_000, 20_000);
    world.now += 61_000;
    close(world);
    expect(world.step(1000).verdict.phase).to.equal('Updating');
  });

  it('announces a pod that came under the same name before it is evicted', () => {
    const world = close(aDrain());
    world.step();
    world.pods = [aPod('goes', { uid: 'uid-again' }), stays];
    expect(namesOf(world.step())).to.deep.equal(['WriteDrain']);
    expect(drainOf(world)).to.deep.equal(['uid-goes', 'uid-again']);
    expect(namesOf(world.step())).to.deep.equal(['EvictPod']);
  });

  it('evicts nobody for a plan that is another one by now', () => {
    const world = close(aDrain());
    world.refusals = { 'uid-goes': 'no' };
    world.step();
    world.step();
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
    // Now ns/goes holds what stays, and the other one what has to go.
    const [gpu] = heldDevice.gpus ?? [];
    const swapped = aDevice(withPods(gpu ?? aGpu(), { '2g.10gb@0': ['ns/stays'], '3g.20gb@4': ['ns/goes'] }));
    world.report({ ...swapped, plan: planWish(swapped, drainWish).report });
    world.step(10_000);
    expect(drainOf(world)).to.deep.equal(['uid-stays']);
    world.step(10_000);
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes', 'EvictPod uid-stays']);
  });

  it('announces no more pods than the API takes at a time, and evicts no other', () => {
    const names = Array.from({ length: 300 }, (_, index) => `pod-${index}`);
    const crowded = aDevice(
      withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), { '2g.10gb@0': names.map((name) => `ns/${name}`) }),
    );
    const world = aDrain({}, { pods: names.map((name) => aPod(name)) });
    world.partition = aManagedPartition({ device: crowded, wish: drainWish });
    close(world);
    world.step();
    expect(drainOf(world)).to.have.length(256);
    world.step(1000);
    expect(evictionsOf(world).toSorted()).to.deep.equal(
      (drainOf(world) ?? []).map((uid) => `EvictPod ${uid}`).toSorted(),
    );
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.have.length(300);
  });

  it('waits for a pod that is being terminated, and does not tell it again', () => {
    const leaving = aPod('goes', { deletionTimestamp: '2026-01-01T11:59:00Z' });
    const world = close(aDrain({}, { pods: [leaving, stays] }));
    for (let steps = 0; steps < 20; steps += 1)
      expect(world.step(1000).verdict).to.include({ reason: 'Draining', transient: true });
    expect(evictionsOf(world)).to.deep.equal([]);
    expect(world.done).to.not.include('WriteGrant');
    world.pods = [stays];
    stepUntil(world, 'Applying');
  });

  it('does not wait for a pod that has ended', () => {
    const world = close(aDrain({}, { pods: [{ ...goes, status: { phase: 'Succeeded' } }, stays] }));
    expect(namesOf(world.step())).to.deep.equal(['WriteGrant']);
  });

  it('says what the API server says of a disruption budget, and asks again after a while', () => {
    const world = aDrain();
    world.refusals = { 'uid-goes': 'Cannot evict pod: the disruption budget train needs 3 healthy pods' };
    close(world);
    world.step();
    world.step(1000);
    const { verdict } = world.step(1000);
    expect(verdict).to.include({ phase: 'Updating', reason: 'EvictionBlocked' });
    expect(verdict.message).to.include('the disruption budget train needs 3 healthy pods');
    expect(verdict.transient).to.equal(undefined);
    for (let seconds = 0; seconds < 20; seconds += 1) world.step(1000);
    expect(evictionsOf(world).length).to.be.within(4, 6);
    world.refusals = {};
    stepUntil(world, 'Applying');
  });

  it('has pods end with the grace period of the policy, and never with none', () => {
    const graceOf = (gracePeriod?: string) => {
      const world = close(aDrain(gracePeriod === undefined ? {} : { gracePeriod }));
      world.step();
      return find(world.step(1000), 'EvictPod')[0]?.graceSeconds;
    };
    expect(graceOf()).to.equal(undefined);
    expect(graceOf('90s')).to.equal(90);
    expect(graceOf('1h')).to.equal(3600);
    expect(graceOf('0s')).to.equal(1);
  });

  it('never ends a pod without grace, even if the pod itself asks for none: its container would outlive it', () => {
    const abrupt: PodView = { ...goes, spec: { ...goes.spec, terminationGracePeriodSeconds: 0 } };
    const world = aDrain({ onTimeout: 'Force' }, { pods: [abrupt, stays] });
    world.refusals = { 'uid-goes': 'no' };
    close(world);
    world.step();
    expect(find(world.step(1000), 'EvictPod')[0]?.graceSeconds).to.equal(1);
    world.now += 600_000;
    expect(find(world.step(), 'DeletePod')[0]?.graceSeconds).to.equal(1);
  });

  it('takes any pod that uses GPUs for an affected one where the agent could not name all of them', () => {
    const world = aDrain();
    const { plan = planWish(heldDevice, drainWish).report } = world.partition.status?.device ?? {};
    world.report({ ...heldDevice, plan: { ...plan, morePods: 1 } });
    expect(requestOf(world)?.evictions).to.equal(2);
    close(world);
    world.step();
    expect(drainOf(world)?.toSorted()).to.deep.equal(['uid-goes', 'uid-stays']);
    const alone = aDrain();
    close(alone);
    alone.step();
    expect(drainOf(alone)).to.deep.equal(['uid-goes']);
  });

  describe('that is not over in time', () => {
    const blocked = (drain: PolicySpec['drain'], pods?: readonly PodView[]): NodeWorld => {
      const world = aDrain(drain, pods && { pods });
      world.refusals = { 'uid-goes': 'no' };
      close(world);
      world.step();
      world.step(1000);
      world.now += 600_000;
      return world;
    };

    it('is given up unless told otherwise: the node is open, and nothing was changed', () => {
      const world = blocked({});
      const { verdict } = world.step();
      expect(verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
      expect(verdict.message).to.match(
        /^the pods on instances that must go did not end within spec\.drain\.timeout: .*ns\/goes/,
      );
      expect(verdict.message).to.include('the next attempt is at 2026-01-01T12:11:02Z');
      expect(world.taintKeys).to.deep.equal([]);
      expect(world.done).to.not.include('WriteGrant');
    });

    it('continues where the policy waits', () => {
      const world = blocked({ onTimeout: 'Wait' });
      expect(world.step().verdict.reason).to.equal('EvictionBlocked');
      expect(world.taintKeys).to.deep.equal(['repartitioning']);
      expect(evictionsOf(world).every((one) => one.startsWith('EvictPod'))).to.equal(true);
    });

    it('ends by force where the policy says so, with grace', () => {
      const world = blocked({ onTimeout: 'Force', gracePeriod: '0s' });
      const [command] = find(world.step(), 'DeletePod');
      expect(command).to.deep.equal({
        name: 'DeletePod',
        pod: { namespace: 'ns', name: 'goes', uid: 'uid-goes' },
        graceSeconds: 1,
      });
      stepUntil(world, 'Applying');
    });

    it('deletes no pod that even force must not end, whatever let the drain begin', () => {
      const mirror = aPod('goes', { kind: 'Node', annotations: { 'kubernetes.io/config.mirror': 'x' } });
      for (const [pod, deleted] of [
        [goes, ['DeletePod']],
        [mirror, []],
        [aPod('goes', { kind: 'DaemonSet' }), []],
      ] as const) {
        const { now, memory, policy, ...world } = blocked({ onTimeout: 'Force' });
        const known = aSnapshot({ now, partition: world.partition, policy, slot: world.slot });
        const seen = { ...known, partition: world.partition, memory, pods: [pod] };
        const ruling = drain(seen, aSlotFrom(noon, 600_000), [pod]);
        expect(namesOf({ commands: ruling?.commands ?? [] })).to.deep.equal(deleted);
      }
    });

    it('says why the API server refuses a deletion, and asks again after a while', () => {
      const world = blocked({ onTimeout: 'Force' });
      world.deletionRefusals = { 'uid-goes': 'ns/goes: no pod of this namespace goes' };
      for (let seconds = 0; seconds < 20; seconds += 1) world.step(1000);
      expect(world.step(1000).verdict).to.include({ phase: 'Updating', reason: 'EvictionBlocked' });
      expect(world.step(1000).verdict.message).to.include('ns/goes: no pod of this namespace goes');
      expect(world.done.filter((one) => one.startsWith('DeletePod')).length).to.be.within(4, 6);
      world.deletionRefusals = {};
      stepUntil(world, 'Applying');
    });

    it('is given up after as long again where force does not help either', () => {
      const leaving = aPod('goes', { deletionTimestamp: '2026-01-01T11:59:00Z' });
      for (const [pod, scope] of [[leaving], [goes, 'None']] as const) {
        const world = blocked({ onTimeout: 'Force', scope: scope ?? 'Affected' }, [pod, stays]);
        expect(world.step(1000).verdict.phase).to.equal('Updating');
        world.now += 590_000;
        expect(world.step().verdict.phase).to.equal('Updating');
        world.now += 10_000;
        expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
        expect(world.taintKeys).to.deep.equal([]);
      }
    });

    it('is not given up before what force has told to go had its grace, however short the timeout is', () => {
      const leaving = aPod('goes', { deletionTimestamp: '2026-01-01T11:59:00Z' });
      const slow: PodView = { ...leaving, spec: { ...leaving.spec, terminationGracePeriodSeconds: 300 } };
      for (const [drain, pod, graceMs] of [
        [{ gracePeriod: '2m' }, slow, 120_000],
        [{}, slow, 300_000],
        [{}, leaving, 30_000],
        [{}, { ...slow, spec: { ...slow.spec, terminationGracePeriodSeconds: 1e9 } }, 3600_000],
      ] as const) {
        for (const timeoutMs of [0, 10_000]) {
          const force = { onTimeout: 'Force', timeout: `${timeoutMs / 1000}s`, ...drain } as const;
          const world = close(aDrain(force, { pods: [pod, stays], timeoutMs }));
          world.step();
          world.now += timeoutMs;
          expect(world.step().verdict.phase).to.equal('Updating');
          world.now += graceMs;
          expect(world.step().verdict.phase, `${timeoutMs} ${graceMs}`).to.equal('Updating');
          world.now += 40_000;
          expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
        }
      }
    });

    it('deletes by force only what was announced: not what stays, and nothing while the agent does not know a pod', () => {
      const world = blocked({ onTimeout: 'Force' });
      world.pods = [...world.pods, aPod('new')];
      for (let steps = 0; steps < 5; steps += 1) world.step(1000);
      expect(evictionsOf(world).filter((one) => one.startsWith('DeletePod'))).to.deep.equal([]);
      world.pods = [goes, stays];
      stepUntil(world, 'Applying');
      expect(evictionsOf(world).filter((one) => one.startsWith('DeletePod'))).to.deep.equal(['DeletePod uid-goes']);
    });
  });

  describe('of an owner that makes its pods again', () => {
    /** Runs on while an owner makes a pod in the place of each that goes, under the names that the plan knows. */
    const runOn = (world: NodeWorld, most = 60): Answer => {
      for (let steps = 0, made = 0; steps < most; steps += 1) {
        const answer = world.step(1000);
        if (answer.verdict.reason === 'DrainLoop') return answer;
        if (!world.pods.some(({ metadata }) => metadata.name === 'goes')) {
          made += 1;
          world.pods = [...world.pods, aPod('goes', { uid: `uid-${made}`, owner: 'set' })];
        }
      }
      throw new Error('it goes on for ever');
    };

    it('ends when they came back three times', () => {
      const world = close(aDrain({}, { pods: [aPod('goes', { owner: 'set' }), stays] }));
      const { verdict } = runOn(world);
      expect(evictionsOf(world)).to.have.length(3);
      expect(verdict).to.include({ phase: 'Waiting', reason: 'DrainLoop' });
      expect(verdict.message).to.match(/^pods of the same owner came back after each eviction: .*ns\/goes/);
      expect(world.taintKeys).to.deep.equal([]);
      expect(world.step(5000).verdict.reason, 'as long as that pod is there').to.equal('DrainLoop');
    });

    it('does not take pods of others that come one after the other for one that came back', () => {
      const world = close(aDrain({}, { pods: [aPod('goes', { owner: 'set-0' }), stays] }));
      for (let made = 0; made < 6;) {
        expect(world.step(1000).verdict.reason).to.not.equal('DrainLoop');
        if (world.pods.some(({ metadata }) => metadata.name === 'goes')) continue;
        made += 1;
        world.pods = [...world.pods, aPod('goes', { uid: `uid-${made}`, owner: `set-${made}` })];
      }
    });

    it('does not take three that go at the same time for one that came back', () => {
      const names = ['one', 'two', 'three', 'four', 'five'];
      const shared = aDevice(
        withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), { '2g.10gb@0': names.map((name) => `ns/${name}`) }),
      );
      const world = aDrain({}, { pods: names.map((name) => aPod(name, { owner: 'set' })) });
      world.partition = aManagedPartition({ device: shared, wish: drainWish });
      close(world);
      stepUntil(world, 'Applying');
      expect(evictionsOf(world)).to.have.length(5);
    });
  });

  describe('that was given up', () => {
    const giveUp = (world: NodeWorld): Answer => {
      const answer = stepUntil(world, 'DrainTimeout', 60_000);
      world.slot = undefined;
      return answer;
    };
    const aBlockedDrain = (drain: PolicySpec['drain'] = {}): NodeWorld => {
      const world = aDrain(drain);
      world.refusals = { 'uid-goes': 'no', 'uid-stays': 'no' };
      return world;
    };
    /** @returns how long it rests, in minutes */
    const rest = (world: NodeWorld): number => {
      for (let minutes = 0; minutes < 100; minutes += 1) {
        const { verdict } = world.step(60_000);
        if (verdict.reason === 'AwaitingSlot') return minutes + 1;
        expect(verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
      }
      throw new Error('it rests for ever');
    };

    it('announces nobody any more', () => {
      const world = aBlockedDrain();
      stepUntil(world, 'EvictionBlocked');
      expect(drainOf(world)).to.deep.equal(['uid-goes']);
      giveUp(world);
      expect(drainOf(world)).to.equal(undefined);
      world.step(1000);
      const { done } = world;
      const writes = done.length;
      for (let steps = 0; steps < 5; steps += 1) world.step(1000);
      expect(done).to.have.length(writes);
    });

    it('rests longer each time', () => {
      const world = aBlockedDrain();
      const failedDrains: number[] = [];
      for (let tries = 0; tries < 4; tries += 1) {
        giveUp(world);
        failedDrains.push(rest(world));
        world.slot = aSlotFrom(world.now, 600_000);
      }
      expect(failedDrains).to.deep.equal([1, 2, 4, 8]);
    });

    it('is looked at again when the rest is over, and not before', () => {
      const world = aBlockedDrain();
      giveUp(world);
      const { requeueAfterMs = 0 } = world.step().verdict;
      expect(world.step(requeueAfterMs - 100).verdict.reason).to.equal('DrainTimeout');
      expect(world.step(100).verdict.reason).to.equal('AwaitingSlot');
    });

    it('rests as long with another leader', () => {
      const world = aBlockedDrain();
      giveUp(world);
      rest(world);
      world.slot = aSlotFrom(world.now, 600_000);
      giveUp(world);
      world.step(60_000);
      const { message } = world.step(1000).verdict;
      world.failOver();
      // Else every look at the node would be a write.
      expect(world.step(1000).verdict.message).to.equal(message);
      expect(rest(world)).to.equal(1);
    });

    it('rests as long where a name is longer than what is kept of it', () => {
      const long = `goes-${'x'.repeat(240)}`;
      const named = aDevice(
        withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), {
          '2g.10gb@0': [`ns/${long}`],
          '3g.20gb@4': ['ns/stays'],
        }),
      );
      const world = aDrain({}, { pods: [aPod(long), stays] });
      world.partition = aManagedPartition({ device: named, wish: drainWish });
      world.refusals = { [`uid-${long}`]: 'no' };
      giveUp(world);
      expect(world.step(1000).verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
      expect(rest(world)).to.equal(1);
    });

    it('names the disruption budget that did not let them go, however many pods it keeps, and says what follows', () => {
      const names = Array.from({ length: 30 }, (_, index) => `train-with-a-rather-long-name-${index}`);
      const held = withHolders({ '2g.10gb@0': names.map((name) => `ns/${name}`), '3g.20gb@4': ['ns/stays'] });
      const world = aDrain({}, { pods: [...names.map((name) => aPod(name)), stays] });
      world.partition = aManagedPartition({ device: held, wish: drainWish });
      const refusal =
        'Cannot evict pod as it would violate the pod’s disruption budget. The disruption budget train needs 30 healthy pods and has 30 currently';
      world.refusals = Object.fromEntries(names.map((name) => [`uid-${name}`, refusal]));
      giveUp(world);
      const { verdict } = world.step(1000);
      expect(verdict.reason).to.equal('DrainTimeout');
      expect(verdict.message).to.include(' and 25 more: ').and.to.include(refusal);
      expect(verdict.message).to.match(/has 30 currently\. Nothing was changed; the next attempt is at \S+Z$/);
    });

    it('is cut off after a whole cause where each pod has its own', () => {
      const names = Array.from({ length: 20 }, (_, index) => `train-${index + 10}`);
      const held = withHolders({ '2g.10gb@0': names.map((name) => `ns/${name}`), '3g.20gb@4': ['ns/stays'] });
      const world = aDrain({}, { pods: [...names.map((name) => aPod(name)), stays] });
      world.partition = aManagedPartition({ device: held, wish: drainWish });
      world.refusals = Object.fromEntries(
        names.map((name) => [`uid-${name}`, `Cannot evict pod as it would violate the disruption budget of-${name}`]),
      );
      giveUp(world);
      const { message } = world.step(1000).verdict;
      expect(message).to.match(/ disruption budget of-train-\d\d; and \d+ more\. Nothing was changed; /);
    });

    it('rests no longer when the pods have gone', () => {
      const world = aBlockedDrain();
      giveUp(world);
      world.pods = [stays];
      const quiet = aDevice(withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), { '3g.20gb@4': ['ns/stays'] }));
      world.report({ ...quiet, plan: planWish(quiet, drainWish).report });
      expect(world.step(1000).verdict.reason).to.equal('AwaitingSlot');
    });

    it('rests no longer when the pods have gone, whatever else the refusal of their eviction names', () => {
      const world = aDrain({}, { pods: [goes, stays, aPod('other')] });
      world.report(withHolders({ '2g.10gb@0': ['ns/goes', 'ns/other'], '3g.20gb@4': ['ns/stays'] }));
      world.refusals = { 'uid-goes': 'denied: first scale ns/stays and 2 more', 'uid-stays': 'no' };
      giveUp(world);
      world.pods = [stays];
      world.report(withHolders({ '3g.20gb@4': ['ns/stays'] }));
      expect(world.step(1000).verdict.reason).to.equal('AwaitingSlot');
    });

    it('rests as long as any of many is there, and not only those that its message names', () => {
      const names = Array.from({ length: 20 }, (_, index) => `train-${index + 10}`);
      const heldBy = (some: readonly string[]) =>
        withHolders({ '2g.10gb@0': some.map((name) => `ns/${name}`), '3g.20gb@4': ['ns/stays'] });
      const world = aDrain({}, { pods: [...names.map((name) => aPod(name)), stays] });
      world.partition = aManagedPartition({ device: heldBy(names), wish: drainWish });
      world.refusals = Object.fromEntries(names.map((name) => [`uid-${name}`, 'no']));
      expect(giveUp(world).verdict.message).to.include('train-14 and 15 more');
      for (const left of [names.slice(5), names.slice(19)]) {
        world.pods = [...left.map((name) => aPod(name)), stays];
        world.report(heldBy(left));
        expect(world.step(1000).verdict.reason).to.equal('DrainTimeout');
      }
      world.pods = [stays];
      world.report(heldBy([]));
      expect(world.step(1000).verdict.reason).to.equal('AwaitingSlot');
    });

    it('rests as well where the plan names none of the pods that stayed', () => {
      const world = aBlockedDrain({ scope: 'Node' });
      world.partition = aManagedPartition({ device: withHolders({ '3g.20gb@4': ['ns/stays'] }), wish: drainWish });
      world.pods = [stays];
      giveUp(world);
      world.step(1000);
      expect(world.step(1000).verdict).to.include({ phase: 'Waiting', reason: 'DrainTimeout' });
      expect(rest(world)).to.equal(1);
    });

    it('goes after nodes that were not tried as often, when it asks again', () => {
      const world = aBlockedDrain();
      giveUp(world);
      rest(world);
      expect(requestOf(world)?.failedDrains).to.equal(1);
      world.slot = aSlotFrom(world.now, 600_000);
      giveUp(world);
      rest(world);
      expect(requestOf(world)?.failedDrains).to.equal(2);
    });

    it('rests no longer when the policy changes, or a retry is requested', () => {
      const edited = aBlockedDrain();
      giveUp(edited);
      edited.step(1000);
      edited.policy = aSlicingPolicy({
        layouts: [{ profiles: drainProfiles }],
        drain: { onTimeout: 'Force' },
        generation: 2,
      });
      expect(edited.step(1000).verdict.reason).to.equal('AwaitingSlot');
      const asked = aBlockedDrain();
      giveUp(asked);
      asked.step(1000);
      const { metadata } = asked.node;
      asked.node = { ...asked.node, metadata: { ...metadata, annotations: { 'gpupartition.dev/retry': 'now' } } };
      expect(asked.step(1000).verdict.reason).to.equal('AwaitingSlot');
    });
  });

  it('ends with nothing done where the policy is edited back before a pod was evicted', () => {
    const before = { '2g.10gb': 1, '3g.20gb': 1 };
    const wishBefore = { gpus: [{ uuid: uuidOf(0), profiles: before }] };
    for (const isAnnounced of [false, true]) {
      const world = close(aDrain());
      if (isAnnounced) world.step();
      expect(drainOf(world)).to.deep.equal(isAnnounced ? ['uid-goes'] : undefined);
      world.policy = aSlicingPolicy({ layouts: [{ profiles: before }], generation: 2 });
      world.step(1000);
      world.report({ ...heldDevice, plan: planWish(heldDevice, wishBefore).report });
      expect(world.settle().verdict).to.include({ phase: 'Ready' });
      expect(world.taintKeys).to.deep.equal([]);
      expect(evictionsOf(world)).to.deep.equal([]);
      expect(world.done).to.not.include('WriteGrant');
      expect(drainOf(world)).to.equal(undefined);
      expect(world.pods).to.deep.equal([goes, stays]);
    }
  });

  it('is announced no more when the node is done', () => {
    const world = close(aDrain());
    stepUntil(world, 'Applying');
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
    const done = aDevice(
      withPods(aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '3g.20gb@4'] }), { '3g.20gb@4': ['ns/stays'] }),
    );
    world.report({ ...done, observedEpoch: 1, plan: planWish(done, drainWish).report });
    world.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.5gb': '3', 'nvidia.com/mig-3g.20gb': '1' });
    stepUntil(world, 'Ready');
    world.slot = undefined;
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(drainOf(world)).to.equal(undefined);
  });

  it('continues where the taint of another restart stands: with the slot that it has', () => {
    const world = close(aDrain());
    world.step();
    world.failOver();
    expect(world.node.spec?.taints).to.deep.equal(taints.closed);
    world.step(1000);
    stepUntil(world, 'Applying');
    expect(evictionsOf(world)).to.deep.equal(['EvictPod uid-goes']);
    expect(world.now).to.be.above(noon);
  });
});

const partition = aManagedPartition();
const situationOf = (
  pods: readonly PodView[],
  evictions: Readonly<Record<string, Partial<Eviction>>> = {},
): RuleInput => {
  const all = Object.entries(evictions).map(([uid, one]) => [uid, { at: noon, refusal: undefined, ...one }] as const);
  return { ...aSnapshot({ partition }), partition, pods, memory: { ...noMemory, evictions: Object.fromEntries(all) } };
};

describe('how often a pod was evicted and came back', () => {
  const owned = (name: string) => aPod(name, { owner: 'set' });
  const gone = { owner: 'set' };

  it('is told by the pods of its owner that have gone, each once', () => {
    expect(roundOf(situationOf([owned('a')]), owned('a'))).to.equal(1);
    expect(roundOf(situationOf([owned('b')], { 'uid-a': { ...gone, round: 1 } }), owned('b'))).to.equal(2);
    expect(roundOf(situationOf([owned('c')], { 'uid-a': gone, 'uid-b': { ...gone, round: 2 } }), owned('c'))).to.equal(
      3,
    );
    expect(roundOf(situationOf([owned('b')], { 'uid-a': gone }), owned('b'))).to.equal(2);
  });

  it('does not change while the pod is there, whoever else of its owner goes', () => {
    const evictions = { 'uid-a': { ...gone, round: 1 }, 'uid-b': { ...gone, round: 1 } };
    expect(roundOf(situationOf([owned('b')], evictions), owned('b'))).to.equal(1);
  });

  it('is never for a pod without an owner: nothing makes it again', () => {
    expect(roundOf(situationOf([aBarePod('b')], { 'uid-a': { round: 2 } }), aBarePod('b'))).to.equal(1);
  });
});

describe('the time that deleted pods may take', () => {
  const graceful = (terminationGracePeriodSeconds: number): PodView => ({
    ...goes,
    spec: { ...goes.spec, terminationGracePeriodSeconds },
  });

  it('is that of the slowest, and half a minute for the kubelet to say so, but no more than an hour', () => {
    expect(terminationMs(situationOf([]), [goes])).to.equal(60_000);
    expect(terminationMs(situationOf([]), [graceful(600), goes])).to.equal(630_000);
    expect(terminationMs(situationOf([]), [graceful(90_000), goes])).to.equal(3630_000);
  });

  it('is the policy’s where that has one', () => {
    const policy = aSlicingPolicy({ drain: { gracePeriod: '2m' } });
    const situation = { ...situationOf([]), claim: aSnapshot({ policy, partition }).claim };
    expect(terminationMs(situation, [graceful(600)])).to.equal(150_000);
  });
});

const bare = aBarePod('goes');
const unwanted = aPod('goes', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } });
const optedOut = aPod('goes', { annotations: { 'gpupartition.dev/evict': 'false' } });
const daemon = aPod('goes', { kind: 'DaemonSet' });
const mirror = aPod('goes', { kind: 'Node', annotations: { 'kubernetes.io/config.mirror': 'x' } });
const missingOwners = new Set(['owner-of-goes']);

describe('a drain of pods that no eviction moves', () => {
  it('is waited for with the node open and without a slot, with each pod and why it stays', () => {
    for (const [pod, why, advice] of [
      [bare, 'it has no controller: nothing would recreate it', /or set spec\.drain\.onTimeout: Force$/],
      [unwanted, 'it is annotated cluster-autoscaler.kubernetes.io/safe-to-evict: "false"', /Force$/],
      [optedOut, 'it is annotated gpupartition.dev/evict: "false"', /Force$/],
      [
        daemon,
        'it belongs to a DaemonSet, which would recreate it',
        / It may end on its own; otherwise delete it yourself$/,
      ],
      [mirror, 'it is a static pod, which no eviction ends', / It may end on its own; otherwise delete it yourself$/],
    ] as const) {
      for (const onTimeout of ['Skip', 'Wait'] as const) {
        const world = aDrain({ onTimeout }, { pods: [pod, stays] });
        for (let minutes = 0; minutes < 20; minutes += 1) {
          const { verdict } = world.step(60_000);
          expect(verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
          expect(verdict.message).to.include(`with the node open, for 1 pod that no eviction moves: ns/goes: ${why}`);
          expect(verdict.message).to.match(advice);
          expect(world.taintKeys).to.deep.equal([]);
          expect(world.rolloutState)
            .to.include({ isUnderWay: false, hasFailed: false })
            .and.not.have.property('request');
        }
        expect(world.done).to.deep.equal([]);
      }
    }
  });

  it('names force where that moves at least one of them', () => {
    const world = aDrain({ scope: 'Node' }, { pods: [bare, aPod('stays', { kind: 'DaemonSet' })] });
    expect(world.step().verdict.message).to.match(
      /for 2 pods .* They may end on their own; otherwise delete them yourself, or set spec\.drain\.onTimeout: Force$/,
    );
  });

  it('costs no other pod its place', () => {
    const world = aDrain({ scope: 'Node' }, { pods: [bare, stays] });
    expect(world.step().verdict.reason).to.equal('PodsUseGpus');
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('continues when they have ended', () => {
    const world = aDrain({}, { pods: [bare, stays] });
    world.step();
    world.pods = [stays];
    const free = withHolders({ '3g.20gb@4': ['ns/stays'] });
    world.report({ ...free, plan: planWish(free, drainWish).report });
    expect(stepUntil(world, 'Applying').verdict.phase).to.equal('Updating');
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('continues by force after the timeout if the policy says so, except for pods that even force cannot end', () => {
    for (const pod of [bare, unwanted, optedOut]) {
      const world = close(aDrain({ onTimeout: 'Force' }, { pods: [pod, stays] }));
      for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
      expect(evictionsOf(world)).to.deep.equal([]);
      world.now += 600_000;
      for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
      expect(evictionsOf(world)).to.deep.equal(['DeletePod uid-goes']);
    }
    for (const pod of [daemon, mirror]) {
      const world = aDrain({ onTimeout: 'Force' }, { pods: [pod, stays] });
      expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
      expect(world.taintKeys).to.deep.equal([]);
    }
  });

  it('opens a node that such a pod has reached just before it was closed', () => {
    const world = close(aDrain());
    world.pods = [bare, stays];
    expect(stepUntil(world, 'PodsUseGpus').verdict.phase).to.equal('Waiting');
    world.settle();
    expect(world.taintKeys).to.deep.equal([]);
    expect(evictionsOf(world)).to.deep.equal([]);
  });

  it('is not refused where the pods are leaving, or where the policy waits for them', () => {
    const leaving: PodView = { ...bare, metadata: { ...bare.metadata, deletionTimestamp: '2026-01-01T12:00:30Z' } };
    close(aDrain({}, { pods: [leaving, stays] }));
    close(aDrain({ scope: 'None' }, { pods: [bare, stays] }));
  });

  it('looks up the DaemonSet that a pod names: one that does not exist spares it nothing', () => {
    const world = aDrain({}, { pods: [daemon, stays] });
    world.drain = { missingOwners };
    const { verdict, reads } = world.step();
    expect(reads).to.include('Drain');
    expect(verdict.message).to.include('it belongs to DaemonSet set, which does not exist');
    expect(verdict.message).to.match(/Force$/);
    world.policy = aSlicingPolicy({ layouts: [{ profiles: drainProfiles }], drain: { onTimeout: 'Force' } });
    close(world);
    for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
    world.now += 600_000;
    for (let seconds = 0; seconds < 5; seconds += 1) world.step(1000);
    expect(evictionsOf(world)).to.deep.equal(['DeletePod uid-goes']);
  });
});

const wish = { gpus: [{ uuid: uuidOf(0), profiles: drainProfiles, entry: demandEntry }] };
const restWish = { gpus: [{ uuid: uuidOf(0), profiles: drainProfiles, entry: restEntry }] };
const slices = [{ profiles: ['1g.5gb'], count: 3 }];

/** A node with a slot whose plan gives up a slice that `ns/goes` holds, or nobody. */
function aDemandWorld(demand: Partial<PolicyDemand> = {}, device = heldDevice): NodeWorld {
  const world = aDrain();
  const { spec, ...policy } = aSlicingPolicy();
  const { layouts: _none, ...rest } = spec;
  world.policy = { ...policy, spec: { ...rest, demand: { slices, ...demand } } };
  world.partition = aManagedPartition({ device, wish });
  return world;
}

describe('a pod on a slice that a demand gives up', () => {
  it('stays where the policy evicts nobody, and the node stays open', () => {
    const world = aDemandWorld();
    const { verdict } = stepUntil(world, 'PodsUseGpus');
    expect(verdict.phase).to.equal('Waiting');
    expect(verdict.message).to.match(/^ns\/goes uses what .*demand\.evict: Never.*other layouts are being chosen$/);
    expect([world.taintKeys, evictionsOf(world)]).to.deep.equal([[], []]);
  });

  it('opens the node again if it has come after that was closed', () => {
    const world = aDemandWorld({}, withHolders({ '3g.20gb@4': ['ns/stays'] }));
    world.pods = [stays];
    close(world);
    world.partition = aManagedPartition({ device: heldDevice, wish });
    world.pods = [goes, stays];
    stepUntil(world, 'PodsUseGpus');
    expect([world.taintKeys, evictionsOf(world)]).to.deep.equal([[], []]);
  });

  it('stays where the demand does not need the GPU, though the policy evicts if needed', () => {
    const world = aDemandWorld({ evict: 'IfNeeded', rest: 'Whole' });
    world.partition = aManagedPartition({ device: heldDevice, wish: restWish });
    const { verdict } = stepUntil(world, 'PodsUseGpus');
    expect(verdict.message).to.match(/^ns\/goes uses what .*demand\.rest, for which no pod goes.*other layouts/);
    expect([world.taintKeys, evictionsOf(world)]).to.deep.equal([[], []]);
  });

  it('stays where another one would go from a GPU that the demand needs', () => {
    const gpus = [...restWish.gpus, { uuid: uuidOf(1), profiles: drainProfiles, entry: demandEntry }];
    const drains = [userKey(uuidOf(1)), userKey(uuidOf(0))];
    const report = { ...heldDevice, plan: { ...heldDevice.plan, drains } };
    const partition = aManagedPartition({ device: report, wish: { gpus } });
    const { policy } = aDemandWorld({ evict: 'IfNeeded', rest: 'Whole' });
    const situation = aSituation({ partition, policy });
    expect(sparePods(situation, [goes])?.verdict.reason).to.equal('PodsUseGpus');
    expect(sparePods(situation, [])).to.equal(undefined);
  });

  it('stays where a policy with demand.evict Never is deleted, and wants whole GPUs', () => {
    for (const evict of ['Never', 'IfNeeded'] as const) {
      const { policy, partition } = aDemandWorld({ evict });
      if (policy === undefined) throw new Error('no policy');
      const metadata = {
        ...policy.metadata,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: [cleanupFinalizer],
      };
      const spec = { ...policy.spec, onDelete: 'DisableMig' as const };
      const inForce = { generation: 1, spec };
      const retired = asDeleted({ ...policy, metadata, spec, status: { acceptedGeneration: 1, inForce } });
      const ruling = sparePods(aSituation({ partition, policy: retired }), [goes]);
      if (evict === 'IfNeeded') expect(ruling).to.equal(undefined);
      else
        expect(ruling?.verdict.message).to.match(/demand\.evict: Never.*the policy waits until they end, and at its/);
    }
  });

  it('is evicted where the policy evicts if needed', () => {
    const world = aDemandWorld({ evict: 'IfNeeded' });
    stepUntil(world, 'Draining');
    world.step(1000);
    expect(evictionsOf(world)).to.have.lengthOf(1);
  });
});
