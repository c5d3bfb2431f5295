import { expect } from 'chai';
import type { PodObject } from '../../../src/simulator/kubelet/node/kube-objects.ts';
import { eventually, stays } from '../../support/eventually.ts';
import { useRig } from '../../support/rig.ts';

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
