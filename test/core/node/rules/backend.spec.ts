import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import type { MigStrategy } from '../../../../src/core/nvidia/labels.ts';
import { composeDevicePluginConfig, managedConfig } from '../../../../src/core/nvidia/plugin-config.ts';
import {
  currentOffer,
  knownStrategy,
  findBackend,
  checkPluginConfig,
  publishConfig,
} from '../../../../src/core/node/rules/backend.ts';
import { keyOf, recordUntouched, configurePlugin } from '../../../../src/core/node/rules/plugin.ts';
import { predictDevice } from '../../../../src/core/nvidia/predict.ts';
import type { Taint } from '../../../../src/core/kubernetes/node.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  advertisesSlice,
  aDriverPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  slicedGpu,
  slicesOf,
  taints,
  wholeGpu,
  advertisesWhole,
  aFreshRead,
  aGpuPod,
  type Answer,
  aSnapshot,
  decideWith,
  judge,
  namesOf,
  aSlot,
  refusedHold,
} from '../../../support/node-builders.ts';
import type { PodView, ResourceClaimView, ResourceSliceView } from '../../../../src/core/kubernetes/pod.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const strategyLabel = 'nvidia.com/mig.strategy';

describe('what a node offers of its device as it is', () => {
  const partition = aManagedPartition({ device: slicedGpu });

  it('is by the strategy that explains what is offered, the policy’s first', () => {
    const offer = (allocatable: Readonly<Record<string, string>>) =>
      currentOffer(aSituation({ partition, node: aNode({ allocatable }) })).resources;
    expect(offer(advertisesSlice)).to.deep.equal({ 'nvidia.com/mig-7g.40gb': 1 });
    expect(offer({ 'nvidia.com/gpu': '1' })).to.deep.equal({ 'nvidia.com/gpu': 1 });
    const whole = aManagedPartition({ device: wholeGpu });
    const { labels } = currentOffer(aSituation({ partition: whole, node: aNode() }));
    expect(labels.labels[strategyLabel]).to.equal('mixed');
  });

  it('is by no strategy where our labels name none, and labels of others say nothing by what they lack', () => {
    const labels = { 'nvidia.com/gpu.count': '1' };
    const offer = (annotations: Readonly<Record<string, string>>) =>
      currentOffer(aSituation({ partition, node: aNode({ labels, annotations, allocatable: advertisesSlice }) }));
    expect(offer({}).resources).to.deep.equal({ 'nvidia.com/mig-7g.40gb': 1 });
    expect(offer({ 'gpupartition.dev/managed-labels': 'gpu.count' }).resources).to.deep.equal({ 'nvidia.com/gpu': 1 });
  });

  it('is what the kubelet offers in the middle of a change, if that exists, whatever its earlier labels tell', () => {
    const labels = { [strategyLabel]: 'single' };
    const offer = (resources: Readonly<Record<string, number>>, stale = 0, taint: readonly Taint[] = taints.closed) => {
      const device = { ...slicedGpu, advertised: { resources, stale } };
      const node = aNode({ labels, taints: taint, allocatable: { 'nvidia.com/gpu': '0' } });
      return currentOffer(aSituation({ partition: aManagedPartition({ device }), node })).resources;
    };
    const asMixed = { 'nvidia.com/mig-7g.40gb': 1 };
    const asSingle = { 'nvidia.com/gpu': 1 };
    expect(offer(asMixed)).to.deep.equal(asMixed);
    expect(offer(asSingle)).to.deep.equal(asSingle);
    expect(offer(asMixed, 1), 'devices that are gone').to.deep.equal(asSingle);
    expect(offer({}), 'nothing').to.deep.equal(asSingle);
    expect(offer({ 'nvidia.com/mig-3g.20gb': 1 }), 'what no strategy explains').to.deep.equal(asSingle);
    expect(offer(asMixed, 0, []), 'a node that is open').to.deep.equal(asSingle);
  });

  it('is by the strategy of the policy on a closed node that tells none, whatever it still advertises', () => {
    const offer = (strategy: MigStrategy) => {
      const node = aNode({ taints: taints.closed, allocatable: { 'nvidia.com/gpu': '1' } });
      return currentOffer(aSituation({ partition: aManagedPartition({ device: slicedGpu, strategy }), node })).strategy;
    };
    expect(offer('mixed')).to.equal('mixed');
    expect(offer('single')).to.equal('single');
  });

  it('is not told by a kubelet that offers nothing: so would a plugin that cannot start', () => {
    const device = { ...aDevice(aGpu({ mig: 'Enabled' })), advertised: { resources: {}, stale: 0 } };
    const node = aNode({ labels: { [strategyLabel]: 'single' }, taints: taints.closed });
    expect(currentOffer(aSituation({ partition: aManagedPartition({ device }), node })).strategy).to.equal('single');
  });

  it('is by the default file of the plugin’s ConfigMap on a node without the label, whatever labels and kubelet tell', () => {
    const file = (migStrategy: MigStrategy) => composeDevicePluginConfig(migStrategy, []);
    const files = { default: file('single'), told: file('none') };
    const device = { ...slicedGpu, advertised: { resources: { 'nvidia.com/mig-7g.40gb': 1 }, stale: 0 } };
    const node = aNode({ labels: { [strategyLabel]: 'mixed' }, taints: taints.closed, allocatable: advertisesSlice });
    const { resources: asLabelled } = currentOffer(aSituation({ partition: aManagedPartition({ device }), node }));
    expect(asLabelled).to.deep.equal({ 'nvidia.com/mig-7g.40gb': 1 });
    const strategyWith = (...pods: readonly PodView[]): MigStrategy | undefined =>
      knownStrategy(aSituation({ partition, node }, { pods, configFiles: { state: 'Read', files } }));
    expect(strategyWith(), 'of a plugin that is not known').to.equal('single');
    const managed = (name: string, value: string): PodView => {
      const env = [
        { name: 'CONFIG_FILE_SRCDIR', value: '/all' },
        { name, value },
      ];
      const manager = {
        name: 'config',
        command: ['config-manager'],
        env,
        volumeMounts: [{ name: 'all', mountPath: '/all' }],
      };
      const pod = aPluginPod();
      const containers = [{ name: 'nvidia-device-plugin-ctr' }, manager];
      return { ...pod, spec: { containers, volumes: [{ name: 'all', configMap: { name: 'plugin' } }] } };
    };
    expect(strategyWith(managed('DEFAULT_CONFIG', 'told'))).to.equal('none');
    expect(strategyWith(managed('OTHER', 'x'))).to.equal('single');
    const plain = { ...aPluginPod(), spec: { containers: [{ name: 'nvidia-device-plugin-ctr' }] } };
    expect(strategyWith(plain), 'without a config manager').to.equal(undefined);
  });

  it('is not mixed up with what other settings make of the same device', () => {
    const device = { ...slicedGpu };
    const resources = [{ name: 'nvidia.com/mig-7g.40gb', replicas: 2 }];
    const rules = { renameByDefault: false, failRequestsGreaterThanOne: false };
    const sharing = { sharing: { strategy: 'time-slicing' as const, ...rules, resources } };
    const plain = predictDevice({ ...device }, 'mixed', undefined).offer.resources;
    expect(predictDevice(device, 'mixed', sharing).offer.resources).to.not.deep.equal(plain);
    expect(predictDevice(device, 'mixed', undefined).offer.resources).to.deep.equal(plain);
    expect(predictDevice(device, 'single', undefined).offer.resources).to.not.deep.equal(plain);
    const other = {
      ...device,
      gpus: (device.gpus ?? []).map((gpu) => ({ ...gpu, uuid: 'GPU-other', pods: ['team/a'] })),
    };
    expect(predictDevice(other, 'mixed', sharing), 'of a node of the same kind').to.equal(
      predictDevice(device, 'mixed', sharing),
    );
  });

  it('is nothing where NVIDIA’s plugin exits on the device', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@4', '1g.5gb@0'] }));
    const pods = [aPluginPod({ strategy: 'single' })];
    const offer = currentOffer(aSituation({ partition: aManagedPartition({ device }) }, { pods }));
    expect(offer).to.deep.include({ cannotStart: true, resources: {} });
    expect(currentOffer(aSituation({ partition }, { pods })).cannotStart).to.equal(false);
  });

  it('is nothing where the DRA driver exits on the device', () => {
    const whole = aGpu({ slices: ['3g.20gb@0'] });
    const [instance] = whole.instances;
    if (!instance) throw new Error('no instance');
    const computeInstances = [{ profile: '1c.3g.20gb', uuid: 'MIG-1' }];
    const device = aDevice({ ...whole, instances: [{ ...instance, computeInstances }] });
    const parts = {
      partition: aManagedPartition({ device, backend: 'DRA' }),
      policy: aSlicingPolicy({ backend: 'DRA' }),
    };
    expect(currentOffer(aSituation(parts)).cannotStart).to.equal(true);
  });

  it('is labelled by backend DRA, too, and offered by slices', () => {
    const offer = currentOffer(aSituation({ partition, policy: aSlicingPolicy({ backend: 'DRA' }) }));
    expect(offer).to.deep.include({ cannotStart: false, resources: {} });
    expect(offer.labels.labels).to.include({ 'nvidia.com/mig-7g.40gb.count': '1' });
  });
});

