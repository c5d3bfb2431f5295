import { expect } from 'chai';
import { managedConfig } from '../../../../src/core/nvidia/plugin-config/managed-config.ts';
import { configurePlugin } from '../../../../src/core/node/rules/configure-plugin.ts';
import { checkConfig, publishConfig } from '../../../../src/core/node/rules/plugin-config.ts';
import {
  advertisesSlice,
  aFreshRead,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  aSlot,
  judge,
  refusedHold,
  slicedGpu,
  taints,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';

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
    expect(checkConfig(aSituation({ settings }))).to.deep.equal({ needs: 'Pods' });
  });

  it('is neither read nor written for a node whose GPUs a DRA driver hands out', () => {
    const policy = aSlicingPolicy({ backend: 'DRA' });
    expect(checkConfig(aSituation({ settings, policy }))).to.equal(undefined);
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
