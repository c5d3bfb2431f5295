import { describeReport } from '../../../src/core/nvidia/predict.ts';
import { expect } from 'chai';
import type { DeviceReport } from '../../../src/api/types.ts';
import { planWish } from '../../../src/core/device/plan.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import {
  aDriverPod,
  advertisesSlice,
  advertisesWhole,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  aWish,
  judge,
  namesOf,
  noon,
  slicesOf,
  taints,
  wholeGpu,
} from '../../support/node-builders.ts';
import { computeLabels } from '../../../src/core/nvidia/labels.ts';
import { checkStack } from '../../../src/core/node/rules/plugin.ts';
import { NodeWorld } from '../../support/node-world.ts';
import type { PodView, ResourceClaimView } from '../../../src/core/kubernetes/pod.ts';

const policy = aSlicingPolicy({ backend: 'DRA' });
const nothing = { 'nvidia.com/gpu': '0' };
const advertisedByKubelet = { 'nvidia.com/gpu': 1 };
const updating = { 'gpupartition.dev/state': 'updating' };

const aHalf = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1 } }] };
const profiles = [
  { name: '7g.40gb', id: 0, memorySlices: 8, computeSlices: 7, starts: [0], maxInstances: 1 },
  { name: '3g.20gb', id: 9, memorySlices: 4, computeSlices: 3, starts: [0, 4], maxInstances: 2 },
];
const models = [{ product: 'NVIDIA A100-SXM4-40GB', computeSlices: 7, memorySlices: 8, profiles }];

/** The GPU as one slice of this UUID. */
function sliced(uuid: string): DeviceReport {
  const gpu = { ...aGpu({ mig: 'Enabled' }), instances: [{ profile: '7g.40gb', gi: 0, start: 0, uuid }] };
  return { ...aDevice(gpu), models };
}

/** A node whose driver publishes the slice that its policy asks for. */
function aServedNode(): NodeWorld {
  return new NodeWorld({
    policy,
    node: aNode({ allocatable: nothing }),
    partition: aManagedPartition({ backend: 'DRA', device: sliced('MIG-new') }),
    pods: [aDriverPod({ uid: 'old' })],
    slices: slicesOf(sliced('MIG-new')),
  });
}

/** A node that is closed for grant 3, which its agent has finished; its driver still shows what was. */
function aChangedNode(report: DeviceReport = {}, pods = [aDriverPod({ uid: 'old' })]): NodeWorld {
  return new NodeWorld({
    policy,
    node: aNode({ taints: taints.closed, labels: updating, allocatable: nothing }),
    partition: aManagedPartition({
      backend: 'DRA',
      granted: aGrant({ signalPods: ['old'] }),
      device: { ...sliced('MIG-new'), observedEpoch: 3, ...report },
    }),
    pods,
    slices: slicesOf(wholeGpu),
  });
}

const signalled = { signalled: { epoch: 3, uids: ['old'] } };

