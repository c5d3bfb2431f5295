import { expect } from 'chai';
import { defaultClients, pausedForMigChange } from '../../../../src/core/node/plugin-pods.ts';
import { clientsGo } from '../../../../src/core/node/rules/gpu-clients.ts';
import type { DeviceReport, PolicySpec } from '../../../../src/api/types.ts';
import { planWish } from '../../../../src/core/device/plan.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  aGpuPod,
  aHolderPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aFreshRead,
  aSituation,
  aWish,
  changeOf,
  namesOf,
  noon,
  wholeGpu,
} from '../../../support/node-builders.ts';
import type { PodView } from '../../../../src/core/kubernetes/pod.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const dcgm = 'nvidia.com/gpu.deploy.dcgm';
const plan = { ...planWish(wholeGpu, aWish).report, modeChanges: 1 };

/** The plan changes the mode of a GPU; dcgm runs on the node, and goes where its label says so. */
function aModeChange(more: ConstructorParameters<typeof NodeWorld>[0] = {}): NodeWorld {
  return new NodeWorld({
    node: aNode({ labels: { [dcgm]: 'true' } }),
    partition: aManagedPartition({ device: { ...wholeGpu, plan } }),
    pods: [aHolderPod('dcgm'), aPluginPod({ tolerates: true })],
    ...more,
  });
}

/** Until the holders have been told to go. */
function pause(world: NodeWorld): NodeWorld {
  for (let second = 0; second < 3; second += 1) world.step(1000);
  expect(world.labels[dcgm]).to.equal(pausedForMigChange);
  expect(world.taintKeys).to.deep.equal(['repartitioning']);
  return world;
}