describe('a node that is about to be closed', () => {
  it('is remembered as untouched only if all pods of its plugin have read the devices', () => {
    const situation = aSituation({ node: aNode() });
    const pods = [aPluginPod({ uid: 'a' }), aPluginPod({ uid: 'b', isReady: false })];
    expect(recordUntouched(situation, pods.slice(0, 1))).to.have.property('Untouched');
    expect(recordUntouched(situation, pods)).to.equal(undefined);
  });

  it('is not where a DRA driver has published nothing, though nothing is what exists: it may be about to publish what was', () => {
    const policy = aSlicingPolicy({ backend: 'DRA' });
    const untouched = (device: DeviceReport) => {
      const node = aNode({ allocatable: {} });
      const parts = { policy, node, partition: aManagedPartition({ backend: 'DRA', device }) };
      return recordUntouched(aSituation(parts, { slices: slicesOf(device) }), [aDriverPod()]);
    };
    expect(untouched(wholeGpu)).to.have.property('Untouched');
    expect(untouched(aDevice(aGpu({ slices: [] })))).to.equal(undefined);
  });

  it('is not where its device has changed since its plugin was restarted, unless the kubelet or its slices tell the devices', () => {
    const annotations = { 'gpupartition.dev/plugin-refreshed': '1-of-before@boot-a/plugin-1/tolerates' };
    const policy = aSlicingPolicy({ backend: 'DRA' });
    const parts = {
      policy,
      node: aNode({ annotations, allocatable: {} }),
      partition: aManagedPartition({ backend: 'DRA' }),
    };
    const seen = aSituation(parts, { slices: slicesOf(wholeGpu) });
    expect(recordUntouched(seen, [aDriverPod()])).to.have.property('Untouched');
    const node = aNode({ annotations });
    const resources = { 'nvidia.com/gpu': 1 };
    const told = aManagedPartition({ device: { ...wholeGpu, advertised: { resources, stale: 0 } } });
    expect(recordUntouched(aSituation({ node }), [])).to.equal(undefined);
    expect(recordUntouched(aSituation({ node, partition: told }), [])).to.have.property('Untouched');
    const since = `${keyOf(aSituation({ node }))}//nothing`;
    const read = aNode({ annotations: { 'gpupartition.dev/plugin-refreshed': since } });
    expect(recordUntouched(aSituation({ node: read }), [])).to.have.property('Untouched');
  });
});

