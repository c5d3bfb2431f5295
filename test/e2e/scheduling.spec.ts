import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { isClosed, listBindings, listFenceBreaks, listLabelLags, listRefusals } from '../support/fence.ts';
import { applyObjects, devicesOf, gpuPod, type GpuPodWish, slicesOf } from '../support/gpu-pods.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { useRig } from '../support/rig.ts';
import { type RecordedPod, Timeline } from '../support/timeline.ts';

const strategies = { slices: 'single', many: 'mixed', few: 'mixed', whole: 'mixed' } as const;
type Pool = keyof typeof strategies;

/** One node each, which carries no label of a layout until its policy is done. */
const nodes = Object.entries(strategies).map(([name, strategy]): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: name, 'test/plugin': strategy },
  strategy,
  plugin: 'pod',
}));

const product = 'NVIDIA-A100-SXM4-40GB';
const gpu = 'nvidia.com/gpu';
const slice = 'nvidia.com/mig-1g.5gb';
const byProduct = (name: string, value: string): GpuPodWish => ({
  name,
  resource: gpu,
  nodeSelector: { 'nvidia.com/gpu.product': value },
});
const byCount = (name: string): GpuPodWish => ({ name, resource: slice, above: { key: `${slice}.count`, value: 5 } });
const byResource = (name: string, profile: string): GpuPodWish => ({ name, resource: `nvidia.com/mig-${profile}` });

