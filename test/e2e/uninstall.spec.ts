import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../src/simulator/rig/process.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { run } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { ownTaints, type RigNodeView, type TestRig, useRig } from '../support/rig.ts';

/** One that is as its policy says, one whose policy makes its GPUs whole before it goes, and one that is closed and waits for a pod. */
const names = ['done', 'whole', 'closed'] as const;
const nodes = names.map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: name },
  strategy: 'mixed',
}));
const half = 'nvidia.com/mig-3g.20gb';
const crds = ['delete', '-k', join(projectRoot, 'config/crd')];

/** A cluster with all that can be left behind, for one order of taking the operator apart. */
function useOperator(deleteDeadlineSeconds: number) {
  const rig = useRig(nodes, { controllerArguments: ['--delete-deadline-seconds', String(deleteDeadlineSeconds)] });

  before(async function () {
    const ask = (pool: string, profiles: Readonly<Record<string, number>>, more: object = {}): Promise<void> =>
      rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, layouts: [{ profiles }], ...more });
    for (const name of names) await ask(name, { '3g.20gb': 2 }, name === 'whole' ? { onDelete: 'DisableMig' } : {});
    for (const name of names) await rig().waitFor(name, 'Ready', 'True', 'Ready', 90_000);
    await applyObjects(rig(), [gpuPod({ name: 'stays', resource: half, node: 'closed' })]);
    await rig().kubectl('wait', 'pod/stays', '--for=condition=Ready', '--timeout=60s');
    await ask('closed', { '7g.40gb': 1 }, { drain: { scope: 'None' } });
    await rig().untilReason('closed', 'PodsUseGpus', 60_000);
    expect(await tracesOf('closed')).to.include.members(['repartitioning', 'policy', 'nvidia.com/mig.config.state']);
  });

  /** What of ours is on a node; a controller keeps the record of the labels that it keeps in line with the layout. */
  async function tracesOf(name: string): Promise<readonly string[]> {
    const node = await rig().node(name);
    return [...ownTaints(node), ...ownLabels(node), ...Object.keys(node.metadata.annotations ?? {})]
      .map((key) => key.replace('gpupartition.dev/', ''))
      .filter((key) => key !== 'managed-labels');
  }

  return {
    rig,
    async untilClean(...wanted: readonly string[]): Promise<void> {
      for (const name of wanted)
        await eventually(
          () => tracesOf(name),
          (traces) => traces.length === 0,
          { timeoutMs: 60_000, what: `nothing of ours on ${name}` },
        );
    },
    tracesOf,
    stopAgents: () => stopAgents(rig()),
    release: (...more: readonly string[]) => release(rig(), ...more),
  };
}

async function stopAgents({ rig }: TestRig): Promise<void> {
  await Promise.all(rig.agents.map((agent) => agent.stop('SIGTERM')));
}

async function release({ controlPlane }: TestRig, ...more: readonly string[]) {
  return run(['release', '--kubeconfig', await controlPlane.kubeconfigFile(), ...more]);
}

/** Anything of ours anywhere in a Node, whatever we may write one day: only who has written which field stays. */
async function expectNothingOfOurs(rig: TestRig, name: string): Promise<void> {
  const { metadata, ...rest } = (await rig.node(name)) as RigNodeView & { readonly metadata: object };
  const { managedFields, ...kept } = metadata as typeof metadata & { readonly managedFields?: unknown };
  expect(managedFields).to.not.equal(undefined);
  expect(JSON.stringify({ ...rest, metadata: kept })).to.not.include('gpupartition');
}

function ownLabels({ metadata }: RigNodeView): readonly string[] {
  return Object.keys(metadata.labels).filter((key) => /^gpupartition\.dev\/|mig\.config\.state$/.test(key));
}