const policy = aSlicingPolicy({ backend: 'Auto' });
const nothing = { 'nvidia.com/gpu': '0' };
const dra = { 'nvidia.com/gpu.deploy.dra-driver': 'true' };
const plugin = { 'nvidia.com/gpu.deploy.device-plugin': 'true' };
const channels: ResourceSliceView = { spec: { driver: 'compute-domain.nvidia.com', devices: [{ name: 'channel-0' }] } };
const instances = [{ profile: '7g.40gb', gi: 0, start: 0, uuid: 'MIG-a' }];
const oneSlice = aDevice({ ...aGpu({ mig: 'Enabled' }), instances });
const claiming: PodView = {
  metadata: { name: 'train', namespace: 'ns', uid: 'uid-train' },
  spec: { containers: [{}], resourceClaims: [{ name: 'gpu' }] },
  status: { phase: 'Running' },
};

/** Which backend the node's object is told; empty if nothing is written. */
function told({ commands }: Pick<Answer, 'commands'>): readonly unknown[] {
  return commands.flatMap((one) => (one.name === 'WriteWish' ? [one.fields.backend] : []));
}

const known = (backend: 'DRA' | 'DevicePlugin' | undefined, device = wholeGpu) =>
  aManagedPartition({ device, ...(backend && { backend }) });

