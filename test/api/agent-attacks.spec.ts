import { expect } from 'chai';
import { nodePartitions } from '../../src/api/resources.ts';
import type { NodePartitionStatus } from '../../src/api/types.ts';
import { createKubeClient, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { accountOf, renderFolder } from './installation.ts';
import { eventually } from '../support/eventually.ts';

const patchJson = ['--type', 'merge', '-p'] as const;

describe('whoever has the token of an agent', () => {
  const cluster = useSharedCluster();
  const [own, other] = [uniqueName('node'), uniqueName('node')];
  let agent = '';
  let account: readonly [namespace: string, name: string] = ['', ''];

  before(async () => {
    for (const name of [own, other]) {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { team: 'a' } } };
      await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body: node });
      const { stdout: uid } = await cluster().kubectl(['get', 'node', name, '-o', 'jsonpath={.metadata.uid}']);
      const partition = {
        apiVersion: 'gpupartition.dev/v1alpha1',
        kind: 'GpuNodePartition',
        metadata: { name },
        spec: { nodeUID: uid },
      };
      await eventually(
        () => cluster().kubectl(['create', '-f', '-'], { input: JSON.stringify(partition) }),
        ({ code, stderr }) => code === 0 || stderr.includes('AlreadyExists'),
      );
    }
    account = accountOf(await renderFolder('config/default'), 'DaemonSet');
    agent = await cluster().serviceAccountToken(...account, { bound: { node: own } });
    // A ValidatingAdmissionPolicy works a moment after it was made: wait for the denial that proves it.
    await eventually(
      () => patchStatus(agent, other, { device: { step: 'Idle' } }),
      (words) => words.includes('an agent may write only'),
      { what: 'the admission policy is at work', timeoutMs: 10_000 },
    );
  });

  /** Empty where it was allowed, else the words of the refusal. kubectl would read the status first: no right to. */
  async function patchStatus(
    token: string,
    name: string,
    status: object,
    fieldManager = 'gpu-partition-agent',
  ): Promise<string> {
    const client = await createKubeClient(cluster(), { token, fieldManager });
    try {
      await client.merge({ resource: nodePartitions, name, subresource: 'status' }, { status });
      return '';
    } catch (error) {
      return String(error);
    }
  }

  async function run(token: string, ...args: string[]): Promise<string> {
    const { code, stderr } = await cluster().kubectl(args, { token });
    return code === 0 ? '' : stderr;
  }

  it('writes status.device of its own node', async () => {
    expect(await patchStatus(agent, own, { device: { step: 'Idle' } })).to.equal('');
  });

  it('cannot write the status of another node', async () => {
    expect(await patchStatus(agent, other, { device: { step: 'Idle' } })).to.match(/Forbidden|forbidden/);
  });

  it('reports a node of 16 GPUs in seven slices each, and no object without measure', async () => {
    const report = (gpus: number, instances: number, parts: number) => ({
      device: {
        gpus: Array.from({ length: gpus }, (_, index) => ({
          uuid: `GPU-${index}`,
          index,
          pciBusId: `00000000:${index}:00.0`,
          product: 'NVIDIA A100-SXM4-40GB',
          instances: Array.from({ length: instances }, (_instance, start) => ({
            profile: '1g.5gb',
            gi: start,
            start,
            pods: ['inference/llama-7b-0'],
            computeInstances: Array.from({ length: parts }, () => ({ profile: '1g.5gb', memoryMiB: 4864 })),
          })),
        })),
      },
    });
    expect(await patchStatus(agent, own, report(16, 7, 1))).to.equal('');
    expect(await patchStatus(agent, own, report(64, 16, 8))).to.match(/takes \d{6} bytes or more; .* may take 48000/);
    expect(await patchStatus(agent, own, report(1, 0, 0))).to.equal('');
  });

  it('cannot write the controller’s part of the status', async () => {
    const now = new Date().toISOString();
    const parts: Readonly<Required<Omit<NodePartitionStatus, 'device'>>> = {
      phase: 'Ready',
      layout: '1 GPU: whole',
      writerMode: 'Patch',
      // What a new leader reads of failures, rests and deadlines.
      waits: [{ name: 'AgentAway', since: now }],
      closed: { lastSeconds: 1 },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: now }],
    };
    for (const [part, value] of Object.entries(parts))
      expect(await patchStatus(agent, own, { [part]: value }), part).to.include("the rest is the controller's");
  });

  it('cannot write the spec, nor delete its object', async () => {
    expect(await run(agent, 'patch', 'gpn', own, ...patchJson, '{"spec":{"nodeUID":"x"}}')).to.include('forbidden');
    expect(await run(agent, 'delete', 'gpn', own)).to.include('forbidden');
  });

  it('has no right on nodes, pods, secrets and config maps', async () => {
    for (const kind of ['nodes', 'pods', 'secrets', 'configmaps']) {
      expect(await run(agent, 'get', kind, '-A'), kind).to.include('forbidden');
    }
    expect(await run(agent, 'label', 'node', own, 'nvidia.com/gpu.count=9')).to.include('forbidden');
  });

  it('is refused with a token that names no node', async () => {
    const unbound = await cluster().serviceAccountToken(...account);
    expect(await patchStatus(unbound, own, { device: { step: 'Idle' } })).to.include('(none)');
  });

  it('is refused as the agent of an earlier node of the same name', async () => {
    const name = uniqueName('node');
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body: node });
    const partition = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuNodePartition',
      metadata: { name },
      spec: { nodeUID: 'another' },
    };
    await cluster().kubectl(['create', '-f', '-'], { input: JSON.stringify(partition) });
    const token = await cluster().serviceAccountToken(...account, { bound: { node: name } });
    expect(await patchStatus(token, name, { device: { step: 'Idle' } })).to.include('its uid differs');
  });

  it('lets nobody write under hundreds of names, each of which the object would keep', async () => {
    for (const fieldManager of ['', 'agent-1', 'kubectl']) {
      const words = await patchStatus(agent, own, { device: { step: 'Idle' } }, fieldManager);
      expect(words, fieldManager).to.include('under the field manager gpu-partition-agent alone');
    }
  });

  it('takes no report of 1 MB, and none that a terminal would obey', async () => {
    const gpu = { uuid: 'GPU-0', index: 0, pciBusId: '0', product: 'NVIDIA A100-SXM4-40GB', instances: [] };
    const long = 'x'.repeat(1 << 20);
    for (const device of [
      { error: { code: 'X', message: long } },
      { gpus: [{ ...gpu, product: long }] },
      { advertised: { stale: 0, resources: { [`nvidia.com/${long}`]: 1 } } },
    ]) {
      expect(await patchStatus(agent, own, { device })).to.match(/Too long|may not be more than|Forbidden|forbidden/);
    }
    for (const text of ['a\nSTATUS: fine', 'a\u001b[2J', '\u202eevil', 'a\u2028b']) {
      expect(await patchStatus(agent, own, { device: { error: { code: 'X', message: text } } }), text).to.match(
        /should match|Invalid/,
      );
      const resources = { [`nvidia.com/${text}`]: 1 };
      expect(await patchStatus(agent, own, { device: { advertised: { stale: 0, resources } } })).to.include(
        'a name that none has',
      );
    }
  });

  it('counts no more than a node can hold', async () => {
    const plan = { hash: 'h', wishHash: 'w', keep: 2 ** 31 - 1, destroy: 0, create: 0 };
    expect(await patchStatus(agent, own, { device: { plan } })).to.match(/keep: Invalid value/);
  });
});
