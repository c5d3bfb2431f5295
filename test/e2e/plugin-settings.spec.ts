import { expect } from 'chai';
import type { PolicySpec } from '../../src/api/types.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { FleetRecorder } from '../support/fleet-recorder.ts';
import { pluginConfigMap, pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const namespace = 'gpu-operator';
const configMap = 'gpu-partition-device-plugin';
const configLabel = 'nvidia.com/device-plugin.config';
const names = ['n0', 'n1', 'n2', 'n3'];
const nodes: readonly RigNode[] = names.map((name) => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p' },
  strategy: 'none',
  plugin: 'pod',
}));

type Rollout = NonNullable<PolicySpec['rollout']>;

describe('an edit of strategy or sharing alone @all', function () {
  const rig = useRig(nodes, { controllerArguments: ['--device-plugin-config-map', `${namespace}/${configMap}`] });
  let recorder: FleetRecorder;

  before(async function () {
    await rig().create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await applyFolder(rig().controlPlane, 'config/device-plugin-config');
    await rig().create(pluginConfigMap(configMap, namespace, { default: 'version: v1\nflags: {migStrategy: none}\n' }));
    await rig().create(pluginDaemonSet({ name: 'nvidia-device-plugin', namespace, configMap }));
    const kubeconfig = await rig().controlPlane.kubeconfigFile({});
    recorder = await FleetRecorder.start(new KubeClient(loadKubeConfig({ kubeconfig }), 'recorder'));
    await ask(2, { maxUnavailable: '100%' });
    await untilReady();
  });

  afterEach(() => expect(recorder.hasSeenAll, 'every revision was seen').to.equal(true));
  after(async () => recorder.stop());

  /** Shares slices among so many; the layout stays. */
  async function ask(replicas: number, rollout: Rollout, strategy: PolicySpec['strategy'] = 'mixed'): Promise<void> {
    const resource = strategy === 'mixed' ? 'nvidia.com/mig-1g.5gb' : 'nvidia.com/gpu';
    await rig().apply('p', {
      strategy,
      nodeSelector: { matchLabels: { pool: 'p' } },
      layouts: [{ profiles: { '1g.5gb': 7 } }],
      sharing: { timeSlicing: [{ resource, replicas }] },
      rollout,
    });
  }

  /** A node that has its slot yet when the next edit comes keeps it, and is not admitted again. */
  async function untilReady(): Promise<void> {
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
    await eventually(
      async () => (await rig().policy('p')).status?.inFlight ?? [],
      ({ length }) => length === 0,
      { what: 'the slots to be given back' },
    );
  }

  async function configs(): Promise<readonly (string | undefined)[]> {
    const found = await Promise.all(names.map((name) => rig().node(name)));
    return found.map(({ metadata }) => metadata.labels[configLabel]);
  }

  async function offers(): Promise<readonly (string | undefined)[]> {
    const found = await Promise.all(names.map((name) => rig().node(name)));
    return found.map(({ status }) => status.allocatable?.['nvidia.com/mig-1g.5gb']);
  }

  it('closes no more nodes at a time than the policy allows', async () => {
    recorder.begin(1);
    await ask(3, { maxUnavailable: 1 });
    await untilReady();
    expect(recorder.broken).to.deep.equal([]);
    expect(recorder.most).to.equal(1);
    expect(new Set(recorder.admitted)).to.deep.equal(new Set(names));
    expect(await offers()).to.deep.equal(names.map(() => '21'));
  });

  it('closes no node of a paused policy, and says so once', async () => {
    const before = await configs();
    recorder.begin(0);
    await ask(4, { maxUnavailable: 1, paused: true });
    const policy = await rig().waitFor('p', 'Reconciling', 'True', 'Paused');
    for (const name of names) await rig().untilReason(name, 'Paused');
    const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).to.include({ status: 'False', reason: 'Paused' });
    expect(ready?.message).to.equal('the rollout is paused; set spec.rollout.paused to false to continue');
    expect(recorder.broken).to.deep.equal([]);
    expect(recorder.most).to.equal(0);
    expect(await configs()).to.deep.equal(before);
    recorder.begin(2);
    await ask(4, { maxUnavailable: 2 });
    await untilReady();
    expect(recorder.broken).to.deep.equal([]);
    expect(await offers()).to.deep.equal(names.map(() => '28'));
  });

  it('closes no node whose plugin takes its strategy from elsewhere', async () => {
    const path = '/spec/template/spec/containers/1/env';
    const patch = [{ op: 'add', path, value: [{ name: 'MIG_STRATEGY', value: 'mixed' }] }];
    const daemonSet = ['daemonset', 'nvidia-device-plugin', '-n', namespace] as const;
    await rig().kubectl('patch', ...daemonSet, '--type=json', '-p', JSON.stringify(patch));
    await rig().kubectl('rollout', 'status', ...daemonSet, '--timeout=60s');
    await untilReady();
    const before = await configs();
    recorder.begin(names.length);
    await ask(4, { maxUnavailable: '100%' }, 'single');
    for (const name of names) {
      const message = await rig().untilReason(name, 'StrategyMismatch');
      expect(message).to.match(/MIG strategy is mixed by environment MIG_STRATEGY.*Nothing is touched until then$/);
    }
    expect(recorder.broken).to.deep.equal([]);
    expect(recorder.most).to.equal(0);
    expect(await configs()).to.deep.equal(before);
    for (const name of names) expect(ownTaints(await rig().node(name))).to.deep.equal([]);
  });
});
