import { expect } from 'chai';
import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { describeDeployment } from '../../src/simulator/rig/workloads.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { FleetRecorder } from '../support/fleet-recorder.ts';
import { useRig } from '../support/rig.ts';

const names = Array.from({ length: 12 }, (_, index) => `n${String(index).padStart(2, '0')}`);
const nodes = names.map((name): RigNode => ({ name, gpus: ['A30'], labels: { pool: 'p' }, strategy: 'mixed' }));
const budget = 4;

interface PodView {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: { readonly phase: string };
}

describe('a pool of 12 nodes that follows its pods @all', function () {
  this.timeout(300_000);
  const rig = useRig(nodes);
  let recorder: FleetRecorder;

  before(async () => {
    const kubeconfig = await rig().controlPlane.kubeconfigFile({});
    recorder = await FleetRecorder.start(new KubeClient(loadKubeConfig({ kubeconfig }), 'recorder'));
  });

  afterEach(async () => {
    expect(recorder.hasSeenAll, 'every revision was seen').to.equal(true);
    expect(recorder.broken).to.deep.equal([]);
    const evicted = (await rig().writes()).filter((write) => write.includes('eviction'));
    expect(evicted, 'pods that were evicted').to.deep.equal([]);
  });
  after(async () => recorder.stop());

  /** The pods of an application that stay. */
  async function listPods(app: string): Promise<readonly PodView[]> {
    const pods = await rig().list<PodView>(`/api/v1/namespaces/default/pods?labelSelector=app=${app}`);
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  const scale = (app: string, replicas: number): Promise<string> =>
    rig().kubectl('scale', `deployment/${app}`, `--replicas=${replicas}`);
  const untilRun = (app: string, replicas: number): Promise<readonly PodView[]> =>
    eventually(
      () => listPods(app),
      (pods) => pods.length === replicas && pods.every(({ status }) => status.phase === 'Running'),
      { timeoutMs: 150_000, what: `${replicas} pods of ${app} to run` },
    );
  const untilQuiet = async (): Promise<void> => {
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 90_000);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
  };
  const grants = async (): Promise<number> => {
    const partitions = await Promise.all(names.map((name) => rig().partition(name)));
    return partitions.reduce((sum, { spec }) => sum + (spec.granted?.epoch ?? 0), 0);
  };
  const deploy = (name: string, profile: string, replicas: number): Promise<void> => {
    const resource = `nvidia.com/mig-${profile}`;
    return rig().create(describeDeployment({ name, resource, replicas, prefers: { key: 'pool', value: 'p' } }));
  };

  it('makes the slices that pods wait for, a few nodes at a time', async () => {
    recorder.begin(budget);
    await rig().apply('p', {
      nodeSelector: { matchLabels: { pool: 'p' } },
      rollout: { maxUnavailable: budget },
      demand: {
        from: 'Pods',
        stabilization: '3s',
        cooldown: '5s',
        slices: [
          { name: 'small', profiles: ['1g.6gb'], spare: 2 },
          { name: 'large', profiles: ['2g.12gb'] },
        ],
      },
    });
    await deploy('small', '1g.6gb', 44);
    await deploy('large', '2g.12gb', 0);
    await untilRun('small', 44);
    await untilQuiet();
    expect(recorder.most).to.equal(budget);
  });

  it('gives what falls idle to larger ones when the pods shift, and leaves all others running', async () => {
    await scale('small', 10);
    const staying = (await untilRun('small', 10)).map(({ metadata }) => metadata.uid).sort();
    recorder.begin(budget);
    await scale('large', 12);
    await untilRun('large', 12);
    expect((await untilRun('small', 10)).map(({ metadata }) => metadata.uid).sort()).to.deep.equal(staying);
    await untilQuiet();
    expect(recorder.admitted.length, 'nodes that changed').to.be.greaterThan(3);
  });

  it('stays as it is while one pod more comes and goes', async () => {
    const before = await grants();
    for (const app of ['small', 'large', 'small']) {
      const replicas = app === 'small' ? 10 : 12;
      await scale(app, replicas + 1);
      // A spare slice takes the small one; the large one goes while it waits.
      if (app === 'small') await untilRun(app, replicas + 1);
      else
        await eventually(
          () => listPods(app),
          (pods) => pods.length > replicas,
          { what: 'one large pod more' },
        );
      await scale(app, replicas);
      await untilRun(app, replicas);
    }
    await untilQuiet();
    // At most the one slice more that a pod which stayed long enough was given.
    expect((await grants()) - before).to.be.at.most(1);
  });
});