describe('a node whose policy has its backend found out', () => {
  it('has the DRA driver if slices of it are published, and the device plugin neither runs nor advertises', () => {
    const parts = { policy, partition: known(undefined), node: aNode({ allocatable: nothing }) };
    const answer = judge(parts, { pods: [], slices: slicesOf(wholeGpu) });
    expect(told(answer)).to.deep.equal(['DRA']);
    expect(answer.verdict.reason).to.equal('AwaitingPlan');
  });

  it('has the DRA driver if only its pod is there, which has yet to publish', () => {
    const parts = { policy, partition: known(undefined), node: aNode({ allocatable: nothing }) };
    expect(told(judge(parts, { pods: [aDriverPod()], slices: [] }))).to.deep.equal(['DRA']);
  });

  it('has the device plugin if it advertises GPUs, or its pod is there', () => {
    const partition = known(undefined);
    expect(told(judge({ policy, partition }, { slices: [] }))).to.deep.equal(['DevicePlugin']);
    const parts = { policy, partition, node: aNode({ allocatable: nothing }) };
    expect(told(judge(parts, { pods: [aPluginPod()], slices: [] }))).to.deep.equal(['DevicePlugin']);
  });

  it('has the device plugin beside a DRA driver that hands out channels and no GPUs', () => {
    const driver = aDriverPod();
    const containers = [{ name: 'compute-domains', resources: {} }];
    const computeDomains: PodView = { ...driver, spec: { ...driver.spec, containers } };
    const found = { pods: [aPluginPod(), computeDomains], slices: [channels] };
    expect(told(judge({ policy, partition: known(undefined) }, found))).to.deep.equal(['DevicePlugin']);
  });

  it('has the device plugin, without a look, where the API server serves no claims', () => {
    const snapshot = { ...aSnapshot({ policy, partition: known(undefined) }), draApi: 'Missing' as const };
    const answer = decideWith(snapshot);
    expect(told(answer)).to.deep.equal(['DevicePlugin']);
    expect(answer.reads).to.deep.equal([]);
  });

  it('is left alone if both are there, and the message names what was seen and how to take one off', () => {
    for (const backend of [undefined, 'DRA', 'DevicePlugin'] as const) {
      for (const [allocatable, pods, slices, device] of [
        [advertisesWhole, [], slicesOf(wholeGpu), wholeGpu],
        [nothing, [aPluginPod()], slicesOf(wholeGpu), wholeGpu],
        [nothing, [aPluginPod(), aDriverPod()], [], wholeGpu],
        [advertisesSlice, [aDriverPod()], [], slicedGpu],
      ] as const) {
        const parts = { policy, partition: known(backend, device), node: aNode({ allocatable }) };
        const snapshot = { ...aSnapshot(parts), hasSlices: true };
        const { verdict, commands } = decideWith(snapshot, { pods, slices });
        expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
        expect(verdict.message).to.match(/both are on this node: the device plugin \(.+\) and the DRA driver \(.+\)/);
        expect(verdict.message).to.include('kubectl label node n nvidia.com/gpu.deploy.device-plugin=false');
        expect(commands).to.deep.equal([]);
      }
    }
  });

  it('is waited for while neither is there, with a word on what for, and nothing is touched', () => {
    const parts = { policy, partition: known(undefined), node: aNode({ allocatable: nothing }) };
    const { verdict, commands } = judge(parts, { pods: [], slices: [] });
    expect(verdict).to.include({ phase: 'Pending', reason: 'BackendUnknown', requeueAfterMs: 15_000 });
    expect(verdict.message)
      .to.include('it advertises no GPUs, has no ResourceSlices of gpu.nvidia.com')
      .and.not.include('start-up taint');
    expect(commands).to.deep.equal([]);
  });

  it('is waited for behind a start-up taint too, which its pods must tolerate', () => {
    const starting = aNode({ allocatable: nothing, taints: taints.startup });
    const { verdict, commands } = judge(
      { policy, partition: known(undefined), node: starting },
      { pods: [], slices: [] },
    );
    expect(verdict.message).to.include('unless they tolerate the start-up taint gpupartition.dev/uninitialized');
    expect(commands).to.deep.equal([]);
    const announced = aNode({ allocatable: nothing, taints: taints.startup, labels: plugin });
    const answer = judge({ policy, partition: known(undefined), node: announced }, { pods: [], slices: [] });
    expect(told(answer)).to.deep.equal(['DevicePlugin']);
  });

  it('is what gpu-operator’s label announces while neither is there, unless both are announced', () => {
    const look = (labels: Readonly<Record<string, string>>) =>
      judge(
        { policy, partition: known(undefined), node: aNode({ allocatable: nothing, labels }) },
        { pods: [], slices: [] },
      );
    expect(told(look(dra))).to.deep.equal(['DRA']);
    expect(told(look(plugin))).to.deep.equal(['DevicePlugin']);
    expect(look({ ...dra, ...plugin }).verdict.reason).to.equal('BackendUnknown');
    const paused = { 'nvidia.com/gpu.deploy.dra-driver': 'false', ...plugin };
    expect(told(look(paused))).to.deep.equal(['DevicePlugin']);
  });

  it('says what was found whatever its labels announce', () => {
    const node = aNode({ allocatable: nothing, labels: plugin });
    const answer = judge({ policy, partition: known(undefined), node }, { pods: [aDriverPod()], slices: [] });
    expect(told(answer)).to.deep.equal(['DRA']);
  });

  it('keeps what was found while that is restarting and shows nothing', () => {
    const node = aNode({ allocatable: nothing });
    for (const backend of ['DRA', 'DevicePlugin'] as const) {
      const answer = judge({ policy, partition: known(backend), node }, { pods: [], slices: [] });
      expect(told(answer)).to.deep.equal([]);
      expect(answer.verdict.reason).to.equal(backend === 'DRA' ? 'NoDraDriver' : 'NoDevicePlugin');
    }
  });

  it('changes over when the other one is there instead and no pod has a GPU', () => {
    const toDra = { policy, partition: known('DevicePlugin'), node: aNode({ allocatable: nothing }) };
    expect(told(judge(toDra, { pods: [aDriverPod()], slices: slicesOf(wholeGpu) }))).to.deep.equal(['DRA']);
    const toPlugin = { policy, partition: known('DRA'), node: aNode() };
    expect(told(judge(toPlugin, { pods: [aPluginPod()], slices: [] }))).to.deep.equal(['DevicePlugin']);
  });

  it('does not change over on a closed node by what a plugin without a pod has left with the kubelet', () => {
    const look = (node: ReturnType<typeof aNode>, pods: readonly PodView[] = []) =>
      told(judge({ policy, partition: known('DRA'), node }, { pods, slices: [] }));
    const closed = aNode({ taints: taints.closed });
    expect(look(closed)).to.deep.equal([]);
    expect(look(closed, [aPluginPod()])).to.deep.equal(['DevicePlugin']);
    expect(look(aNode())).to.deep.equal(['DevicePlugin']);
  });

  it('does not change over while pods still have GPUs of the previous one', () => {
    for (const [partition, node, found] of [
      [known('DevicePlugin'), aNode({ allocatable: nothing }), { pods: [aDriverPod(), aGpuPod()], slices: [] }],
      [known('DRA'), aNode(), { pods: [aPluginPod(), claiming], slices: [] }],
    ] as const) {
      const { verdict, commands } = judge({ policy, partition, node }, found);
      expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
      expect(verdict.message).to.match(
        /is on this node now \(.+\), and pods still have GPUs .+: ns\/(job|train)\. End/,
      );
      expect(commands).to.deep.equal([]);
    }
  });

  it('changes over beside pods whose claims are for devices of other drivers', () => {
    const parts = { policy, partition: known('DRA'), node: aNode() };
    const reservedFor = [{ resource: 'pods', name: 'train', uid: 'uid-train' }];
    const claimOf = (driver: string): ResourceClaimView => ({
      metadata: { name: 'one', namespace: 'ns' },
      status: { allocation: { devices: { results: [{ driver, pool: 'n', device: 'gpu-0' }] } }, reservedFor },
    });
    const look = (driver: string) =>
      judge(parts, { pods: [aPluginPod(), claiming], slices: [], fresh: { claims: [claimOf(driver)] } });
    expect(told(look('dra.net'))).to.deep.equal(['DevicePlugin']);
    expect(look('gpu.nvidia.com').verdict.message).to.include('gave them: ns/train. End these pods');
  });

  it('does not change over while the DRA driver is only paused', () => {
    const labels = { 'nvidia.com/gpu.deploy.dra-driver': 'paused-for-mig-change' };
    const parts = { policy, partition: known('DRA'), node: aNode({ labels }) };
    const answer = judge(parts, { pods: [aPluginPod()], slices: [] });
    expect(told(answer)).to.deep.equal([]);
    expect(answer.verdict.reason).to.equal('BackendMismatch');
  });

  it('is not looked at again and again while the device plugin advertises and no slices were heard of', () => {
    const partition = known('DevicePlugin', slicedGpu);
    const answer = judge({ policy, partition, node: aNode({ allocatable: advertisesSlice }) });
    expect(answer.verdict).to.include({ phase: 'Ready', reason: 'Ready' });
    expect(answer.reads).not.to.include('Pods');
  });

  it('is looked at again where the device plugin advertises nothing, even if nothing is what it should', () => {
    const layouts = [{ gpus: { indices: [1] }, profiles: { '7g.40gb': 1 } }];
    const empty = aDevice(aGpu({ mig: 'Enabled' }));
    const parts = {
      policy: aSlicingPolicy({ backend: 'Auto', layouts }),
      partition: aManagedPartition({ device: empty, wish: { gpus: [] }, backend: 'DevicePlugin' }),
      node: aNode({ allocatable: nothing }),
    };
    expect(told(judge(parts, { pods: [aDriverPod()], slices: [] }))).to.deep.equal(['DRA']);
  });

  it('changes over on a closed node, too, and beside pods that have what the other stack gave them, or gave them nothing', () => {
    const closed = aNode({
      allocatable: nothing,
      taints: taints.closed,
      labels: { 'gpupartition.dev/state': 'updating' },
    });
    const toDra = { pods: [aDriverPod(), claiming], slices: slicesOf(wholeGpu) };
    expect(told(judge({ policy, partition: known('DevicePlugin'), node: closed }, toDra))).to.deep.equal(['DRA']);
    const refused: PodView = {
      ...aGpuPod('refused'),
      spec: { containers: [{ resources: { limits: { 'nvidia.com/mig-1g.5gb': 1 } } }] },
    };
    const besideRefused = { ...toDra, pods: [aDriverPod(), refused] };
    expect(told(judge({ policy, partition: known('DevicePlugin'), node: closed }, besideRefused))).to.deep.equal([
      'DRA',
    ]);
    const toPlugin = judge({ policy, partition: known('DRA') }, { pods: [aPluginPod(), aGpuPod()], slices: [] });
    expect(told(toPlugin)).to.deep.equal(['DevicePlugin']);
  });

  it('stays what it is beside pods that use it, when it has been looked at', () => {
    const snapshot = { ...aSnapshot({ policy, partition: known('DevicePlugin') }), hasSlices: true };
    const { verdict } = decideWith(snapshot, { pods: [aPluginPod(), aGpuPod()], slices: [] });
    expect(verdict.reason).to.not.equal('BackendMismatch');
  });

  it('is told by the slices that the API server itself shows', () => {
    const parts = { policy, partition: known('DevicePlugin') };
    const seen = { slices: [], pods: [aPluginPod()], fresh: aFreshRead({ resourceSlices: slicesOf(wholeGpu) }) };
    const outcome = findBackend(aSituation(parts, { hasSlices: true, ...seen }));
    expect(outcome).to.have.nested.property('verdict.reason', 'BackendMismatch');
  });

  it('becomes Ready as with backend DRA, and is told by its slices', () => {
    const world = new NodeWorld({
      policy,
      node: aNode({ allocatable: nothing }),
      partition: known(undefined, oneSlice),
      pods: [aDriverPod()],
      slices: slicesOf(oneSlice),
    });
    const { verdict } = world.settle();
    expect(verdict).to.include({ phase: 'Ready', message: 'device, labels and ResourceSlices match the policy' });
    expect(world.partition.spec.backend).to.equal('DRA');
  });

  it('is granted its change as with the device plugin, whose slices in a fresh look stop it', () => {
    const settled = { waits: { Closed: { since: 0 } }, evictions: {} };
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const parts = { policy, partition: known('DevicePlugin'), node };
    expect(namesOf(judge(parts, { pods: [], slices: [] }, settled))).to.include('WriteGrant');
    const both = judge(parts, { pods: [], slices: slicesOf(wholeGpu) }, settled);
    expect(both.verdict.reason).to.equal('BackendMismatch');
    expect(namesOf(both)).not.to.include('WriteGrant');
  });

  it('has the backend of a policy that names it, from then on', () => {
    const back = judge({ policy: aSlicingPolicy({ backend: 'DevicePlugin' }), partition: known('DevicePlugin') });
    expect(told(back)).to.deep.equal([null]);
    const kept = judge(
      { policy, partition: known('DRA'), node: aNode({ allocatable: nothing }) },
      { pods: [aDriverPod()], slices: slicesOf(wholeGpu), fresh: { claims: [] } },
    );
    expect(told(kept)).to.deep.equal([]);
  });
});