describe('holders of GPUs that have to go', () => {
  it('are told to by their label once the node is closed, and waited for by name', () => {
    const world = pause(aModeChange());
    const { verdict } = world.step(500);
    expect(verdict).to.include({ phase: 'Updating', reason: 'ClientsStay', transient: true });
    expect(verdict.message).to.include('gpu/dcgm');
    world.pods = [];
    world.step(500);
    expect(world.done.at(-1)).to.equal('WriteGrant');
    expect(world.labels[dcgm]).to.equal(pausedForMigChange);
  });

  it('are looked for twice a second at first, and after a tenth of the time that they have stayed later', () => {
    const world = pause(aModeChange());
    expect(world.step(500).verdict.requeueAfterMs).to.equal(500);
    for (let second = 0; second < 20; second += 1) world.step(1000);
    expect(world.step(1000).verdict.requeueAfterMs).to.be.within(2_000, 2_500);
    for (let second = 0; second < 60; second += 1) world.step(1000);
    expect(world.step(1000).verdict.requeueAfterMs).to.equal(5_000);
  });

  it('stay away until the grant is answered or overdue, and come back then', () => {
    const world = pause(aModeChange());
    world.pods = [];
    world.step(500);
    world.step(60_000);
    expect(world.labels[dcgm]).to.equal(pausedForMigChange);
    world.step(600_000);
    expect(world.labels[dcgm]).to.equal('true');
  });

  for (const [what, block] of Object.entries<(world: NodeWorld) => void>({
    'a driver upgrade': (world) => world.label({ 'nvidia.com/gpu-driver-upgrade-state': 'cordon-required' }),
    'another owner of the GPUs': (world) =>
      world.label({ 'nvidia.com/gpu.deploy.mig-manager': 'paused-for-driver-upgrade' }),
    'a pause of the rollout': (world) => {
      if (world.policy) world.policy = { ...world.policy, spec: { ...world.policy.spec, rollout: { paused: true } } };
      world.slot = undefined;
    },
    'the end of the policy': (world) => {
      world.policy = undefined;
    },
    'a cordon': (world) => {
      world.node = { ...world.node, spec: { ...world.node.spec, unschedulable: true } };
    },
  })) {
    it(`come back when the grant is blocked by ${what}, and the node is opened`, () => {
      const world = pause(aModeChange());
      block(world);
      world.step(500);
      expect(world.labels[dcgm]).to.equal('true');
      world.settle();
      expect(world.taintKeys).to.deep.equal([]);
    });
  }

  it('keep the node closed until they are back, and the verdict says so', () => {
    const world = pause(aModeChange());
    world.node = { ...world.node, spec: { ...world.node.spec, unschedulable: true } };
    const { verdict } = world.step(500);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(verdict.reason).to.equal('ForeignCordon');
    expect(verdict.message).to.match(/\. The node stays closed: the GPU clients are coming back$/);
  });

  it('stay away while a change of leader lets the node settle once more', () => {
    const world = pause(aModeChange());
    world.failOver();
    const { verdict } = world.step(100);
    expect(verdict.message).to.include('closed to new GPU pods');
    expect(world.labels[dcgm]).to.equal(pausedForMigChange);
  });

  it('come back while a late pod is waited for, on a node that stays closed', () => {
    const world = pause(aModeChange());
    world.pods = [...world.pods, aGpuPod()];
    world.step(500);
    expect(world.labels[dcgm]).to.equal('true');
    expect(world.step(500).verdict).to.include({ phase: 'Updating', reason: 'Draining' });
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.pods = world.pods.filter(({ metadata }) => metadata.name !== aGpuPod().metadata.name);
    world.step(500);
    expect(world.labels[dcgm]).to.equal('paused-for-mig-change');
  });

  it('are evicted where no deploy label brings them, whatever gpu-operator’s label for its own says', () => {
    const exporter = aHolderPod('dcgm-exporter');
    const labels = { 'app.kubernetes.io/name': 'dcgm-exporter' };
    const own = { metadata: { ...exporter.metadata, labels }, spec: {} };
    for (const value of ['true', 'false', pausedForMigChange]) {
      const node = aNode({
        labels: { 'nvidia.com/gpu.deploy.dcgm-exporter': value, 'nvidia.com/gpu.deploy.device-plugin': value },
      });
      const world = aModeChange({ node, pods: [own, aPluginPod()] });
      for (let second = 0; second < 4; second += 1) world.step(1000);
      expect(
        world.done.filter((one) => one.startsWith('EvictPod')),
        value,
      ).to.deep.equal(['EvictPod uid-dcgm-exporter', 'EvictPod uid-plugin']);
      expect(world.done.at(-1), value).to.equal('WriteGrant');
    }
  });

  it('are not evicted where their label takes them away, also a device plugin that would stay away from a closed node', () => {
    const deploy = 'nvidia.com/gpu.deploy.device-plugin';
    const pod = aPluginPod();
    const pods = [{ ...pod, spec: { ...pod.spec, nodeSelector: { [deploy]: 'true' } } }];
    const world = aModeChange({ node: aNode({ labels: { [deploy]: 'true' } }), pods });
    for (let second = 0; second < 4; second += 1) world.step(1000);
    expect(world.labels[deploy]).to.equal(pausedForMigChange);
    expect(world.step().verdict.message).to.include('gpu/plugin');
    expect(world.done.filter((one) => one.startsWith('EvictPod'))).to.deep.equal([]);
  });

  it('that a budget keeps are named with the refusal', () => {
    const world = aModeChange({ node: aNode(), pods: [aHolderPod('dcgm')] });
    world.refusals = { 'uid-dcgm': 'the disruption budget needs 1 pod' };
    for (let second = 0; second < 3; second += 1) world.step(1000);
    const { verdict } = world.step(500);
    expect(verdict.message).to.include('the disruption budget needs 1 pod');
  });
});

