import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { PodResourcesClient } from '../../../src/kubelet/pod-resources.ts';
import { runProgram } from '../../../src/simulator/control-plane/run.ts';
import { idleAnnotation } from '../../../src/simulator/kubelet/machine.ts';
import { stopSecondsAnnotation } from '../../../src/simulator/kubelet/pods.ts';
import { writeNvidiaSmiWrapper } from '../../../src/simulator/nvidia-smi/wrapper.ts';
import { useSharedCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { GpuNodes, states } from '../../support/gpu-nodes.ts';

describe('a fleet of simulated kubelets @all', () => {
  const cluster = useSharedCluster();
  let nodes: GpuNodes;

  before(async () => {
    nodes = await GpuNodes.start(cluster());
  });
  after(async () => nodes.stop());

  it('registers a node that shows its GPUs and loses the taint of a node that is not ready', async () => {
    const { name } = await nodes.boot();
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '1' });
    await eventually(
      async () => cluster().kubectl(['get', 'node', name, '-o', 'jsonpath={.spec.taints}']),
      ({ stdout }) => stdout === '',
      { what: 'taints' },
    );
  });

  it('renews the Lease of a node', async () => {
    const { name } = await nodes.boot();
    const args = ['get', 'lease', '-n', 'kube-node-lease', name, '-o', 'jsonpath={.spec.holderIdentity}'];
    await eventually(
      async () => cluster().kubectl(args),
      ({ stdout }) => stdout === name,
    );
  });

  it('reports again, as a kubelet does, once the life cycle of nodes has taken a node for dead', async () => {
    const { name } = await nodes.boot();
    const isReady = async (): Promise<string> => {
      const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
      return (await cluster().kubectl(['get', 'node', name, '-o', path])).stdout;
    };
    await eventually(isReady, (status) => status === 'True');
    const condition = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'by the test' };
    const patch = JSON.stringify({ status: { conditions: [condition] } });
    const args = ['patch', 'node', name, '--subresource=status', '--type=strategic', '-p', patch];
    expect((await cluster().kubectl(args)).code).to.equal(0);
    await eventually(isReady, (status) => status === 'True', { what: 'Ready' });
  });

  it('says again that a pod is ready, once the life cycle of nodes has taken its node for dead', async () => {
    const { name } = await nodes.boot(states.twoSlices);
    const pod = await nodes.createPod({ node: name });
    await nodes.waitForPhase(pod, 'Running');
    const patch = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    const args = ['patch', 'pod', pod, '-n', nodes.namespace, '--subresource=status', '--type=strategic', '-p', patch];
    expect((await cluster().kubectl(args)).code).to.equal(0);
    const isReady = async (): Promise<string | undefined> =>
      (await nodes.readPod(pod))?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    await eventually(isReady, (status) => status === 'True', { what: 'the pod to be ready again' });
  });

  it('shows each profile under strategy mixed; what is gone falls to 0 and keeps its capacity', async () => {
    const { name, stateFile } = await nodes.boot(states.twoSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    nodes.writeState(stateFile, states.sevenSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
    const { allocatable, capacity } = (await nodes.readNode(name))?.status ?? {};
    expect(allocatable).to.have.property('nvidia.com/mig-3g.20gb', '0');
    expect(capacity).to.have.property('nvidia.com/mig-3g.20gb', '1');
  });

  it('shows slices as GPUs under strategy single, and nothing where the profiles differ', async () => {
    const { name, stateFile } = await nodes.boot(states.sevenSlices, {
      labels: { 'nvidia.com/mig.strategy': 'single' },
    });
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '7' });
    nodes.writeState(stateFile, states.twoSlices);
    await nodes.waitForGpus(name, {});
    nodes.writeState(stateFile, states.sevenSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '7' });
  });

  it('runs a pod that the scheduler put on a slice, and gives it a device of its own', async () => {
    const { name } = await nodes.boot(states.twoSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const pod = await nodes.waitForPhase(await nodes.createPod({ resource: 'nvidia.com/mig-3g.20gb' }), 'Running');
    const host = pod.spec?.nodeName ?? '';
    const holding = nodes.fleet.listHoldings(host).find(({ uid }) => uid === pod.metadata.uid);
    const [device] = holding?.containers[0]?.deviceIds['nvidia.com/mig-3g.20gb'] ?? [];
    expect(device).to.match(/^MIG-/);
    const [shown] = pod.status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? [];
    expect(shown?.resources?.[0]?.resourceID).to.equal(device);
  });

  it('rejects a pod for which there is no device left, for good', async () => {
    const { name } = await nodes.boot(states.twoSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const about = { resource: 'nvidia.com/mig-3g.20gb', node: name };
    await nodes.waitForPhase(await nodes.createPod(about), 'Running');
    await nodes.waitForPhase(await nodes.createPod(about), 'Failed');
  });

  it('rejects the pods with devices after a reboot, and keeps the others', async () => {
    const { name } = await nodes.boot(states.twoSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const resource = 'nvidia.com/mig-3g.20gb';
    const pod = await nodes.createPod({ resource, node: name });
    const plain = await nodes.createPod({ node: name });
    await nodes.waitForPhase(pod, 'Running');
    await nodes.waitForPhase(plain, 'Running');
    nodes.fleet.rebootNode(name, 'another-boot');
    const { metadata, status } = await nodes.waitForPhase(pod, 'Failed');
    expect(status).to.include({ reason: 'UnexpectedAdmissionError' });
    expect(nodes.fleet.listHoldings(name).map(({ uid }) => uid)).to.not.include(metadata.uid);
    expect((await nodes.readPod(plain))?.status?.phase).to.equal('Running');
    await nodes.waitForPhase(await nodes.createPod({ resource, node: name }), 'Running');
  });

  it('lets nvidia-smi see a process while a pod runs on its slice, and none of a pod that is idle', async () => {
    const { name, stateFile } = await nodes.boot(states.twoSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const busy = await nodes.createPod({ resource: 'nvidia.com/mig-3g.20gb', node: name });
    const annotations = { [idleAnnotation]: 'true' };
    const idle = await nodes.createPod({ resource: 'nvidia.com/mig-1g.5gb', node: name, annotations });
    await nodes.waitForPhase(busy, 'Running');
    await nodes.waitForPhase(idle, 'Running');
    const listProcesses = (): readonly string[] =>
      readFileSync(stateFile, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('proc '));
    expect(listProcesses()).to.deep.equal([
      `proc gpu 0 gi 1 ci 0 pid 10000 mem 512 name ${nodes.namespace}/${busy}/main`,
    ]);
    await nodes.deletePod(busy);
    await nodes.waitForNoPod(busy);
    expect(listProcesses()).to.deep.equal([]);
  });

  it('agrees with nvidia-smi on UUIDs and on what is in use', async () => {
    const node = await nodes.boot(states.twoSlices);
    const { name, gpus, stateFile } = node;
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });
    const program = fileURLToPath(new URL('../../../src/simulator/nvidia-smi/main.ts', import.meta.url));
    const settings = { gpus, stateFile, program, node: process.execPath };
    const nvidiaSmi = writeNvidiaSmiWrapper(dirname(stateFile), settings);
    await nodes.waitForPhase(await nodes.createPod({ resource: 'nvidia.com/mig-3g.20gb', node: name }), 'Running');
    const [device] = nodes.fleet.listHoldings(name)[0]?.containers[0]?.deviceIds['nvidia.com/mig-3g.20gb'] ?? [];
    expect((await runProgram(nvidiaSmi, ['-L'])).stdout).to.contain(`MIG 3g.20gb     Device  0: (UUID: ${device})`);
    const destroyed = await runProgram(nvidiaSmi, ['mig', '-i', '0', '-gi', '1', '-ci', '0', '-dci']);
    expect(destroyed.stdout).to.contain('In use by another client');
    const other = await runProgram(nvidiaSmi, ['mig', '-i', '0', '-gi', '13', '-ci', '0', '-dci']);
    expect(other.code).to.equal(0);
    await nodes.waitForGpus(name, { 'nvidia.com/mig-3g.20gb': '1' });
  });

  it('keeps a deleted pod, and its device, for as long as its containers take to end', async () => {
    const { name } = await nodes.boot();
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '1' });
    const annotations = { [stopSecondsAnnotation]: '60' };
    const pod = await nodes.createPod({ resource: 'nvidia.com/gpu', node: name, annotations });
    await nodes.waitForPhase(pod, 'Running');
    await nodes.deletePod(pod, 5);
    expect((await nodes.readPod(pod))?.metadata.deletionTimestamp).to.be.a('string');
    expect(nodes.fleet.listHoldings(name)).to.have.length(1);
    await nodes.waitForNoPod(pod);
    await eventually(
      () => nodes.fleet.listHoldings(name),
      (holdings) => holdings.length === 0,
    );
  });

  it('knows after a restart which devices the pods that run already hold', async () => {
    await using before = await GpuNodes.start(cluster());
    const podResourcesSocket = join(before.folder, 'kubelet.sock');
    const kubelet = new PodResourcesClient({ socket: podResourcesSocket });
    const node = await before.boot(states.sevenSlices, { podResourcesSocket });
    await before.waitForGpus(node.name, { 'nvidia.com/mig-1g.5gb': '7' });
    const about = { resource: 'nvidia.com/mig-1g.5gb', node: node.name };
    for (let i = 0; i < 6; i += 1) await before.waitForPhase(await before.createPod(about), 'Running');
    const told = await kubelet.list();
    await before.fleet.stop();

    await using restarted = await GpuNodes.startFleet(cluster());
    await restarted.addNode(node);
    await eventually(async () => expect(await kubelet.list()).to.have.deep.members([...told]));
    expect((await kubelet.listAllocatable()).get('nvidia.com/mig-1g.5gb')).to.have.length(7);
    await before.waitForPhase(await before.createPod(about), 'Running');
    const ids = restarted
      .listHoldings(node.name)
      .flatMap(({ containers }) => Object.values(containers[0]?.deviceIds ?? {}));
    expect(new Set(ids.flat()).size).to.equal(7);
    await before.waitForPhase(await before.createPod(about), 'Failed');
  });
});

