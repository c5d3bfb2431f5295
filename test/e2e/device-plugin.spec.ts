import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { PolicySpec } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const gpus = ['A100-SXM4-40GB', 'A100-SXM4-40GB'];
const nodes: readonly RigNode[] = [
  { name: 'tolerant', gpus, labels: { pool: 'tolerant' }, strategy: 'mixed', plugin: 'pod' },
  { name: 'usual', gpus, labels: { pool: 'usual' }, strategy: 'mixed', plugin: 'pod' },
  {
    name: 'joining',
    gpus,
    labels: { pool: 'joining' },
    strategy: 'mixed',
    plugin: 'pod',
    taints: [{ key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }],
  },
];

/** DaemonSets of NVIDIA's device plugin: one that tolerates all, and one as it comes. */
const plugins = [
  {
    name: 'nvidia-device-plugin-daemonset',
    labels: { app: 'nvidia-device-plugin-daemonset' },
    pools: ['tolerant'],
    tolerations: [{ operator: 'Exists' }],
  },
  {
    name: 'nvdp-nvidia-device-plugin',
    labels: { 'app.kubernetes.io/name': 'nvidia-device-plugin' },
    pools: ['usual', 'joining'],
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
  },
] as const;

function daemonSet({ name, labels, pools, tolerations }: (typeof plugins)[number]): object {
  const expression = { key: 'pool', operator: 'In', values: pools };
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
    },
  };
  const env = [{ name: 'MIG_STRATEGY', value: 'mixed' }];
  const containers = [{ name: 'nvidia-device-plugin-ctr', image: 'example.com/plugin:1', env }];
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { affinity, tolerations, containers } },
    },
  };
}

type Counts = Readonly<Record<string, number>>;

const small = { '1g.5gb': 7 };
const large = { '3g.20gb': 2 };
const middle = { '2g.10gb': 3 };

