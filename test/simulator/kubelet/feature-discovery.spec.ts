import { expect } from 'chai';

import { writerModeOf } from '../../../src/core/node/rules/labels.ts';
import { featureLabelsAnnotation } from '../../../src/simulator/kubelet/daemon-work.ts';
import { eventually, stays } from '../../support/eventually.ts';
import { states } from '../../support/gpu-nodes.ts';
import { discoveryDaemonSet, operatorDaemonSet } from '../../support/nvidia-daemons.ts';
import { useDaemonBench } from './daemon-bench.ts';

const container = 'gpu-feature-discovery-ctr';
const mps = 'version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n';

describe('a simulated GPU Feature Discovery', () => {
  const bench = useDaemonBench();

  async function labelsOf(node: string): Promise<Readonly<Record<string, string>>> {
    return (await bench().nodes.readNode(node))?.metadata.labels ?? {};
  }

  async function waitForLabels(node: string, wanted: Readonly<Record<string, string>>): Promise<void> {
    await eventually(async () => expect(await labelsOf(node)).to.include(wanted));
  }

  it('labels the node at its start, as the owner of its keys through NFD', async () => {
    const { nodes } = bench();
    const { name } = await nodes.boot(states.sevenSlices, { plugin: 'pod', machine: 'Simulated GPU Node' });
    await bench().deploy(discoveryDaemonSet, name, { env: { MIG_STRATEGY: 'single' } });
    await waitForLabels(name, {
      'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb',
      'nvidia.com/gpu.count': '7',
      'nvidia.com/gpu.machine': 'Simulated-GPU-Node',
      'nvidia.com/mig.strategy': 'single',
    });
    const { labels = {}, annotations = {}, managedFields = [] } = (await nodes.readNode(name))?.metadata ?? {};
    expect(annotations[featureLabelsAnnotation]?.split(',')).to.include('nvidia.com/gpu.count');
    expect(annotations[featureLabelsAnnotation]?.split(',')).to.not.include('bench');
    expect(Number(labels['nvidia.com/gfd.timestamp']) * 1000).to.be.closeTo(Date.now(), 20_000);
    expect(JSON.stringify(managedFields)).to.contain('"nfd-master"');
    expect(writerModeOf({ labels, annotations, before: undefined })).to.equal('Verify');
  });

  it('keeps its labels in line with the devices, and takes back what somebody else changes', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod', labels: { pool: 'p' } });
    await bench().deploy(operatorDaemonSet.bind(undefined, 'gpu-feature-discovery'), name);
    await bench().label(name, { 'nvidia.com/gpu.deploy.gpu-feature-discovery': 'true' });
    await waitForLabels(name, { 'nvidia.com/mig-3g.20gb.count': '1' });
    const { 'nvidia.com/gfd.timestamp': timestamp = '' } = await labelsOf(name);

    nodes.writeState(stateFile, states.sevenSlices);
    await bench().label(name, { 'nvidia.com/gpu.replicas': '5', 'nvidia.com/gpu.present': 'true' });
    await waitForLabels(name, { 'nvidia.com/mig-1g.5gb.count': '7', 'nvidia.com/gpu.replicas': '0', pool: 'p' });
    const labels = await labelsOf(name);
    expect(labels).to.include({ 'nvidia.com/gpu.present': 'true', 'nvidia.com/gfd.timestamp': timestamp });
    expect(labels).to.not.have.property('nvidia.com/mig-3g.20gb.count');
  });

  it('writes nothing while its pod is gone, and leaves its labels', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot(states.twoSlices, {
      plugin: 'pod',
      labels: { 'nvidia.com/gpu.deploy.gpu-feature-discovery': 'true' },
    });
    await bench().deploy(operatorDaemonSet.bind(undefined, 'gpu-feature-discovery'), name);
    await waitForLabels(name, { 'nvidia.com/mig-3g.20gb.count': '1' });
    await bench().label(name, { 'nvidia.com/gpu.deploy.gpu-feature-discovery': 'paused-for-mig-change' });
    await eventually(
      async () => bench().pod(name),
      (pod) => pod === undefined,
      { what: 'the pod of GFD' },
    );
    nodes.writeState(stateFile, states.sevenSlices);
    await stays(
      async () => (await labelsOf(name))['nvidia.com/mig-3g.20gb.count'],
      (count) => count === '1',
      { forMs: 600 },
    );
  });

  it('freezes its labels where it would exit, and is not Ready', async () => {
    const { nodes } = bench();
    await bench().createConfigMap('gfd', { default: 'version: v1\n', mps });
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod' });
    await bench().deploy(discoveryDaemonSet, name, { configMap: 'gfd' });
    await waitForLabels(name, { 'nvidia.com/mig-3g.20gb.count': '1' });
    await bench().label(name, { 'nvidia.com/device-plugin.config': 'mps' });
    const message = await bench().waitForTrouble(name, container, 'CrashLoopBackOff');
    expect(message).to.contain('MPS sharing is not supported for mig devices');
    nodes.writeState(stateFile, states.sevenSlices);
    await stays(
      async () => (await labelsOf(name))['nvidia.com/mig-3g.20gb.count'],
      (count) => count === '1',
      { forMs: 400 },
    );
    await bench().label(name, { 'nvidia.com/device-plugin.config': 'default' });
    await waitForLabels(name, { 'nvidia.com/mig-1g.5gb.count': '7' });
  });
});