describe('which changes GPU clients have to go for', () => {
  const toldFor = (device: DeviceReport): readonly string[] => {
    const partition = aManagedPartition({ device });
    const ruling = clientsGo(aSituation({ node: aNode({ labels: { [dcgm]: 'true' } }), partition }), []);
    return Object.keys(changeOf({ commands: ruling?.commands ?? [] }).borrow ?? {});
  };
  const { modeChanges: _none, ...noModes } = plan;

  it('is told by the plan: those of the mode of a GPU, even if none of their pods is there yet', () => {
    expect(toldFor({ ...wholeGpu, plan })).to.deep.equal([dcgm]);
    expect(toldFor({ ...wholeGpu, plan: { ...plan, modeChanges: 0 } })).to.deep.equal([]);
    expect(toldFor({ ...wholeGpu, plan: noModes })).to.deep.equal([]);
  });

  it('take monitors of a DaemonSet with them, and no other change does', () => {
    const watch = { ...aHolderPod('watch'), metadata: { ...aHolderPod('watch').metadata, name: 'watch' } };
    const results = [{ driver: 'gpu.nvidia.com', pool: 'n', device: 'gpu-0', adminAccess: true }];
    const reservedFor = [{ resource: 'pods', name: 'watch', uid: 'uid-watch' }];
    const claims = [
      { metadata: { name: 'c', namespace: 'gpu' }, status: { allocation: { devices: { results } }, reservedFor } },
    ];
    const evictedFor = (device: DeviceReport, gpuClients = defaultClients) => {
      const partition = aManagedPartition({ device });
      const fresh = aFreshRead({ claims });
      const ruling = clientsGo(aSituation({ partition, settings: { gpuClients } }, { fresh }), [watch]);
      return namesOf({ commands: ruling?.commands ?? [] }).filter((name) => name === 'EvictPod');
    };
    expect(evictedFor({ ...wholeGpu, plan })).to.deep.equal(['EvictPod']);
    expect(evictedFor({ ...wholeGpu, plan }, [])).to.deep.equal(['EvictPod']);
    expect(evictedFor({ ...wholeGpu, plan: noModes })).to.deep.equal([]);
    const inUse = { step: 'Failed', error: { code: 'InUse', message: 'no' } } as const;
    expect(evictedFor({ ...wholeGpu, plan: noModes, ...inUse })).to.deep.equal(['EvictPod']);
  });

  it('evict a pod of two holders once, and name it once if its eviction is refused', () => {
    const partition = aManagedPartition({ device: { ...wholeGpu, plan } });
    const pod = aPluginPod();
    const podLabels = pod.metadata.labels ?? {};
    const gpuClients = ['device-plugin', 'other'].map((name) => ({ name, podLabels, goes: ['ModeChange'] as const }));
    const refused = { [pod.metadata.uid ?? '']: { at: 0, refusal: 'a budget' } };
    const memory = { waits: {}, evictions: refused };
    const ruling = clientsGo({ ...aSituation({ partition, settings: { gpuClients } }), memory }, [pod]);
    expect(namesOf({ commands: ruling?.commands ?? [] }).filter((name) => name === 'EvictPod')).to.have.length(1);
    expect(ruling?.verdict.message).to.match(/: gpu\/plugin; gpu\/plugin: a budget$/);
  });

  it('and by the last failure: those that failed because a GPU is in use, or its mode pending', () => {
    const failed = (code: 'InUse' | 'Pending' | 'CommandFailed', step: 'Failed' | 'Idle') =>
      toldFor({ ...wholeGpu, plan: noModes, step, error: { code, message: 'no' } });
    expect(failed('InUse', 'Failed')).to.deep.equal([dcgm]);
    expect(failed('Pending', 'Failed')).to.deep.equal([dcgm]);
    expect(failed('CommandFailed', 'Failed')).to.deep.equal([]);
    expect(failed('InUse', 'Idle')).to.deep.equal([]);
  });

  it('are named, when they do not, for what they keep from changing: not always a MIG mode', () => {
    const told = { [dcgm]: pausedForMigChange };
    const overdue = (device: DeviceReport): string | undefined => {
      const partition = aManagedPartition({ device });
      const memory = { waits: { HoldersGo: { since: noon - 301_000 } }, evictions: {} };
      const situation = aSituation({ partition, node: aNode({ labels: told }), now: noon }, { memory });
      return clientsGo(situation, [aHolderPod('dcgm')])?.verdict.message;
    };
    const inUse = { ...wholeGpu, plan: noModes, step: 'Failed', error: { code: 'InUse', message: 'no' } } as const;
    for (const device of [{ ...wholeGpu, plan }, inUse])
      expect(overdue(device)).to.match(
        /^the GPUs cannot change while these pods hold them open, .* within 300 s: gpu\/dcgm\./,
      );
  });
});