describe('the device plugin of a node whose layout changes', function () {
  // A real kubelet tells of its plugin every ten seconds: what a node shows is what was.
  const rig = useRig(nodes, { kubeletTiming: { statusLagMs: 800 } });

  before(async function () {
    for (const plugin of plugins) await create(daemonSet(plugin));
    for (const name of ['tolerant', 'usual']) await untilAdvertised(name, { 'nvidia.com/gpu': 2 });
  });

  async function create(object: object): Promise<void> {
    const { code, stderr } = await rig().controlPlane.kubectl(['apply', '-f', '-'], { input: stringify(object) });
    if (code !== 0) throw new Error(stderr);
  }

  /** Asks for a layout of the pool's node: the same on both GPUs, or one for each. */
  async function ask(pool: string, first: Counts, second: Counts = first): Promise<void> {
    const layouts: PolicySpec['layouts'] = [
      { gpus: { indices: [0] }, profiles: first },
      { gpus: { indices: [1] }, profiles: second },
    ];
    await rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, layouts });
  }

  async function advertised(node: string): Promise<Counts> {
    const { status } = await rig().node(node);
    const entries = Object.entries(status.allocatable ?? {}).map(([key, count]) => [key, Number(count)] as const);
    return Object.fromEntries(entries.filter(([key, count]) => key.startsWith('nvidia.com/') && count > 0));
  }

  async function untilAdvertised(node: string, wanted: Counts): Promise<void> {
    await eventually(async () => expect(await advertised(node)).to.deep.equal(wanted), undefined, {
      timeoutMs: 30_000,
    });
  }

  async function isClosed(node: string): Promise<boolean> {
    return ((await rig().node(node)).spec.taints ?? []).some(({ key }) => key === 'gpupartition.dev/repartitioning');
  }

  async function untilClosed(node: string): Promise<void> {
    await eventually(
      () => isClosed(node),
      (closed) => closed,
      { timeoutMs: 20_000, intervalMs: 5, what: `the taint of ${node}` },
    );
  }

  /** uids of the plugin's pods on a node. */
  async function pluginPods(node: string): Promise<readonly string[]> {
    const path = `/api/v1/namespaces/kube-system/pods?fieldSelector=spec.nodeName=${node}`;
    const pods = await rig().list<{ readonly metadata: { readonly name: string; readonly uid: string } }>(path);
    return pods.map(({ metadata: { name, uid } }) => `${name}/${uid}`).sort();
  }

  /** Evictions that were allowed, by the name of the pod. */
  async function evictions(): Promise<readonly string[]> {
    const writes = await rig().controlPlane.auditedWrites();
    return writes.filter(({ subresource, code }) => subresource === 'eviction' && code === 201).map(({ name }) => name);
  }

  /** The plugin's pods before a change, and how many were evicted until then. */
  async function beforeChange(pool: string): Promise<{ readonly pods: readonly string[]; readonly evictions: number }> {
    return { pods: await pluginPods(pool), evictions: (await evictions()).length };
  }

  /** Waits until the policy is Ready, and looks at the node: open, advertising that and no more, its plugin replaced once. */
  async function expectRefreshed(
    pool: string,
    wanted: Counts,
    before: Awaited<ReturnType<typeof beforeChange>>,
  ): Promise<void> {
    await rig().waitFor(pool, 'Ready', 'True', 'Ready');
    expect(await advertised(pool)).to.deep.equal(wanted);
    expect(ownTaints(await rig().node(pool))).to.deep.equal([]);
    const evicted = (await evictions()).slice(before.evictions);
    expect(before.pods.map((pod) => pod.split('/')[0])).to.deep.equal(evicted);
    const after = await pluginPods(pool);
    expect(after).to.have.lengthOf(1);
    expect(after).not.to.deep.equal(before.pods);
  }

  /** A pod that asks for one of a resource on a node, created without waiting for anything. */
  async function createPod(name: string, pool: string, resource: string): Promise<void> {
    const resources = { limits: { [resource]: 1 } };
    await create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { nodeSelector: { pool }, containers: [{ name: 'main', image: 'example.com/train:1', resources }] },
    });
  }

  const podState = async (name: string): Promise<string> =>
    rig().kubectl('get', 'pod', name, '-o', 'jsonpath={.status.phase} {.status.reason} {.spec.nodeName}');

  for (const pool of ['tolerant', 'usual'] as const) {
    it(`is restarted once by eviction (pool ${pool})`, async () => {
      const before = await beforeChange(pool);
      await ask(pool, small);
      await expectRefreshed(pool, { 'nvidia.com/mig-1g.5gb': 14 }, before);
    });

    it(`never has a pod bound to what was before (pool ${pool})`, async () => {
      const before = await beforeChange(pool);
      await ask(pool, large);
      await untilClosed(pool);
      await createPod(`new-${pool}`, pool, 'nvidia.com/mig-3g.20gb');
      await createPod(`old-${pool}`, pool, 'nvidia.com/mig-1g.5gb');
      const seen: { readonly closed: boolean; readonly advertised: Counts }[] = [];
      await eventually(
        async () => {
          // One read, so that taint and resources are of the same moment.
          const { spec, status } = await rig().node(pool);
          const closed = (spec.taints ?? []).length > 0;
          const old = Number(status.allocatable?.['nvidia.com/mig-1g.5gb'] ?? 0);
          seen.push({ closed, advertised: { old } });
          return podState(`new-${pool}`);
        },
        (state) => !state.startsWith('Pending'),
        { timeoutMs: 30_000, intervalMs: 5 },
      );
      expect(await podState(`new-${pool}`)).to.equal(`Running  ${pool}`);
      expect(await podState(`old-${pool}`)).to.match(/^Pending/);
      expect(seen.filter(({ closed, advertised: { old } }) => !closed && old !== 0)).to.deep.equal([]);
      await expectRefreshed(pool, { 'nvidia.com/mig-3g.20gb': 4 }, before);
      await rig().kubectl('delete', 'pod', `new-${pool}`, `old-${pool}`, '--wait', '--grace-period=1');
    });

    it(`is restarted even if the counts stay and the devices do not (pool ${pool})`, async () => {
      await ask(pool, small, large);
      await rig().waitFor(pool, 'Ready', 'True', 'Ready');
      const before = await beforeChange(pool);
      const ids = deviceIds(pool);
      await ask(pool, large, small);
      await expectRefreshed(pool, { 'nvidia.com/mig-1g.5gb': 7, 'nvidia.com/mig-3g.20gb': 2 }, before);
      expect(deviceIds(pool)).to.have.lengthOf(9);
      expect(deviceIds(pool)).not.to.include.members(ids);
    });

    it(`is not restarted twice by a controller that died after evicting it (pool ${pool})`, async () => {
      const before = await beforeChange(pool);
      await ask(pool, middle);
      await untilClosed(pool);
      await eventually(evictions, ({ length }) => length > before.evictions, { timeoutMs: 20_000, intervalMs: 5 });
      // A kubelet that does nothing: the evicted pod keeps terminating.
      rig().rig.fleet.pauseNode(pool);
      await rig().rig.controller.stop('SIGKILL');
      rig().rig.controller.start();
      rig().rig.fleet.resumeNode(pool);
      await expectRefreshed(pool, { 'nvidia.com/mig-2g.10gb': 6 }, before);
    });
  }

  it('is named where a disruption budget keeps it, and the node stays closed until it may go', async () => {
    const [{ labels }] = plugins;
    await create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'keep-plugin', namespace: 'kube-system' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    const before = await beforeChange('tolerant');
    await ask('tolerant', small);
    const partition = await eventually(
      () => rig().partition('tolerant'),
      ({ status }) => status?.conditions?.some(({ reason }) => reason === 'RefreshBlocked') ?? false,
      { timeoutMs: 30_000, what: 'the reason' },
    );
    const ready = partition.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message)
      .to.include('keep-plugin')
      .and.to.include(before.pods[0]?.split('/')[0] ?? 'a name');
    expect(await isClosed('tolerant')).to.equal(true);
    expect(await pluginPods('tolerant')).to.deep.equal(before.pods);
    await rig().kubectl('delete', 'pdb', '-n', 'kube-system', 'keep-plugin');
    await expectRefreshed('tolerant', { 'nvidia.com/mig-1g.5gb': 14 }, before);
  });

  it('shows what is really there before a node is opened whose change has failed', async () => {
    const { rig: cluster } = rig();
    const before = await pluginPods('usual');
    await writeFile(cluster.faultsFile('usual'), 'fail DeviceCreateGpuInstance rc=999 gpu=1\n');
    await ask('usual', large);
    await untilClosed('usual');
    const seen: string[] = [];
    const node = await eventually(
      async () => {
        const { spec, status, metadata } = await rig().node('usual');
        const isOpen = (spec.taints ?? []).length === 0;
        const { 'nvidia.com/mig-2g.10gb': old = '0' } = status.allocatable ?? {};
        if (isOpen && old !== '0') seen.push(`open with ${old} slices of before`);
        return { isOpen, state: metadata.labels['gpupartition.dev/state'] };
      },
      ({ isOpen, state }) => isOpen && state === 'failed',
      { timeoutMs: 30_000, intervalMs: 5, what: 'the failed node' },
    );
    expect(node).to.deep.equal({ isOpen: true, state: 'failed' });
    expect(seen).to.deep.equal([]);
    expect(await advertised('usual')).to.deep.equal({ 'nvidia.com/mig-3g.20gb': 2 });
    expect(await pluginPods('usual')).not.to.deep.equal(before);
    await writeFile(cluster.faultsFile('usual'), '');
    await rig().waitFor('usual', 'Ready', 'True', 'Ready');
    await untilAdvertised('usual', { 'nvidia.com/mig-3g.20gb': 4 });
  });

  it('has looked before a node is opened whose policy was deleted meanwhile', async () => {
    await ask('usual', middle);
    await untilClosed('usual');
    const count = (await evictions()).length;
    await eventually(evictions, ({ length }) => length > count, { timeoutMs: 20_000, intervalMs: 5 });
    await rig().kubectl('delete', 'gpp', 'usual');
    const open = await eventually(
      () => rig().node('usual'),
      (node) => ownTaints(node).length === 0,
      { timeoutMs: 30_000, intervalMs: 5 },
    );
    expect(Number(open.status.allocatable?.['nvidia.com/mig-3g.20gb'])).to.equal(0);
    await untilAdvertised('usual', { 'nvidia.com/mig-2g.10gb': 6 });
  });

  it('comes to a node that joins with the start-up taint when the first layout is there', async () => {
    expect(await pluginPods('joining')).to.deep.equal([]);
    await ask('joining', small);
    await rig().waitFor('joining', 'Ready', 'True', 'Ready');
    expect(await advertised('joining')).to.deep.equal({ 'nvidia.com/mig-1g.5gb': 14 });
    expect(ownTaints(await rig().node('joining'))).to.deep.equal([]);
  });

  function deviceIds(node: string): readonly string[] {
    return [...rig().rig.fleet.listAdvertised(node).values()].flat();
  }
});
