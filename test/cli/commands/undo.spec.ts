import { expect } from 'chai';
import { parse } from 'yaml';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import {
  type UndoAnswer,
  recordInForce,
  accept,
  readVersions,
  storeVersions,
} from '../../../src/core/policy/record.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { uniqueName, useSharedCluster } from '../../support/cluster.ts';
import { jsonRunner, run } from '../run.ts';
import { SpokenApi } from '../spoken-api.ts';

const path = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';

describe('gpu-partition undo', () => {
  const cluster = useSharedCluster();
  const scratch = useScratchFolder();
  let kubeconfig: string;
  let name: string;

  before(async () => {
    kubeconfig = await cluster().kubeconfigFile();
  });
  beforeEach(() => (name = uniqueName('undo')));
  afterEach(() => cluster().client.send({ method: 'DELETE', path: `${path}/${name}` }));

  const undo = (...more: readonly string[]) => run(['undo', name, '--kubeconfig', kubeconfig, ...more]);
  const layouts = (count: number) => [{ profiles: { '1g.5gb': count } }];
  const read = async (): Promise<GpuPartitionPolicy> =>
    (await cluster().client.demand({ path: `${path}/${name}` })) as GpuPartitionPolicy;

  async function write(count: number, more: object = {}): Promise<void> {
    const nodeSelector = { matchLabels: { pool: name } };
    const spec = { nodeSelector, strategy: 'mixed', layouts: layouts(count), ...more };
    const body = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name }, spec };
    await cluster().client.demand({
      method: 'PATCH',
      path: `${path}/${name}?fieldManager=gitops&force=true`,
      contentType: 'application/apply-patch+yaml',
      body,
    });
  }

  /** As the controller does when it accepts what is there. */
  async function acceptIt(): Promise<void> {
    const policy = await read();
    const versions = accept(readVersions(policy));
    const history = recordInForce(policy.status?.history ?? [], versions, '2026-01-01T12:00:00Z');
    await cluster().client.demand({
      method: 'PATCH',
      path: `${path}/${name}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { ...storeVersions(versions), history } },
    });
  }

  it('prints the generation in force for review, as an author would write it, and writes nothing', async () => {
    await write(4);
    await acceptIt();
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
    await acceptIt();
    await write(9);
    const { code, stdout, stderr } = await undo('--apply');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^wrote generation 1 of policy /);
    const { metadata, spec } = await read();
    expect([metadata.generation, spec.layouts]).to.deep.equal([3, layouts(4)]);
  });

  it('goes back from an edit that was accepted to what was in force before it, and from that again', async () => {
    await write(4);
    await acceptIt();
    await write(7);
    await acceptIt();
    const { stdout, stderr } = await undo();
    expect((parse(stdout) as GpuPartitionPolicy).spec.layouts).to.deep.equal(layouts(4));
    expect(stderr).to.match(
      /^generation 1 of policy .*, which was in force before, instead of generation 2, which is in force; gitops wrote/,
    );
    expect((await undo('--apply')).code).to.equal(0);
    expect((await read()).spec.layouts).to.deep.equal(layouts(4));
    await acceptIt();
    expect((await undo('--apply')).stdout).to.match(
      /^this brings back what the newest edit had undone: wrote generation 2 of policy .* instead of generation 3/,
    );
    expect((await read()).spec.layouts).to.deep.equal(layouts(7));
  });

  it('goes back behind an emergency stop, leaves the stop, and says how to resume', async () => {
    for (const [stop, words, edit] of [
      [{ rollout: { paused: true } }, 'paused', '{"spec":{"rollout":{"paused":false}}}'],
      [{ mode: 'Plan' }, 'in mode Plan', '{"spec":{"mode":"Enforce"}}'],
    ] as const) {
      await write(4);
      await acceptIt();
      await write(7);
      await acceptIt();
      await write(7, stop);
      await acceptIt();
      const { stdout } = await undo('--apply');
      expect(stdout.split('\n')[1]).to.equal(
        `policy ${name} is still ${words}. To resume: kubectl patch gpp ${name} --type=merge -p '${edit}'`,
      );
      const { spec } = await read();
      expect(spec.layouts).to.deep.equal(layouts(4));
      expect([spec.mode, spec.rollout?.paused]).to.deep.equal(words === 'paused' ? ['Enforce', true] : ['Plan', false]);
      const { answer } = await jsonRunner<UndoAnswer>()(['undo', name, '--kubeconfig', kubeconfig]);
      expect(answer.resume).to.contain(edit);
      expect(answer.policy.spec.layouts, 'and back').to.deep.equal(layouts(7));
      expect(answer.message).to.match(/^this brings back what the newest edit had undone: generation \d+ of/);
      await cluster().client.send({ method: 'DELETE', path: `${path}/${name}` });
    }
  });

  it('is not in the way of the controller, which writes the status meanwhile', async () => {
    await write(4);
    await acceptIt();
    await write(9);
    const stored = await read();
    await using api = await SpokenApi.start((method, _, body) => {
      if (method !== 'PATCH') return stored;
      // By then the status is another one, and the spec is not.
      const now = { generation: stored.metadata.generation, resourceVersion: 'later' };
      const tests = (
        JSON.parse(body) as { readonly op: string; readonly path: string; readonly value: unknown }[]
      ).filter(({ op }) => op === 'test');
      const holds = tests.every(({ path: at, value }) =>
        Object.entries(now).some(([key, is]) => at === `/metadata/${key}` && is === value),
      );
      return holds ? stored : 422;
    });
    const config = api.writeKubeconfig(scratch.path('config'));
    const { code, stderr } = await run(['undo', name, '--apply', '--kubeconfig', config]);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  });

  it('has nothing to undo where the first generation is in force, or none ever was', async () => {
    await write(4);
    expect(await undo()).to.deep.include({
      code: 1,
      stdout: '',
      stderr: `error: no generation of policy ${name} was ever accepted with mode Enforce\n`,
    });
    await acceptIt();
    expect((await undo('--apply')).stderr).to.contain(`nothing to undo: no earlier generation of policy ${name}`);
    expect((await run(['undo', 'not-there', '--kubeconfig', kubeconfig])).code).to.equal(2);
  });
});