describe('the scheduler, by what nodes report of their slices', function () {
  const rig = useRig(nodes, { kubeletTiming: { statusLagMs: 500 } });
  let timeline: Timeline;

  before(async function () {
    timeline = await Timeline.start(rig().controlPlane);
    const sets = (['single', 'mixed'] as const).map((strategy) =>
      pluginDaemonSet({
        name: `plugin-${strategy}`,
        namespace: 'kube-system',
        nodeSelector: { 'test/plugin': strategy },
        env: { MIG_STRATEGY: strategy },
      }),
    );
    await applyObjects(rig(), sets);
    await ask('slices', { '1g.5gb': 7 });
    await ask('many', { '1g.5gb': 7 });
    await ask('few', { '1g.5gb': 2, '2g.10gb': 2 });
    await ask('whole');
    for (const pool of ['slices', 'many', 'few', 'whole']) await rig().waitFor(pool, 'Ready', 'True', 'Ready');
  });

  afterEach(async () => {
    await timeline.catchUp();
    expect(listFenceBreaks(timeline)).to.deep.equal([]);
  });

  after(async () => timeline.stop());

  /** Whole GPUs where no profiles are given. */
  async function ask(pool: Pool, profiles?: Readonly<Record<string, number>>): Promise<void> {
    await rig().apply(pool, {
      nodeSelector: { matchLabels: { pool } },
      strategy: strategies[pool],
      layouts: [profiles ? { profiles } : { mig: 'Disabled' }],
    });
  }

  const createPods = async (...wishes: readonly GpuPodWish[]): Promise<void> => applyObjects(rig(), wishes.map(gpuPod));

  const deletePods = async (...names: readonly string[]): Promise<string> =>
    rig().kubectl('delete', 'pod', ...names, '--wait', '--grace-period=1');

  const podNow = (name: string): RecordedPod | undefined => timeline.pods.at(`default/${name}`, Infinity);

  /** The node on which a pod runs, as soon as it does. */
  async function placeOf(name: string): Promise<string | undefined> {
    const pod = await eventually(
      () => podNow(name),
      (found) => found?.status?.phase === 'Running',
      { timeoutMs: 20_000, what: name },
    );
    return pod?.spec?.nodeName;
  }

  /** The scheduler's words, as soon as it has found no place for a pod. */
  async function refusalOf(name: string): Promise<string> {
    const refusals = await eventually(
      () => listRefusals(timeline, `default/${name}`, 0, Infinity),
      ({ length }) => length > 0,
      { timeoutMs: 20_000, what: `the refusal of ${name}` },
    );
    return refusals.at(-1) ?? '';
  }

  /** Waits until the policy of a node that has just been asked for something else has closed it. */
  async function untilClosed(node: string): Promise<void> {
    await eventually(
      () => isClosed(timeline.nodes.at(node, Infinity)),
      (closed) => closed,
      { timeoutMs: 20_000, intervalMs: 5, what: `the taint of ${node}` },
    );
  }

  it('puts pods by product, by number of slices and by resource where these are', async () => {
    await createPods(
      byProduct('by-slice', `${product}-MIG-1g.5gb`),
      byProduct('by-gpu', product),
      byCount('by-count'),
      byResource('by-resource', '2g.10gb'),
      byProduct('by-nothing', `${product}-MIG-3g.20gb`),
    );
    expect(await placeOf('by-slice')).to.equal('slices');
    expect(await placeOf('by-gpu')).to.equal('whole');
    expect(await placeOf('by-count')).to.equal('many');
    expect(await placeOf('by-resource')).to.equal('few');
    expect(await refusalOf('by-nothing')).to.include("4 node(s) didn't match Pod's node affinity/selector");
    await deletePods('by-slice', 'by-gpu', 'by-count', 'by-resource', 'by-nothing');
  });

  it('gives seven pods the seven slices of a GPU, and the eighth the first that is free again', async () => {
    const names = [1, 2, 3, 4, 5, 6, 7].map((i) => `model-${i}`);
    await createPods(...names.map((name) => byProduct(name, `${product}-MIG-1g.5gb`)));
    for (const name of names) expect(await placeOf(name)).to.equal('slices');
    const slices = await slicesOf(rig(), 'slices', '1g.5gb');
    expect(slices).to.have.lengthOf(7);
    expect(names.flatMap((name) => devicesOf(rig(), 'slices', name))).to.have.members(slices);

    await createPods(byProduct('model-8', `${product}-MIG-1g.5gb`));
    expect(await refusalOf('model-8')).to.include(`1 Insufficient ${gpu}`);
    expect(podNow('model-8')?.status?.phase).to.equal('Pending');

    const freed = devicesOf(rig(), 'slices', 'model-3');
    await deletePods('model-3');
    expect(await placeOf('model-8')).to.equal('slices');
    expect(devicesOf(rig(), 'slices', 'model-8')).to.deep.equal(freed);
    await deletePods(...names.filter((name) => name !== 'model-3'), 'model-8');
  });

  it('lets no pod have a slice that is about to go, and those that wait have the new ones', async () => {
    await createPods(byProduct('product-after', `${product}-MIG-3g.20gb`), byResource('resource-after', '3g.20gb'));
    await refusalOf('product-after');
    await refusalOf('resource-after');
    await ask('slices', { '3g.20gb': 2 });
    await ask('many', { '3g.20gb': 2 });
    await untilClosed('slices');
    await untilClosed('many');
    await createPods(byProduct('product-before', `${product}-MIG-1g.5gb`), byCount('count-before'));
    for (const pool of ['slices', 'many']) await rig().waitFor(pool, 'Ready', 'True', 'Ready');
    expect(await placeOf('product-after')).to.equal('slices');
    expect(await placeOf('resource-after')).to.equal('many');
    for (const [node, pod] of [
      ['slices', 'product-after'],
      ['many', 'resource-after'],
    ] as const) {
      expect(await slicesOf(rig(), node, '3g.20gb')).to.include.members(devicesOf(rig(), node, pod));
    }
    // Whole GPUs are free, and slices of that kind on another node: neither is what these ask for.
    for (const name of ['product-before', 'count-before']) {
      await refusalOf(name);
      expect(podNow(name)?.spec?.nodeName).to.equal(undefined);
    }
  });

  it('finds the node that has become what a pod waits for', async () => {
    await ask('few', { '1g.5gb': 7 });
    expect(await placeOf('count-before')).to.equal('few');
    await rig().waitFor('few', 'Ready', 'True', 'Ready');
    expect(await slicesOf(rig(), 'few', '1g.5gb')).to.include.members(devicesOf(rig(), 'few', 'count-before'));
    expect(podNow('product-before')?.spec?.nodeName).to.equal(undefined);
    await deletePods('product-before', 'count-before', 'product-after', 'resource-after');
  });

  it('keeps what a pod has got that comes at the very moment when its slice is to go', async () => {
    const wishes = [1, 2].map((i): GpuPodWish => ({
      name: `racer-${i}`,
      resource: 'nvidia.com/mig-3g.20gb',
      node: 'many',
    }));
    await Promise.all([ask('many', { '7g.40gb': 1 }), createPods(...wishes)]);
    // Whichever came first: the change waits for the pods, or the pods for a slice that will not be there.
    for (const { name } of wishes) {
      await eventually(
        () =>
          podNow(name)?.status?.phase === 'Running' ||
          listRefusals(timeline, `default/${name}`, 0, Infinity).length > 0,
        (settled) => settled,
        { timeoutMs: 20_000, what: name },
      );
    }
    await deletePods(...wishes.map(({ name }) => name));
    await rig().waitFor('many', 'Ready', 'True', 'Ready');
    expect(await slicesOf(rig(), 'many', '7g.40gb')).to.have.lengthOf(1);
  });

  it('never sees labels of a layout that is gone on a node that takes pods', () => {
    expect(listLabelLags(timeline)).to.deep.equal([]);
    expect(listBindings(timeline).length).to.be.at.least(15);
  });
});
