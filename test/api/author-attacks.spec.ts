import { expect } from 'chai';
import { createNamespace, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { attempt } from './attempt.ts';

describe('the author of a policy', () => {
  const cluster = useSharedCluster();
  const path = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';
  let editor = '';
  let admin = '';

  before(async function () {
    const namespace = await createNamespace(cluster(), 'authors');
    const account = async (name: string, ...roles: readonly string[]): Promise<string> => {
      await cluster().kubectl(['create', 'serviceaccount', name, '-n', namespace]);
      for (const role of roles) {
        const subject = `--serviceaccount=${namespace}:${name}`;
        await cluster().kubectl(['create', 'clusterrolebinding', uniqueName(name), `--clusterrole=${role}`, subject]);
      }
      return cluster().serviceAccountToken(namespace, name);
    };
    editor = await account('editor', 'gpu-partition-policy-editor');
    admin = await account('admin', 'gpu-partition-policy-editor', 'gpu-partition-policy-admin');
    await eventually(
      () => create(editor, { drain: { onTimeout: 'Force' } }),
      (words) => words.includes('verb force'),
      { what: 'the admission policy is at work', timeoutMs: 20_000 },
    );
  });

  const good = { nodeSelector: { matchLabels: { pool: 'p' } }, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] };

  function create(token: string, more: object, name = uniqueName('policy')): Promise<string> {
    const body = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name },
      spec: { ...good, ...more },
    };
    return attempt(cluster(), token, { method: 'POST', path, body });
  }

  function change(token: string, name: string, spec: object): Promise<string> {
    return attempt(cluster(), token, { path: `${path}/${name}`, body: { spec } });
  }

  it('needs a verb besides to have pods deleted or nodes restarted', async () => {
    expect(await create(editor, {})).to.equal('');
    expect(await create(editor, { drain: { onTimeout: 'Force' } })).to.include('verb force');
    expect(await create(editor, { allow: { reboot: true } })).to.include('verb reboot');
    expect(await create(editor, { allow: { reboot: false }, drain: { onTimeout: 'Skip' } })).to.equal('');
    expect(await create(admin, { allow: { reboot: true }, drain: { onTimeout: 'Force' } })).to.equal('');
  });

  it('cannot turn it on in a policy that is there, nor widen one that has it', async () => {
    const plain = uniqueName('policy');
    expect(await create(editor, {}, plain)).to.equal('');
    expect(await change(editor, plain, { drain: { onTimeout: 'Force' } })).to.include('verb force');
    const strong = uniqueName('policy');
    expect(await create(admin, { drain: { onTimeout: 'Force' } }, strong)).to.equal('');
    const wider = { nodeSelector: { matchLabels: { pool: null, 'nvidia.com/gpu.present': 'true' } } };
    expect(await change(editor, strong, wider)).to.include('verb force');
    expect(await change(editor, strong, { drain: { onTimeout: 'Skip' } })).to.equal('');
  });

  it('cannot write a status, nor what nodes report', async () => {
    const name = uniqueName('policy');
    expect(await create(editor, {}, name)).to.equal('');
    const status = { path: `${path}/${name}/status`, body: { status: { acceptedGeneration: 1 } } };
    expect(await attempt(cluster(), editor, status)).to.include('403');
    const partition = path.replace('gpupartitionpolicies', 'gpunodepartitions/any');
    expect(await attempt(cluster(), editor, { path: partition, body: { spec: { nodeUID: 'x' } } })).to.include('403');
  });

  const hostile: Readonly<Record<string, object>> = {
    'of 100,000 layouts': { layouts: Array.from({ length: 100_000 }, () => ({ mig: 'Disabled' })) },
    'of 100,000 labels': {
      nodeSelector: { matchLabels: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`a${i}`, 'b'])) },
    },
    'with a profile of another script': { layouts: [{ profiles: { '１g.5gb': 1 } }] },
    'with line ends in a model': { layouts: [{ gpus: { models: ['A100\n- H100'] }, mig: 'Disabled' }] },
    'with what turns a text around in a model': { layouts: [{ gpus: { models: ['\u202eA100'] }, mig: 'Disabled' }] },
    'with __proto__ as a profile': { layouts: [{ profiles: JSON.parse('{"__proto__": 1}') as object }] },
    'with __proto__ as a label': { nodeSelector: { matchLabels: JSON.parse('{"__proto__": "x"}') as object } },
    'with constructor as a label': { nodeSelector: { matchLabels: { 'constructor\n': 'x' } } },
  };
  for (const [what, spec] of Object.entries(hostile)) {
    it(`is refused a policy ${what}`, async () => {
      expect(await create(editor, spec)).to.match(/^(400|413|422) /);
    });
  }
});
