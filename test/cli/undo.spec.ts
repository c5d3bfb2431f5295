import { expect } from 'chai';
import { parse } from 'yaml';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import type { UndoAnswer } from '../../src/cli/commands/undo.ts';
import { installKinds, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { jsonRunner, run } from './run.ts';

const path = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';

describe('gpu-partition undo', () => {
  const cluster = useSharedCluster();
  let kubeconfig: string;
  let name: string;

  before(async () => {
    await installKinds(cluster());
    kubeconfig = await cluster().kubeconfigFile();
  });
  beforeEach(() => (name = uniqueName('undo')));
  afterEach(() => cluster().client.send({ method: 'DELETE', path: `${path}/${name}` }));

  const undo = (...more: readonly string[]) => run(['undo', name, '--kubeconfig', kubeconfig, ...more]);
  const layouts = (count: number) => [{ profiles: { '1g.5gb': count } }];
  const read = async (): Promise<GpuPartitionPolicy> =>
    (await cluster().client.demand({ path: `${path}/${name}` })) as GpuPartitionPolicy;

  async function write(count: number): Promise<void> {
    const spec = { nodeSelector: { matchLabels: { pool: name } }, strategy: 'mixed', layouts: layouts(count) };
    const body = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name }, spec };
    await cluster().client.demand({
      method: 'PATCH',
      path: `${path}/${name}?fieldManager=gitops&force=true`,
      contentType: 'application/apply-patch+yaml',
      body,
    });
  }

  /** As the controller does when it accepts what is there. */
  async function accept(): Promise<void> {
    const { metadata, spec } = await read();
    const { generation } = metadata;
    await cluster().client.demand({
      method: 'PATCH',
      path: `${path}/${name}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { acceptedGeneration: generation, inForce: { generation, spec } } },
    });
  }

  it('prints the generation in force for review, as an author would write it, and writes nothing', async () => {
    await write(4);
    await accept();
    await write(9);
    const { code, stdout, stderr } = await undo();
    expect(code).to.equal(0);
    const policy = parse(stdout) as GpuPartitionPolicy;
    expect(policy.spec.layouts).to.deep.equal(layouts(4));
    expect(Object.keys(policy)).to.deep.equal(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(policy.metadata).to.deep.equal({ name });
    expect(stderr).to.match(
      /^generation 1 of policy .*, which is in force, instead of generation 2; gitops wrote that at .*: if it comes from Git/,
    );
    expect((await read()).metadata.generation).to.equal(2);
    const { answer } = await jsonRunner<UndoAnswer>()(['undo', name, '--kubeconfig', kubeconfig]);
    expect(answer).to.deep.include({ policy, generation: 1, replaces: 2, isApplied: false });
  });

  it('writes it with --apply', async () => {
    await write(4);
    await accept();
    await write(9);
    const { code, stdout, stderr } = await undo('--apply');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^wrote generation 1 of policy /);
    const { metadata, spec } = await read();
    expect([metadata.generation, spec.layouts]).to.deep.equal([3, layouts(4)]);
  });

  it('has nothing to undo where the newest generation is in force, or none ever was', async () => {
    await write(4);
    expect(await undo()).to.deep.include({
      code: 1,
      stdout: '',
      stderr: `error: no generation of policy ${name} was ever accepted with mode Enforce\n`,
    });
    await accept();
    expect((await undo('--apply')).stderr).to.contain(`nothing to undo: generation 1 of policy ${name} is in force`);
    expect((await run(['undo', 'not-there', '--kubeconfig', kubeconfig])).code).to.equal(2);
  });
});
