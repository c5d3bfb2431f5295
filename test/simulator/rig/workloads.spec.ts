import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { resourceSlices } from '../../../src/api/resources.ts';
import type { KubeObject } from '../../../src/kube/watch.ts';
import type { OfferedDevice, SliceSpec } from '../../../src/simulator/dra-driver/devices.ts';
import { driverDaemonSet } from '../../../src/simulator/rig/workloads.ts';
import { eventually, stays } from '../../support/eventually.ts';
import { states } from '../../support/gpu-nodes.ts';
import { useDaemonBench } from '../kubelet/daemon-bench.ts';
import type { PodObject } from '../../../src/simulator/kubelet/node.ts';
import { useRig } from '../../support/rig.ts';

interface SliceObject extends KubeObject {
  readonly spec: SliceSpec;
}

const before = ['gpu-0-mig-1g5gb-19-6', 'gpu-0-mig-3g20gb-9-0'];
const after = [0, 1, 2, 3, 4, 5, 6].map((start) => `gpu-0-mig-1g5gb-19-${start}`);

describe('the pod of the stand-in of the DRA driver', () => {
  const bench = useDaemonBench({ sliceWipeMs: 1_500 });

  async function slices(node: string): Promise<readonly SliceObject[]> {
    const fieldSelector = `spec.nodeName=${node}`;
    return (await bench().nodes.client.list<SliceObject>(resourceSlices, { fieldSelector })).items;
  }

  async function devices(node: string): Promise<readonly OfferedDevice[]> {
    return (await slices(node)).flatMap(({ spec }) => spec.devices ?? []);
  }

  async function offered(node: string): Promise<readonly string[]> {
    return (await devices(node)).map(({ name }) => name).toSorted();
  }

  async function untilOffered(node: string, wanted: readonly string[]): Promise<void> {
    await eventually(
      () => offered(node),
      (names) => names.join() === wanted.join(),
      { what: `the devices of ${node}` },
    );
  }

  /** A node with a 1g.5gb and a 3g.20gb, whose driver has published them. */
  async function boot(
    state: string = states.twoSlices,
  ): Promise<{ readonly name: string; readonly stateFile: string }> {
    const node = await bench().nodes.boot(state, { plugin: 'pod' });
    await bench().deploy(driverDaemonSet, node.name);
    return node;
  }

  it('publishes one slice of the node’s pool, owned by the Node, and no device plugin’s resource', async () => {
    const { name } = await boot();
    await untilOffered(name, before);
    const [slice, ...more] = await slices(name);
    expect(more).to.have.length(0);
    expect(slice?.spec).to.deep.include({
      driver: 'gpu.nvidia.com',
      nodeName: name,
      pool: { name, generation: 1, resourceSliceCount: 1 },
    });
    const node = await bench().nodes.readNode(name);
    expect(slice?.metadata.ownerReferences).to.deep.equal([
      { apiVersion: 'v1', kind: 'Node', name, uid: node?.metadata.uid, controller: true },
    ]);
    expect(await bench().nodes.readGpus(name)).to.deep.equal({});
  });

  it('publishes what it read at its start, and reads again only after SIGHUP has ended it', async () => {
    const { name, stateFile } = await boot();
    const { nodes } = bench();
    await untilOffered(name, before);
    const [slice] = await slices(name);
    const pod = await bench().waitForReady(name);
    nodes.writeState(stateFile, states.sevenSlices);
    await stays(
      () => offered(name),
      (names) => names.length === before.length,
      { forMs: 300 },
    );
    nodes.fleet.hangUpDriver(name);
    await untilOffered(name, after);
    const [changed] = await slices(name);
    expect(changed?.metadata.uid).to.equal(slice?.metadata.uid);
    expect(changed?.spec.pool.generation).to.equal(1);
    const again = await eventually(
      () => bench().pod(name),
      (seen) => seen?.status?.containerStatuses?.[0]?.ready === true,
    );
    expect(again?.metadata.uid).to.equal(pod.metadata.uid);
    expect(again?.status?.containerStatuses?.[0]?.restartCount).to.equal(1);
  });

  it('gives a slice that was made again at its place its old name, and with another GPU instance id another UUID', async () => {
    const { name, stateFile } = await boot();
    await untilOffered(name, before);
    const uuidOf = async (): Promise<unknown> => {
      const found = (await devices(name)).find((device) => device.name === 'gpu-0-mig-1g5gb-19-6');
      return found?.attributes['uuid'];
    };
    const first = await uuidOf();
    bench().nodes.writeState(stateFile, states.twoSlices.replaceAll('0 13', '0 14'));
    bench().nodes.fleet.hangUpDriver(name);
    await eventually(uuidOf, (uuid) => JSON.stringify(uuid) !== JSON.stringify(first));
    expect(await offered(name)).to.deep.equal(before);
  });

  it('exits over a compute instance that is smaller than its GPU instance, and the stale slice stays', async () => {
    const { name, stateFile } = await boot();
    await untilOffered(name, before);
    const small = states.twoSlices.replace('ci 0 1 0 profile 2 place 0:3', 'ci 0 1 0 profile 0 place 0:1');
    bench().nodes.writeState(stateFile, small);
    bench().nodes.fleet.hangUpDriver(name);
    const message = await bench().waitForTrouble(name, 'gpus', 'CrashLoopBackOff');
    expect(message).to.contain('1c.3g.20gb');
    expect(await offered(name)).to.deep.equal(before);
    bench().nodes.writeState(stateFile, states.sevenSlices);
    await untilOffered(name, after);
  });

  it('is not back while it never gets Ready: the stale slice stays until the kubelet deletes it', async () => {
    const { name } = await boot();
    const { nodes } = bench();
    await untilOffered(name, before);
    nodes.fleet.setDriverFault(name, 'NeverReady');
    await bench().replacePod(name);
    expect(await offered(name)).to.deep.equal(before);
    await untilOffered(name, []);
    nodes.fleet.setDriverFault(name, undefined);
    await untilOffered(name, before);
  });

  it('publishes nothing under the fault Stale, and keeps the old slice until it is lifted', async () => {
    const { name, stateFile } = await boot();
    const { nodes } = bench();
    await untilOffered(name, before);
    nodes.fleet.setDriverFault(name, 'Stale');
    nodes.writeState(stateFile, states.sevenSlices);
    await bench().replacePod(name);
    await bench().waitForReady(name);
    expect(await offered(name)).to.deep.equal(before);
    nodes.fleet.setDriverFault(name, undefined);
    await untilOffered(name, after);
  });

  it('offers possible slices by counters and without UUIDs with its gate DynamicMIG, and has destroyed those that were idle', async () => {
    const node = await bench().nodes.boot(`${states.twoSlices}proc gpu 0 gi 1 ci 0 pid 7 mem 1 name train\n`, {
      plugin: 'pod',
    });
    await bench().deploy(driverDaemonSet, node.name, { env: { FEATURE_GATES: 'DynamicMIG=true' } });
    const found = await eventually(
      () => slices(node.name),
      (seen) => seen.length === 2,
      { what: 'the slices' },
    );
    const [counters] = found.flatMap(({ spec }) => spec.sharedCounters ?? []);
    expect(Object.keys(counters?.counters ?? {})).to.have.length(8);
    const possible = found.flatMap(({ spec }) => spec.devices ?? []);
    const slice = possible.find((device) => device.name === 'gpu-0-mig-1g5gb-19-6');
    expect(possible.filter((device) => device.name.startsWith('gpu-0-mig-1g5gb-19-'))).to.have.length(7);
    expect(slice?.attributes).not.to.have.property('uuid');
    expect(slice?.capacity).not.to.have.property('memorySlice6');
    expect(slice?.consumesCounters?.[0]?.counters).to.deep.equal({ 'memory-slice-6': { value: '1' } });
    const left = readFileSync(node.stateFile, 'utf8').split('\n');
    expect(left.filter((line) => line.startsWith('gi '))).to.deep.equal(['gi 0 1 profile 9 place 0:4']);
  });
});