describe('holders of GPUs that come straight back', () => {
  it('are evicted three times, then left alone with a reason', () => {
    const made = (uid: string) => {
      const { metadata, ...pod } = aHolderPod('dcgm-dra', { tolerates: true, uid });
      const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'dcgm', uid: 'uid-of-dcgm', controller: true };
      return { ...pod, metadata: { ...metadata, ownerReferences: [owner] } };
    };
    const world = aModeChange({ node: aNode({}), pods: [made('first')] });
    const evictions = () => world.done.filter((one) => one.startsWith('EvictPod'));
    for (let round = 1; round < 40; round += 1) {
      const [first] = evictions().slice(-1);
      world.step(1000);
      // Its DaemonSet makes it again at once: it tolerates every taint.
      if (evictions().at(-1) !== first) world.pods = [made(`again-${round}`)];
    }
    expect(evictions()).to.have.length(3);
    const { verdict } = world.step(1000);
    expect(verdict).to.include({ phase: 'Failed', reason: 'ClientsStay' });
    expect(verdict.message).to.match(/gpu\/dcgm-dra, which came back after each of three evictions/);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('are told to go by their label where gpu-operator deploys them', () => {
    const world = aModeChange({
      node: aNode({ labels: { 'nvidia.com/gpu.deploy.dcgm-exporter-dra': 'true' } }),
      pods: [aHolderPod('dcgm-exporter-dra', { tolerates: true })],
    });
    for (let second = 0; second < 3; second += 1) world.step(1000);
    expect(world.labels['nvidia.com/gpu.deploy.dcgm-exporter-dra']).to.equal(pausedForMigChange);
    expect(world.done.filter((one) => one.startsWith('EvictPod'))).to.deep.equal([]);
  });

  it('are known by the component of DCGM, whichever label deploys them, and go by that label where there is one', () => {
    const dra = 'nvidia.com/gpu.deploy.dcgm-dra';
    const withComponent = (deployLabel: string | undefined): PodView => {
      const { metadata, ...pod } = aHolderPod('dcgm-dra', { tolerates: true });
      const labels = { 'app.kubernetes.io/component': 'nvidia-dcgm' };
      const nodeSelector = deployLabel === undefined ? {} : { [deployLabel]: 'true' };
      return { ...pod, metadata: { ...metadata, labels }, spec: { ...pod.spec, nodeSelector } };
    };
    const known = aModeChange({ node: aNode({ labels: { [dra]: 'true' } }), pods: [withComponent(dra)] });
    for (let second = 0; second < 3; second += 1) known.step(1000);
    expect(known.labels[dra]).to.equal(pausedForMigChange);
    expect(known.done.filter((one) => one.startsWith('EvictPod'))).to.deep.equal([]);
    const unknown = aModeChange({ node: aNode({}), pods: [withComponent('example.com/deploys-dcgm')] });
    for (let second = 0; second < 3; second += 1) unknown.step(1000);
    expect(unknown.done.filter((one) => one.startsWith('EvictPod'))).to.have.length(1);
  });
});

describe('holders of GPUs beside pods that hold what has to go', () => {
  const whole = aDevice({ ...aGpu(), busy: true, pods: ['ns/job'] });
  const planned = { ...planWish(whole, aWish).report, modeChanges: 1 };
  const both = (drain: PolicySpec['drain'] = {}): NodeWorld =>
    aModeChange({
      partition: aManagedPartition({ device: { ...whole, plan: planned } }),
      pods: [aHolderPod('dcgm'), aPluginPod({ tolerates: true }), aGpuPod()],
      policy: aSlicingPolicy({ drain }),
    });
  const evicted = (world: NodeWorld) => world.done.filter((one) => one === 'EvictPod uid-job');

  it('go first: no pod is evicted for a change that they prevent, and the change counts as failed', () => {
    const world = pause(both());
    for (let second = 0; second < 310; second += 1) world.step(1000);
    expect(world.labels[dcgm]).to.equal('true');
    expect(world.rolloutState).to.include({ hasFailed: true, isUnderWay: false });
    expect(world.taintKeys).to.deep.equal([]);
    expect(evicted(world)).to.deep.equal([]);
  });

  it('stay away while the pods are evicted, until the change is granted', () => {
    const world = both();
    world.refusals = { 'uid-job': 'not now' };
    pause(world);
    world.pods = world.pods.filter(({ metadata }) => metadata.name !== 'dcgm');
    for (let second = 0; second < 30; second += 1) world.step(1000);
    expect(evicted(world)).to.have.length.above(1);
    expect(world.labels[dcgm]).to.equal(pausedForMigChange);
    world.refusals = {};
    for (let second = 0; second < 7; second += 1) world.step(1000);
    expect(world.done.at(-1)).to.equal('WriteGrant');
    expect(world.labels[dcgm]).to.equal(pausedForMigChange);
  });

  it('are not away while pods are waited for that nobody evicts', () => {
    const world = both({ scope: 'None', onTimeout: 'Wait' });
    for (let second = 0; second < 10; second += 1) world.step(1000);
    expect(world.labels[dcgm]).to.equal('true');
    world.pods = world.pods.filter(({ metadata }) => metadata.name !== 'job');
    world.step(1000);
    expect(world.labels[dcgm]).to.equal(pausedForMigChange);
  });
});

describe('holders of GPUs that do not go', () => {
  /** Steps of a second, from when they were told to go until they are left in peace. */
  function giveUp(world: NodeWorld): void {
    for (let second = 0; second < 400 && world.labels[dcgm] !== 'true'; second += 1) world.step(1000);
    expect(world.labels[dcgm]).to.equal('true');
  }

  /** Until the node is closed once more. @returns after how many seconds */
  function rest(world: NodeWorld): number {
    for (let seconds = 5; seconds < 8000; seconds += 5) {
      world.step(5000);
      if (world.taintKeys.length > 0) return seconds;
    }
    throw new Error('they are left in peace for ever');
  }

  function countFailedDrains(world: NodeWorld, count: number): readonly number[] {
    return Array.from({ length: count }, () => {
      pause(world);
      giveUp(world);
      world.settle(10);
      expect(world.taintKeys).to.deep.equal([]);
      return rest(world);
    });
  }

  /** {@link rest} has closed the node already. */
  function countFurtherRests(world: NodeWorld, count: number): readonly number[] {
    return Array.from({ length: count }, () => {
      for (let second = 0; second < 10 && world.labels[dcgm] !== pausedForMigChange; second += 1) world.step(1000);
      giveUp(world);
      world.settle(10);
      return rest(world);
    });
  }

  it('are left in peace with their node open, longer each time', () => {
    const world = aModeChange();
    const [first = 0] = countFailedDrains(world, 1);
    const [second = 0, third = 0] = countFurtherRests(world, 2);
    expect(first).to.be.within(55, 65);
    expect(second).to.be.within(115, 125);
    expect(third).to.be.within(235, 245);
  });

  it('are left in peace as long after a change of leader', () => {
    const world = aModeChange();
    countFailedDrains(world, 1);
    for (let second = 0; second < 5; second += 1) world.step(1000);
    giveUp(world);
    world.settle(10);
    world.step(30_000);
    world.failOver();
    expect(rest(world)).to.be.within(85, 95);
  });

  it('are looked at again when that is over, and not before', () => {
    const world = pause(aModeChange());
    giveUp(world);
    world.settle(10);
    world.slot = undefined;
    const { requeueAfterMs = 0 } = world.step().verdict;
    expect(world.step(requeueAfterMs - 100).verdict.reason).to.equal('ClientsStay');
    expect(world.step(100).verdict.reason).to.equal('AwaitingSlot');
  });

  it('are told to go again at once when somebody asks for it', () => {
    const world = pause(aModeChange());
    giveUp(world);
    world.settle(10);
    const { metadata } = world.node;
    world.node = { ...world.node, metadata: { ...metadata, annotations: { 'gpupartition.dev/retry': 'now' } } };
    expect(rest(world)).to.equal(5);
  });

  it('are named as long as they are left in peace, and nobody else: who did go has come back', () => {
    const world = pause(aModeChange());
    for (let second = 0; second < 302; second += 1) world.step(1000);
    world.pods = [...world.pods, aHolderPod('nvsm')];
    const { verdict } = world.step(1000);
    expect(verdict).to.include({ phase: 'Failed', reason: 'ClientsStay' });
    expect(verdict.message).to.include('gpu/dcgm').and.not.include('nvsm');
  });

  it('are left alone even if the agent was away for a moment', () => {
    const world = pause(aModeChange());
    giveUp(world);
    world.settle(10);
    world.agent = { state: 'NotReady', why: 'pod agents/a: is being replaced' };
    world.step(1000);
    world.agent = { state: 'Ready' };
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.memory.waits.HoldersRest).to.have.property('count', 1);
  });
});

describe('a node that was closed for nothing', () => {
  it('is opened with its device plugin left alone: nothing of its device has changed', () => {
    const world = new NodeWorld({ pods: [aPluginPod({ tolerates: true })] });
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.pods = [...world.pods, aGpuPod()];
    world.step(500);
    const { verdict } = world.step(500);
    expect(verdict).to.include({ phase: 'Updating', reason: 'Draining' });
    world.slot = undefined;
    expect(world.settle().verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot' });
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.done.filter((what) => what.startsWith('EvictPod'))).to.deep.equal([]);
    expect(world.now).to.be.below(noon + 5000);
  });
});
