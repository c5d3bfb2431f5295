import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { autoscalerStartupTaintKey, repartitioningTaint, uninitializedTaint } from '../../src/api/names.ts';
import type { MigStrategy } from '../../src/core/nvidia/labels.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import {
  advertisedBy,
  type DeviceChange,
  isClosed,
  listBindings,
  listChanges,
  listFenceBreaks,
  listLabelLags,
  listRefusals,
} from '../support/fence.ts';
import { applyObjects, devicesOf, gpuPod, type GpuPodWish, slicesOf } from '../support/gpu-pods.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { useRig } from '../support/rig.ts';
import { Timeline } from '../support/timeline.ts';

/** A node that joins with a start-up taint, and the plugin of its own. */
interface Case {
  readonly node: string;
  readonly plugin: string;
  readonly tolerations: readonly object[];
  /** Whether that is enough for a pod of it on a node which changes. */
  readonly isTolerant: boolean;
  readonly strategy: Exclude<MigStrategy, 'none'>;
  readonly startupTaint: string;
}

const stockTolerations = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];
const ourTolerations = [
  ...stockTolerations,
  { key: repartitioningTaint.key, operator: 'Exists' },
  { key: uninitializedTaint.key, operator: 'Exists' },
];

const stock = { plugin: 'a stock plugin', tolerations: stockTolerations, isTolerant: false };
const tolerant = {
  plugin: 'a plugin that tolerates everything',
  tolerations: [{ operator: 'Exists' }],
  isTolerant: true,
};
const cases: readonly Case[] = [
  { ...stock, node: 'stock-mixed', strategy: 'mixed', startupTaint: uninitializedTaint.key },
  { ...stock, node: 'stock-single', strategy: 'single', startupTaint: autoscalerStartupTaintKey },
  {
    node: 'ours-mixed',
    plugin: 'a plugin that tolerates our taints',
    tolerations: ourTolerations,
    isTolerant: true,
    strategy: 'mixed',
    startupTaint: uninitializedTaint.key,
  },
  { ...tolerant, node: 'all-mixed', strategy: 'mixed', startupTaint: autoscalerStartupTaintKey },
  { ...tolerant, node: 'all-single', strategy: 'single', startupTaint: uninitializedTaint.key },
];

const nodes = cases.map(({ node, strategy, startupTaint }): RigNode => ({
  name: node,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: node },
  strategy,
  plugin: 'pod',
  taints: [{ key: startupTaint, effect: 'NoSchedule' }],
}));

function mapText(counts: Readonly<Record<string, number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
}

/** What a pod asks for that wants a slice of this profile. */
function sliceOf(strategy: MigStrategy, profile: string): string {
  return strategy === 'single' ? 'nvidia.com/gpu' : `nvidia.com/mig-${profile}`;
}

