import { expect } from 'chai';
import { describeDeployment } from '../../src/simulator/rig/workloads.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { run } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { useRig } from '../support/rig.ts';

const nodeSelector = { matchLabels: { pool: 'p' } };
const names = ['n1', 'n2'];
const nodes = names.map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p', half: name },
  strategy: 'mixed',
}));
const small = 'nvidia.com/mig-1g.5gb';
const whole = 'nvidia.com/mig-7g.40gb';

describe('gpu-partition defrag --apply @all', function () {
  this.timeout(300_000);
  const rig = useRig(nodes);

  const offered = async (resource: string): Promise<number> => {
    const all = await Promise.all(names.map((name) => rig().node(name)));
    return all.reduce((sum, { status }) => sum + Number(status.allocatable?.[resource] ?? 0), 0);
  };
  const running = async (): Promise<number> => {
    return (await rig().list('/api/v1/namespaces/default/pods?fieldSelector=status.phase=Running')).length;
  };
  const demand = (evict: 'Never' | 'IfNeeded', count: number) =>
    rig().apply('p', {
      nodeSelector,
      demand: { evict, cooldown: '1s', slices: [{ name: 'small', profiles: ['1g.5gb'], count }] },
    });
  const defrag = async (...argv: readonly string[]) =>
    run(['defrag', ...argv, '--kubeconfig', await rig().controlPlane.kubeconfigFile()]);
  const stateOf = async () => (await rig().policy('p')).status?.defrag;
  const epochs = () => Promise.all(names.map(async (name) => (await rig().partition(name)).spec.granted?.epoch));

  before(async () => {
    await demand('Never', 8);
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 90_000);
    // A slice counts when it is made, and takes pods when its node is open.
    await eventually(
      () => offered(small),
      (count) => count === 8,
      { timeoutMs: 60_000, what: 'the slices of both nodes' },
    );
    // Slices are offered a moment before their node is open; all pods would go to the other node.
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    // At least one pod for each node: no GPU is free of them.
    for (const half of names) {
      const prefers = { key: 'half', value: half };
      await rig().create(
        describeDeployment({ name: `work-${half}`, resource: small, replicas: half === 'n1' ? 1 : 2, prefers }),
      );
    }
    await eventually(running, (count) => count === 3, { timeoutMs: 90_000, what: 'three pods to run' });
    await eventually(
      async () => (await rig().policy('p')).status?.demand?.[0]?.used,
      (used) => used === 3,
      { timeoutMs: 60_000, what: 'three slices to be in use' },
    );
  });

  it('asks nothing of a policy that evicts nobody where a pod would have to go', async () => {
    await demand('Never', 3);
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
    const { code, stdout, stderr } = await defrag('--free', '7g.40gb=1', '--apply');
    expect(code).to.equal(1);
    expect(stdout).to.match(/demand\.evict\s+Never\s+of\s+the\s+policy\s+forbids/);
    expect(stderr).to.include('not applied: see above');
    expect(await stateOf()).to.equal(undefined);
  });

  it('has the controller move the fewest pods, each of which runs again, and says when it is done', async () => {
    await demand('IfNeeded', 3);
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
    const { code, stdout, stderr } = await defrag('--free', '7g.40gb=1', '--apply');
    expect({ code, stdout }).to.deep.include({ code: 0 });
    expect(stdout).to.include('1 pod moves');
    expect(stderr).to.include('requested of policy p');
    await eventually(stateOf, (state) => state?.state === 'Done', { timeoutMs: 120_000, what: 'the slice to be free' });
    expect(await offered(whole)).to.equal(1);
    await eventually(running, (count) => count === 3, { timeoutMs: 90_000, what: 'three pods to run again' });
    const evictions = (await rig().writes()).filter((write) => write.includes('eviction'));
    expect(evictions).to.have.lengthOf(1);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
  });

  it('is done once, whoever leads: a new leader moves nothing, and the slice stays idle', async () => {
    const [before, state] = [await epochs(), await stateOf()];
    await rig().rig.controller.stop('SIGKILL');
    rig().rig.controller.start();
    // An edit without another effect shows that the new leader has planned.
    await rig().apply('p', {
      nodeSelector,
      demand: { evict: 'IfNeeded', cooldown: '1s', slices: [{ name: 'few', profiles: ['1g.5gb'], count: 2 }] },
    });
    await eventually(
      async () => (await rig().policy('p')).status?.demand?.[0]?.name,
      (name) => name === 'few',
      { timeoutMs: 60_000, what: 'the new leader to plan' },
    );
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect(await stateOf()).to.deep.equal(state);
    expect(await epochs()).to.deep.equal(before);
    expect(await offered(whole)).to.equal(1);
  });

  it('refuses in the status what cannot be done', async () => {
    await rig().kubectl('annotate', '--overwrite', 'gpp', 'p', 'gpupartition.dev/defrag=7g.40gb=2');
    await eventually(stateOf, (state) => state?.state === 'Refused', { timeoutMs: 60_000, what: 'the refusal' });
    expect((await stateOf())?.message).to.include('there is no room beside the demand and what runs');
    expect(await running()).to.equal(3);
  });
});
