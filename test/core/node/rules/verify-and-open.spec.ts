import { computeLabels } from '../../../../src/core/nvidia/labels.ts';
import { expect } from 'chai';
import { verifyAndOpen, settleNode } from '../../../../src/core/node/rules/verify-and-open.ts';
import type { GpuNodePartition, DeviceReport } from '../../../../src/api/types.ts';
import type { DevicePluginConfig } from '../../../../src/core/nvidia/plugin-config.ts';
import { aDevice, aGpu, aPartition, uuidOf } from '../../../support/builders.ts';
import {
  aGrant,
  aManagedPartition,
  aNode,
  noon,
  slicedGpu,
  taints,
  advertisesSlice,
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
  slicesOf,
  type SnapshotParts,
  wholeGpu,
  aSnapshot,
  namesOf,
} from '../../../support/node-builders.ts';
import { resolveNode } from '../../../../src/core/policy/resolve-node.ts';
import { describeReport, predictDevice } from '../../../../src/core/nvidia/predict.ts';
import { type RuleInput, type Outcome, type Ruling, planRelease } from '../../../../src/core/node/commands.ts';
import { clientsAnnotation } from '../../../../src/core/node/marks.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/kubernetes/pod.ts';
import type { NodeMemory } from '../../../../src/core/node/memory.ts';
import { keyOf, recordUntouched } from '../../../../src/core/node/rules/plugin.ts';

const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });

const halves = aDevice(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] }));
const ofHalves = /mig-3g\.20gb/;

function rulingOf(outcome: Outcome): Ruling {
  if ('needs' in outcome) throw new Error(`it needs ${outcome.needs}`);
  return outcome;
}

/** Labels that we wrote of such a device, with the record of them. */
function labelledAs(device: typeof halves, config?: DevicePluginConfig) {
  const { labels } = predictDevice(device, 'mixed', config);
  const keys = Object.keys(labels).map((key) => key.replace('nvidia.com/', ''));
  return { labels, annotations: { 'gpupartition.dev/managed-labels': keys.join(',') } };
}

/** The labels of NVIDIA's that a closed node keeps. */
function keptLabels(partition: GpuNodePartition | undefined, { labels, annotations } = labelledAs(halves)): string[] {
  const node = aNode({ taints: taints.closed, labels, annotations });
  const release = planRelease(node, partition, noon);
  const removed = release.state === 'Marked' ? release.patch.filter(({ op }) => op === 'remove') : [];
  const paths = new Set(removed.map(({ path }) => path));
  return Object.keys(labels).filter((key) => !paths.has(`/metadata/labels/${key.replace('/', '~1')}`));
}

