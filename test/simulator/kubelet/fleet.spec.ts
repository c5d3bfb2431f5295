import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import type { KubeClient } from '../../../src/kube/client.ts';
import { KubeletFleet } from '../../../src/simulator/kubelet/fleet.ts';
import { nodesResource, podsResource } from '../../../src/simulator/kubelet/kube-objects.ts';
import type { NodeObject, PodObject } from '../../../src/simulator/kubelet/kube-objects.ts';
import { stopSecondsAnnotation } from '../../../src/simulator/kubelet/timing.ts';
import type { SimulatedNode } from '../../../src/simulator/kubelet/simulated-node.ts';
import { createKubeClient, createNamespace, uniqueName, useSharedCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';

const a100 = 'NVIDIA A100-SXM4-40GB';
const twoSlices = `gpu 0 mig 1 pending 1
gi 0 13 profile 19 place 6:1
ci 0 13 0 profile 0 place 0:1
gi 0 1 profile 9 place 0:4
ci 0 1 0 profile 2 place 0:3
`;
const sevenSlices = `gpu 0 mig 1 pending 1\n${[0, 1, 2, 3, 4, 5, 6]
  .map((i) => `gi 0 ${7 + i} profile 19 place ${i}:1\nci 0 ${7 + i} 0 profile 0 place 0:1\n`)
  .join('')}`;

describe('a fleet of simulated kubelets', () => {
  const cluster = useSharedCluster();
  let folder: string;
  let client: KubeClient;
  let namespace: string;
  let fleet: KubeletFleet;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubelet-'));
    client = await createKubeClient(cluster());
    namespace = await createNamespace(cluster());
    fleet = new KubeletFleet({ client: await createKubeClient(cluster(), { token: cluster().kubeletToken }) });
    await fleet.start();
  });

  after(async () => {
    await fleet.stop();
    const { items } = await client.list<NodeObject>(nodesResource, { labelSelector: `suite=${namespace}` });
    for (const { metadata } of items) await client.delete({ resource: nodesResource, name: metadata.name });
    rmSync(folder, { recursive: true, force: true });
  });

  /** Replaces the state as the simulated nvidia-smi does. */
  function writeState(file: string, state: string): void {
    writeFileSync(`${file}.new`, state);
    renameSync(`${file}.new`, file);
  }

  function boot(state: string, more: Partial<SimulatedNode> = {}): SimulatedNode {
    const name = uniqueName('node');
    const node = { name, gpus: [a100], stateFile: join(folder, name, 'state'), ...more };
    const labelled = { ...node, labels: { suite: namespace, ...more.labels } };
    fleet.addNode(labelled);
    if (state !== '') writeState(node.stateFile, state);
    return labelled;
  }

  const readNode = async (name: string): Promise<NodeObject | undefined> =>
    client.find<NodeObject>({ resource: nodesResource, name });

  /** What can be allocated: 0 is as good as absent. */
  async function gpusOf(name: string): Promise<Readonly<Record<string, string>>> {
    const { status } = (await readNode(name)) ?? {};
    const gpus = Object.entries(status?.allocatable ?? {}).filter(([key]) => key.startsWith('nvidia.com/'));
    return Object.fromEntries(gpus.filter(([, count]) => count !== '0'));
  }

  async function waitForGpus(name: string, wanted: Readonly<Record<string, string>>): Promise<void> {
    const same = (seen: object): boolean => JSON.stringify(Object.entries(seen).toSorted()) === JSON.stringify(Object.entries(wanted).toSorted());
    await eventually(async () => gpusOf(name), same, { what: `allocatable of ${name}` });
  }

  async function createPod(about: {
    readonly resource: string;
    readonly node?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  }): Promise<string> {
    const name = uniqueName('pod');
    const { labels = {}, annotations = {} } = about;
    const limits = about.resource === '' ? {} : { [about.resource]: 1 };
    const pod = {
      metadata: { name, namespace, labels, annotations },
      spec: {
        containers: [{ name: 'main', image: 'example.com/train:1', resources: { limits } }],
        nodeSelector: { suite: namespace },
        ...(about.node !== undefined && { nodeName: about.node }),
      },
    };
    await client.create(podsResource, pod);
    return name;
  }

  const readPod = async (name: string): Promise<PodObject | undefined> =>
    client.find<PodObject>({ resource: podsResource, namespace, name });

  async function waitForPhase(name: string, phase: string): Promise<PodObject> {
    const pod = await eventually(async () => readPod(name), (seen) => seen?.status?.phase === phase, { what: name });
    if (pod === undefined) throw new Error('unreachable');
    return pod;
  }

  it('registers a node that shows its GPUs and loses the taint of a node that is not ready', async () => {
    const { name } = boot('');
    await waitForGpus(name, { 'nvidia.com/gpu': '1' });
    await eventually(
      async () => cluster().kubectl(['get', 'node', name, '-o', 'jsonpath={.spec.taints}']),
      ({ stdout }) => stdout === '',
      { what: 'taints' },
    );
  });

  it('renews the Lease of a node', async () => {
    const { name } = boot('');
    await eventually(
      async () => cluster().kubectl(['get', 'lease', '-n', 'kube-node-lease', name, '-o', 'jsonpath={.spec.holderIdentity}']),
      ({ stdout }) => stdout === name,
    );
  });

  it('shows each profile under strategy mixed; what is gone falls to 0 and keeps its capacity', async () => {
    const { name, stateFile } = boot(twoSlices);
    await waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    writeState(stateFile, sevenSlices);
    await waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
    const { allocatable, capacity } = (await readNode(name))?.status ?? {};
    expect(allocatable).to.have.property('nvidia.com/mig-3g.20gb', '0');
    expect(capacity).to.have.property('nvidia.com/mig-3g.20gb', '1');
  });

  it('shows slices as GPUs under strategy single, and nothing where the profiles differ', async () => {
    const { name, stateFile } = boot('', { labels: { 'nvidia.com/mig.strategy': 'single' } });
    writeState(stateFile, sevenSlices);
    await waitForGpus(name, { 'nvidia.com/gpu': '7' });
    writeState(stateFile, twoSlices);
    await waitForGpus(name, {});
  });

  it('runs a pod that the scheduler put on a slice, and gives it a device of its own', async () => {
    const { name } = boot(twoSlices);
    await waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const pod = await waitForPhase(await createPod({ resource: 'nvidia.com/mig-3g.20gb' }), 'Running');
    const host = pod.spec?.nodeName ?? '';
    const holding = fleet.listHoldings(host).find(({ uid }) => uid === pod.metadata.uid);
    const [device] = holding?.containers[0]?.deviceIds['nvidia.com/mig-3g.20gb'] ?? [];
    expect(device).to.match(/^MIG-/);
    const [shown] = pod.status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? [];
    expect(shown?.resources?.[0]?.resourceID).to.equal(device);
  });

  it('rejects a pod for which there is no device left, for good', async () => {
    const { name } = boot(twoSlices);
    await waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    await waitForPhase(await createPod({ resource: 'nvidia.com/mig-3g.20gb', node: name }), 'Running');
    await waitForPhase(await createPod({ resource: 'nvidia.com/mig-3g.20gb', node: name }), 'Failed');
  });

  it('keeps a deleted pod, and its device, for as long as its containers take to end', async () => {
    const { name } = boot('');
    await waitForGpus(name, { 'nvidia.com/gpu': '1' });
    const pod = await createPod({ resource: 'nvidia.com/gpu', node: name, annotations: { [stopSecondsAnnotation]: '60' } });
    await waitForPhase(pod, 'Running');
    await client.delete({ resource: podsResource, namespace, name: pod }, { gracePeriodSeconds: 1 });
    expect((await readPod(pod))?.metadata.deletionTimestamp).to.be.a('string');
    expect(fleet.listHoldings(name)).to.have.length(1);
    await eventually(async () => readPod(pod), (seen) => seen === undefined);
    await eventually(() => fleet.listHoldings(name), (holdings) => holdings.length === 0);
  });

  it('in mode pod advertises what the plugin saw when its pod started, and nothing without a pod', async () => {
    const { name, stateFile } = boot(twoSlices, { plugin: 'pod' });
    await eventually(async () => readNode(name), (node) => node !== undefined);
    expect(await gpusOf(name)).to.deep.equal({});
    const labels = { app: 'nvidia-device-plugin-daemonset' };
    const first = await createPod({ resource: '', node: name, labels });
    await waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });

    writeState(stateFile, sevenSlices);
    await client.delete({ resource: podsResource, namespace, name: first });
    await waitForGpus(name, {});
    await createPod({ resource: '', node: name, labels });
    await waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
  });
});