describe('a node in a cluster without the API of claims', () => {
  it('is left alone by a policy with backend DRA, and by one that had found the DRA driver, with the version that is needed', () => {
    for (const backend of ['DRA', 'Auto'] as const) {
      const parts = {
        policy: aSlicingPolicy({ backend }),
        partition: known('DRA'),
        node: aNode({ allocatable: nothing }),
      };
      const { verdict, commands } = decideWith({ ...aSnapshot(parts), draApi: 'Missing' }, { pods: [], slices: [] });
      expect(verdict).to.include({ phase: 'Failed', reason: 'NoDraApi', requeueAfterMs: 15_000 });
      expect(verdict.message).to.include('the API server does not serve resource.k8s.io/v1');
      expect(verdict.message).to.include('Kubernetes 1.34');
      expect(commands).to.deep.equal([]);
    }
  });

  it('follows a policy with the device plugin as ever', () => {
    const { verdict } = decideWith({ ...aSnapshot(), draApi: 'Missing' }, { pods: [aPluginPod()] });
    expect(verdict.reason).to.equal('AwaitingGrant');
  });
});

const settings = { pluginConfigMap: { namespace: 'gpu', name: 'plugin' } };
const { key, file } = managedConfig(aSlicingPolicy().spec);
const label = 'nvidia.com/device-plugin.config';
const noFiles = { state: 'Read', files: {} } as const;
const pods = [aPluginPod({ tolerates: true })];