const node = 'n1';
const path = '/api/v1/namespaces/gpu-partition-agents/pods?labelSelector=app.kubernetes.io/name=gpu-partition-agent';

describe('the pod of a node’s agent in a simulated cluster', function () {
  const rig = useRig([{ name: node, gpus: ['A100-SXM4-40GB'], labels: {}, strategy: 'mixed' }]);

  async function pods(): Promise<readonly PodObject[]> {
    const list = (await rig().controlPlane.client.demand({ path })) as { readonly items: readonly PodObject[] };
    return list.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async function untilReady(status: 'True' | 'False'): Promise<PodObject> {
    const isSo = ([pod]: readonly PodObject[]): boolean =>
      pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === status;
    const [pod] = await eventually(pods, isSo, { timeoutMs: 20_000, what: `the agent's pod to be Ready=${status}` });
    if (!pod) throw new Error('no pod');
    return pod;
  }

  it('is of the agents’ DaemonSet, on the node, and ready while the agent is running', async () => {
    const { metadata, spec } = await untilReady('True');
    expect(metadata.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`)).to.deep.equal([
      'DaemonSet/gpu-partition-agent',
    ]);
    expect(spec?.nodeName).to.equal(node);
  });

  it('is not ready when the agent was killed, and ready again when it has come back', async () => {
    await rig().rig.agent(node).stop('SIGKILL');
    const { status } = await untilReady('False');
    expect(status?.containerStatuses?.[0]).to.deep.include({ ready: false, restartCount: 1 });
    rig().rig.agent(node).start();
    expect((await untilReady('True')).status?.containerStatuses?.[0]).to.deep.include({ ready: true, restartCount: 1 });
  });

  it('is not ready when the agent has died by itself, and ready again when its kubelet has restarted it', async () => {
    const before = (await untilReady('True')).status?.containerStatuses?.[0]?.restartCount ?? 0;
    const agent = rig().rig.agent(node);
    const pid = agent.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await eventually(
      () => untilReady('True'),
      ({ status }) => status?.containerStatuses?.[0]?.restartCount === before + 1,
      { timeoutMs: 20_000, what: 'the restart' },
    );
    expect(agent.pid).to.be.a('number').and.not.equal(pid);
    expect(agent.crashes).to.equal(1);
  });

  it('is not ready on a rebooted node until the agent is running there', async () => {
    await rig().rig.rebootNode(node, { withAgent: false });
    await untilReady('False');
    rig().rig.agent(node).start();
    await untilReady('True');
  });

  it('costs no write while nothing happens', async () => {
    const { resourceVersion } = (await untilReady('True')).metadata;
    await stays(pods, ([pod]) => pod?.metadata.resourceVersion === resourceVersion, { forMs: 3000 });
  });

  it('comes back when somebody deletes it', async () => {
    const { metadata } = await untilReady('True');
    await rig().kubectl('delete', 'pod', '-n', 'gpu-partition-agents', metadata.name);
    expect((await untilReady('True')).metadata.name).to.not.equal(metadata.name);
  });

  it('is not ready on a node that was recreated before the agent is running there', async () => {
    await rig().rig.replaceNode(node);
    await untilReady('False');
    rig().rig.agent(node).start();
    await untilReady('True');
  });
});
