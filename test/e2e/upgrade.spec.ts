import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import { renderFolder } from '../api/installation.ts';
import { templateOf, type WorkloadTemplate } from '../config/workload.ts';
import { eventually } from '../support/eventually.ts';
import { installOld, removeManifests } from '../support/old-installation.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const run = promisify(execFile);
const name = 'gpu-1';
/** As docs/install.md says: kubectl owned the fields before, by its apply on the client's side. */
const apply = ['apply', '--server-side', '--force-conflicts', '-k'];
const layout = '2 GPUs: 2×1g.5gb + 1×2g.10gb + 1×3g.20gb';

describe('an installation of 0.1.0', function () {
  const gpus = ['A100-SXM4-40GB', 'A100-SXM4-40GB'];
  const rig = useRig([{ name, gpus, labels: { pool: 'inference' }, strategy: 'mixed' }]);
  const kubectl = (...args: string[]): Promise<string> => rig().kubectl(...args);

  async function stopPrograms(): Promise<void> {
    await rig().rig.controller.stop('SIGTERM');
    await rig().rig.agent(name).stop('SIGTERM');
  }

  function startPrograms(): void {
    rig().rig.controller.start();
    rig().rig.agent(name).start();
  }

  /** What this checkout installs goes; accounts stay. */
  async function uninstall(): Promise<void> {
    await kubectl('delete', 'gpp', '--all', '--wait');
    await stopPrograms();
    await removeManifests(rig().controlPlane, await kubectl('kustomize', 'config/default'));
  }

  before(async () => {
    await uninstall();
    // What 0.1.0 made of the policy.
    for (const index of ['0', '1']) {
      for (const argv of [
        ['-mig', '1'],
        ['mig', '-cgi', '14:0,19:2,19:3,9:4', '-C'],
      ]) {
        const [first = '', ...others] = argv;
        const all = first === 'mig' ? [first, '-i', index, ...others] : ['-i', index, ...argv];
        await run(join(rig().rig.folder, name, 'nvidia-smi'), all);
      }
    }
    const uid = await kubectl('get', 'node', name, '-o', 'jsonpath={.metadata.uid}');
    const bootId = (await readFile(join(rig().rig.folder, name, 'boot-id'), 'utf8')).trim();
    await installOld(rig().controlPlane, { uid, bootId });
  });

  it('takes the present CRDs server-side, and every object stays as it was', async () => {
    const [policy, partition] = [await rig().policy('inference'), await rig().partition(name)];
    await kubectl(...apply, 'config/crd');
    // Served by the new schema: a write that changes nothing is checked by it.
    await kubectl('annotate', 'gpp/inference', `gpn/${name}`, 'upgraded=yes');
    const [policyNow, partitionNow] = [await rig().policy('inference'), await rig().partition(name)];
    expect(policyNow.metadata.uid).to.equal(policy.metadata.uid);
    expect(policyNow.metadata.generation, 'no new wish of the user').to.equal(policy.metadata.generation);
    expect(policyNow.spec).to.deep.include(policy.spec);
    expect(policyNow.status).to.deep.equal(policy.status);
    expect(partitionNow.metadata.uid).to.equal(partition.metadata.uid);
    expect(partitionNow.spec).to.deep.equal(partition.spec);
    expect(partitionNow.status).to.deep.equal(partition.status);
  });

  it('takes the present manifests server-side, and nothing of the old pods stays in the new', async () => {
    await kubectl(...apply, 'config/default');
    const objects = await renderFolder('config/default');
    for (const [kind, namespace, workload] of [
      ['Deployment', 'gpu-partition-system', 'gpu-partition-controller'],
      ['DaemonSet', 'gpu-partition-agents', 'gpu-partition-agent'],
    ] as const) {
      const text = await kubectl('get', kind, workload, '-n', namespace, '-o', 'json');
      const { spec } = JSON.parse(text) as { readonly spec: { readonly template: WorkloadTemplate } };
      const wanted = templateOf(objects, kind).spec;
      expect(spec.template.spec.volumes.map((volume) => volume.name)).to.have.members(
        wanted.volumes.map((volume) => volume.name),
      );
      expect(spec.template.spec.containers[0]?.args).to.deep.equal(wanted.containers[0]?.args);
    }
  });

  it('is taken over by the present programs without a device operation, nor a closed node', async () => {
    const before = await rig().rig.deviceOperations(name);
    const { metadata } = await rig().policy('inference');
    startPrograms();
    // The status of before says Ready as well: what 0.1.0 never wrote shows that the present controller has looked.
    await eventually(
      () => rig().policy('inference'),
      ({ status }) => status?.acceptedGeneration === metadata.generation,
      { timeoutMs: 120_000, what: 'the word of the present controller' },
    );
    const policy = await rig().waitFor('inference', 'Ready', 'True', 'Ready', 120_000);
    expect(policy.metadata).to.deep.include({ uid: metadata.uid, generation: metadata.generation });
    expect((await rig().partition(name)).status).to.deep.include({ phase: 'Ready', layout });
    expect(await rig().rig.deviceOperations(name)).to.deep.equal(before);
    expect(ownTaints(await rig().node(name))).to.deep.equal([]);
    const writes = (await rig().writes()).filter((write) => write.endsWith(` nodes ${name}`));
    expect(writes.length, 'the node is written once at the most').to.be.at.most(1);
  });

  it('changes layouts while the admission policy of 0.1.0 is still there, and without it', async () => {
    expect(await kubectl('get', 'validatingadmissionpolicies', '-o', 'name')).to.include('/gpu-partition-controller\n');
    await kubectl('patch', 'gpp', 'inference', '--type=json', '-p', edit({ '1g.5gb': 4, '3g.20gb': 1 }));
    await rig().waitFor('inference', 'Ready', 'True', 'Ready', 120_000);
    await kubectl('delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', 'gpu-partition-controller');
    await kubectl('patch', 'gpp', 'inference', '--type=json', '-p', edit({ '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 }));
    await rig().waitFor('inference', 'Ready', 'True', 'Ready', 120_000);
    expect((await rig().partition(name)).status?.layout).to.equal(layout);
  });

  it('is uninstalled and installed again, and the layout is adopted without a device operation @all', async () => {
    const policy = await kubectl('get', 'gpp', 'inference', '-o', 'jsonpath={.metadata.annotations}');
    const { 'kubectl.kubernetes.io/last-applied-configuration': applied } = JSON.parse(policy) as Readonly<
      Record<string, string>
    >;
    await uninstall();
    expect(ownTaints(await rig().node(name))).to.deep.equal([]);
    const before = await rig().rig.deviceOperations(name);
    // A new disk, or a new agent: nothing that it could remember.
    await rm(join(rig().rig.folder, name, 'agent'), { recursive: true, force: true });
    await applyFolder(rig().controlPlane, 'config/default');
    startPrograms();
    await rig().create(JSON.parse(applied ?? '') as object);
    await rig().waitFor('inference', 'Ready', 'True', 'Ready', 120_000);
    await eventually(
      () => rig().partition(name),
      ({ status }) => status?.phase === 'Ready' && status.layout === layout,
      { timeoutMs: 30_000, what: 'the adopted node' },
    );
    expect(await rig().rig.deviceOperations(name)).to.deep.equal(before);
  });
});

function edit(profiles: Readonly<Record<string, number>>): string {
  return JSON.stringify([{ op: 'replace', path: '/spec/layouts/0/profiles', value: profiles }]);
}