/** Its layout is there, and its plugin has not got our file yet. */
function aDoneNode(more: ConstructorParameters<typeof NodeWorld>[0] = {}): NodeWorld {
  return new NodeWorld({
    settings,
    pods: [aPluginPod({ tolerates: true })],
    files: { state: 'Read', files: { [key]: file } },
    partition: aManagedPartition({ device: slicedGpu }),
    node: aNode({ allocatable: advertisesSlice }),
    ...more,
  });
}

describe('the device plugin’s config file', () => {
  it('is written before a node is closed for it', () => {
    const world = new NodeWorld({ settings, pods, files: noFiles });
    expect(world.step().commands).to.deep.equal([{ name: 'PublishConfig', key, file }]);
    expect(world.taintKeys).to.deep.equal([]);
    world.step();
    expect(world.done).to.deep.equal(['PublishConfig', 'PatchNode']);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('is chosen only when the closed node has settled', () => {
    const world = aDoneNode();
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.step(100);
    expect(world.labels).to.not.have.property(label);
    world.step(300);
    expect(world.labels[label]).to.equal(key);
  });

  it('is chosen for good on a node whose plugin could not start for lack of its file: what that has read is unknown', () => {
    const outcome = (isReady: boolean) =>
      configurePlugin({
        ...aSituation({
          settings,
          partition: aManagedPartition({ device: slicedGpu }),
          node: aNode({ allocatable: advertisesSlice, labels: { [label]: 'gone' } }),
        }),
        pods: [aPluginPod({ isReady })],
        configFiles: { state: 'Read', files: { [key]: file } },
        fresh: aFreshRead({ policy: { uid: 'uid-p', generation: 1, told: 1 }, slot: aSlot }),
      });
    expect(outcome(true)).to.have.nested.property('waits.Untouched');
    expect(outcome(false)).to.have.property('commands').with.length(1);
    expect(outcome(false)).not.to.have.nested.property('waits.Untouched');
  });

  it('is looked for before anything is touched', () => {
    expect(checkPluginConfig(aSituation({ settings }))).to.deep.equal({ needs: 'Pods' });
  });

  it('is neither read nor written for a node whose GPUs a DRA driver hands out', () => {
    const policy = aSlicingPolicy({ backend: 'DRA' });
    expect(checkPluginConfig(aSituation({ settings, policy }))).to.equal(undefined);
    expect(publishConfig(aSituation({ settings, policy }, { configFiles: noFiles }))).to.equal(undefined);
    expect(publishConfig(aSituation({ settings }, { configFiles: noFiles }))).to.have.property('commands');
  });

  it('that cannot be read is told before the node is closed, and nothing is touched', () => {
    const configFiles = { state: 'Unreadable', why: 'configmaps "plugin" is forbidden' } as const;
    const { verdict, commands } = judge({ settings }, { pods, configFiles });
    expect(verdict).to.include({ phase: 'Failed', reason: 'ConfigUnavailable' });
    expect(verdict.message).to.include('gpu/plugin').and.include('is forbidden');
    expect(commands).to.deep.equal([]);
  });

  it('is chosen when the node is closed and its layout is done', () => {
    const world = aDoneNode();
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(world.labels).not.to.have.property(label);
    for (let second = 0; second < 2; second += 1) world.step(1000);
    expect(world.labels[label]).to.equal(key);
    world.step(1000);
    expect(world.done.at(-1)).to.equal('EvictPod uid-plugin');
  });

  it('waits for a slot like any change, and is published only then', () => {
    const world = aDoneNode({ files: noFiles });
    world.slot = undefined;
    const { verdict } = world.settle();
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot' });
    expect(verdict.message).to.match(/a slot in the rollout of policy p: would restart its device plugin with config/);
    expect(world.done).to.deep.equal([]);
  });

  it('that was chosen stays what the node is judged by where the controller has no ConfigMap any more', () => {
    const resource = 'nvidia.com/mig-7g.40gb';
    const sharing = { timeSlicing: [{ resource, replicas: 2 }] };
    const policy = aSlicingPolicy({ sharing });
    const world = aDoneNode({
      settings: {},
      policy,
      node: aNode({
        allocatable: { ...advertisesSlice, [resource]: '2' },
        labels: { [label]: managedConfig(policy.spec).key },
      }),
    });
    world.claim = { hold: refusedHold };
    world.slot = undefined;
    const { verdict } = world.settle();
    expect(verdict, verdict.message).to.include({ phase: 'Ready', reason: 'Ready' });
  });

  it('is chosen for no open node while a newer generation is not accepted, also with a slot', () => {
    const world = aDoneNode();
    world.claim = { hold: refusedHold };
    expect(world.settle().verdict).to.include({ phase: 'Pending', reason: 'PolicyInvalid' });
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).not.to.have.property(label);
  });

  it('is chosen to the end where the node was closed for it before', () => {
    const world = aDoneNode();
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.claim = { hold: refusedHold };
    for (let second = 0; second < 2; second += 1) world.step(1000);
    expect(world.labels[label]).to.equal(key);
  });

  it('restarts no plugin of a paused policy', () => {
    const world = aDoneNode({ policy: aSlicingPolicy({ rollout: { paused: true } }) });
    world.slot = undefined;
    expect(world.settle().verdict.reason).to.equal('Paused');
    expect(world.done.filter((what) => what !== 'PatchNode')).to.deep.equal([]);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('closes no node whose plugin would ignore it: that is said first', () => {
    const world = aDoneNode({ pods: [aPluginPod({ strategy: 'single' })] });
    const { verdict } = world.settle();
    expect(verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
    expect(world.done).to.deep.equal([]);
  });

  it('closes no node that is cordoned or not Ready', () => {
    for (const more of [{ unschedulable: true }, { ready: 'False' as const }]) {
      const world = aDoneNode({ node: aNode({ allocatable: advertisesSlice, ...more }) });
      expect(world.settle().verdict.reason).to.match(/^(ForeignCordon|NodeNotReady)$/);
      expect(world.taintKeys).to.deep.equal([]);
    }
  });

  it('of a node that was closed for another wish is changed only with a slot of its own', () => {
    const world = aDoneNode({ node: aNode({ allocatable: advertisesSlice, taints: taints.closed }) });
    world.slot = undefined;
    for (let second = 0; second < 5; second += 1) {
      world.step(1000);
      world.pods = [aPluginPod({ uid: 'new', tolerates: true })];
    }
    expect(world.labels).not.to.have.property(label);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is written again where somebody has taken it away: a plugin whose file is gone does not start', () => {
    const world = new NodeWorld({
      settings,
      pods,
      files: noFiles,
      partition: aManagedPartition({ device: slicedGpu }),
      node: aNode({ allocatable: {}, labels: { [label]: key, 'gpupartition.dev/state': 'ready' } }),
    });
    for (let second = 0; second < 60; second += 1) world.step(1000);
    expect(world.done).to.include('PublishConfig');
  });

  it('is nobody’s business where the plugin’s settings are the administrator’s', () => {
    const partition = aManagedPartition({ device: slicedGpu });
    const { commands } = judge({ partition, node: aNode({ allocatable: advertisesSlice }) });
    expect(JSON.stringify(commands)).not.to.include(label);
  });
});
