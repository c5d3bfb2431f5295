import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { stopSecondsAnnotation } from '../../../src/simulator/kubelet/pods.ts';
import { eventually, stays } from '../../support/eventually.ts';
import { a100, states } from '../../support/gpu-nodes.ts';
import { pluginDaemonSet } from '../../support/nvidia-daemons.ts';
import { readyOf, useDaemonBench } from './daemon-bench.ts';

const plugin = 'nvidia-device-plugin-ctr';
const sidecar = 'nvidia-device-plugin-sidecar';
const configLabel = 'nvidia.com/device-plugin.config';

const configs = {
  mixed: 'version: v1\nflags: {migStrategy: mixed}\n',
  single: 'version: v1\nflags: {migStrategy: single}\n',
  shared:
    'version: v1\nflags: {migStrategy: mixed}\nsharing: {timeSlicing: {resources: [{name: nvidia.com/mig-1g.5gb, replicas: 4}]}}\n',
  refused: 'version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 1}]}}\n',
};

describe('the pod of a simulated device plugin', () => {
  const bench = useDaemonBench();

  before(async () => {
    const { mixed, single, shared, refused } = configs;
    await bench().createConfigMap('configs', { default: mixed, single, shared, refused });
  });

  it('decides the strategy by argument before environment, whatever the node would say', async () => {
    const { nodes } = bench();
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod', strategy: 'mixed' });
    const args = ['--mig-strategy=single'];
    await bench().deploy(pluginDaemonSet, name, { args, env: { MIG_STRATEGY: 'none' }, configMap: 'configs' });
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '7' });
  });

  it('decides by environment before its config file', async () => {
    const { nodes } = bench();
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod', strategy: 'mixed' });
    await bench().deploy(pluginDaemonSet, name, { env: { MIG_STRATEGY: 'none' }, configMap: 'configs' });
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '1' });
  });

  it('takes another config file, and looks at the devices again, when the node’s label changes and not before', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod', strategy: 'none' });
    await bench().deploy(pluginDaemonSet, name, { configMap: 'configs' });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });

    nodes.writeState(stateFile, states.sevenSlices);
    await bench().label(name, { [configLabel]: 'default' });
    await stays(
      () => nodes.fleet.listAdvertised(name).get('nvidia.com/mig-3g.20gb')?.length,
      (count) => count === 1,
      { forMs: 300 },
    );
    await bench().label(name, { [configLabel]: 'shared' });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '28' });
    const ids = nodes.fleet.listAdvertised(name).get('nvidia.com/mig-1g.5gb') ?? [];
    expect(ids[3]).to.match(/^MIG-.*::3$/);

    await bench().label(name, { [configLabel]: 'single' });
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '7' });
  });

  it('does not start with a label that names no config, and starts once it names one', async () => {
    const { nodes } = bench();
    const { name } = await nodes.boot(states.twoSlices, { plugin: 'pod', labels: { [configLabel]: 'nowhere' } });
    await bench().deploy(pluginDaemonSet, name, { configMap: 'configs' });
    const message = await bench().waitForTrouble(name, plugin, 'CrashLoopBackOff');
    expect(message).to.equal('specified config nowhere does not exist');
    await nodes.waitForGpus(name, {});
    await bench().label(name, { [configLabel]: null });
    await bench().waitForReady(name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
  });

  it('runs on with what it has where its label comes to name no config: config-manager alone fails', async () => {
    const { nodes } = bench();
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod' });
    await bench().deploy(pluginDaemonSet, name, { configMap: 'configs' });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
    await bench().label(name, { [configLabel]: 'nowhere' });
    const message = await bench().waitForTrouble(name, sidecar, 'CrashLoopBackOff');
    expect(message).to.contain('nowhere');
    expect(await nodes.readGpus(name)).to.deep.equal({ 'nvidia.com/mig-1g.5gb': '7' });
    await bench().label(name, { [configLabel]: 'shared' });
    await bench().waitForReady(name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '28' });
  });

  it('stops at a config that it refuses, with upstream’s words, until the ConfigMap is corrected', async () => {
    const { nodes } = bench();
    await bench().createConfigMap('mended', { default: configs.mixed, other: configs.refused });
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod' });
    await bench().deploy(pluginDaemonSet, name, { configMap: 'mended' });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
    await bench().label(name, { [configLabel]: 'other' });
    const message = await bench().waitForTrouble(name, plugin, 'CrashLoopBackOff');
    expect(message).to.contain('number of replicas must be >= 2').and.contain('other');
    await nodes.waitForGpus(name, {});
    await bench().changeConfigMap('mended', { other: configs.shared });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '28' });
    await bench().waitForReady(name);
  });

  it('runs on while a GPU is lost, and does not start again until it is back', async () => {
    const { nodes } = bench();
    const faultsFile = join(nodes.folder, 'faults');
    writeFileSync(faultsFile, 'lost gpu=1\n');
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod', gpus: [a100, a100], faultsFile });
    await bench().deploy(pluginDaemonSet, name);
    const message = await bench().waitForTrouble(name, plugin, 'CrashLoopBackOff');
    expect(message).to.contain("error getting device handle for index '1': GPU is lost");
    await nodes.waitForGpus(name, {});
    writeFileSync(faultsFile, '');
    await bench().waitForReady(name);
    const whole = { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.5gb': '7' };
    await nodes.waitForGpus(name, whole);
    writeFileSync(faultsFile, 'lost gpu=1\n');
    await stays(
      () => nodes.fleet.listAdvertised(name).get('nvidia.com/gpu')?.length,
      (count) => count === 1,
      { forMs: 300 },
    );
  });

  it('is not created without its ConfigMap', async () => {
    const { nodes } = bench();
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod' });
    await bench().deploy(pluginDaemonSet, name, { configMap: 'later' });
    expect(await bench().waitForTrouble(name, plugin, 'ContainerCreating')).to.contain('configmap "later" not found');
    await bench().createConfigMap('later', { only: configs.shared });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '28' });
  });

  it('is not Ready where it exits over the layout, and says why', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod' });
    await bench().deploy(pluginDaemonSet, name, { env: { MIG_STRATEGY: 'single' } });
    const message = await bench().waitForTrouble(name, plugin, 'CrashLoopBackOff');
    expect(message).to.contain('more than one MIG device type present on node');
    nodes.writeState(stateFile, states.sevenSlices);
    await bench().waitForReady(name);
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '7' });
  });

  it('keeps advertising, what is gone too, until its process has ended', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod' });
    const annotations = { [stopSecondsAnnotation]: '1' };
    await bench().deploy(pluginDaemonSet, name, { annotations });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    nodes.writeState(stateFile, states.sevenSlices);
    const { metadata } = await bench().waitForReady(name);
    await nodes.deletePod(metadata.name);
    const seen = new Set<string>();
    await eventually(
      async () => {
        const pod = await nodes.readPod(metadata.name);
        if (pod?.metadata.deletionTimestamp !== undefined) seen.add(JSON.stringify(await nodes.readGpus(name)));
        return pod;
      },
      (pod) => pod === undefined,
    );
    expect([...seen][0]).to.equal('{"nvidia.com/mig-1g.5gb":"1","nvidia.com/mig-3g.20gb":"1"}');
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
  });

  it('looks again after a reboot, in the same pod', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod' });
    await bench().deploy(pluginDaemonSet, name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const before = await bench().pod(name);
    nodes.writeState(stateFile, states.sevenSlices);
    nodes.fleet.rebootNode(name, 'another-boot');
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
    expect((await bench().pod(name))?.metadata.uid).to.equal(before?.metadata.uid);
  });

  it('keeps advertising what the pod before it saw, under the fault Stale', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod' });
    await bench().deploy(pluginDaemonSet, name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const seen = nodes.fleet.listAdvertised(name);
    nodes.fleet.setPluginFault(name, 'Stale');
    nodes.writeState(stateFile, states.sevenSlices);
    await bench().replacePod(name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    expect(nodes.fleet.listAdvertised(name)).to.deep.equal(seen);
    nodes.fleet.setPluginFault(name, undefined);
    await bench().replacePod(name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
  });

  it('never gets Ready and advertises nothing, under the fault NeverReady', async () => {
    const { nodes } = bench();
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod' });
    await bench().deploy(pluginDaemonSet, name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
    nodes.fleet.setPluginFault(name, 'NeverReady');
    await bench().replacePod(name);
    await nodes.waitForGpus(name, {});
    await stays(
      async () => readyOf(await bench().pod(name)),
      (ready) => ready === 'False',
      { forMs: 300 },
    );
    expect(nodes.fleet.listAdvertised(name).size).to.equal(0);
    nodes.fleet.setPluginFault(name, undefined);
    await bench().waitForReady(name);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
  });
});
