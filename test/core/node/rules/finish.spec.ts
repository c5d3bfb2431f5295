import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import { resolveNode } from '../../../../src/core/policy/resolve-node.ts';
import { describeReport } from '../../../../src/core/nvidia/labels/describe-report.ts';
import { computeLabels } from '../../../../src/core/nvidia/labels/node-labels.ts';
import { aDevice, aGpu, aPartition, uuidOf } from '../../../support/builders.ts';
import {
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aDriverPod,
  aFreshRead,
  aHolderPod,
  aSituation,
  aSlicingPolicy,
  aSlot,
  changeOf,
  judge,
  noMemory,
  noon,
  slicedGpu,
  slicesOf,
  type SnapshotParts,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { finish } from '../../../../src/core/node/rules/finish.ts';
import type { Situation } from '../../../../src/core/node/outcome.ts';
import { holdersAnnotation } from '../../../../src/core/pods/holder-pods.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

const done = aManagedPartition({ granted: aGrant(), device: slicedGpu });
const discovered = computeLabels(describeReport(slicedGpu), 'mixed').labels;
const updating = { 'gpupartition.dev/state': 'updating' };

describe('a node whose device is done', () => {
  it('is labelled by us where nobody else does', () => {
    const world = new NodeWorld({ partition: done, node: aNode({ allocatable: advertisesSlice }) });
    world.settle();
    expect(world.labels).to.include(discovered);
    expect(world.labels).to.include({ 'gpupartition.dev/policy': 'p', 'gpupartition.dev/layout': '1x7g.40gb' });
  });

  it('waits for GPU Feature Discovery where that labels the node, and never writes its labels', () => {
    const labels = { ...updating, 'nvidia.com/gfd.timestamp': '1', 'nvidia.com/gpu.count': '1' };
    const node = aNode({ taints: taints.closed, labels, allocatable: advertisesSlice });
    const world = new NodeWorld({ partition: done, node });
    const { verdict } = world.step();
    expect(verdict).to.include({ phase: 'Updating', reason: 'LabelsStale', transient: true });
    expect(verdict.message).to.include('nvidia.com/mig-7g.40gb.count should be 1');
    expect(world.done).to.deep.equal([]);
    world.label(discovered);
    expect(world.step(1000).verdict.phase).to.equal('Ready');
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is opened soon where GPU Feature Discovery has no pod, which may wait for the node to open', () => {
    const labels = { ...updating, 'nvidia.com/gfd.timestamp': '1' };
    const start = { partition: done, node: aNode({ taints: taints.closed, labels, allocatable: advertisesSlice }) };
    const after = (seconds: number, pods: readonly PodView[]): readonly string[] => {
      const world = new NodeWorld({ ...start, pods });
      world.settle();
      expect(world.step(seconds * 1000).verdict).to.include({ phase: 'Updating', reason: 'LabelsStale' });
      return world.taintKeys;
    };
    expect(after(29, [])).to.deep.equal(['repartitioning']);
    expect(after(31, [])).to.deep.equal([]);
    expect(after(31, [aHolderPod('gpu-feature-discovery')]), 'it labels the node every minute').to.deep.equal([
      'repartitioning',
    ]);
  });

  it('is looked at again just after it is due to be opened', () => {
    const labels = { ...updating, 'nvidia.com/gfd.timestamp': '1' };
    const world = new NodeWorld({
      partition: done,
      node: aNode({ taints: taints.closed, labels, allocatable: advertisesSlice }),
    });
    world.settle();
    const [early, late] = [29_000, 999].map((ms) => world.step(ms).verdict.requeueAfterMs);
    expect([early, late]).to.deep.equal([1010, 11]);
    expect(world.step(11).verdict.requeueAfterMs).to.equal(5000);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is opened as failed when GPU Feature Discovery runs and does not label it', () => {
    const labels = { ...updating, 'nvidia.com/gfd.timestamp': '1' };
    const node = aNode({ taints: taints.closed, labels, allocatable: advertisesSlice });
    const world = new NodeWorld({ partition: done, node, pods: [aHolderPod('gpu-feature-discovery')] });
    for (let minute = 0; minute < 6; minute += 1) world.step(60_000);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(world.step(1000).verdict).to.include({ phase: 'Failed', reason: 'LabelsStale' });
    expect(world.step(60_000).verdict).to.include({ phase: 'Failed', reason: 'LabelsStale' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('has its plugin kept away for a single label that is outdated, too', () => {
    const deploy = 'nvidia.com/gpu.deploy.device-plugin';
    const outdated = { ...discovered, 'nvidia.com/mig-7g.40gb.count': '2' };
    const labels = { ...updating, ...outdated, 'nvidia.com/gfd.timestamp': '1', [deploy]: 'true' };
    const node = aNode({ taints: taints.closed, labels, allocatable: { 'nvidia.com/gpu': '0' } });
    const world = new NodeWorld({ partition: done, node });
    world.settle();
    expect(world.labels[deploy]).to.equal('paused-for-mig-change');
    world.label(discovered);
    world.settle();
    expect(world.labels[deploy]).to.equal('true');
  });

  it('is opened when nobody labels it for too long, and keeps its start-up taint', () => {
    const labels = { ...updating, 'nvidia.com/gfd.timestamp': '1' };
    const world = new NodeWorld({
      partition: done,
      node: aNode({ taints: taints.both, labels, allocatable: advertisesSlice }),
    });
    world.step();
    for (let minute = 0; minute < 4; minute += 1) world.step(60_000);
    world.failOver();
    world.step(59_000);
    expect(world.step(10_000).verdict).to.include({ phase: 'Failed', reason: 'LabelsStale' });
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
    expect(world.labels).to.include({ 'gpupartition.dev/state': 'failed' });
  });

  it('keeps its start-up taint while its kubelet does not report: the machine may be restarting, without its layout', () => {
    const of = (ready: 'True' | 'Unknown') => {
      const node = aNode({ taints: taints.startup, allocatable: advertisesSlice, ready });
      const world = new NodeWorld({ partition: done, node });
      return { ...world.settle().verdict, taints: world.taintKeys };
    };
    expect(of('Unknown')).to.deep.include({ phase: 'Pending', reason: 'NodeNotReady', taints: ['uninitialized'] });
    expect(of('True')).to.deep.include({ phase: 'Ready', taints: [] });
  });

  it('is refused, and open, where NVIDIA’s own tools could not tell of it', () => {
    const mixed = aDevice(aGpu({ slices: ['7g.40gb@0'] }), aGpu({ index: 1 }));
    const policy = aSlicingPolicy({
      strategy: 'single',
      layouts: [{ gpus: { indices: [0] }, profiles: { '7g.40gb': 1 } }],
    });
    const partition = aManagedPartition({ strategy: 'single', device: mixed });
    const wish = { wish: { wish: partition.spec.wish ?? { gpus: [] }, skipped: [] } };
    const node = aNode({ taints: taints.closed, labels: updating, allocatable: {} });
    const world = new NodeWorld({ partition, policy, node, claim: wish });
    expect(world.step().verdict).to.include({ phase: 'Failed', reason: 'Refused' });
    world.settle();
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('has nothing to do where none of its GPUs matches, and says so', () => {
    const policy = aSlicingPolicy({ layouts: [{ gpus: { models: ['H100-*'] }, profiles: { '1g.10gb': 7 } }] });
    const partition = aManagedPartition({ wish: { gpus: [] }, device: wholeGpu });
    const { verdict } = judge({ policy, partition });
    expect(verdict).to.include({ phase: 'Ready', reason: 'NothingToDo' });
    expect(verdict.message)
      .to.include('its GPUs are left alone')
      .and.include('no GPU of this node is of models H100-*; it has 1 × A100-SXM4-40GB');
  });

  it('says which entries of the policy do not apply to it, and why', () => {
    const skipped = { gpus: { indices: [8, 9] }, profiles: { '1g.5gb': 7 } };
    const policy = aSlicingPolicy({ layouts: [skipped, { profiles: { '7g.40gb': 1 } }] });
    const { verdict } = judge({ policy, partition: done, node: aNode({ allocatable: advertisesSlice }) });
    expect(verdict).to.include({ phase: 'Ready', reason: 'Ready' });
    expect(verdict.message).to.match(/; skipped: .*this node has no GPU 8 or 9/);
  });

  it('says nothing of entries for GPUs of other nodes, nor of a last one for all that is left: they are meant to skip it', () => {
    const others = { gpus: { models: ['H100-*'] }, preset: 'all-balanced' };
    const rest = { mig: 'Disabled' } as const;
    const policy = aSlicingPolicy({ layouts: [others, { profiles: { '7g.40gb': 1 } }, rest] });
    const { verdict } = judge({ policy, partition: done, node: aNode({ allocatable: advertisesSlice }) });
    expect(verdict).to.include({ reason: 'Ready', message: 'device, labels and resources match the policy' });
  });

  it('is Ready beside a lost GPU that no layout can be for, and says so: it is not asked for anything', () => {
    const pciBusId = '00000000:07:00.0';
    const error = 'GpuLost: it fell off the bus';
    const lost = { uuid: pciBusId, index: 1, pciBusId, product: 'unknown', error, instances: [] };
    const beside = ({ gpus = [], ...device }: DeviceReport): DeviceReport => ({ ...device, gpus: [...gpus, lost] });
    const policy = aSlicingPolicy({ layouts: [{ mig: 'Disabled' }] });
    const wish = { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' as const }] };
    expect(resolveNode(policy.spec, beside(wholeGpu), undefined)).to.deep.include({ wish });
    const { verdict } = judge({ policy, partition: aManagedPartition({ device: beside(wholeGpu), wish }) });
    expect(verdict.reason).to.equal('Ready');
    expect(verdict.message).to.match(
      / match the policy; out of service: GPU 1 \(00000000:07:00\.0\): GpuLost: it fell/,
    );
    const change = judge({ partition: aManagedPartition({ device: beside(wholeGpu) }) }, { pods: [aPluginPod()] });
    expect(change.verdict.reason).to.equal('PluginNotReady');
  });

  it('does not take what is offered of a GPU that is lost for a second share of another', () => {
    const [slice] = slicedGpu.gpus ?? [];
    const lost = aGpu({ index: 1, error: 'GpuLost: it fell off the bus' });
    const resources = { 'nvidia.com/mig-7g.40gb': 2 };
    const device = { ...aDevice(slice ?? aGpu(), lost), advertised: { stale: 0, resources } };
    const policy = aSlicingPolicy({ layouts: [{ gpus: { indices: [0] }, profiles: { '7g.40gb': 1 } }] });
    const partition = aManagedPartition({ granted: aGrant(), device });
    const of = (labels: Readonly<Record<string, string>>) =>
      judge({ policy, partition, node: aNode({ labels, allocatable: { 'nvidia.com/mig-7g.40gb': '2' } }) }).verdict;
    expect(of({ 'nvidia.com/mig-7g.40gb.replicas': '1' }).phase).to.equal('Updating');
    expect(of({ 'nvidia.com/mig-7g.40gb.replicas': '2' }).phase).to.equal('Ready');
  });

  it('is not finished in mode Plan', () => {
    const { verdict, commands } = judge({ partition: done, policy: aSlicingPolicy({ mode: 'Plan' }) });
    expect(verdict.reason).to.equal('PlanOnly');
    expect(commands).to.deep.equal([]);
  });

  it('opens with the holders that were away, and waits for nobody else', () => {
    const dcgm = 'nvidia.com/gpu.deploy.dcgm';
    const loans = { [dcgm]: { was: 'true', set: 'paused-for-mig-change' } };
    const node = aNode({
      taints: taints.closed,
      labels: { ...updating, [dcgm]: 'paused-for-mig-change' },
      annotations: { 'gpupartition.dev/on-loan': JSON.stringify(loans) },
      allocatable: advertisesSlice,
    });
    const world = new NodeWorld({ partition: done, node, pods: [aPluginPod({ tolerates: true })] });
    expect(world.step().verdict).to.include({ reason: 'AdvertisePending', requeueAfterMs: 250 });
    expect(world.labels[dcgm]).to.equal('true');
    expect(aPartition().spec).to.have.keys('nodeUID');
  });
});

describe('a node whose device is done, and that something keeps from being Ready', () => {
  const nothing = { 'nvidia.com/gpu': '0' };
  const end = (parts: SnapshotParts, seen: Partial<Situation> = {}) => {
    const outcome = finish(aSituation({ partition: done, slot: undefined, ...parts }, { pods: [], ...seen }));
    return outcome && 'verdict' in outcome ? outcome : undefined;
  };

  it('is not marked as waiting for its labels where it is open for its driver alone', () => {
    const instances = [{ profile: '7g.40gb', gi: 0, start: 0, uuid: 'MIG-a' }];
    const device = aDevice({ ...aGpu({ mig: 'Enabled' }), instances });
    const parts = {
      policy: aSlicingPolicy({ backend: 'DRA' }),
      partition: aManagedPartition({ backend: 'DRA', granted: aGrant(), device }),
      node: aNode({ labels: { ...updating, 'nvidia.com/gfd.timestamp': '1' }, allocatable: {} }),
    };
    const memory = { ...noMemory, waits: { Labels: { since: noon - 4000 } } };
    const ruling = end(parts, { slices: slicesOf(device), memory });
    expect(ruling?.verdict.reason).to.equal('LabelsStale');
    expect(changeOf({ commands: ruling?.commands ?? [] }).labels).to.deep.equal({});
  });

  it('has its plugin kept away until its labels are right only while it is open: a closed one gives no pod a device', () => {
    const deploy = 'nvidia.com/gpu.deploy.device-plugin';
    const [was, set] = ['true', 'paused-for-mig-change'];
    const held = (taint: typeof taints.closed | readonly []) => {
      const labels = { ...updating, 'nvidia.com/gfd.timestamp': '1', [deploy]: set };
      const annotations = { 'gpupartition.dev/on-loan': JSON.stringify({ [deploy]: { was, set } }) };
      const node = aNode({ labels, annotations, taints: taint, allocatable: nothing });
      return end({ node })?.keepsHoldersAway;
    };
    expect([held([]), held(taints.closed)]).to.deep.equal([true, undefined]);
  });

  it('is told of another owner of its GPUs at once', () => {
    const labels = { 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' };
    expect(end({ node: aNode({ labels, allocatable: advertisesSlice }) })?.verdict.reason).to.equal('DriverUpgrade');
  });

  it('is told of a second stack under backend DRA, and slices of an unused driver do not concern another', () => {
    const policy = aSlicingPolicy({ backend: 'DRA' });
    const node = aNode({ allocatable: advertisesSlice });
    expect(end({ policy, node }, { slices: [] })?.verdict.reason).to.equal('BackendMismatch');
    const fresh = aFreshRead({ resourceSlices: slicesOf(slicedGpu) });
    expect(end({ node }, { fresh })?.verdict.reason).to.not.equal('BackendMismatch');
    expect(end({ node }, { pods: [aPluginPod(), aDriverPod()] })?.verdict.reason).to.equal('Ready');
  });

  it('is told of an instance that would end the DRA driver, though no policy covers its GPU, and only under backend DRA', () => {
    const split = aGpu({ index: 1, slices: ['3g.20gb@0'] });
    const [half] = split.instances;
    if (!half) throw new Error('no instance');
    const computeInstances = [{ profile: '1c.3g.20gb', uuid: 'MIG-1' }];
    const device = aDevice(...(slicedGpu.gpus ?? []), { ...split, instances: [{ ...half, computeInstances }] });
    const layouts = [{ gpus: { indices: [0] }, profiles: { '7g.40gb': 1 } }];
    const under = (backend: 'DRA' | 'DevicePlugin') =>
      end(
        {
          policy: aSlicingPolicy({ backend, layouts }),
          partition: aManagedPartition({ backend, granted: aGrant(), device }),
          node: aNode({ allocatable: { 'nvidia.com/gpu': '0' } }),
        },
        backend === 'DRA' ? { slices: slicesOf(wholeGpu) } : { pods: [aPluginPod()] },
      )?.verdict;
    expect(under('DRA'), under('DRA')?.message).to.include({ phase: 'Failed', reason: 'Refused' });
    expect(under('DRA')?.message).to.match(
      /^NVIDIA’s DRA driver exits on this node, for all of its GPUs: GPU 1: 3g\.20gb at 0 has compute instances/,
    );
    expect(under('DevicePlugin')?.message).to.not.include('DRA');
  });

  it('is told of what ends GPU Feature Discovery alone: no label is written, and none is removed', () => {
    const device = { ...slicedGpu, driverVersion: 'R550' };
    const partition = aManagedPartition({ granted: aGrant(), device });
    const labels = { 'nvidia.com/gpu.count': '1' };
    const ruling = end({ partition, node: aNode({ labels, allocatable: advertisesSlice }) }, { pods: [aPluginPod()] });
    expect(ruling?.verdict).to.include({ phase: 'Failed', reason: 'Refused' });
    expect(ruling).to.not.have.property('commands');
  });

  it('is told by what its plugin’s settings do not fit, and nothing is written', () => {
    const labels = { 'gpupartition.dev/state': 'ready' };
    const ruling = end(
      { node: aNode({ labels }), slot: aSlot },
      { pods: [aPluginPod({ strategy: 'single' })], fresh: aFreshRead({ slot: aSlot }) },
    );
    expect(ruling).to.deep.include({ leavesAlone: true });
    expect(ruling?.verdict.reason).to.equal('StrategyMismatch');
    expect(ruling).to.not.have.property('commands');
  });

  it('is labelled as its device is while it is open for its plugin alone', () => {
    const node = aNode({ labels: { ...updating, 'nvidia.com/mig-3g.20gb.count': '2' }, allocatable: nothing });
    const ruling = end({ node }, { pods: [aPluginPod()] });
    expect(ruling?.verdict.phase).to.equal('Updating');
    expect(
      ruling?.commands?.some(
        (one) => one.name === 'PatchNode' && one.change.labels?.['nvidia.com/mig-7g.40gb.count'] === '1',
      ),
    ).to.equal(true);
  });

  it('is not labelled while it was never closed and does not offer its device: its pods select by what it offers', () => {
    const ruling = end({ node: aNode({ allocatable: nothing }) }, { pods: [aPluginPod()] });
    expect(ruling?.verdict).to.include({ phase: 'Updating', reason: 'AdvertisePending' });
    expect(ruling?.commands).to.deep.equal([]);
  });

  it('has pods that read the devices too early replaced meanwhile, until all of them end', () => {
    const holder = (name: string, isLeaving = false) => aHolderPod(name, { isLeaving, tolerates: true });
    const of = (pods: readonly PodView[]) => {
      const annotations = { [holdersAnnotation]: 'uid-dcgm,uid-nvsm' };
      const node = aNode({ taints: taints.closed, labels: updating, annotations, allocatable: nothing });
      return end({ node }, { pods: [aPluginPod({ uid: 'old', tolerates: true }), ...pods] });
    };
    const evicted = (ruling: ReturnType<typeof of>) =>
      ruling?.commands?.flatMap((one) => (one.name === 'EvictPod' ? one.pod.name : []));
    const annotations = { [holdersAnnotation]: 'uid-dcgm' };
    const node = aNode({ taints: taints.closed, labels: updating, annotations, allocatable: advertisesSlice });
    const opened = end({ node }, { pods: [holder('dcgm', true)] });
    expect(opened?.verdict.phase).to.equal('Ready');
    expect(opened?.waits).to.have.property('HoldersRestarted');
    expect(evicted(end({ node }, { pods: [holder('dcgm')] }))).to.deep.equal(['dcgm']);
    const waits = opened?.waits ?? {};
    const again = end({ node }, { pods: [holder('dcgm')], memory: { ...noMemory, waits } });
    expect(evicted(again), 'once').to.deep.equal([]);
    const both = of([holder('dcgm'), holder('nvsm')]);
    expect(evicted(both)).to.deep.equal(['plugin', 'dcgm', 'nvsm']);
    const asHolders = both?.commands?.flatMap((one) =>
      one.name === 'EvictPod' && one.isHolder === true ? [one.pod.name] : [],
    );
    expect(asHolders, 'these are no tenants').to.deep.equal(['dcgm', 'nvsm']);
    expect(of([holder('dcgm', true), holder('nvsm')])?.waits).to.not.have.property('HoldersRestarted');
    expect(of([holder('dcgm', true), holder('nvsm', true)])?.waits).to.have.property('HoldersRestarted');
  });
});
