import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { GpuNodePartition, PolicySpec } from '../../src/api/types.ts';
import { nodePartitions } from '../../src/api/resources.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import { describeBudget, describeDeployment } from '../../src/simulator/rig/workloads.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { FleetRecorder } from '../support/fleet-recorder.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const size = 12;
/** The first two tests move the whole fleet, the rest one half of it, in half the time. */
const halfSize = size / 2;
const names = Array.from({ length: size }, (_, index) => `n${String(index).padStart(2, '0')}`);
const nodes: readonly RigNode[] = names.map((name, index) => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  // Pods that prefer one half fill its slices, so that some have to move.
  labels: { pool: 'p', half: index < halfSize ? 'a' : 'b' },
  strategy: 'mixed',
}));

interface PodView {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string };
}

describe('a fleet of twelve nodes', function () {
  this.timeout(300_000);
  const rig = useRig(nodes, {
    controllerArguments: ['--max-concurrent-nodes', '100%', '--lease-seconds', '30'],
    // A dozen agents that read more often keep both cores busy.
    agentArguments: ['--read-interval-ms', '60000'],
  });
  let recorder: FleetRecorder;
  let selected: Readonly<Record<string, string>> = {};

  before(async () => {
    const kubeconfig = await rig().controlPlane.kubeconfigFile({});
    recorder = await FleetRecorder.start(new KubeClient(loadKubeConfig({ kubeconfig }), 'recorder'));
  });

  afterEach(() => expect(recorder.hasSeenAll, 'every revision was seen').to.equal(true));
  after(async () => recorder.stop());

  async function ask(
    profiles: Readonly<Record<string, number>>,
    rollout: NonNullable<PolicySpec['rollout']>,
    more: Partial<PolicySpec> = {},
  ): Promise<void> {
    const nodeSelector = { matchLabels: { pool: 'p', ...selected } };
    await rig().apply('p', { nodeSelector, layouts: [{ profiles }], rollout, drain: { timeout: '60s' }, ...more });
  }

  /** Has one half of the fleet offer a layout, whatever the tests before have left: each of the rest can run alone. */
  async function startFrom(profiles: Readonly<Record<string, number>>): Promise<void> {
    selected = { half: 'a' };
    recorder.begin(halfSize);
    await ask(profiles, { maxUnavailable: '100%' });
    const done = await rig().waitFor('p', 'Ready', 'True', 'Ready', 120_000);
    // Its watches lag on a busy machine: a node of this change must not count as one of the next.
    await eventually(async () => recorder.hasSeenEnd(done), Boolean, { what: 'the recorder to have seen the change' });
  }

  async function listPods(app: string): Promise<readonly PodView[]> {
    return rig().list(`/api/v1/namespaces/default/pods?labelSelector=app=${app}`);
  }

  async function listPartitions(): Promise<readonly GpuNodePartition[]> {
    return rig().list(collectionPath(nodePartitions));
  }

  const deploy = async (app: string, resource: string, replicas: number): Promise<void> => {
    await rig().create(describeDeployment({ name: app, resource, replicas, prefers: { key: 'half', value: 'a' } }));
    const running = async () => (await listPods(app)).filter(({ status }) => status.phase === 'Running').length;
    await eventually(running, (count) => count === replicas, { timeoutMs: 60_000, what: `${replicas} pods of ${app}` });
  };

  it('is partitioned at once where nobody minds', async () => {
    recorder.begin(size);
    await ask({ '3g.20gb': 1, '1g.5gb': 4 }, { maxUnavailable: '100%' });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 120_000);
    expect(recorder.broken).to.deep.equal([]);
  });

  it('moves two at a time: evicts exactly the pods that it announced, never past their budget, and leaves all others running', async () => {
    await deploy('stays', 'nvidia.com/mig-3g.20gb', size);
    await deploy('moves', 'nvidia.com/mig-1g.5gb', 18);
    await rig().create(describeBudget({ name: 'moves' }, 2));
    const staying = (await listPods('stays')).map(({ metadata }) => metadata.uid).sort();
    const moving = new Set((await listPods('moves')).map(({ metadata }) => metadata.uid));
    recorder.begin(2);
    const evictions = (await rig().controlPlane.auditedWrites()).length;
    await ask({ '3g.20gb': 1, '2g.10gb': 1, '1g.5gb': 2 }, { maxUnavailable: '20%' });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 240_000);
    expect(recorder.broken).to.deep.equal([]);
    expect(recorder.most).to.equal(2);
    expect((await listPods('stays')).map(({ metadata }) => metadata.uid).sort()).to.deep.equal(staying);
    // What the API server was asked to evict is what had been announced before: no pod less, none more, and none was deleted.
    const asked = (await rig().controlPlane.auditedWrites())
      .slice(evictions)
      .filter(
        ({ user, resource }) => user.includes('controller') && !user.includes('kube-system') && resource === 'pods',
      );
    const evicted = asked.filter(({ subresource }) => subresource === 'eviction').map(({ name }) => `default/${name}`);
    expect(new Set(evicted)).to.deep.equal(new Set(recorder.announced.values()));
    expect(asked.filter(({ verb }) => verb === 'delete')).to.deep.equal([]);
    const left = new Set((await listPods('moves')).map(({ metadata }) => metadata.uid));
    const gone = [...moving].filter((uid) => !left.has(uid));
    expect(gone.length, 'pods that moved').to.be.greaterThan(0);
    expect(gone.filter((uid) => !recorder.announced.has(uid))).to.deep.equal([]);
    for (const [node, epochs] of recorder.epochs) expect(epochs, node).to.have.lengthOf(1);
  });

  it('continues where the leader is killed, without a grant given twice', async () => {
    const next = await rig().rig.addController('controller-1');
    next.start();
    selected = { half: 'a' };
    recorder.begin(4);
    await ask({ '3g.20gb': 1, '1g.5gb': 4 }, { maxUnavailable: 4 });
    await eventually(
      async () => recorder.admitted.length,
      (count) => count >= 6,
      { timeoutMs: 60_000 },
    );
    await rig().rig.controller.stop('SIGKILL');
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 240_000);
    expect(recorder.broken).to.deep.equal([]);
    for (const [node, epochs] of recorder.epochs) expect(epochs, node).to.have.lengthOf(1);
    rig().rig.controller.start();
  });

  it('halts where the canary fails, which returns to where it was, placements included', async () => {
    await rig().kubectl('delete', 'deployment', 'stays', 'moves', '--ignore-not-found');
    await eventually(
      async () => (await listPods('moves')).length,
      (count) => count === 0,
      { timeoutMs: 60_000 },
    );
    await startFrom({ '3g.20gb': 1, '1g.5gb': 4 });
    for (const name of names)
      await writeFile(rig().rig.faultsFile(name), 'fail DeviceCreateGpuInstance rc=999 with=0:0\n');
    const before = await Promise.all(names.map(async (name) => rig().rig.deviceState(name)));
    recorder.begin(1);
    await ask({ '7g.40gb': 1 }, { maxUnavailable: 4, canary: { nodes: 1, soak: '5s' }, failureThreshold: 4 });
    const { status } = await rig().waitFor('p', 'Stalled', 'True', 'Halted', 60_000);
    const failed = status?.failures?.map(({ node }) => node) ?? [];
    expect(failed).to.have.lengthOf(1);
    expect(recorder.admitted).to.deep.equal(failed);
    const places = (state: string): string[] => state.split('\n').flatMap((line) => /profile.*$/.exec(line)?.[0] ?? []);
    const after = await Promise.all(names.map(async (name) => rig().rig.deviceState(name)));
    expect(after.map(places)).to.deep.equal(before.map(places));
    recorder.begin(4);
    for (const name of names) await writeFile(rig().rig.faultsFile(name), '');
    await rig().kubectl('annotate', 'node', failed[0] ?? '', 'gpupartition.dev/retry=now', '--overwrite');
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 120_000);
    expect([...recorder.epochs.keys()][0], 'the first that was granted').to.equal(failed[0]);
    expect(recorder.broken).to.deep.equal([]);
  });

  it('starts no node outside of a window, and finishes those that have started @all', async () => {
    await startFrom({ '7g.40gb': 1 });
    const slow = 'sleep DeviceCreateGpuInstance ms=2000\n';
    for (const name of names) await writeFile(rig().rig.faultsFile(name), slow);
    const now = new Date();
    const schedule = `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`;
    // Long enough for a first node on a busy machine, too short for all on any: one after the other, each with two slow instances.
    const duration = `${now.getUTCSeconds() + 20}s`;
    recorder.begin(1);
    await ask({ '3g.20gb': 2 }, { maxUnavailable: 1, windows: [{ schedule, duration }] });
    await rig().waitFor('p', 'Reconciling', 'True', 'WindowClosed', 60_000);
    await eventually(
      async () => (await rig().policy('p')).status?.inFlight ?? [],
      (ledger) => ledger.length === 0,
      {
        timeoutMs: 30_000,
      },
    );
    for (const name of names) await writeFile(rig().rig.faultsFile(name), '');
    const started = new Set(recorder.admitted);
    expect(started.size).to.be.within(1, halfSize - 1);
    const layouts = (await listPartitions()).filter(({ status }) => status?.layout === '1 GPU: 2×3g.20gb');
    expect(layouts.map(({ metadata }) => metadata.name).sort()).to.deep.equal([...started].sort());
    expect(recorder.broken).to.deep.equal([]);
  });

  it('leaves every node open, with one layout or the other, where the policy is deleted mid-way @all', async () => {
    await startFrom({ '3g.20gb': 2 });
    recorder.begin(2);
    await ask({ '2g.10gb': 3 }, { maxUnavailable: 2 });
    await eventually(
      async () => recorder.admitted.length,
      (count) => count >= 4,
      { timeoutMs: 60_000 },
    );
    await rig().kubectl('delete', 'gpp', 'p', '--timeout=60s');
    const half = names.slice(0, halfSize);
    for (const name of half) {
      await rig().untilReason(name, 'NoPolicy', 60_000);
      const taints = async () => ownTaints(await rig().node(name));
      await eventually(taints, (found) => found.length === 0, { what: `no taint on ${name}` });
    }
    const layouts = (await listPartitions()).filter(({ metadata }) => half.includes(metadata.name));
    const found = layouts.map(({ status }) => status?.layout ?? '');
    expect(['1 GPU: 2×3g.20gb', '1 GPU: 3×2g.10gb']).to.include.members(found);
    expect(found.filter((layout) => layout === '1 GPU: 3×2g.10gb')).to.have.length.within(2, halfSize - 1);
    expect(recorder.broken).to.deep.equal([]);
  });

  it('makes its GPUs whole, within its budget, before a policy goes that says so, also mid-way', async () => {
    await startFrom({ '2g.10gb': 3 });
    recorder.begin(3);
    await ask({ '3g.20gb': 2 }, { maxUnavailable: 3 }, { onDelete: 'DisableMig' });
    await eventually(
      async () => recorder.admitted.length,
      (count) => count >= 2,
      { timeoutMs: 60_000 },
    );
    await rig().kubectl('delete', 'gpp', 'p', '--timeout=180s');
    expect(recorder.broken).to.deep.equal([]);
    for (const name of names.slice(0, halfSize)) {
      expect(await rig().rig.deviceState(name), name).to.include('gpu 0 mig 0 pending 0');
      await eventually(
        async () => ownTaints(await rig().node(name)),
        (taints) => taints.length === 0,
      );
    }
  });
});