describe('a node that no controller looks after any more', () => {
  it('is left alone where nothing of ours is on it', () => {
    expect(planRelease(aNode(), undefined, noon)).to.deep.equal({ state: 'Clean' });
  });

  it('is opened, and loses our labels', () => {
    const release = planRelease(closed, aManagedPartition(), noon);
    expect(release).to.deep.include({ state: 'Marked', wasChanging: true });
    const paths = release.state === 'Marked' ? release.patch.map(({ op, path }) => `${op} ${path}`) : [];
    expect(paths).to.include.members(['remove /spec/taints', 'remove /metadata/labels/gpupartition.dev~1state']);
  });

  it('gets back what was borrowed, and keeps its start-up taint, which is the node pool’s', () => {
    const label = 'nvidia.com/gpu.deploy.dcgm-exporter';
    const annotations = { 'gpupartition.dev/on-loan': JSON.stringify({ [label]: { was: 'true', set: 'paused' } }) };
    const node = aNode({ taints: taints.startup, labels: { [label]: 'paused' }, annotations });
    const release = planRelease(node, undefined, noon);
    const patch = release.state === 'Marked' ? release.patch : [];
    expect(patch).to.deep.include({ op: 'add', path: `/metadata/labels/${label.replace('/', '~1')}`, value: 'true' });
    expect(patch.some(({ path }) => path === '/spec/taints')).to.equal(false);
  });

  it('stays closed as long as its agent may be at work on a grant', () => {
    const granted = aGrant();
    const busy = aManagedPartition({ granted, device: { observedEpoch: granted.epoch - 1 } });
    expect(planRelease(closed, busy, Date.parse(granted.deadline) - 1)).to.deep.equal({
      state: 'Busy',
      until: granted.deadline,
    });
    expect(planRelease(closed, busy, Date.parse(granted.deadline) + 1)).to.include({ state: 'Marked' });
    // It may have seen it at the deadline.
    const late = aManagedPartition({ granted: { ...granted, seconds: 60 }, device: { observedEpoch: 2 } });
    expect(planRelease(closed, late, Date.parse(granted.deadline) + 59_999)).to.deep.equal({
      state: 'Busy',
      until: '2026-01-01T12:11:00Z',
    });
    expect(planRelease(closed, late, Date.parse(granted.deadline) + 60_000)).to.include({ state: 'Marked' });
    const another = { ...busy, spec: { ...busy.spec, nodeUID: 'of an earlier node' } };
    expect(planRelease(closed, another, Date.parse(granted.deadline) - 1)).to.include({ state: 'Marked' });
  });

  it('loses every annotation of ours, and none of others', () => {
    const others = { 'example.com/gpupartition.dev': '1', 'mygpupartition.dev/x': '1' };
    const ours = ['plugin-refreshed', 'managed-labels', 'clients', 'retry'].map((name) => `gpupartition.dev/${name}`);
    const config = 'nvidia.com/device-plugin.config';
    const plugin = 'nvidia.com/gpu.deploy.device-plugin';
    const loans = { [config]: { was: null, set: 'ours' }, [plugin]: { was: 'true', set: 'paused' } };
    const loan = { 'gpupartition.dev/on-loan': JSON.stringify(loans) };
    const annotations = { ...others, ...loan, ...Object.fromEntries(ours.map((key) => [key, 'x'])) };
    const release = planRelease(
      aNode({ labels: { [config]: 'ours', [plugin]: 'paused' }, annotations }),
      undefined,
      noon,
    );
    const changed = release.state === 'Marked' ? release.patch.filter(({ op }) => op !== 'test') : [];
    // Without its settings the plugin might run with a strategy that does not fit the layout.
    expect(changed.map(({ op, path }) => `${op} ${path}`)).to.have.members([
      'add /metadata/labels/nvidia.com~1gpu.deploy.device-plugin',
      ...[...ours, 'gpupartition.dev/on-loan'].map((key) => `remove /metadata/annotations/${key.replace('/', '~1')}`),
    ]);
  });

  describe('and that was closed for a change', () => {
    it('keeps the labels of its layout if the device has not changed', () => {
      expect(keptLabels(aManagedPartition({ device: halves }))).to.deep.equal(Object.keys(labelledAs(halves).labels));
    });

    it('keeps them if its slices are shared', () => {
      for (const renameByDefault of [false, true]) {
        const resources = [{ name: 'nvidia.com/mig-3g.20gb', replicas: 4 }];
        const strategy = 'time-slicing' as const;
        const shared = labelledAs(halves, {
          sharing: { strategy, renameByDefault, failRequestsGreaterThanOne: false, resources },
        });
        expect(keptLabels(aManagedPartition({ device: halves }), shared)).to.deep.equal(Object.keys(shared.labels));
      }
    });

    it('loses those that the device no longer has', () => {
      const kept = keptLabels(aManagedPartition({ device: slicedGpu }));
      expect(kept.filter((key) => ofHalves.test(key))).to.deep.equal([]);
      expect(kept).to.include.members(['nvidia.com/gpu.product', 'nvidia.com/mig.strategy', 'nvidia.com/gpu.family']);
    });

    it('loses all labels that a layout changes if the state of its device is unknown', () => {
      const unknown: Readonly<Record<string, GpuNodePartition | undefined>> = {
        'no object': undefined,
        'an unreadable device': aManagedPartition({ device: { ...halves, step: 'Unknown' } }),
        'an agent killed at work': aManagedPartition({ device: { ...halves, step: 'Applying' } }),
        'a grant without an answer': aManagedPartition({
          device: { ...halves, observedEpoch: 2 },
          granted: aGrant({ deadline: '2026-01-01T11:50:00Z' }),
        }),
        'another boot': aManagedPartition({ device: { ...halves, bootID: 'boot-before' } }),
      };
      for (const [why, partition] of Object.entries(unknown)) {
        const kept = keptLabels(partition);
        expect(
          kept.filter((key) => ofHalves.test(key) || key === 'nvidia.com/gpu.count'),
          why,
        ).to.deep.equal([]);
        expect(kept, why).to.include('nvidia.com/gpu.family');
      }
    });

    it('keeps labels that GPU Feature Discovery writes: it removes them itself', () => {
      const { labels } = labelledAs(halves);
      const found = { labels: { ...labels, 'nvidia.com/gfd.timestamp': '1' }, annotations: {} as never };
      expect(keptLabels(aManagedPartition({ device: slicedGpu }), found)).to.deep.equal(Object.keys(found.labels));
    });
  });
});

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

  it('names what a stopped change has left on a GPU that no layout is for any more', () => {
    const [slice = aGpu()] = slicedGpu.gpus ?? [];
    const gpu = aGpu({ index: 1, slices: ['3g.20gb@4'] });
    const left = { ...gpu, instances: gpu.instances.map((one) => ({ ...one, computeInstances: [] })) };
    const policy = aSlicingPolicy({ layouts: [{ gpus: { indices: [0] }, profiles: { '7g.40gb': 1 } }] });
    const partition = aManagedPartition({ device: aDevice(slice, left) });
    const { verdict } = judge({ policy, partition, node: aNode({ allocatable: advertisesSlice }) });
    expect(verdict.reason).to.equal('Ready');
    expect(verdict.message).to.match(
      / match the policy\. GPU 1 has GPU instances without compute instances, .*: 3g\.20gb at 4\. /,
    );
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
  const end = (parts: SnapshotParts, seen: Partial<RuleInput> = {}) => {
    const outcome = verifyAndOpen(aSituation({ partition: done, slot: undefined, ...parts }, { pods: [], ...seen }));
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
      return end({ node })?.clientsPaused;
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
    expect(ruling).to.deep.include({ writesNothing: true });
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
      const annotations = { [clientsAnnotation]: 'uid-dcgm,uid-nvsm' };
      const node = aNode({ taints: taints.closed, labels: updating, annotations, allocatable: nothing });
      return end({ node }, { pods: [aPluginPod({ uid: 'old', tolerates: true }), ...pods] });
    };
    const evicted = (ruling: ReturnType<typeof of>) =>
      ruling?.commands?.flatMap((one) => (one.name === 'EvictPod' ? one.pod.name : []));
    const annotations = { [clientsAnnotation]: 'uid-dcgm' };
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
      one.name === 'EvictPod' && one.isClient === true ? [one.pod.name] : [],
    );
    expect(asHolders, 'these are no tenants').to.deep.equal(['dcgm', 'nvsm']);
    expect(of([holder('dcgm', true), holder('nvsm')])?.waits).to.not.have.property('HoldersRestarted');
    expect(of([holder('dcgm', true), holder('nvsm', true)])?.waits).to.have.property('HoldersRestarted');
  });
});

