import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import type { PolicySpec } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { discoveryDaemonSet, pluginConfigMap, pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const names = ['stale', 'silent', 'keyless', 'single', 'discovered', 'pair'] as const;
type Name = (typeof names)[number];
const nodes: readonly RigNode[] = names.map((name) => ({
  name,
  gpus: name === 'pair' ? ['A100-SXM4-40GB', 'A100-SXM4-40GB'] : ['A100-SXM4-40GB'],
  labels: { pool: name },
  strategy: 'mixed',
  plugin: 'pod',
}));

/** The plugin of one node: with the administrator's own config files, or with a strategy by environment. */
function daemonSet(name: Name): object {
  return pluginDaemonSet({
    name: `plugin-${name}`,
    namespace: 'kube-system',
    nodeSelector: { pool: name },
    tolerations: [{ operator: 'Exists' }],
    ...(name === 'keyless'
      ? { configMap: 'plugin-configs' }
      : { env: { MIG_STRATEGY: name === 'single' ? 'single' : 'mixed' } }),
  });
}

describe('a device plugin that does not do what it should @all', function () {
  const rig = useRig(nodes, {
    controllerArguments: ['--advertise-deadline-seconds', '3'],
    kubeletTiming: { gfdIntervalMs: 1500 },
  });

  before(async function () {
    const files = { usual: 'version: v1\nflags: {migStrategy: mixed}\n' };
    await rig().create(pluginConfigMap('plugin-configs', 'kube-system', files));
    await rig().kubectl('label', 'node', 'keyless', 'nvidia.com/device-plugin.config=usual');
    for (const name of names) await rig().create(daemonSet(name));
    for (const name of names) await untilAdvertised(name, name === 'pair' ? '2' : '1');
  });

  async function ask(pool: Name, more: Partial<PolicySpec> = {}): Promise<void> {
    const layouts = [{ profiles: { '1g.5gb': 7 } }];
    await rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, layouts, ...more });
  }

  async function untilAdvertised(node: Name, gpus: string): Promise<void> {
    await eventually(
      () => rig().node(node),
      ({ status }) => status.allocatable?.['nvidia.com/gpu'] === gpus,
      { timeoutMs: 30_000, what: `the GPUs of ${node}` },
    );
  }

  /** Until the node has failed for this reason. It never was Ready with the layout. */
  async function untilFailed(node: Name, reason: string): Promise<string> {
    const partition = await eventually(
      () => rig().partition(node),
      ({ status }) =>
        status?.phase === 'Failed' && status.conditions?.find(({ type }) => type === 'Ready')?.reason === reason,
      { timeoutMs: 40_000, what: `node ${node} to fail with ${reason}` },
    );
    return partition.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  }

  async function isReady(node: Name): Promise<void> {
    await rig().waitFor(node, 'Ready', 'True', 'Ready', 60_000);
    expect(ownTaints(await rig().node(node))).to.deep.equal([]);
  }

  it('advertises what was before: the node stays closed and says so, until it does', async () => {
    rig().rig.fleet.setPluginFault('stale', 'Stale');
    await ask('stale');
    const message = await untilFailed('stale', 'AdvertisePending');
    expect(message).to.match(
      /advertises nvidia\.com\/gpu 1 instead of nvidia\.com\/mig-1g\.5gb 7|of the devices that it offers no longer exist/,
    );
    expect(ownTaints(await rig().node('stale'))).to.deep.equal(['gpupartition.dev/repartitioning']);
    rig().rig.fleet.setPluginFault('stale', undefined);
    await rig().kubectl('delete', 'pods', '-n', 'kube-system', '-l', 'test/daemon-set=plugin-stale', '--wait=false');
    await isReady('stale');
  });

  it('never comes back: its node reports this, and is Ready when it does', async () => {
    rig().rig.fleet.setPluginFault('silent', 'NeverReady');
    await ask('silent');
    const message = await untilFailed('silent', 'AdvertisePending');
    expect(message).to.match(
      /advertises nothing instead of nvidia\.com\/mig-1g\.5gb 7.*pod kube-system\/plugin-silent-/,
    );
    rig().rig.fleet.setPluginFault('silent', undefined);
    await rig().kubectl('delete', 'pods', '-n', 'kube-system', '-l', 'test/daemon-set=plugin-silent', '--wait=false');
    await isReady('silent');
  });

  it('cannot start because its node names a config file that is not there: that is said, and nothing is touched', async () => {
    await rig().kubectl('label', 'node', 'keyless', 'nvidia.com/device-plugin.config=absent', '--overwrite');
    const failing = async () =>
      rig().kubectl('get', 'pods', '-n', 'kube-system', '-l', 'test/daemon-set=plugin-keyless', '-o', 'json');
    await eventually(failing, (text) => text.includes('CrashLoopBackOff'), { timeoutMs: 20_000, what: 'the crash' });
    await ask('keyless');
    const message = await untilFailed('keyless', 'PluginNotReady');
    expect(message).to.match(/CrashLoopBackOff.*absent.*Nothing is touched until then$/);
    expect(await rig().rig.deviceOperations('keyless')).to.deep.equal([]);
    expect(ownTaints(await rig().node('keyless'))).to.deep.equal([]);
    expect(message).to.include('nvidia.com/device-plugin.config names absent');
    await rig().kubectl('label', 'node', 'keyless', 'nvidia.com/device-plugin.config=usual', '--overwrite');
    await isReady('keyless');
  });

  it('tolerates our taint while GPU Feature Discovery does not: that labels in its own time, and the node opens then', async () => {
    const discovery = discoveryDaemonSet({
      name: 'discovery',
      namespace: 'kube-system',
      nodeSelector: { pool: 'discovered' },
      env: { MIG_STRATEGY: 'mixed' },
    });
    await rig().create(discovery);
    await eventually(
      () => rig().node('discovered'),
      ({ metadata }) => metadata.labels['nvidia.com/gfd.timestamp'] !== undefined,
      { timeoutMs: 20_000, what: 'the labels of GPU Feature Discovery' },
    );
    await ask('discovered');
    await isReady('discovered');
    const { metadata } = await rig().node('discovered');
    expect(metadata.labels).to.include({ 'nvidia.com/mig-1g.5gb.count': '7' });
    // Without it they are not written, which is reported; the slices exist nevertheless.
    await rig().kubectl('delete', 'ds', 'discovery', '-n', 'kube-system');
    await ask('discovered', { layouts: [{ profiles: { '3g.20gb': 2 } }] });
    expect(await untilFailed('discovered', 'LabelsStale')).to.include('nvidia.com/mig-3g.20gb.count should be 2');
    await eventually(
      async () => ownTaints(await rig().node('discovered')),
      (taints) => taints.length === 0,
      { timeoutMs: 20_000, what: 'the node to be open' },
    );
    await rig().create(discovery);
    await isReady('discovered');
  });

  it('speaks another strategy: the setting is named, and nothing is touched', async () => {
    await ask('single');
    const message = await untilFailed('single', 'StrategyMismatch');
    expect(message).to.match(
      /strategy is single by environment MIG_STRATEGY of container nvidia-device-plugin-ctr.*wants mixed/,
    );
    expect(await rig().rig.deviceOperations('single')).to.deep.equal([]);
    expect(ownTaints(await rig().node('single'))).to.deep.equal([]);
    await ask('single', { strategy: 'single' });
    await isReady('single');
  });

  it('would not start while a GPU is lost: the node keeps what its other GPU offers, and changes when that is back', async () => {
    const slices = async () => (await rig().node('pair')).status.allocatable?.['nvidia.com/mig-3g.20gb'];
    await ask('pair', { layouts: [{ profiles: { '3g.20gb': 2 } }] });
    await isReady('pair');
    await writeFile(rig().rig.faultsFile('pair'), 'lost gpu=1\n');
    await eventually(
      () => rig().partition('pair'),
      ({ status }) => status?.device?.gpus?.some(({ error }) => error?.startsWith('GpuLost')) === true,
      { timeoutMs: 30_000, what: 'the report of a lost GPU' },
    );
    await ask('pair', { layouts: [{ profiles: { '1g.5gb': 7 } }] });
    expect(await untilFailed('pair', 'PluginNotReady')).to.match(/^GPU 1 \(.*\) is lost/);
    expect(ownTaints(await rig().node('pair'))).to.deep.equal([]);
    expect(await slices()).to.equal('4');
    await writeFile(rig().rig.faultsFile('pair'), '');
    await isReady('pair');
    expect((await rig().node('pair')).status.allocatable).to.include({ 'nvidia.com/mig-1g.5gb': '14' });
  });

  it('has no file of ours to share by: a policy with sharing is refused', async () => {
    await ask('single', {
      strategy: 'single',
      sharing: { timeSlicing: [{ resource: 'nvidia.com/gpu', replicas: 2 }] },
    });
    const policy = await rig().waitFor('single', 'Valid', 'False', 'NotConfigured');
    const message = policy.status?.conditions?.find(({ type }) => type === 'Valid')?.message;
    expect(message).to.include('--device-plugin-config-map');
  });
});
