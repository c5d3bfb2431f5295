import { expect } from 'chai';
import { join } from 'node:path';
import { projectRoot } from '../../src/simulator/rig/programs.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { run } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { ownTaints, type RigNodeView, useRig } from '../support/rig.ts';

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
    this.timeout(180_000);
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

  /** What of ours is on a node; what says which of its labels tell of the layout, and for what its plugin was restarted, may stay. */
  async function tracesOf(name: string): Promise<readonly string[]> {
    const node = await rig().node(name);
    return [...ownTaints(node), ...ownLabels(node), ...Object.keys(node.metadata.annotations ?? {})]
      .map((key) => key.replace('gpupartition.dev/', ''))
      .filter((key) => !['managed-labels', 'plugin-refreshed'].includes(key));
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
    async stopAgents(): Promise<void> {
      await Promise.all(rig().rig.agents.map((agent) => agent.stop('SIGTERM')));
    },
    async release(...more: readonly string[]) {
      const kubeconfig = await rig().controlPlane.kubeconfigFile();
      return run(['release', '--kubeconfig', kubeconfig, ...more]);
    },
  };
}

function ownLabels({ metadata }: RigNodeView): readonly string[] {
  return Object.keys(metadata.labels).filter((key) => /^gpupartition\.dev\/|mig\.config\.state$/.test(key));
}

describe('uninstalling', function () {
  this.timeout(180_000);

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
    });
  });

  describe('the controller, then the agents, then policies and CRDs', () => {
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
      expect(stdout).to.match(/node closed: open again\. It was closed for a change that nobody finished/);
      expect(stdout).to.include('policy whole: it can be deleted without a controller');
      await operator.untilClean(...names);
      await operator.rig().kubectl(...crds, '--timeout=60s');
      expect((await operator.release()).stdout).to.equal('nothing of ours is left on nodes and policies\n');
    });
  });

  describe('the CRDs while the controller runs', () => {
    const operator = useOperator(5);

    it('leaves the taint of a closed node to that command, and nothing else; the CRDs go when the deadline is over', async () => {
      await operator.rig().kubectl(...crds, '--timeout=120s');
      await operator.untilClean('done', 'whole');
      await operator.rig().rig.controller.stop('SIGTERM');
      await operator.stopAgents();
      const { code, stderr } = await operator.release();
      expect(code, stderr).to.equal(0);
      await operator.untilClean(...names);
    });
  });

  describe('the agents first', () => {
    const operator = useOperator(5);

    it('leaves nothing of ours: the controller lets go of nodes without them', async () => {
      await operator.stopAgents();
      await operator.rig().kubectl('delete', 'gpp', '--all', '--timeout=90s');
      await operator.untilClean(...names);
    });
  });
});