describe('a device plugin that lives in a pod @all', () => {
  const cluster = useSharedCluster();
  let nodes: GpuNodes;

  before(async () => {
    nodes = await GpuNodes.start(cluster());
  });
  after(async () => nodes.stop());

  const labels = { app: 'nvidia-device-plugin-daemonset' };

  it('advertises what it saw when its pod started, and nothing without a pod', async () => {
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod' });
    await nodes.waitForGpus(name, {});
    const first = await nodes.createPod({ node: name, labels });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });

    nodes.writeState(stateFile, states.sevenSlices);
    const unrelated = await nodes.createPod({ node: name });
    await nodes.waitForPhase(unrelated, 'Running');
    expect(await nodes.readGpus(name)).to.have.property('nvidia.com/mig-3g.20gb', '1');

    await nodes.deletePod(first);
    await nodes.waitForGpus(name, {});
    await nodes.createPod({ node: name, labels });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
  });

  it('starts again by itself where it exits, and takes the layout that it then finds', async () => {
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod', strategy: 'single' });
    await nodes.waitForPhase(await nodes.createPod({ node: name, labels }), 'Running');
    await nodes.waitForGpus(name, {});
    nodes.writeState(stateFile, states.sevenSlices);
    await nodes.waitForGpus(name, { 'nvidia.com/gpu': '7' });
  });

  it('comes back on the new layout when the pod of its DaemonSet is evicted', async () => {
    const { name, stateFile } = await nodes.boot(states.twoSlices, { plugin: 'pod' });
    const pod = {
      metadata: { labels },
      spec: { nodeSelector: { 'kubernetes.io/hostname': name }, containers: [plugin] },
    };
    const spec = { selector: { matchLabels: labels }, template: pod };
    const body = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'plugin' }, spec };
    const path = `/apis/apps/v1/namespaces/${nodes.namespace}/daemonsets`;
    await cluster().client.demand({ method: 'POST', path, body });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '1', 'nvidia.com/mig-3g.20gb': '1' });

    nodes.writeState(stateFile, states.sevenSlices);
    const holding = nodes.fleet.listHoldings(name).find((candidate) => candidate.name.startsWith('plugin-'));
    const pods = `/api/v1/namespaces/${nodes.namespace}/pods/${holding?.name}`;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: holding?.name } };
    await cluster().client.demand({ method: 'POST', path: `${pods}/eviction`, body: eviction });
    await nodes.waitForGpus(name, { 'nvidia.com/mig-1g.5gb': '7' });
    await cluster().client.demand({ method: 'DELETE', path: `${path}/plugin` });
  });
});

const plugin = { name: 'plugin', image: 'example.com/plugin:1' };