describe('the fence between pods that wait and a device that changes', function () {
  // A real kubelet's status period, in which it shows what was before.
  const rig = useRig(nodes, { kubeletTiming: { statusLagMs: 10_000 } });
  let timeline: Timeline;

  before(async function () {
    timeline = await Timeline.start(rig().controlPlane);
    const sets = cases.map(({ node, tolerations, strategy }) =>
      pluginDaemonSet({
        name: `${node}-plugin`,
        namespace: 'kube-system',
        nodeSelector: { pool: node },
        tolerations,
        env: { MIG_STRATEGY: strategy },
      }),
    );
    await applyObjects(rig(), sets);
  });

  after(async () => timeline.stop());

  /** Creates pods, and waits until the scheduler has found no place for any of them. */
  async function createWaiting(...wishes: readonly GpuPodWish[]): Promise<void> {
    await applyObjects(rig(), wishes.map(gpuPod));
    for (const { name } of wishes) {
      await eventually(
        () => listRefusals(timeline, `default/${name}`, 0, Infinity),
        ({ length }) => length > 0,
        { timeoutMs: 20_000, what: `the refusal of ${name}` },
      );
    }
  }

  /** Asks for a layout of these nodes, each by the policy of its name. */
  async function ask(profiles: Readonly<Record<string, number>>, names = cases.map(({ node }) => node)): Promise<void> {
    for (const { node: pool, strategy } of cases.filter(({ node }) => names.includes(node))) {
      await rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, strategy, layouts: [{ profiles }] });
    }
  }

  async function untilRunning(pod: string): Promise<void> {
    await eventually(
      () => timeline.pods.at(`default/${pod}`, Infinity),
      (found) => found?.status?.phase === 'Running',
      { timeoutMs: 40_000, what: pod },
    );
  }

  /** The change that a node has gone through last, all of it recorded. */
  async function lastChange(node: string): Promise<DeviceChange> {
    await rig().waitFor(node, 'Ready', 'True', 'Ready', 40_000);
    await timeline.catchUp();
    const change = listChanges(timeline, node).at(-1);
    if (change === undefined) throw new Error(`${node} was granted nothing`);
    return change;
  }

  /** Writes of the controller into the status of this node, or of any. */
  async function listEarly(node?: string): Promise<readonly object[]> {
    const writes = await rig().controlPlane.auditedWrites();
    return writes.filter(
      ({ user, resource, subresource, code, name }) =>
        user.endsWith(':gpu-partition-controller') &&
        resource === 'nodes' &&
        subresource === 'status' &&
        code === 200 &&
        (node === undefined || name === node),
    );
  }

  /** What the scheduler has said of a pod that it tried while the node was fenced. */
  function refusalsOf(pod: string, { closed, advertised }: DeviceChange): string {
    return listRefusals(timeline, `default/${pod}`, closed, advertised).join('\n');
  }

  describe('of a node that joins with a start-up taint', () => {
    before(async function () {
      const slices = cases.map(({ node, strategy }) => ({
        name: `${node}-slice`,
        resource: sliceOf(strategy, '1g.5gb'),
        node,
      }));
      // Where slices have names of their own, whoever asks for a GPU wants a whole one, and none of these is going to stay.
      const whole = cases
        .filter(({ strategy }) => strategy === 'mixed')
        .map(({ node }) => ({ name: `${node}-whole`, resource: 'nvidia.com/gpu', node }));
      await createWaiting(...slices, ...whole);
      // These plugins are there before the first layout is, and offer what is there: the whole GPU.
      for (const { node } of cases.filter(({ plugin }) => plugin === tolerant.plugin)) {
        await eventually(
          () => advertisedBy(timeline.nodes.at(node, Infinity)),
          (counts) => counts['nvidia.com/gpu'] === 1,
          { timeoutMs: 20_000, what: `the whole GPU of ${node}` },
        );
      }
      await ask({ '1g.5gb': 7 });
    });

    for (const { node, plugin, strategy, startupTaint } of cases) {
      it(`lets no pod in before the slices are there: ${plugin}, ${strategy}, ${startupTaint}`, async () => {
        const change = await lastChange(node);
        await untilRunning(`${node}-slice`);
        await timeline.catchUp();
        expect(listFenceBreaks(timeline).filter((text) => text.includes(node))).to.deep.equal([]);
        const bindings = listBindings(timeline).filter((binding) => binding.node === node);
        expect(bindings.map(({ pod }) => pod)).to.deep.equal([`default/${node}-slice`]);
        expect(bindings[0]?.revision).to.be.greaterThan(change.advertised);
        expect(await slicesOf(rig(), node, '1g.5gb')).to.include.members(devicesOf(rig(), node, `${node}-slice`));
        expect(devicesOf(rig(), node, `${node}-slice`)).to.have.lengthOf(1);
        expect(isClosed(timeline.nodes.at(node, Infinity))).to.equal(false);
        expect(refusalsOf(`${node}-slice`, change)).to.match(/ 1 node\(s\) had untolerated taint/);
      });
    }
  });

  describe('of a node that gets another layout', () => {
    before(async function () {
      const slices = cases.map(({ node }) => `${node}-slice`);
      await rig().kubectl('delete', 'pod', ...slices, '--wait', '--grace-period=1');
      // Feasible as soon as the node is closed, and not before: nothing but the fence keeps these from the previous slices.
      const before = cases.map(({ node, strategy }) => ({
        name: `${node}-before`,
        resource: sliceOf(strategy, '1g.5gb'),
        node,
        nodeSelector: { 'gpupartition.dev/state': 'updating' },
      }));
      const after = cases.map(({ node, strategy }) => ({
        name: `${node}-after`,
        resource: sliceOf(strategy, '3g.20gb'),
        node,
        ...(strategy === 'single' && {
          nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB-MIG-3g.20gb' },
        }),
      }));
      await createWaiting(...before, ...after);
      await ask({ '3g.20gb': 2 });
    });

    for (const { node, plugin, strategy, isTolerant } of cases) {
      it(`lets no pod in between the first destroy and the new layout: ${plugin}, ${strategy}`, async () => {
        const change = await lastChange(node);
        await untilRunning(`${node}-after`);
        await timeline.catchUp();
        expect(listFenceBreaks(timeline).filter((text) => text.includes(node))).to.deep.equal([]);
        expect(await slicesOf(rig(), node, '3g.20gb')).to.include.members(devicesOf(rig(), node, `${node}-after`));
        expect(devicesOf(rig(), node, `${node}-after`)).to.have.lengthOf(1);
        const refusals = refusalsOf(`${node}-before`, change);
        expect(refusals).to.match(/ 1 node\(s\) had untolerated taint/);
        if (!isTolerant) expect(refusals).to.match(/ 1 Insufficient nvidia\.com/);
        if (strategy === 'mixed') {
          const bindings = listBindings(timeline).filter(({ pod }) => pod === `default/${node}-before`);
          expect(bindings).to.deep.equal([]);
        }
        const states = timeline.nodes
          .eventsOf(node)
          .filter(({ revision }) => revision > change.granted && revision < change.advertised);
        // The taint alone where its DaemonSet makes a pod on a node with it; else the zero takes over.
        expect(states.every(({ object }) => isClosed(object))).to.equal(isTolerant);
      });
    }

    it('opens a node whose change has failed with the labels of what is left', async () => {
      const node = 'stock-mixed';
      await rig().kubectl('delete', 'pod', `${node}-after`, '--wait', '--grace-period=1');
      await writeFile(rig().rig.faultsFile(node), 'fail DeviceCreateGpuInstance rc=999\n');
      await ask({ '2g.10gb': 3 }, [node]);
      const found = await eventually(
        () => timeline.nodes.at(node, Infinity),
        (state) => !isClosed(state) && state?.metadata.labels?.['gpupartition.dev/state'] === 'failed',
        { timeoutMs: 30_000, what: node },
      );
      expect(advertisedBy(found)).to.deep.equal({});
      await writeFile(rig().rig.faultsFile(node), '');
      await lastChange(node);
      expect([...listFenceBreaks(timeline), ...listLabelLags(timeline)]).to.deep.equal([]);
    });

    it('tells pods of the new layout before they may come', () => {
      expect(listLabelLags(timeline)).to.deep.equal([]);
    });

    it('has the controller advertise what the kubelet offers, which the kubelet never takes back', async () => {
      for (const { node } of cases) {
        const changes = listChanges(timeline, node);
        for (const { advertised } of changes.slice(0, 2)) {
          const offers = timeline.nodes.eventsOf(node).filter(({ revision }) => revision >= advertised);
          const next = changes.find(({ closed }) => closed > advertised)?.closed ?? Infinity;
          const shown = offers.filter(({ revision }) => revision < next).map(({ object }) => advertisedBy(object));
          expect(new Set(shown.map((counts) => JSON.stringify(counts))).size, node).to.equal(1);
        }
      }
      // On a slow machine, the kubelet may be first for some.
      expect(await listEarly()).to.have.length.of.at.least(1);
    });

    it('closes a node again where a status of before the change arrives after it was opened', async () => {
      const node = 'stock-mixed';
      const pod = `${node}-after`;
      await rig().kubectl('delete', 'pod', pod, '--wait', '--grace-period=1', '--ignore-not-found');
      // Where the kubelet was first there is nothing to take back: the next edit.
      const layouts = ['2g.10gb', '1g.5gb', '2g.10gb', '1g.5gb'];
      for (const profile of layouts) {
        const before = advertisedBy(timeline.nodes.at(node, Infinity));
        const written = (await listEarly(node)).length;
        await ask({ [profile]: 3 }, [node]);
        await lastChange(node);
        if ((await listEarly(node)).length === written) continue;
        const after = advertisedBy(timeline.nodes.at(node, Infinity));
        const late = { [`nvidia.com/mig-${profile}`]: '0', ...mapText(before) };
        const status = JSON.stringify({ status: { capacity: late, allocatable: late } });
        await rig().kubectl('patch', 'node', node, '--subresource=status', '--type=merge', '-p', status);
        await eventually(
          () => timeline.nodes.at(node, Infinity),
          (found) => !isClosed(found) && deepEqual(advertisedBy(found), after),
          { timeoutMs: 30_000, what: node },
        );
        const states = timeline.nodes.eventsOf(node).map(({ object }) => object);
        const broken = states.findLastIndex((state) => deepEqual(advertisedBy(state), before));
        expect(states.slice(broken).some(isClosed)).to.equal(true);
        return;
      }
      throw new Error('the kubelet was first each time');
    });

    it('was told by a recording that misses no binding which the API server took', async () => {
      const writes = await rig().controlPlane.auditedWrites();
      const bound = writes
        .filter(({ resource, subresource, code }) => resource === 'pods' && subresource === 'binding' && code === 201)
        .filter(({ namespace }) => namespace === 'default')
        .map(({ name }) => `default/${name}`);
      expect(bound).to.have.members(listBindings(timeline).map(({ pod }) => pod));
      expect(bound).to.have.length.of.at.least(2 * cases.length);
    });
  });
});
