import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { PolicySpec } from '../../src/api/types.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually, stays } from '../support/eventually.ts';
import { pluginConfigMap, pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const namespace = 'gpu-operator';
const configMap = 'gpu-partition-device-plugin';
const configLabel = 'nvidia.com/device-plugin.config';
const nodes: readonly RigNode[] = [
  { name: 'shared', gpus: ['A100-SXM4-40GB'], labels: { pool: 'shared' }, strategy: 'none', plugin: 'pod' },
];

describe('strategy and time-slicing by the device plugin’s own config file', function () {
  const rig = useRig(nodes, { controllerArguments: ['--device-plugin-config-map', `${namespace}/${configMap}`] });

  before(async () => {
    await rig().create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await applyFolder(rig().controlPlane, 'config/device-plugin-config');
    // What nodes without a policy take.
    const usual = { default: 'version: v1\nflags: {migStrategy: none}\n' };
    await rig().create(pluginConfigMap(configMap, namespace, usual));
    await rig().create(pluginDaemonSet({ name: 'nvidia-device-plugin', namespace, configMap }));
  });

  async function ask(spec: Partial<PolicySpec> & Pick<PolicySpec, 'layouts'>): Promise<void> {
    await rig().apply('shared', { nodeSelector: { matchLabels: { pool: 'shared' } }, ...spec });
    await rig().waitFor('shared', 'Ready', 'True', 'Ready');
  }

  async function allocatable(): Promise<Readonly<Record<string, string>>> {
    const found = (await rig().node('shared')).status.allocatable ?? {};
    return Object.fromEntries(Object.entries(found).filter(([key, n]) => key.startsWith('nvidia.com/') && n !== '0'));
  }

  async function files(): Promise<Readonly<Record<string, string>>> {
    const text = await rig().kubectl('get', 'configmap', configMap, '-n', namespace, '-o', 'json');
    return (JSON.parse(text) as { readonly data: Readonly<Record<string, string>> }).data;
  }

  const labels = async () => (await rig().node('shared')).metadata.labels;

  /** Whether a container of the plugin ever exited. */
  async function restarts(): Promise<string> {
    const path = '-o=jsonpath={.items[*].status.containerStatuses[*].restartCount}';
    return rig().kubectl('get', 'pods', '-n', namespace, path);
  }

  it('shares slices: resources, labels and the plugin’s file say the same', async () => {
    await ask({
      layouts: [{ profiles: { '1g.5gb': 7 } }],
      sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 4 }] },
    });
    expect(await allocatable()).to.deep.equal({ 'nvidia.com/mig-1g.5gb': '28' });
    const found = await labels();
    expect(found).to.include({
      'nvidia.com/mig-1g.5gb.product': 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED',
      'nvidia.com/mig-1g.5gb.count': '7',
      'nvidia.com/mig-1g.5gb.replicas': '4',
      'nvidia.com/mig-1g.5gb.sharing-strategy': 'time-slicing',
    });
    const key = found[configLabel] ?? '';
    expect(key).to.match(/^gpu-partition-mixed-[0-9a-f]{8}$/);
    expect(parse((await files())[key] ?? '')).to.deep.equal({
      version: 'v1',
      flags: { migStrategy: 'mixed' },
      sharing: { timeSlicing: { resources: [{ name: 'nvidia.com/mig-1g.5gb', replicas: 4 }] } },
    });
    expect(ownTaints(await rig().node('shared'))).to.deep.equal([]);
  });

  it('lets more pods run than there are slices', async () => {
    const pod = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'example.com/c:1', resources: { limits: { 'nvidia.com/mig-1g.5gb': 1 } } }],
      },
    });
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    for (const name of names) await rig().create(pod(name));
    await eventually(
      () => rig().list('/api/v1/namespaces/default/pods?fieldSelector=status.phase=Running'),
      ({ length }) => length === 8,
      { timeoutMs: 20_000, what: 'eight pods' },
    );
    const devices = rig()
      .rig.fleet.listHoldings('shared')
      .flatMap(({ containers }) => containers.flatMap(({ deviceIds }) => Object.values(deviceIds).flat()));
    expect(new Set(devices).size).to.equal(8);
    expect(new Set(devices.map((id) => id.replace(/::\d+$/, ''))).size).to.equal(7);
  });

  afterEach(async () => {
    await rig().kubectl('delete', 'pods', '--all', '--force', '--grace-period=0');
  });

  it('changes the sharing alone without touching the device, behind a closed door', async () => {
    const operations = await rig().rig.deviceOperations('shared');
    const earlier = (await labels())[configLabel];
    await ask({
      layouts: [{ profiles: { '1g.5gb': 7 } }],
      sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] },
    });
    expect(await allocatable()).to.deep.equal({ 'nvidia.com/mig-1g.5gb': '14' });
    expect(await rig().rig.deviceOperations('shared')).to.deep.equal(operations);
    expect((await labels())[configLabel]).to.not.equal(earlier);
  });

  it('changes strategy and layout in one step in which the plugin never fails', async () => {
    await ask({ layouts: [{ profiles: { '3g.20gb': 1, '1g.5gb': 2 } }] });
    expect(await allocatable()).to.deep.equal({ 'nvidia.com/mig-1g.5gb': '2', 'nvidia.com/mig-3g.20gb': '1' });
    // Under single the plugin would exit on the previous layout, which has two profiles.
    await ask({ strategy: 'single', layouts: [{ profiles: { '2g.10gb': 3 } }] });
    expect(await allocatable()).to.deep.equal({ 'nvidia.com/gpu': '3' });
    expect(await labels()).to.include({
      'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB-MIG-2g.10gb',
      'nvidia.com/mig.strategy': 'single',
    });
    expect(await restarts()).to.match(/^[0 ]*$/);
  });

  it('keeps what is the administrator’s in the ConfigMap, and drops files that nobody uses', async () => {
    const found = await files();
    expect(found['default']).to.include('none');
    const ours = Object.keys(found).filter((key) => key.startsWith('gpu-partition-'));
    const used = (await labels())[configLabel];
    expect(ours).to.include(used);
    expect(ours.length, 'the last one and at most the one before').to.be.lessThan(3);
  });

  describe('without a right on the plugin’s ConfigMap @all', () => {
    const layouts = [{ profiles: { '2g.10gb': 3 } }];
    const role = ['role', 'gpu-partition-device-plugin-config', '-n', namespace] as const;

    /** Asks for what needs another config file while the role has these rights. @returns what is said */
    async function askWith(verbs: readonly string[], replicas: number, reason: string): Promise<string> {
      const patch = JSON.stringify([{ op: 'replace', path: '/rules/0/verbs', value: verbs }]);
      await rig().kubectl('patch', ...role, '--type=json', '-p', patch);
      const resource = 'nvidia.com/mig-2g.10gb';
      const spec = { layouts, sharing: { timeSlicing: [{ resource, replicas }] } };
      await rig().apply('shared', { nodeSelector: { matchLabels: { pool: 'shared' } }, ...spec });
      // What was read a moment ago is trusted for some seconds: then only the write is refused at first, and tried again after 30 s.
      return rig().untilReason('shared', reason, 60_000);
    }

    it('says which before the node is closed, and continues when it is there', async () => {
      const before = [await rig().rig.deviceOperations('shared'), (await labels())[configLabel]];
      const untouched = async (): Promise<void> => {
        expect([await rig().rig.deviceOperations('shared'), (await labels())[configLabel]]).to.deep.equal(before);
        expect(ownTaints(await rig().node('shared'))).to.deep.equal([]);
      };
      expect(await askWith(['patch'], 2, 'ConfigUnavailable')).to.match(/gpu-operator\/gpu-partition.*cannot get/);
      await untouched();
      expect(await askWith(['get'], 3, 'Forbidden')).to.match(/cannot patch resource "configmaps"/);
      await untouched();
      const patch = JSON.stringify([{ op: 'replace', path: '/rules/0/verbs', value: ['get', 'patch'] }]);
      await rig().kubectl('patch', ...role, '--type=json', '-p', patch);
      await rig().waitFor('shared', 'Ready', 'True', 'Ready', 60_000);
      expect(await allocatable()).to.deep.equal({ 'nvidia.com/mig-2g.10gb': '9' });
    }).timeout(150_000);
  });

  it('leaves shared nodes as they are after a restart of the controller without its ConfigMap, and to no other policy', async () => {
    await rig().apply('fallback', {
      nodeSelector: { matchLabels: { pool: 'shared' } },
      priority: -1,
      layouts: [{ mig: 'Disabled' }],
    });
    await rig().waitFor('fallback', 'Ready', 'True', 'Outranked');
    await ask({
      layouts: [{ profiles: { '2g.10gb': 3 } }],
      sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-2g.10gb', replicas: 4 }] },
    });
    const found = async () => {
      const { spec, status } = await rig().partition('shared');
      const taints = ownTaints(await rig().node('shared'));
      const file = (await labels())[configLabel];
      return { policy: spec.policy?.name, phase: status?.phase, taints, file, offer: await allocatable() };
    };
    const before = { ...(await found()), operations: await rig().rig.deviceOperations('shared') };
    const without = await rig().rig.addController('controller-1', (given) =>
      given.filter((one, at) => ![one, given[at - 1]].includes('--device-plugin-config-map')),
    );
    await rig().rig.controller.stop('SIGTERM');
    without.start();
    const { status } = await rig().waitFor('shared', 'Valid', 'False', 'NotConfigured', 90_000);
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).to.match(
      /^no change starts, and nodes stay as they are: .*--device-plugin-config-map/,
    );
    await stays(
      async () => ({ ...(await found()), operations: await rig().rig.deviceOperations('shared') }),
      (after) => isDeepStrictEqual(after, before),
      { forMs: 3000, intervalMs: 300 },
    );
    expect(before).to.include({ policy: 'shared', phase: 'Ready' });
    expect(before.offer).to.not.deep.equal({});
    await without.stop('SIGTERM');
    rig().rig.controller.start();
    await rig().waitFor('shared', 'Ready', 'True', 'Ready', 60_000);
    await rig().kubectl('delete', 'gpp', 'fallback');
  }).timeout(240_000);

  it('refuses sharing that the plugin would ignore or refuse, in words', async () => {
    await rig().apply('shared', {
      nodeSelector: { matchLabels: { pool: 'shared' } },
      layouts: [{ profiles: { '2g.10gb': 3 } }],
      sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 4 }] },
    });
    const policy = await rig().waitFor('shared', 'Valid', 'False', 'SharingRefused');
    const message = policy.status?.conditions?.find(({ type }) => type === 'Valid')?.message;
    expect(message).to.match(/nvidia\.com\/mig-1g\.5gb is not offered by any layout.*mig-2g\.10gb/);
    const mps = { mps: { resources: [] } } as unknown as NonNullable<PolicySpec['sharing']>;
    const refused = await rig()
      .apply('shared', {
        nodeSelector: { matchLabels: { pool: 'shared' } },
        layouts: [{ mig: 'Disabled' }],
        sharing: mps,
      })
      .catch(String);
    expect(refused).to.include('sharing using MPS is not supported for MIG devices');
  });
});