describe('uninstalling', function () {
  describe('policies, then controller and agents, then the CRDs', () => {
    const operator = useOperator(1800);

    it('leaves nothing of ours', async () => {
      await operator.rig().kubectl('delete', 'gpp', '--all', '--timeout=90s');
      await operator.rig().kubectl('wait', 'gpn', '--all', '--for=jsonpath={.status.phase}=Unmanaged', '--timeout=60s');
      await operator.untilClean(...names);
      expect((await operator.rig().partition('whole')).status?.layout).to.equal('1 GPU: whole');
      await operator.rig().rig.controller.stop('SIGTERM');
      await operator.stopAgents();
      await operator.rig().kubectl(...crds, '--timeout=60s');
      await operator.untilClean(...names);
      expect((await operator.release()).code).to.equal(0);
      for (const name of names) await expectNothingOfOurs(operator.rig(), name);
    });
  });

  describe('the controller, then the agents, then policies and CRDs @all', () => {
    const operator = useOperator(1800);

    it('leaves what one command gives back, which refuses as long as a controller leads', async () => {
      const early = await operator.release();
      expect(early.code, early.stderr).to.equal(1);
      expect(early.stderr).to.match(/controller \S+ leads, and would put everything back/);
      // Whoever names the wrong namespace must not release a fleet that somebody leads.
      const misled = await operator.release('--namespace', 'default');
      expect(misled.code, misled.stdout).to.equal(1);
      expect(misled.stderr).to.match(/controller \S+ leads, and would put everything back/);
      await operator.rig().rig.controller.stop('SIGTERM');
      await operator.stopAgents();
      await operator.rig().kubectl('delete', 'gpp', '--all', '--wait=false');
      expect(await operator.tracesOf('closed')).to.include('repartitioning');
      expect((await operator.rig().policy('whole')).metadata.finalizers).to.deep.equal(['gpupartition.dev/cleanup']);
      const { code, stdout, stderr } = await operator.release();
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/node closed: open again\. Its last change was interrupted/);
      expect(stdout).to.include('policy whole: it can be deleted without a controller');
      for (const name of names) await expectNothingOfOurs(operator.rig(), name);
      // The device of `closed` was never touched.
      const { metadata } = await operator.rig().node('closed');
      expect(metadata.labels).to.include({ 'nvidia.com/mig-3g.20gb.count': '2' });
      await operator.rig().kubectl(...crds, '--timeout=60s');
      expect((await operator.release()).stdout).to.equal('nothing of ours is left on nodes, policies and queues\n');
    });
  });

  describe('the CRDs while the controller runs @all', () => {
    const operator = useOperator(5);

    it('leaves the taint of a closed node to that command, and nothing else; the CRDs go when the deadline is over', async () => {
      await operator.rig().kubectl(...crds, '--timeout=120s');
      await operator.untilClean('done', 'whole');
      await operator.rig().rig.controller.stop('SIGTERM');
      await operator.stopAgents();
      const { code, stderr } = await operator.release();
      expect(code, stderr).to.equal(0);
      for (const name of names) await expectNothingOfOurs(operator.rig(), name);
    });
  });

  describe('the agents first @all', () => {
    const operator = useOperator(5);

    it('leaves nothing of ours: the controller lets go of nodes without them', async () => {
      await operator.stopAgents();
      await operator.rig().kubectl('delete', 'gpp', '--all', '--timeout=90s');
      await operator.untilClean(...names);
    });
  });

  describe('in the middle of a change @all', () => {
    const changing = ['applied', 'torn'] as const;
    const rig = useRig(
      changing.map((name) => ({ name, gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' })),
      { controllerArguments: ['--grant-deadline-seconds', '20'] },
    );
    const ask = (profiles: Readonly<Record<string, number>>): Promise<void> =>
      rig().apply('p', {
        nodeSelector: { matchLabels: { pool: 'p' } },
        layouts: [{ profiles }],
        rollout: { maxUnavailable: 2 },
      });
    const layoutLabels = async (name: string): Promise<readonly string[]> =>
      Object.keys((await rig().node(name)).metadata.labels).filter((key) => /^nvidia\.com\/mig-|gpu\.count$/.test(key));

    it('leaves nothing of ours, and no label of slices that are gone', async () => {
      await ask({ '3g.20gb': 2 });
      await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
      for (const name of changing) await writeFile(rig().rig.faultsFile(name), 'sleep DeviceCreateGpuInstance ms=4000');
      const before = new Map<string, number>();
      for (const name of changing) before.set(name, (await rig().rig.deviceOperations(name)).length);
      await ask({ '7g.40gb': 1 });
      for (const name of changing)
        await eventually(
          async () => (await rig().rig.deviceOperations(name)).slice(before.get(name)),
          (runs) => runs.some((argv) => argv.includes('-cgi')),
          { timeoutMs: 60_000, intervalMs: 20, what: `${name} creates its new slice` },
        );
      await rig().rig.controller.stop('SIGKILL');
      await rig().rig.agent('torn').stop('SIGKILL');
      await eventually(
        () => rig().partition('applied'),
        ({ spec, status }) => status?.device?.observedEpoch === spec.granted?.epoch,
        { timeoutMs: 60_000, what: 'applied is done' },
      );
      await stopAgents(rig());
      expect(await layoutLabels('applied')).to.include('nvidia.com/mig-3g.20gb.count');

      // The grant of `torn` has not expired, and neither has the lease of the controller that was killed.
      const { stdout } = await eventually(
        () => release(rig()),
        ({ code }) => code === 0,
        { timeoutMs: 120_000, intervalMs: 1000, what: 'everything released' },
      );
      expect(stdout).to.match(/node torn: open again/);
      for (const name of changing) await expectNothingOfOurs(rig(), name);
      expect(await layoutLabels('applied')).to.deep.equal(['nvidia.com/gpu.count']);
      expect(await layoutLabels('torn')).to.deep.equal([]);
      expect((await release(rig())).stdout).to.equal('nothing of ours is left on nodes, policies and queues\n');
    });
  });
});