const state = 'gpupartition.dev/state';
const migState = 'nvidia.com/mig.config.state';
const updatingOfOpen = { [state]: 'updating' };

const failed: DeviceReport = {
  ...wholeGpu,
  step: 'Failed',
  error: { code: 'CommandFailed', message: 'it said no' },
};
const failedGrant = aManagedPartition({ granted: aGrant(), device: failed });

describe('a node whose change has failed', () => {
  it('keeps its start-up taint, and loses ours: no layout of it was ever verified', () => {
    const world = new NodeWorld({
      node: aNode({ taints: taints.both, labels: updatingOfOpen }),
      partition: failedGrant,
    });
    expect(world.step().verdict).to.include({ phase: 'Failed', reason: 'Failed' });
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
    world.settle();
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
  });

  it('is opened when its plugin has been replaced and advertises what the device is', () => {
    const node = aNode({ taints: taints.closed, labels: updatingOfOpen });
    const world = new NodeWorld({ node, partition: failedGrant, pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    const { verdict } = world.step();
    expect(verdict.message).to.match(/^CommandFailed: it said no\. The node stays closed: no GPU changes now[:,] /);
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod old']);
    world.pods = [aPluginPod({ uid: 'new', tolerates: true })];
    world.advertise({});
    world.step(1000);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.advertise({ 'nvidia.com/gpu': '1' });
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).to.include({ [state]: 'failed', [migState]: 'failed' });
  });

  it('is looked at again for its plugin, however far away the next try is', () => {
    const node = aNode({ taints: taints.closed, labels: updatingOfOpen });
    const world = new NodeWorld({ node, partition: failedGrant, pods: [aPluginPod({ tolerates: true })] });
    expect(world.step().verdict.requeueAfterMs).to.be.below(30_001);
  });

  it('gets labels that tell of its device as it is', () => {
    const node = aNode({
      taints: taints.closed,
      labels: { ...updatingOfOpen, 'nvidia.com/mig-3g.20gb.count': '2' },
      annotations: { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' },
      allocatable: {},
    });
    const world = new NodeWorld({ node, partition: failedGrant });
    world.settle();
    expect(world.labels).not.to.have.property('nvidia.com/mig-3g.20gb.count');
    expect(world.labels).to.include({ 'nvidia.com/gpu.count': '1' });
  });
});

describe('a closed node whose policy goes', () => {
  const closed = aNode({ taints: taints.closed, labels: updatingOfOpen, allocatable: advertisesSlice });
  const granted = aManagedPartition({ granted: aGrant(), device: slicedGpu });

  // Seed 1003315 of the model.
  it('is not opened by what was read before its GPUs became unreadable: a plugin that starts now has to tell', () => {
    for (const pods of [[], [aPluginPod({ uid: 'old' })]]) {
      const world = new NodeWorld({ policy: undefined, node: closed, partition: granted, pods });
      world.report({ step: 'Unknown', error: { code: 'Timeout', message: 'no answer' } });
      for (let second = 0; second < 60; second += 1) world.step(1000);
      expect(world.taintKeys).to.deep.equal(['repartitioning']);
      world.advertise({});
      world.pods = [];
      world.step(1000);
      expect(world.taintKeys).to.deep.equal([]);
    }
  });

  // Seed 1002939.
  it('is judged by the strategy that its plugin runs with, where nothing else tells it', () => {
    const { gpus = [] } = aDevice(aGpu(), aGpu({ index: 1, slices: [] }));
    const world = new NodeWorld({
      policy: undefined,
      node: aNode({ taints: taints.closed, labels: updatingOfOpen, allocatable: {} }),
      partition: aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, gpus } }),
      pods: [aPluginPod({ uid: 'old', strategy: 'single', tolerates: true })],
    });
    world.settle();
    world.pods = [aPluginPod({ uid: 'new', strategy: 'single', tolerates: true })];
    // A plugin with strategy single does not start on such a node, and offers nothing.
    for (let second = 0; second < 30; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('a closed node whose plugin runs with another strategy than its policy says, and whose rollout is paused', () => {
  // By the policy's strategy no whole GPU should be offered: two of them would not exist.
  it('is opened by what its plugin makes of the device, whatever its agent takes for stale', () => {
    const resources = { 'nvidia.com/gpu': 1 };
    const profiles = { '1g.5gb': 7 };
    const world = new NodeWorld({
      policy: aSlicingPolicy({ layouts: [{ profiles }], rollout: { paused: true } }),
      node: aNode({ taints: taints.closed, labels: updatingOfOpen, allocatable: {} }),
      partition: aManagedPartition({
        granted: aGrant(),
        wish: { gpus: [{ uuid: uuidOf(0), profiles }] },
        device: { ...slicedGpu, advertised: { resources, stale: 1 } },
      }),
      pods: [aPluginPod({ uid: 'old', strategy: 'none', tolerates: true })],
    });
    world.slot = undefined;
    world.advertise({ 'nvidia.com/gpu': '1' });
    for (let second = 0; second < 30; second += 1) world.step(1000);
    expect(world.done).to.include('EvictPod old');
    world.pods = [aPluginPod({ uid: 'new', strategy: 'none', tolerates: true })];
    for (let second = 0; second < 30; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('a node that is closed for a change and opened again', () => {
  it('is not taken for untouched when a grant failed in between, whatever the device looks like', () => {
    const world = new NodeWorld({ partition: failedGrant, pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    for (let second = 0; second < 10; second += 1) world.step(1000);
    expect(world.done.at(-1)).to.equal('WriteGrant');
    const { epoch = 0 } = world.partition.spec.granted ?? {};
    world.report({ ...failed, observedEpoch: epoch });
    expect(world.step(1000).verdict.message).to.include('The node stays closed: ');
    expect(world.done).to.include('EvictPod old');
  });

  it('has the labels of its device, even if nothing was granted', () => {
    const annotations = { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' };
    const node = aNode({ labels: { 'nvidia.com/mig-3g.20gb.count': '2' }, annotations });
    const world = new NodeWorld({ node });
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.policy = aSlicingPolicy({ mode: 'Plan' });
    world.step();
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).not.to.have.property('nvidia.com/mig-3g.20gb.count');
  });
});

describe('a ruling that opens a node', () => {
  const ruling: Ruling = {
    ifClosed: 'Opens',
    verdict: { phase: 'Failed', reason: 'Failed', message: 'it said no' },
    commands: [{ name: 'WriteMonitors', claims: ['a'] }],
    waits: { Budgets: { since: noon } },
    writesNothing: true,
  };
  const closed = { taints: taints.closed, labels: updatingOfOpen };
  const old = aPluginPod({ uid: 'old', tolerates: true });
  const openWith = (
    said: Ruling,
    {
      node = closed,
      partition = failedGrant,
      memory = noMemory,
      isUnread = false,
      pods = [old],
      ...more
    }: OpenParts = {},
  ) =>
    settleNode(
      { ...aSnapshot({ node: aNode(node), partition, ...more }), partition, memory, ...(!isUnread && { pods }) },
      said,
    );
  interface OpenParts {
    readonly node?: Parameters<typeof aNode>[0];
    readonly partition?: typeof failedGrant;
    readonly pods?: readonly PodView[];
    /** Its pods have not been listed. */
    readonly isUnread?: boolean;
    readonly memory?: NodeMemory;
    readonly policy?: undefined;
  }
  const requeueOf = (requeueAfterMs?: number): number | undefined =>
    rulingOf(
      openWith({ ...ruling, verdict: { ...ruling.verdict, ...(requeueAfterMs !== undefined && { requeueAfterMs }) } }),
    ).verdict.requeueAfterMs;

  it('is carried out while the node waits for its plugin, and looked at for both', () => {
    const outcome = rulingOf(openWith(ruling));
    expect(outcome).to.include({ ifClosed: 'Stays', writesNothing: true });
    expect(outcome.verdict.message).to.match(/^it said no\. The node stays closed: /);
    expect(outcome.commands?.map(({ name }) => name)).to.deep.equal(['WriteMonitors', 'PatchNode', 'EvictPod']);
    expect(outcome.waits).to.include.keys('Budgets', 'Advertised');
    const own = requeueOf();
    expect(requeueOf(10)).to.equal(10);
    expect(requeueOf(3600_000)).to.equal(own);
  });

  it('without a policy says what the node waits for, and gives the wish up at once', () => {
    const released: Ruling = { ...ruling, verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message: 'no policy' } };
    const outcome = rulingOf(openWith(released, { policy: undefined }));
    expect(outcome.verdict.phase).to.equal('Updating');
    expect(outcome.verdict.message).to.not.include('no policy');
    expect(outcome.commands?.map(({ name }) => name)).to.deep.equal(['WriteMonitors', 'PatchNode', 'EvictPod']);
    expect(outcome.waits).to.include.keys('Budgets', 'Advertised');
    const bare = { ifClosed: released.ifClosed, verdict: released.verdict };
    expect(namesOf({ commands: rulingOf(openWith(bare)).commands ?? [] })).to.deep.equal(['PatchNode', 'EvictPod']);
  });

  it('leaves a node with a start-up taint as it is, unless our taint is there or its policy has gone', () => {
    const node = { taints: taints.startup, labels: updatingOfOpen };
    const released: Ruling = { ...ruling, verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message: 'no policy' } };
    expect(openWith(ruling, { node })).to.equal(ruling);
    expect(rulingOf(openWith(ruling, { node: { ...node, taints: taints.both } })).commands).to.have.length(2);
    expect(rulingOf(openWith(released, { node })).commands).to.have.length(2);
  });

  it('reads the plugin’s pods first: they tell with which strategy it runs, and which of them are old', () => {
    expect(openWith(ruling, { isUnread: true })).to.deep.equal({ needs: 'Pods' });
    const advertised = { stale: 0, resources: { 'nvidia.com/gpu': 1 } };
    const told = aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, advertised } });
    const of = keyOf(aSituation({ node: aNode(closed), partition: told }));
    const memory = { ...noMemory, waits: { AdvertisedEarly: { since: noon - 1000, of } } };
    expect(openWith(ruling, { isUnread: true, partition: told, memory })).to.deep.equal({ needs: 'Pods' });
    const silent = aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, step: 'Unknown' } });
    expect(openWith(ruling, { isUnread: true, partition: silent })).to.deep.equal({ needs: 'Pods' });
  });

  it('replaces the plugin of a silent device once for each grant', () => {
    const silentAt = (epoch: number) =>
      aManagedPartition({ granted: aGrant({ epoch }), device: { ...wholeGpu, step: 'Unknown' } });
    const markAt = (epoch: number) => {
      const outcome = rulingOf(openWith(ruling, { partition: silentAt(epoch) }));
      return outcome.commands?.flatMap((one) =>
        one.name === 'PatchNode' ? Object.values(one.change.annotations ?? {}) : [],
      );
    };
    const released: Ruling = { ...ruling, verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message: 'no policy' } };
    expect(openWith(released, { partition: silentAt(3), policy: undefined })).to.not.have.property('marks');
    expect(markAt(3)).to.have.length(1).and.not.deep.equal(markAt(4));
  });

  it('labels a node that nothing has touched in the write that opens it, where its labels are ours', () => {
    const allocatable = { 'nvidia.com/gpu': '1' };
    const open = aSnapshot({ node: aNode({ allocatable }), partition: aManagedPartition() });
    const partition = aManagedPartition();
    const waits = recordUntouched({ ...open, partition, memory: noMemory }, []) ?? {};
    const memory = { ...noMemory, waits };
    const labelsOf = (node: Parameters<typeof aNode>[0]) =>
      changeOf({
        commands:
          rulingOf(openWith({ ...ruling, commands: [] }, { node: { ...closed, ...node }, partition, pods: [], memory }))
            .commands ?? [],
      }).labels ?? {};
    expect(labelsOf({})).to.not.have.property('nvidia.com/gpu.count');
    const labels = { ...updatingOfOpen, 'nvidia.com/mig-3g.20gb.count': '2' };
    const ours = { labels, annotations: { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' } };
    expect(labelsOf(ours)).to.include({ 'nvidia.com/gpu.count': '1', 'nvidia.com/mig-3g.20gb.count': undefined });
  });
});

describe('a node that is open and waits', () => {
  it('has labels that tell of its device when that has changed', () => {
    const annotations = { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' };
    const node = aNode({ labels: { 'nvidia.com/mig-3g.20gb.count': '2' }, annotations });
    const policy = aSlicingPolicy({ rollout: { paused: true } });
    const world = new NodeWorld({ node, policy });
    world.slot = undefined;
    expect(world.step().verdict.reason).to.equal('Paused');
    expect(world.labels).not.to.have.property('nvidia.com/mig-3g.20gb.count');
    expect(world.labels).to.include({ 'nvidia.com/gpu.count': '1' });
    world.settle();
    expect(world.done).to.deep.equal(['PatchNode']);
  });

  it('has none written where they were never ours', () => {
    const world = new NodeWorld({ policy: aSlicingPolicy({ rollout: { paused: true } }) });
    world.slot = undefined;
    world.settle();
    expect(world.done).to.deep.equal([]);
  });
});

describe('mig-manager’s state label', () => {
  const done = aManagedPartition({ device: slicedGpu });

  function aReadyNode(value?: string): NodeWorld {
    const labels = value === undefined ? {} : { [migState]: value };
    const world = new NodeWorld({ node: aNode({ allocatable: advertisesSlice, labels }), partition: done });
    world.settle();
    expect(world.labels).to.include({ [state]: 'ready', [migState]: 'success' });
    return world;
  }

  it('is borrowed, and given back with the policy', () => {
    const world = aReadyNode('rebooting');
    world.policy = undefined;
    world.settle();
    expect(world.labels[migState]).to.equal('rebooting');
    const fresh = aReadyNode();
    fresh.policy = undefined;
    fresh.settle();
    expect(fresh.labels).not.to.have.property(migState);
  });

  it('does not say success while something is waited for, refused or failed', () => {
    const change = aSlicingPolicy({ generation: 2, layouts: [{ profiles: { '1g.5gb': 7 } }] });
    const of = (more: object): NodeWorld => {
      const world = aReadyNode();
      Object.assign(world, { policy: change }, more);
      world.settle();
      // The agent plans the wish that was just written.
      world.partition = aManagedPartition({ ...world.partition.spec, device: slicedGpu });
      Object.assign(world, more);
      world.settle();
      return world;
    };
    const pods = [{ ...aPluginPod(), metadata: { name: 'x' } }];
    const paused = aSlicingPolicy({ generation: 2, layouts: change.spec.layouts ?? [], rollout: { paused: true } });
    expect(of({ policy: paused, pods, slot: undefined }).labels).to.include({
      [state]: 'waiting',
      [migState]: 'pending',
    });
    const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
    expect(of({ claim: { wish: { refusal, told: refusal } } }).labels).to.include({
      [state]: 'failed',
      [migState]: 'failed',
    });
    const hold = { kind: 'Refused', message: 'needs 9 of 8' } as const;
    expect(of({ claim: { isInForce: false, hold, wish: undefined } }).labels[migState]).to.equal('failed');
  });

  it('is not touched on a node that was never changed', () => {
    const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
    const world = new NodeWorld({ claim: { wish: { refusal, told: refusal } } });
    world.settle();
    expect(world.labels).not.to.have.any.keys(state, migState);
  });

  it('says pending while the node is closed', () => {
    const world = new NodeWorld({ pods: [aPluginPod()] });
    world.step();
    expect(world.labels).to.include({ [state]: 'updating', [migState]: 'pending' });
  });
});

const tenMinutes = 10 * 60_000;
const amounts = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1', 'nvidia.com/hostdev': '0', cpu: '0' };

/** A node that is Ready with one slice, and still shows the whole GPU that it was. */
function aReadyNode(capacity: Readonly<Record<string, string>> = amounts, tidyNodeStatus = true): NodeWorld {
  const device = { ...slicedGpu, advertised: { stale: 0, resources: { 'nvidia.com/mig-7g.40gb': 1 } } };
  const node = aNode({ labels: { 'gpupartition.dev/state': 'updating' } });
  const world = new NodeWorld({
    node: { ...node, status: { ...node.status, allocatable: amounts, capacity } },
    partition: aManagedPartition({ granted: aGrant(), device }),
    settings: { tidyNodeStatus },
  });
  expect(world.settle().verdict.phase).to.equal('Ready');
  world.done.length = 0;
  // As every node that is Ready, it has given its slot back.
  world.slot = undefined;
  return world;
}

describe('resources of earlier layouts on a node that is Ready', () => {
  it('are removed after ten minutes, once', () => {
    const world = aReadyNode();
    const { verdict } = world.step(1000);
    expect(verdict.requeueAfterMs).to.be.within(tenMinutes - 20_000, tenMinutes);
    expect(world.done).to.deep.equal([]);
    expect(world.step(tenMinutes).verdict.phase).to.equal('Ready');
    expect(world.node.status?.allocatable).to.have.all.keys('nvidia.com/mig-7g.40gb', 'nvidia.com/hostdev', 'cpu');
    expect(world.node.status?.capacity).to.have.all.keys('nvidia.com/mig-7g.40gb', 'nvidia.com/hostdev', 'cpu');
    expect(world.done).to.have.lengthOf(1);
    world.advertise(amounts);
    world.step(tenMinutes);
    expect(world.done).to.have.lengthOf(1);
  });

  it('are removed beside what else is done, and looked at when the earlier of both is due', () => {
    const world = aReadyNode();
    const situation = (waitedMs: number) =>
      aSituation(
        { node: world.node, partition: world.partition, settings: { tidyNodeStatus: true }, slot: undefined },
        { memory: { ...noMemory, waits: { Reason: { since: noon - waitedMs, of: 'Ready' } } } },
      );
    const verdict = { phase: 'Ready', reason: 'Ready', message: '' } as const;
    const ruling: Ruling = { ifClosed: 'Opens', verdict, commands: [{ name: 'WriteMonitors', claims: [] }] };
    expect(namesOf({ commands: rulingOf(settleNode(situation(tenMinutes), ruling)).commands ?? [] })).to.deep.equal([
      'WriteMonitors',
      'AdvertiseDevices',
    ]);
    const bare = { ifClosed: ruling.ifClosed, verdict };
    expect(namesOf({ commands: rulingOf(settleNode(situation(tenMinutes), bare)).commands ?? [] })).to.deep.equal([
      'AdvertiseDevices',
    ]);
    const requeueOf = (requeueAfterMs: number) =>
      rulingOf(settleNode(situation(0), { ...ruling, verdict: { ...verdict, requeueAfterMs } })).verdict.requeueAfterMs;
    expect(requeueOf(1000)).to.equal(1000);
    expect(requeueOf(3600_000)).to.equal(tenMinutes);
    const waiting = { ...ruling, verdict: { ...verdict, phase: 'Waiting' } } as const;
    expect(namesOf({ commands: rulingOf(settleNode(situation(tenMinutes), waiting)).commands ?? [] })).to.not.include(
      'AdvertiseDevices',
    );
  });

  it('stay while the kubelet still counts them, or knows such a device', () => {
    const counted = aReadyNode({ ...amounts, 'nvidia.com/gpu': '1' });
    counted.step(tenMinutes);
    expect(counted.done).to.deep.equal([]);
    const known = aReadyNode();
    known.report({ advertised: { stale: 0, resources: { 'nvidia.com/mig-7g.40gb': 1, 'nvidia.com/gpu': 0 } } });
    known.step(tenMinutes);
    expect(known.done).to.deep.equal([]);
  });

  it('stay unless the administrator wants them removed', () => {
    const world = aReadyNode(amounts, false);
    expect(world.step(tenMinutes).verdict).not.to.have.property('requeueAfterMs');
    expect(world.done).to.deep.equal([]);
  });
});
