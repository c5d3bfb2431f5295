import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import type { MigStrategy } from '../../../../src/core/nvidia/labels/mig-strategy.ts';
import { composeDevicePluginConfig } from '../../../../src/core/nvidia/plugin-config/device-plugin-config.ts';
import { currentOffer, knownStrategy } from '../../../../src/core/node/rules/current-offer.ts';
import { keyOf } from '../../../../src/core/node/rules/fence-situation.ts';
import { predictDevice } from '../../../../src/core/node/rules/prediction.ts';
import { noteUntouched } from '../../../../src/core/node/rules/untouched.ts';
import { formatRefreshMark } from '../../../../src/core/node/refresh-mark.ts';
import type { Taint } from '../../../../src/core/metadata/node-change.ts';
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
} from '../../../support/node-builders.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

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
    expect(noteUntouched(situation, pods.slice(0, 1))).to.have.property('Untouched');
    expect(noteUntouched(situation, pods)).to.equal(undefined);
  });

  it('is not where a DRA driver has published nothing, though nothing is what exists: it may be about to publish what was', () => {
    const policy = aSlicingPolicy({ backend: 'DRA' });
    const untouched = (device: DeviceReport) => {
      const node = aNode({ allocatable: {} });
      const parts = { policy, node, partition: aManagedPartition({ backend: 'DRA', device }) };
      return noteUntouched(aSituation(parts, { slices: slicesOf(device) }), [aDriverPod()]);
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
    expect(noteUntouched(seen, [aDriverPod()])).to.have.property('Untouched');
    const node = aNode({ annotations });
    const resources = { 'nvidia.com/gpu': 1 };
    const told = aManagedPartition({ device: { ...wholeGpu, advertised: { resources, stale: 0 } } });
    expect(noteUntouched(aSituation({ node }), [])).to.equal(undefined);
    expect(noteUntouched(aSituation({ node, partition: told }), [])).to.have.property('Untouched');
    const since = formatRefreshMark({
      change: keyOf(aSituation({ node })),
      uids: [],
      tolerates: false,
      sawNothing: true,
    });
    const read = aNode({ annotations: { 'gpupartition.dev/plugin-refreshed': since } });
    expect(noteUntouched(aSituation({ node: read }), [])).to.have.property('Untouched');
  });
});
