import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { migConfigStateLabel } from '../../src/api/names.ts';
import type { GpuNodePartition, PolicyLayout } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { operatorDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const label = (client: string): string => `nvidia.com/gpu.deploy.${client}`;

/** A node as gpu-operator sets it up, without NVSM. */
const nodes: readonly RigNode[] = [
  {
    name: 'op',
    gpus: ['A100-SXM4-40GB'],
    strategy: 'mixed',
    plugin: 'pod',
    labels: {
      pool: 'op',
      [label('device-plugin')]: 'true',
      [label('dcgm')]: 'true',
      [label('nvsm')]: 'false',
    },
  },
];

const plugin = 'nvidia-device-plugin-daemonset';
const dcgm = 'nvidia-dcgm';

const pluginDaemons = operatorDaemonSet('device-plugin', {
  name: plugin,
  namespace: 'kube-system',
  env: { MIG_STRATEGY: 'mixed' },
});

/** Keeps every GPU open, and takes its time to go. */
function dcgmDaemons(stopSeconds: number, tolerations?: readonly object[]): object {
  const annotations = {
    'simulator.gpupartition.dev/holds-gpus': 'true',
    'simulator.gpupartition.dev/stop-seconds': String(stopSeconds),
  };
  const wish = { name: dcgm, namespace: 'kube-system', annotations };
  return operatorDaemonSet('dcgm', { ...wish, ...(tolerations && { tolerations }) });
}

type Layout = PolicyLayout;
const whole: Layout = { mig: 'Disabled' };
const large: Layout = { profiles: { '3g.20gb': 2 } };
const small: Layout = { profiles: { '1g.5gb': 7 } };

interface PodView {
  readonly metadata: { readonly uid: string };
  readonly status: { readonly phase: string };
}

interface EventView {
  readonly reason: string;
  readonly note: string;
}

describe('clients of the GPUs under gpu-operator', function () {
  const rig = useRig(nodes, {
    controllerArguments: ['--clients-deadline-seconds', '5', '--grant-deadline-seconds', '10'],
  });

  before(async function () {
    await rig().create(pluginDaemons);
    await rig().create(dcgmDaemons(2));
    await untilBack();
  });

  async function ask(layout: Layout): Promise<void> {
    await rig().apply('op', { nodeSelector: { matchLabels: { pool: 'op' } }, layouts: [layout] });
  }

  async function deployLabels(): Promise<Readonly<Record<string, string | undefined>>> {
    const { labels } = (await rig().node('op')).metadata;
    return Object.fromEntries(['device-plugin', 'dcgm', 'nvsm'].map((client) => [client, labels[label(client)]]));
  }

  /** uids of the running pods of a DaemonSet. */
  async function podsOf(name: string): Promise<readonly string[]> {
    const pods = await rig().list<PodView>(`/api/v1/namespaces/kube-system/pods?labelSelector=app=${name}`);
    return pods.filter(({ status }) => status.phase === 'Running').map(({ metadata }) => metadata.uid);
  }

  /** Until every client runs again under the label that it had. */
  async function untilBack(): Promise<void> {
    await eventually(deployLabels, (found) => found['dcgm'] === 'true' && found['device-plugin'] === 'true', {
      timeoutMs: 60_000,
      what: 'deploy labels',
    });
    for (const name of [plugin, dcgm]) {
      await eventually(
        () => podsOf(name),
        (pods) => pods.length === 1,
        { timeoutMs: 20_000, what: `the pod of ${name}` },
      );
    }
    expect((await deployLabels())['nvsm'], 'not ours to change').to.equal('false');
    const borrowed = (await rig().node('op')).metadata.annotations?.['gpupartition.dev/on-loan'] ?? '{}';
    expect(borrowed).to.not.include('gpu.deploy');
  }

  async function untilPaused(): Promise<void> {
    await eventually(deployLabels, ({ dcgm: value }) => value === 'paused-for-mig-change', {
      timeoutMs: 20_000,
      intervalMs: 5,
      what: 'the pause of DCGM',
    });
  }

  async function untilReady(layout: string): Promise<void> {
    await rig().waitFor('op', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition('op')).status?.layout).to.equal(layout);
    expect(ownTaints(await rig().node('op'))).to.deep.equal([]);
  }

  it('are away while MIG mode changes, which they would keep from changing, and back after it', async () => {
    const [before] = await podsOf(dcgm);
    await ask(large);
    await untilPaused();
    await untilReady('1 GPU: 2×3g.20gb');
    await untilBack();
    expect(await podsOf(dcgm)).to.not.include(before);
    const { spec } = await rig().partition('op');
    expect(spec.granted?.epoch, 'at the first try').to.equal(1);
    // The plugin was away while the devices changed: it has no reason to go once more.
    const evicted = (await rig().controlPlane.auditedWrites()).filter(({ subresource }) => subresource === 'eviction');
    expect(evicted.map(({ name }) => name)).to.deep.equal([]);
  });

  it('stay where only slices change, and read the devices again afterwards', async () => {
    const before = { dcgm: await podsOf(dcgm), plugin: await podsOf(plugin) };
    const seen = new Set<string | undefined>();
    await ask(small);
    await eventually(
      async () => {
        for (const value of Object.values(await deployLabels())) seen.add(value);
        return (await rig().policy('op')).status?.summary;
      },
      (summary) => summary === '1/1 ready',
      { timeoutMs: 30_000, intervalMs: 20 },
    ).catch(() => undefined);
    await untilReady('1 GPU: 7×1g.5gb');
    await untilBack();
    expect([...seen], 'no label was touched').to.have.members(['false', 'true']);
    expect(await podsOf(plugin)).to.not.deep.equal(before.plugin);
    // Nothing waits for it: it takes its time to go.
    await eventually(
      () => podsOf(dcgm),
      (pods) => pods.length === 1 && pods[0] !== before.dcgm[0],
      { timeoutMs: 20_000, what: 'another pod of DCGM' },
    );
  });

  it('come back when the controller was killed between taking them away and the grant', async () => {
    await ask(whole);
    await untilPaused();
    await rig().rig.controller.stop('SIGKILL');
    expect((await rig().partition('op')).spec.granted?.epoch, 'not granted yet').to.equal(2);
    rig().rig.controller.start();
    await untilReady('1 GPU: whole');
    await untilBack();
  });

  it('come back when the controller was killed and nobody wants the change any more', async () => {
    await ask(large);
    await untilPaused();
    await rig().rig.controller.stop('SIGKILL');
    await rig().kubectl('delete', 'gpp', 'op');
    rig().rig.controller.start();
    await untilBack();
    expect((await rig().partition('op')).status?.layout).to.equal('1 GPU: whole');
    await eventually(
      async () => ownTaints(await rig().node('op')),
      (taints) => taints.length === 0,
      { timeoutMs: 20_000 },
    );
  });

  it('are paused again, and the change tried again, where a remediator has ended the pause in its middle', async () => {
    await rig().create(dcgmDaemons(0, [{ operator: 'Exists' }]));
    await rig().kubectl('rollout', 'status', 'ds/nvidia-dcgm', '-n', 'kube-system', '--timeout=30s');
    await writeFile(rig().rig.faultsFile('op'), 'sleep DeviceSetMigMode ms=5000 nth=1\n');
    const epoch = async (): Promise<number> => {
      // Before its first policy the node has none.
      const [partition] = await rig().list<GpuNodePartition>('/apis/gpupartition.dev/v1alpha1/gpunodepartitions');
      return partition?.spec.granted?.epoch ?? 0;
    };
    const before = await epoch();
    await ask(large);
    await eventually(epoch, (now) => now > before, { timeoutMs: 30_000, intervalMs: 10, what: 'the grant' });
    // As NVSentinel's janitor does around a reset, whatever the labels say; within the time that the change of the mode takes.
    for (const value of ['false', 'true']) {
      const labels = { [label('dcgm')]: value, [label('device-plugin')]: value };
      await rig().create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'op', labels } });
    }
    await eventually(epoch, (now) => now > before + 1, { timeoutMs: 60_000, what: 'the next grant' });
    await writeFile(rig().rig.faultsFile('op'), '');
    await untilReady('1 GPU: 2×3g.20gb');
    await untilBack();
    await rig().kubectl('delete', 'gpp', 'op');
    await rig().create(dcgmDaemons(2));
    await rig().kubectl('rollout', 'status', 'ds/nvidia-dcgm', '-n', 'kube-system', '--timeout=30s');
    await ask(whole);
    await untilReady('1 GPU: whole');
    await untilBack();
  });

  it('come back when the agent fails @all', async () => {
    await writeFile(rig().rig.faultsFile('op'), 'fail DeviceSetMigMode rc=999\n');
    await ask(large);
    await untilPaused();
    await rig().waitFor('op', 'Ready', 'False', 'Failed', 60_000);
    await untilBack();
    await writeFile(rig().rig.faultsFile('op'), '');
    await untilReady('1 GPU: 2×3g.20gb');
    await untilBack();
  });

  it('are let back when the agent never answers its grant @all', async () => {
    await ask(whole);
    await untilPaused();
    await rig().rig.agent('op').stop('SIGKILL');
    await eventually(deployLabels, (found) => found['dcgm'] === 'true' && found['device-plugin'] === 'true', {
      timeoutMs: 40_000,
      what: 'deploy labels',
    });
    rig().rig.agent('op').start();
    await untilReady('1 GPU: whole');
    await untilBack();
    await ask(large);
    await untilReady('1 GPU: 2×3g.20gb');
    await untilBack();
  });

  it('come back when a driver upgrade begins while they are waited for, and the grant has to wait for that @all', async () => {
    const key = label('device-plugin');
    await rig().create(dcgmDaemons(20));
    await rig().kubectl('rollout', 'status', 'ds/nvidia-dcgm', '-n', 'kube-system', '--timeout=30s');
    const operations = await rig().rig.deviceOperations('op');
    await ask(whole);
    await untilPaused();
    await rig().kubectl('label', 'node', 'op', `${key}=paused-for-driver-upgrade`, '--overwrite');
    await rig().untilReason('op', 'DriverUpgrade');
    await eventually(deployLabels, ({ dcgm: value }) => value === 'true', { timeoutMs: 20_000, what: 'the label' });
    expect((await deployLabels())['device-plugin'], 'the upgrade’s').to.equal('paused-for-driver-upgrade');
    expect(await rig().rig.deviceOperations('op')).to.deep.equal(operations);
    await eventually(
      async () => ownTaints(await rig().node('op')),
      (taints) => taints.length === 0,
      { timeoutMs: 20_000, what: 'the node to be open' },
    );
    await rig().kubectl('delete', 'gpp', 'op');
    await rig().kubectl('label', 'node', 'op', `${key}=true`, '--overwrite');
    await untilBack();
  });

  it('are named where they do not go, and come back then too @all', async () => {
    await rig().create(dcgmDaemons(20));
    await rig().kubectl('rollout', 'status', 'ds/nvidia-dcgm', '-n', 'kube-system', '--timeout=30s');
    const operations = await rig().rig.deviceOperations('op');
    await ask(whole);
    await untilPaused();
    expect(await rig().untilReason('op', 'ClientsStay')).to.include('kube-system/nvidia-dcgm-');
    await eventually(deployLabels, ({ dcgm: value }) => value === 'true', { timeoutMs: 20_000, what: 'the label' });
    expect(await rig().rig.deviceOperations('op')).to.deep.equal(operations);
    await eventually(
      async () => ownTaints(await rig().node('op')),
      (taints) => taints.length === 0,
      { timeoutMs: 20_000, what: 'the node to be open' },
    );
    expect((await deployLabels())['dcgm'], 'left in peace for a while').to.equal('true');
    await rig().kubectl('delete', 'gpp', 'op');
  });

  it('are left to a driver upgrade that has paused them @all', async () => {
    const key = label('device-plugin');
    await rig().kubectl('label', 'node', 'op', `${key}=paused-for-driver-upgrade`, '--overwrite');
    await ask(whole);
    expect(await rig().untilReason('op', 'DriverUpgrade')).to.include(key);
    expect((await deployLabels())['device-plugin']).to.equal('paused-for-driver-upgrade');
  });

  it('come back where mig-manager died and left its pause, once the policy replaces it', async () => {
    await rig().kubectl('delete', 'gpp', 'op', '--ignore-not-found');
    const state = async () => (await rig().node('op')).metadata.labels[migConfigStateLabel];
    await eventually(state, (found) => found === undefined, { timeoutMs: 30_000, what: 'a node without a policy' });
    const left = ['device-plugin', 'dcgm'].map((client) => `${label(client)}=paused-for-mig-change`);
    await rig().kubectl('label', 'node', 'op', ...left, `${migConfigStateLabel}=pending`, '--overwrite');
    await eventually(
      () => rig().node('op'),
      ({ status }) =>
        Object.entries(status.allocatable ?? {}).every(([name, n]) => !name.startsWith('nvidia.com/') || n === '0'),
      { timeoutMs: 30_000, what: 'a node whose device plugin is away' },
    );
    await ask(small);
    expect(await rig().untilReason('op', 'NoDevicePlugin')).to.include('spec.allow.takeOver: [mig-manager]');
    expect(await deployLabels(), 'not touched').to.include({ dcgm: 'paused-for-mig-change' });
    expect(await state()).to.equal('pending');
    await rig().apply('op', {
      nodeSelector: { matchLabels: { pool: 'op' } },
      layouts: [small],
      allow: { takeOver: ['mig-manager'] },
    });
    await untilReady('1 GPU: 7×1g.5gb');
    await untilBack();
    expect(await state()).to.equal('success');
    const events = await rig().list<EventView>('/apis/events.k8s.io/v1/events');
    const told = events.map(({ reason, note }) => `${reason}: ${note}`).join('\n');
    expect(told).to.match(
      /TakingOver: mig-manager is off this node and has left .*dcgm=paused-for-mig-change.* in 5 s/,
    );
    expect(told).to.match(/TakenOver: what mig-manager had left was repaired: .*dcgm is true again/);
    await rig().kubectl('delete', 'gpp', 'op');
    await eventually(state, (found) => found === undefined, { timeoutMs: 30_000, what: 'no state of mig-manager' });
  });
});
