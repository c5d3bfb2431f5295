import { expect } from 'chai';
import { nodePartitions } from '../../src/api/resources.ts';
import { createKubeClient, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { applyFolder } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';

const patchJson = ['--type', 'merge', '-p'] as const;

describe('rights of controller and agents on the real API server', () => {
  const cluster = useSharedCluster();
  const [own, other] = [uniqueName('node'), uniqueName('node')];
  let agent = '';
  let controller = '';

  before(async () => {
    await applyFolder(cluster(), 'config/crd');
    await applyFolder(cluster(), 'config/rbac');
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
    agent = await cluster().serviceAccountToken('gpu-partition-agents', 'gpu-partition-agent', {
      bound: { node: own },
    });
    controller = await cluster().serviceAccountToken('gpu-partition-system', 'gpu-partition-controller');
    // A ValidatingAdmissionPolicy works a moment after it was made: wait for the denial that proves it.
    await eventually(
      () => patchStatus(agent, other, { device: { step: 'Idle' } }),
      (words) => words.includes('an agent may write only'),
      { what: 'the admission policy is at work', timeoutMs: 10_000 },
    );
  });

  /** Empty where it was allowed, else the words of the refusal. kubectl would read the status first: no right to. */
  async function patchStatus(token: string, name: string, status: object): Promise<string> {
    const client = await createKubeClient(cluster(), { token });
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

  it('let an agent write status.device of its own node', async () => {
    expect(await patchStatus(agent, own, { device: { step: 'Idle' } })).to.equal('');
  });

  it('keep an agent from the status of another node', async () => {
    expect(await patchStatus(agent, other, { device: { step: 'Idle' } })).to.match(/Forbidden|forbidden/);
  });

  it('let an agent report a node of 16 GPUs in seven slices each, and no object without measure', async () => {
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

  it('keep an agent from the controller’s part of the status', async () => {
    expect(await patchStatus(agent, own, { phase: 'Ready' })).to.include("the rest is the controller's");
  });

  it('keep an agent from the spec, and from objects of its own making', async () => {
    expect(await run(agent, 'patch', 'gpn', own, ...patchJson, '{"spec":{"nodeUID":"x"}}')).to.include('forbidden');
    expect(await run(agent, 'delete', 'gpn', own)).to.include('forbidden');
  });

  it('give an agent nothing on nodes, pods, secrets and config maps', async () => {
    for (const kind of ['nodes', 'pods', 'secrets', 'configmaps']) {
      expect(await run(agent, 'get', kind, '-A'), kind).to.include('forbidden');
    }
    expect(await run(agent, 'label', 'node', own, 'nvidia.com/gpu.count=9')).to.include('forbidden');
  });

  it('refuse a token that names no node', async () => {
    const unbound = await cluster().serviceAccountToken('gpu-partition-agents', 'gpu-partition-agent');
    expect(await patchStatus(unbound, own, { device: { step: 'Idle' } })).to.include('(none)');
  });

  it('refuse the agent of an earlier node of the same name', async () => {
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
    const token = await cluster().serviceAccountToken('gpu-partition-agents', 'gpu-partition-agent', {
      bound: { node: name },
    });
    expect(await patchStatus(token, name, { device: { step: 'Idle' } })).to.include('its uid differs');
  });

  it('let the controller label and taint nodes with keys of its own alone', async () => {
    expect(
      await run(controller, 'label', 'node', other, 'gpupartition.dev/state=ready', 'nvidia.com/gpu.count=1'),
    ).to.equal('');
    expect(await run(controller, 'label', 'node', other, 'team=b', '--overwrite')).to.include(
      'only labels of gpupartition.dev',
    );
    expect(await run(controller, 'label', 'node', other, 'team-')).to.include('only labels of gpupartition.dev');
    expect(await run(controller, 'taint', 'node', other, 'gpupartition.dev/repartitioning:NoSchedule')).to.equal('');
    expect(await run(controller, 'taint', 'node', other, 'team=a:NoSchedule')).to.include(
      'only taints of gpupartition.dev',
    );
  });

  it('keep the controller from cordoning, from policies and from CRDs', async () => {
    // Not `kubectl cordon`: it exits 0 even when it was refused.
    const cordon = await run(controller, 'patch', 'node', other, ...patchJson, '{"spec":{"unschedulable":true}}');
    expect(cordon).to.include('never cordons');
    expect(await run(controller, 'delete', 'gpp', 'any')).to.include('forbidden');
    expect(await run(controller, 'delete', 'crd', 'gpupartitionpolicies.gpupartition.dev')).to.include('forbidden');
  });
});
