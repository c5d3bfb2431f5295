import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { fullDemandSpec, fullScheduleSpec, fullSpec } from '../cli/policy-mutations.ts';

describe('CRDs on the real API server', () => {
  const cluster = useSharedCluster();

  /** Applies a policy as a user does, and returns kubectl's words; empty where it was accepted. */
  async function apply(spec: object, name = uniqueName('crd')): Promise<string> {
    const object = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name }, spec };
    const { code, stderr } = await cluster().kubectl(['apply', '--dry-run=server', '-f', '-'], {
      input: stringify(object),
    });
    return code === 0 ? '' : stderr;
  }

  const good = {
    nodeSelector: { matchLabels: { pool: 'p' } },
    strategy: 'mixed',
    layouts: [{ gpus: { models: ['A100-*-40GB'] }, profiles: { '1g.5gb': 2, '3g.20gb': 1 } }, { mig: 'Disabled' }],
  };

  it('take a good policy, and every field of the design', async () => {
    expect(await apply(good)).to.equal('');
    expect(await apply({ ...fullSpec, mode: 'Plan' })).to.equal('');
    expect(await apply(fullDemandSpec)).to.equal('');
    expect(await apply(fullScheduleSpec)).to.equal('');
  });

  it('take a policy whose status has what an earlier version wrote, and drop that', async () => {
    const name = uniqueName('crd');
    const object = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name },
      spec: good,
    };
    await cluster().kubectl(['create', '-f', '-'], { input: stringify(object) });
    const status = { acceptedGeneration: 1, previous: { generation: 1, spec: good } };
    const patch = ['patch', 'gpp', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    expect(await cluster().kubectl(patch)).to.include({ code: 0 });
    const { stdout } = await cluster().kubectl(['get', 'gpp', name, '-o', 'jsonpath={.status}']);
    expect(JSON.parse(stdout)).to.deep.equal({ acceptedGeneration: 1 });
    await cluster().kubectl(['delete', 'gpp', name]);
  });

  const refused: readonly (readonly [string, object, RegExp])[] = [
    [
      'a profile that is none',
      { layouts: [{ profiles: { '3G.20gb': 1 } }] },
      /a profile is written as nvidia-smi writes it/,
    ],
    ['a negative count', { layouts: [{ profiles: { '1g.5gb': -1 } }] }, /greater than or equal to 1/],
    ['a count of zero', { layouts: [{ profiles: { '1g.5gb': 0 } }] }, /greater than or equal to 1/],
    ['single with two profiles', { strategy: 'single' }, /strategy single needs exactly one profile/],
    [
      'mixed with compute instances',
      { layouts: [{ profiles: { '1c.3g.20gb': 3 } }] },
      /strategy mixed cannot advertise/,
    ],
    [
      'profiles beside a preset',
      { layouts: [{ profiles: { '1g.5gb': 1 }, preset: 'all-balanced' }] },
      /exactly one of profiles, preset and mig/,
    ],
    [
      'a layout that says nothing',
      { layouts: [{ gpus: { indices: [0] } }] },
      /exactly one of profiles, preset and mig/,
    ],
    ['an unknown field', { drainn: {} }, /unknown field "spec.drainn"/],
    ['an empty selector', { nodeSelector: {} }, /nodeSelector must not be empty/],
    [
      'a selector by a label that a layout changes',
      { nodeSelector: { matchLabels: { 'nvidia.com/gpu.product': 'x' } } },
      /a label that a layout changes/,
    ],
    [
      'the same as an expression',
      { nodeSelector: { matchExpressions: [{ key: 'nvidia.com/mig-1g.5gb.count', operator: 'Exists' }] } },
      /a label that a layout changes/,
    ],
    ['more than 100 percent', { rollout: { maxUnavailable: '101%' } }, /maxUnavailable.* should match '\^\(100/],
    ['a shell in a model', { layouts: [{ gpus: { models: ['$(reboot)'] }, mig: 'Disabled' }] }, /should match/],
    ['an unknown strategy', { strategy: 'multi' }, /Unsupported value: "multi"/],
  ];
  for (const [what, change, words] of refused) {
    it(`refuse ${what}, in words that help`, async () => {
      expect(await apply({ ...good, ...change })).to.match(words);
    });
  }

  it('refuse a profile table that no driver prints, which could keep every planner busy', async () => {
    const profile = { name: '1g.5gb', id: 19, computeSlices: 1, memorySlices: 1, starts: [0, 1], maxInstances: 7 };
    const table = { product: 'NVIDIA A100-SXM4-40GB', computeSlices: 7, memorySlices: 8, profiles: [profile] };
    const times = (count: number): readonly object[] => Array.from({ length: count }, () => profile);
    const name = uniqueName('table');
    const object = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuNodePartition', metadata: { name } };
    const partition = { ...object, spec: { nodeUID: 'u' } };
    await cluster().kubectl(['create', '-f', '-'], { input: stringify(partition) });
    const report = async (model: object): Promise<string> => {
      const patch = JSON.stringify({ status: { device: { models: [{ ...table, ...model }] } } });
      const args = ['patch', 'gpn', name, '--subresource=status', '--dry-run=server', '--type=merge', '-p', patch];
      const { code, stderr } = await cluster().kubectl(args);
      return code === 0 ? '' : stderr;
    };
    expect(await report({})).to.equal('');
    expect(await report({ computeSlices: 30, memorySlices: 30, profiles: times(8) })).to.match(
      /memorySlices: Invalid value: 30: .* less than or equal to 16/,
    );
    expect(await report({ profiles: times(33) })).to.match(/must have at most 32 items/);
    for (const wrong of [{ maxInstances: 17 }, { starts: [-1] }, { starts: [16] }, { memorySlices: -1 }, { id: -1 }]) {
      expect(await report({ profiles: [{ ...profile, ...wrong }] })).to.match(/Invalid value/);
    }
  });

  it('refuse to let the epoch of a grant go back, or the grant go', async () => {
    const name = uniqueName('epoch');
    const granted = { gpus: [], epoch: 7, planHash: 'h', deadline: '2026-01-01T00:00:00Z' };
    const object = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuNodePartition', metadata: { name } };
    await cluster().kubectl(['create', '-f', '-'], {
      input: stringify({ ...object, spec: { nodeUID: 'u', granted } }),
    });
    const patch = async (change: object): Promise<string> => {
      const args = ['patch', 'gpn', name, '--type=merge', '-p', JSON.stringify({ spec: { granted: change } })];
      return (await cluster().kubectl(args)).stderr;
    };
    expect(await patch({ epoch: 6 })).to.match(/a grant is never removed, and its epoch never decreases/);
    const args = ['patch', 'gpn', name, '--type=merge', '-p', '{"spec":{"granted":null}}'];
    expect((await cluster().kubectl(args)).stderr).to.match(/to start over, delete the object/);
    expect(await patch({ planHash: '' })).to.equal('');
    expect(await patch({ epoch: 8 })).to.equal('');
  });

  it('refuse a name that would be no label value', async () => {
    expect(await apply(good, 'x'.repeat(64))).to.match(/at most 63 characters/);
  });

  it('hold the largest policy that they allow', async () => {
    const profiles = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`1g.${index + 1}gb`, 1]));
    expect(await apply({ ...good, layouts: Array.from({ length: 8 }, () => ({ profiles })) })).to.equal('');
    const globs = Array.from({ length: 32 }, (_, index) => `A100-*-${index}`);
    const selected = (count: number) =>
      Array.from({ length: count }, () => ({ gpus: { models: globs }, mig: 'Disabled' }));
    expect(await apply({ ...good, layouts: selected(8) })).to.equal('');
    expect(await apply({ ...good, layouts: selected(9) })).to.include('at most 256 models selectors');
    expect(await apply({ ...good, layouts: Array.from({ length: 9 }, () => ({ profiles })) })).to.include(
      'at most 256 profiles',
    );
    const scheduled = (count: number, layouts: readonly object[]) =>
      Array.from({ length: count }, (_, index) => ({
        name: `s${index}`,
        schedule: '0 22 * * *',
        duration: '8h',
        layouts,
      }));
    expect(await apply({ ...good, schedules: scheduled(8, [{ profiles }]) })).to.equal('');
    expect(await apply({ ...good, schedules: scheduled(8, [{ profiles }, { profiles: { '1g.5gb': 1 } }]) })).to.include(
      'at most 256 profiles in all layouts of the schedules together',
    );
    expect(await apply({ ...good, schedules: scheduled(8, [...selected(1), ...selected(1)]) })).to.include(
      'at most 256 models selectors in all layouts of the schedules together',
    );
    expect(await apply({ ...good, schedules: scheduled(9, [{ mig: 'Disabled' }]) })).to.match(
      /must have at most 8 items/,
    );
  });

  it('default what is honoured and nothing else, so that GitOps shows no drift', async () => {
    const name = uniqueName('defaults');
    const object = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name },
      spec: good,
    };
    const { stdout } = await cluster().kubectl(['apply', '--dry-run=server', '-o', 'json', '-f', '-'], {
      input: stringify(object),
    });
    const { spec } = JSON.parse(stdout) as { readonly spec: object };
    expect(spec).to.deep.equal({
      ...good,
      priority: 0,
      mode: 'Enforce',
      backend: 'DevicePlugin',
      drain: { scope: 'Affected', timeout: '10m', onTimeout: 'Skip' },
      rollout: { maxUnavailable: 1, failureThreshold: 1, paused: false, rollback: 'OnFailure' },
      allow: { gpuReset: true },
      onDelete: 'Keep',
    });
  });

  it('explain every field', async () => {
    // The server's OpenAPI document follows its CRDs a moment later.
    const { stdout } = await eventually(
      () => cluster().kubectl(['explain', 'gpp.spec.layouts.gpus', '--recursive=false']),
      ({ code }) => code === 0,
      { timeoutMs: 15_000, what: 'the kind is explained' },
    );
    expect(stdout).to.include('models').and.include('GPU models as globs');
  });

  it('serve every sample', async () => {
    for (const folder of ['samples', 'samples/workloads']) {
      const { code, stderr } = await cluster().kubectl(['apply', '--dry-run=server', '-k', folder]);
      expect(code, stderr).to.equal(0);
    }
  });

  it('serve config/default as a whole', async () => {
    // A dry run makes no namespace for what would be in it: the two namespaces have to be there.
    const namespaces = await readFile('config/rbac/namespaces.yaml', 'utf8');
    await cluster().kubectl(['apply', '-f', '-'], { input: namespaces });
    const { code, stdout, stderr } = await cluster().kubectl(['apply', '--dry-run=server', '-k', 'config/default']);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('daemonset.apps/gpu-partition-agent');
  });
});