describe('a node whose GPUs are handed out by claims', () => {
  it('opens once its slices show exactly what the device has', () => {
    const world = aChangedNode(signalled);
    const waiting = world.settle();
    expect(waiting.verdict).to.include({ phase: 'Updating', reason: 'AdvertisePending' });
    expect(waiting.verdict.message).to.include('lack gpu-0-mig-7g40gb-0-0 (MIG-new) and have gpu-0 (');
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.slices = slicesOf(sliced('MIG-new'));
    const registering = world.step();
    expect(registering.verdict).to.include({ phase: 'Updating', requeueAfterMs: 2_510 });
    expect(registering.verdict.message).to.include('until the kubelet has registered it again');
    world.step(2_400);
    expect(world.taintKeys, 'a moment too early').to.deep.equal(['repartitioning']);
    world.step(100);
    expect(world.settle().verdict).to.include({ phase: 'Ready', requeueAfterMs: 120_000 });
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.done.filter((one) => one.startsWith('EvictPod'))).to.deep.equal([]);
  });

  it('opens before GPU Feature Discovery has relabelled it: a claim gets its device by the slices', () => {
    const world = aChangedNode(signalled);
    world.label({ 'nvidia.com/gfd.timestamp': '1' });
    world.slices = slicesOf(sliced('MIG-new'));
    world.settle();
    expect(world.step(2_600).verdict).to.include({ phase: 'Updating', reason: 'LabelsStale' });
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(world.step(3_010).verdict).to.include({ phase: 'Updating', reason: 'LabelsStale' });
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).to.include({ 'gpupartition.dev/state': 'waiting' });
    world.label(computeLabels(describeReport(sliced('MIG-new')), 'mixed').labels);
    expect(world.step(1_000).verdict).to.include({ phase: 'Ready' });
    expect(world.labels).to.include({ 'gpupartition.dev/state': 'ready' });
  });

  it('opens whatever its kubelet says of resources: nothing of them is handed out', () => {
    const world = aChangedNode({ ...signalled, advertised: { stale: 0, resources: advertisedByKubelet } });
    world.slices = slicesOf(sliced('MIG-new'));
    world.settle();
    expect(world.settle(3000).verdict.phase).to.equal('Ready');
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is not concerned by the settings of a device plugin that offers nothing', () => {
    const world = aServedNode();
    world.pods = [...world.pods, aPluginPod({ strategy: 'single' })];
    world.slices = [];
    expect(world.settle().verdict.reason).to.not.equal('StrategyMismatch');
  });

  it('stays closed on its previous slice, which has the same name and another UUID', () => {
    const world = aChangedNode(signalled);
    world.slices = slicesOf(sliced('MIG-old'));
    expect(world.settle().verdict.reason).to.equal('AdvertisePending');
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('has its driver’s pod replaced, once, if the signal is not followed', () => {
    const world = aChangedNode(signalled);
    world.settle();
    world.step(21_000);
    expect(world.done).to.include('EvictPod old');
    world.pods = [aDriverPod({ uid: 'new' })];
    const { verdict } = world.settle();
    expect(verdict.message).to.include('waiting for its DRA driver to start');
    expect(world.done).not.to.include('EvictPod new');
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('has it replaced at once where nobody was signalled', () => {
    const world = aChangedNode();
    world.step(0);
    expect(world.done).to.include('EvictPod old');
  });

  it('has its driver restarted although the slice came back with the same name and UUID', () => {
    const world = aChangedNode();
    world.slices = slicesOf(sliced('MIG-new'));
    world.step(0);
    expect(world.done).to.include('EvictPod old');
    world.settle();
    world.step(60_000);
    expect(world.taintKeys, 'with the driver of before').to.deep.equal(['repartitioning']);
    world.pods = [aDriverPod({ uid: 'new', isReady: false })];
    world.step(5_000);
    expect(world.taintKeys, 'with a driver that starts').to.deep.equal(['repartitioning']);
    world.pods = [aDriverPod({ uid: 'new' })];
    world.step();
    world.step(2_400);
    expect(world.taintKeys, 'a moment too early').to.deep.equal(['repartitioning']);
    world.step(100);
    expect(world.settle().verdict.phase).to.equal('Ready');
    expect(world.done).not.to.include('EvictPod new');
  });

  it('keeps the pod of a driver that was signalled, though the slice came back with the same UUID and something else holds it up', () => {
    const world = aChangedNode(signalled);
    world.slices = slicesOf(sliced('MIG-new'));
    world.step(0);
    world.step(25_000);
    expect(world.settle().verdict.phase).to.equal('Ready');
    expect(world.done.filter((one) => one.startsWith('EvictPod'))).to.deep.equal([]);
  });

  it('is open only for its driver once the kubelet has removed the slices of a driver that the taint keeps away', () => {
    const world = aChangedNode();
    const stale = { 'nvidia.com/gfd.timestamp': '1', 'nvidia.com/gpu.deploy.device-plugin': 'true' };
    world.label(stale);
    world.settle();
    world.pods = [];
    world.settle();
    expect(world.taintKeys, 'with its previous slices').to.deep.equal(['repartitioning']);
    world.slices = [];
    expect(world.step().verdict.message).to.include('open for the pod of its DRA driver');
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels, 'a device plugin that offers nothing is in nobody’s way').to.include(stale);
    world.settle();
    world.label(computeLabels(describeReport(sliced('MIG-new')), 'mixed').labels);
    world.pods = [aDriverPod({ uid: 'new' })];
    world.slices = slicesOf(sliced('MIG-new'));
    expect(world.settle().verdict.phase).to.equal('Ready');
  });

  it('fails with its driver’s state if that does not come back, and stays closed', () => {
    const world = aChangedNode({}, [aDriverPod({ uid: 'new', isReady: false, tolerates: true })]);
    world.settle();
    const { verdict } = world.step(301_000);
    expect(verdict).to.include({ phase: 'Failed', reason: 'AdvertisePending' });
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('waits for a slot in which its driver is restarted, if that has lost slices', () => {
    const paused = aSlicingPolicy({ backend: 'DRA', rollout: { paused: true } });
    const partition = aManagedPartition({ backend: 'DRA', device: sliced('MIG-new') });
    const node = aNode({ allocatable: nothing });
    const world = new NodeWorld({ policy: paused, partition, node, pods: [aDriverPod()], slices: slicesOf(wholeGpu) });
    world.slot = undefined;
    world.step();
    const { verdict } = world.step(31_000);
    expect(verdict.message).to.include('would restart its DRA driver, which does not offer the layout');
    expect(verdict.requeueAfterMs, 'it may publish them by itself').to.equal(15_000);
  });

  it('stays closed without its agent until a driver that was replaced must have published what it found', () => {
    const world = aChangedNode({ observedEpoch: 2 }, [aDriverPod({ uid: 'old', tolerates: true })]);
    world.agent = { state: 'Missing' };
    world.step(1_200_000);
    for (let tries = 0; tries < 5 && !world.done.includes('EvictPod old'); tries += 1) world.step(31_000);
    expect(world.done).to.include('EvictPod old');
    world.pods = [aDriverPod({ uid: 'new', tolerates: true })];
    world.step(500);
    world.step(60_000);
    expect(world.taintKeys, 'the slices of before may still be there').to.deep.equal(['repartitioning']);
    world.step(30_000);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is looked at again while it is Ready, though slices are watched, and a driver that lost them is replaced', () => {
    const world = aServedNode();
    expect(world.settle().verdict).to.include({ phase: 'Ready', requeueAfterMs: 120_000 });
    world.slices = slicesOf(wholeGpu);
    expect(world.settle().verdict.phase).to.equal('Updating');
    expect(world.done.filter((one) => one.startsWith('EvictPod'))).to.deep.equal([]);
    world.step(31_000);
    expect(world.done).to.include('EvictPod old');
  });

  // Found by the model, SecondPlugin 4090: what the device plugin would offer was taken for what the node has to offer.
  it('stays Ready while the DaemonSet of agents may just replace its agent, as long as its driver alone offers what it is', () => {
    const aReadyNode = (): NodeWorld => {
      const world = aServedNode();
      world.settle();
      world.agent = { state: 'Missing' };
      return world;
    };
    expect(aReadyNode().step(1000).verdict.phase).to.equal('Ready');
    const besideIt = aReadyNode();
    besideIt.node = aNode({ allocatable: { 'nvidia.com/mig-7g.40gb': '1' }, labels: besideIt.labels });
    expect(besideIt.step(1000).verdict).to.include({ phase: 'Pending', reason: 'AgentNotReporting' });
    const outdated = aReadyNode();
    outdated.slices = slicesOf(wholeGpu);
    expect(outdated.step(1000).verdict).to.include({ phase: 'Pending', reason: 'AgentNotReporting' });
  });

  it('is granted its change, naming the driver’s pods to signal', () => {
    const found = { pods: [aDriverPod({ uid: 'one' })], slices: slicesOf(wholeGpu), fresh: { claims: [] } };
    const node = aNode({ taints: taints.closed, labels: updating, allocatable: nothing });
    const answer = judge({ policy, node, partition: aManagedPartition({ backend: 'DRA' }) }, found, {
      waits: { Closed: { since: 0 } },
      evictions: {},
    });
    const [grant] = answer.commands.flatMap((one) => (one.name === 'WriteGrant' ? [one.granted] : []));
    expect(grant?.signalPods).to.deep.equal(['one']);
  });

  it('has the backend in its wish, and no longer when its policy turns back', () => {
    const told = judge({ policy, node: aNode({ allocatable: nothing }) });
    const wishes = told.commands.flatMap((one) => (one.name === 'WriteWish' ? [one.fields.backend] : []));
    expect(wishes).to.deep.equal(['DRA']);
    const back = judge({ partition: aManagedPartition({ backend: 'DRA' }) }, { slices: [] });
    expect(back.commands.flatMap((one) => (one.name === 'WriteWish' ? [one.fields.backend] : []))).to.deep.equal([
      null,
    ]);
  });
});

describe('a node whose GPUs are handed out by claims, closed for a change, that has lost its slot', () => {
  const inHalves = { backend: 'DRA', layouts: [{ profiles: { '3g.20gb': 1 } }] } as const;
  const withoutSlot = (slices: NodeWorld['slices'], driver = aDriverPod({ uid: 'driver' })): NodeWorld => {
    const partition = aManagedPartition({ backend: 'DRA', device: sliced('MIG-a'), wish: aHalf });
    const node = aNode({ allocatable: nothing });
    const world = new NodeWorld({ policy: aSlicingPolicy(inHalves), node, partition, slices, pods: [driver] });
    world.claims = [];
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.slot = undefined;
    return world;
  };

  it('is opened as it was if its slices were exact', () => {
    const world = withoutSlot(slicesOf(sliced('MIG-a')));
    world.step();
    world.step(300);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.done).to.deep.equal(['PatchNode', 'PatchNode']);
  });

  it('stays closed until its driver is replaced if they were not', () => {
    const world = withoutSlot(slicesOf(sliced('MIG-older')));
    world.step();
    world.step(300);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(world.done).to.include('EvictPod driver');
  });
});

describe('the DRA driver of gpu-operator’s GPUCluster, where a GPU stayed in use', () => {
  const label = 'nvidia.com/gpu.deploy.dra-driver';
  const driver = aDriverPod({ uid: 'driver', tolerates: true });
  const deployed: PodView = { ...driver, spec: { ...driver.spec, nodeSelector: { [label]: 'true' } } };

  it('is paused by its label nvidia.com/gpu.deploy.dra-driver, waited for, and brought back after the change', () => {
    const device: DeviceReport = { ...wholeGpu, step: 'Failed', error: { code: 'InUse', message: 'in use' } };
    const world = new NodeWorld({
      policy,
      node: aNode({ allocatable: nothing, labels: { [label]: 'true' } }),
      partition: aManagedPartition({ backend: 'DRA', device }),
      pods: [deployed],
      slices: slicesOf(wholeGpu),
    });
    world.claims = [];
    for (let second = 0; second < 3; second += 1) world.step(1000);
    expect(world.labels[label]).to.equal('paused-for-mig-change');
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(world.step(500).verdict).to.include({ phase: 'Updating', reason: 'ClientsStay' });
    expect(world.done).not.to.include('EvictPod driver');
    expect(world.done).not.to.include('WriteGrant');
    world.pods = [];
    world.step(500);
    expect(world.done.at(-1)).to.equal('WriteGrant');
    expect(world.labels[label], 'while the agent works').to.equal('paused-for-mig-change');
    const changed = sliced('MIG-new');
    world.report({ ...changed, step: 'Idle', observedEpoch: world.partition.spec.granted?.epoch ?? 0 });
    world.settle();
    expect(world.labels[label]).to.equal('true');
    expect(world.taintKeys, 'until it has published').to.deep.equal(['repartitioning']);
    world.pods = [{ ...deployed, metadata: { ...deployed.metadata, uid: 'next' } }];
    world.slices = slicesOf(changed);
    world.step(500);
    world.step(2_500);
    expect(world.settle().verdict.phase).to.equal('Ready');
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.done.filter((one) => one.startsWith('EvictPod'))).to.deep.equal([]);
  });
});

describe('a driver that creates slices itself', () => {
  it('stops every change as soon as its slices are looked at, on a node that was Ready too', () => {
    const resourceSlices = [{ spec: { driver: 'gpu.nvidia.com', sharedCounters: [{}] } }];
    for (const device of [sliced('MIG-new'), wholeGpu]) {
      const partition = aManagedPartition({ backend: 'DRA', device });
      const found = { pods: [aDriverPod()], slices: resourceSlices };
      const { verdict, commands } = judge({ policy, partition, node: aNode({ allocatable: nothing }) }, found);
      expect(verdict).to.include({ phase: 'Failed', reason: 'ForeignManager' });
      expect(commands).to.deep.equal([]);
    }
  });

  describe('on a node that is closed for a change', () => {
    const own = [
      {
        spec: {
          driver: 'gpu.nvidia.com',
          devices: [{ name: 'gpu-0-mig-1g5gb-19-0', attributes: { type: { string: 'mig' } } }],
        },
      },
    ];
    const evictions = ({ done }: NodeWorld): readonly string[] => done.filter((one) => one.startsWith('EvictPod'));

    it('is left alone, and has the node open at once', () => {
      const world = aChangedNode(signalled);
      world.step(1000);
      world.slices = own;
      const { verdict } = world.settle();
      expect(verdict).to.include({ phase: 'Failed', reason: 'ForeignManager' });
      expect(world.taintKeys).to.deep.equal([]);
      for (let minutes = 0; minutes < 10; minutes += 1) world.step(60_000);
      expect(evictions(world)).to.deep.equal([]);
    });

    it('is left alone if the agent does not answer its grant, too, and when the policy has gone', () => {
      const silent = aChangedNode();
      silent.partition = {
        ...silent.partition,
        spec: { ...silent.partition.spec, granted: aGrant({ epoch: 4, deadline: new Date(noon - 1).toISOString() }) },
      };
      const abandoned = aChangedNode();
      abandoned.policy = undefined;
      for (const world of [silent, abandoned]) {
        world.slices = own;
        for (let steps = 0; steps < 300; steps += 1) world.step(1000);
        expect(world.taintKeys).to.deep.equal([]);
        expect(evictions(world)).to.deep.equal([]);
      }
    });
  });
});

describe('a driver that is set to create slices itself, and still shows those that exist', () => {
  it('stops every change and opens nothing, before a change and after', () => {
    const driver = aDriverPod();
    const containers = [{ name: 'gpus', env: [{ name: 'FEATURE_GATES', value: 'DynamicMIG=true' }], resources: {} }];
    const gated: PodView = { ...driver, spec: { ...driver.spec, containers } };
    for (const device of [sliced('MIG-new'), wholeGpu]) {
      const partition = aManagedPartition({ backend: 'DRA', device });
      const found = { pods: [gated], slices: slicesOf(device), fresh: { claims: [] } };
      const { verdict, commands } = judge({ policy, partition, node: aNode({ allocatable: nothing }) }, found);
      expect(verdict).to.include({ phase: 'Failed', reason: 'ForeignManager' });
      expect(verdict.message).to.include('FEATURE_GATES with DynamicMIG on in pod gpu/driver');
      expect(verdict.message).to.include('featureGates.DynamicMIG=false');
      expect(commands).to.deep.equal([]);
    }
  });
});

describe('two stacks on one node', () => {
  const partition = aManagedPartition({ backend: 'DRA' });

  it('stop a policy with backend DRA, before a change and after', () => {
    for (const [allocatable, device] of [
      [advertisesWhole, wholeGpu],
      [advertisesSlice, sliced('MIG-new')],
    ] as const) {
      const { verdict, commands } = judge(
        { policy, node: aNode({ allocatable }), partition: aManagedPartition({ backend: 'DRA', device }) },
        { pods: [aDriverPod(), aPluginPod()], slices: slicesOf(device) },
      );
      expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
      expect(verdict.message).to.include('nvidia.com/gpu.deploy.device-plugin=false');
      expect(commands).to.deep.equal([]);
    }
  });

  it('keep a node closed on which the plugin offers what a change has taken', () => {
    const device = sliced('MIG-new');
    const advertised = { stale: 1, resources: { 'nvidia.com/mig-7g.40gb': 1 } };
    const look = (allocatable: Readonly<Record<string, string>>, report: DeviceReport = device) => {
      const world = new NodeWorld({
        policy,
        node: aNode({ allocatable, taints: taints.closed, labels: updating }),
        partition: aManagedPartition({
          backend: 'DRA',
          device: { ...report, observedEpoch: 3 },
          granted: aGrant({ epoch: 3 }),
        }),
        pods: [aPluginPod()],
        slices: [],
      });
      const { verdict } = world.settle();
      return [
        verdict.reason,
        world.node.spec?.taints?.length ?? 0,
        verdict.message.includes('offers devices that are not there'),
      ];
    };
    expect(look({ 'nvidia.com/mig-3g.20gb': '2' })).to.deep.equal(['BackendMismatch', 1, true]);
    expect(look(advertisesSlice)).to.deep.equal(['BackendMismatch', 0, false]);
    expect(look(advertisesSlice, { ...device, advertised }), 'by the ids').to.deep.equal(['BackendMismatch', 1, true]);
    expect(look({}, { ...device, advertised }), 'before the API server knows').to.deep.equal([
      'AdvertisePending',
      1,
      true,
    ]);
  });

  it('stop a policy that turned to backend DevicePlugin, for as long as the driver publishes the GPUs', () => {
    const device = sliced('MIG-new');
    const known = { partition: aManagedPartition({ backend: 'DRA', device }), node: aNode({ allocatable: nothing }) };
    const { verdict, commands } = judge(known, { pods: [aDriverPod()], slices: slicesOf(device) });
    expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
    expect(verdict.message).to.include('publishes 1 device of this node');
    expect(verdict.message).to.include('nvidia.com/gpu.deploy.dra-driver=false');
    expect(commands).to.deep.equal([]);
    const { verdict: after } = judge(known, { pods: [], slices: [] });
    expect(after.reason).to.equal('AwaitingPlan');
  });

  it('stop a policy with backend DevicePlugin before a change', () => {
    const fresh = { resourceSlices: slicesOf(wholeGpu) };
    const { verdict, commands } = judge({}, { pods: [aPluginPod()], fresh });
    expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
    expect(verdict.message).to.include('nvidia.com/gpu.deploy.dra-driver=false');
    expect(commands).to.deep.equal([]);
  });

  it('stop it also while the driver restarts, and publishes nothing: claims may have its devices', () => {
    const { verdict, commands } = judge({}, { pods: [aPluginPod(), aDriverPod()] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
    expect(verdict.message).to.include('gpu.nvidia.com is on this node (');
    expect(commands).to.deep.equal([]);
  });

  it('are not what a node has on which the driver publishes no GPU', () => {
    const resourceSlices = [{ spec: { driver: 'compute-domain.nvidia.com', devices: [{ name: 'channel-0' }] } }];
    const { verdict } = judge({}, { pods: [aPluginPod()], fresh: { resourceSlices } });
    expect(verdict.reason).to.equal('AwaitingGrant');
  });

  it('do not exist without a DRA driver, and nothing is touched', () => {
    const { verdict, commands } = judge(
      { policy, partition, node: aNode({ allocatable: nothing }) },
      { pods: [], slices: [] },
    );
    expect(verdict).to.include({ phase: 'Failed', reason: 'NoDraDriver' });
    expect(commands).to.deep.equal([]);
  });

  it('offer nothing while the DRA driver does not run, and nothing is touched', () => {
    const { verdict, commands } = judge(
      { policy, partition, node: aNode({ allocatable: nothing }) },
      { pods: [aDriverPod({ isReady: false })], slices: slicesOf(wholeGpu) },
    );
    expect(verdict.reason).to.equal('PluginNotReady');
    expect(namesOf({ commands })).to.deep.equal([]);
  });
});

describe('a DRA driver that does not run', () => {
  const node = aNode({ allocatable: nothing, labels: { 'gpupartition.dev/state': 'ready' } });
  const partition = aManagedPartition({ backend: 'DRA' });
  const check = (pods: readonly PodView[]) => checkStack(aSituation({ policy, partition, node }, { pods, slices: [] }));
  const starts = aDriverPod({ name: 'starts', uid: 'starts', isReady: false });
  const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' };
  const fails: PodView = {
    ...aDriverPod({ name: 'fails', uid: 'fails', isReady: false }),
    status: { ...starts.status, containerStatuses: [{ name: 'plugins', state: { waiting } }] },
  };

  it('is told by the pods that fail, if any does, and else passes within moments', () => {
    const failing = check([starts, fails]);
    expect(failing).to.have.nested.property('verdict.phase', 'Failed');
    expect(failing)
      .to.have.nested.property('verdict.message')
      .that.includes('gpu/fails')
      .and.not.includes('gpu/starts');
    const starting = check([starts]);
    expect(starting).to.have.nested.property('verdict.phase', 'Pending');
    expect(starting).to.have.nested.property('verdict.transient', true);
    expect(starting).to.have.nested.property('verdict.message').that.includes('gpu/starts');
  });

  it('leaves everything on the node alone, its state too', () => {
    expect(check([fails])).to.include({ writesNothing: true });
    expect(check([])).to.include({ writesNothing: true });
  });

  it('is looked for, with its slices, before anything is said', () => {
    expect(checkStack(aSituation({ policy, partition, node }, { slices: [] }))).to.deep.equal({ needs: 'Pods' });
    expect(checkStack(aSituation({ policy, partition, node }, { pods: [fails] }))).to.deep.equal({ needs: 'Pods' });
  });
});

describe('a claim on what a change destroys', () => {
  const reservedFor = [{ resource: 'pods', name: 'job', uid: 'uid-job' }];
  const devices = { results: [{ driver: 'gpu.nvidia.com', pool: 'n', device: 'gpu-0' }] };
  const claim: ResourceClaimView = {
    metadata: { name: 'c', namespace: 'ns' },
    status: { allocation: { devices }, reservedFor },
  };
  const partition = aManagedPartition({ backend: 'DRA' });
  const closed = aNode({ taints: taints.closed, labels: updating, allocatable: nothing });
  const settled = { waits: { Closed: { since: 0 } }, evictions: {} };
  const slices = slicesOf(wholeGpu);
  const claiming: PodView = {
    metadata: { name: 'job', namespace: 'ns', uid: 'uid-job', creationTimestamp: '2026-01-01T11:00:00Z' },
    spec: { containers: [{}], resourceClaims: [{ name: 'gpu' }] },
    status: { phase: 'Running' },
  };

  it('that was allocated in the last moment keeps a closed node from its grant, until its pod is there', () => {
    const parts = { policy, partition, node: closed };
    const { verdict, commands } = judge(parts, { pods: [aDriverPod()], slices, fresh: { claims: [claim] } }, settled);
    expect(verdict).to.include({ phase: 'Updating', reason: 'Draining' });
    expect(verdict.message).to.include('claim ns/c has gpu-0 for pod ns/job');
    expect(namesOf({ commands })).to.deep.equal([]);
    const bound = judge(parts, { pods: [aDriverPod(), claiming], slices, fresh: { claims: [claim] } }, settled);
    expect(bound.verdict.message).to.include('the agent does not know yet which GPUs ns/job uses');
    expect(namesOf(bound)).not.to.include('WriteGrant');
  });

  it('is known to the controller before the agent has reported its pod, which is drained once it has, and only then granted', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'uid-set', controller: true };
    const job: PodView = { ...claiming, metadata: { ...claiming.metadata, ownerReferences: [owner] } };
    const world = new NodeWorld({ policy, partition, node: closed, pods: [aDriverPod(), job], slices });
    world.memory = settled;
    world.claims = [claim];
    const { verdict } = world.step();
    expect(verdict.message).to.include('the agent does not know yet which GPUs ns/job uses');
    expect(world.done).not.to.include('EvictPod uid-job');
    expect(world.done).not.to.include('WriteGrant');
    const gpu = { ...aGpu(), busy: true, pods: ['ns/job'], claims: ['ns/c'] } as const;
    const read = { ...aDevice(gpu), readTime: '2026-01-01T12:00:00Z' };
    world.report({ ...read, plan: planWish(read, aWish).report });
    expect(world.step(500).verdict.message).to.include('ns/job');
    world.settle();
    expect(world.done).to.include('EvictPod uid-job');
    expect(world.done).not.to.include('WriteGrant');
    world.claims = [];
    world.report({ ...wholeGpu, readTime: '2026-01-01T12:00:10Z', plan: planWish(wholeGpu, aWish).report });
    world.settle();
    expect(world.done).to.include('WriteGrant');
  });

  it('is looked for before anything is destroyed, whatever the plan was when the node was looked at', () => {
    const inHalves = aSlicingPolicy({ backend: 'DRA', layouts: [{ profiles: { '3g.20gb': 1 } }] });
    const changing = aManagedPartition({ backend: 'DRA', device: sliced('MIG-a'), wish: aHalf });
    const parts = { policy: inHalves, partition: changing, node: closed };
    const found = { pods: [aDriverPod()], slices: slicesOf(sliced('MIG-a')) };
    expect(() => judge(parts, found, settled)).to.throw('reads without end: All, All, All, All');
    expect(namesOf(judge(parts, { ...found, fresh: { claims: [] } }, settled))).to.include('WriteGrant');
  });

  it('is looked for where every pod that uses GPUs has to go, though nothing is destroyed', () => {
    const drain = { scope: 'Node' } as const;
    const halves = aSlicingPolicy({ backend: 'DRA', layouts: [{ profiles: { '3g.20gb': 1 } }], drain });
    const device = { ...aDevice(aGpu({ slices: [] })), models };
    const changing = aManagedPartition({ backend: 'DRA', device, wish: aHalf });
    const bare = { ...claiming, metadata: { ...claiming.metadata, ownerReferences: [] } };
    const node = aNode({ allocatable: nothing });
    const found = { pods: [aDriverPod(), bare], slices: [], fresh: { claims: [claim] } };
    const { verdict } = judge({ policy: halves, partition: changing, node }, found);
    expect(verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
    expect(verdict.message).to.include('ns/job');
    expect(() => judge({ policy: halves, partition: changing, node }, { ...found, fresh: {} })).to.throw('All, All');
  });

  it('does not hold a node closed without end if its pod never comes, nor starts its wait again while it cannot be opened', () => {
    const waits = { Closed: { since: 0 }, Claims: { since: noon - 121_000 } };
    const found = { pods: [aDriverPod()], slices, fresh: { claims: [claim] } };
    const { verdict, memory } = judge({ policy, partition, node: closed }, found, { waits, evictions: {} });
    expect(verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
    expect(memory.waits.Claims?.since).to.equal(noon - 121_000);
  });

  it('keeps a node from being closed as long as its pod is not there', () => {
    const found = { pods: [aDriverPod()], slices, fresh: { claims: [claim] } };
    const { verdict, commands } = judge({ policy, partition, node: aNode({ allocatable: nothing }) }, found);
    expect(verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
    expect(commands).to.deep.equal([]);
  });

  it('is looked for again before that node asks for a slot, since it would have to give each back at once', () => {
    const node = aNode({ allocatable: nothing });
    const world = new NodeWorld({ policy, partition, node, pods: [aDriverPod()], slices });
    world.claims = [claim];
    expect(world.step().verdict.reason).to.equal('PodsUseGpus');
    world.slot = undefined;
    for (let times = 0; times < 3; times += 1) {
      expect(world.step(5000).verdict.reason).to.equal('PodsUseGpus');
      expect(world.rolloutState).to.not.have.property('request');
    }
    world.claims = [];
    expect(world.step(5000).verdict.reason).to.equal('AwaitingSlot');
  });

  it('is in nobody’s way if it has admin access, nor is a pod with a claim on something else', () => {
    const results = devices.results.map((one) => ({ ...one, adminAccess: true }));
    const monitor = { ...claim, status: { allocation: { devices: { results } }, reservedFor } };
    const told = aManagedPartition({ backend: 'DRA', monitors: ['ns/c'] });
    const found = { pods: [aDriverPod(), claiming], slices, fresh: { claims: [monitor] } };
    expect(namesOf(judge({ policy, partition: told, node: closed }, found, settled))).to.include('WriteGrant');
  });
});
