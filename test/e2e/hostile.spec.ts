import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeviceReport } from '../../src/api/types.ts';
import { programPath } from '../../src/simulator/rig/process.ts';
import { attempt } from '../api/attempt.ts';
import { createNamespace } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const gpus = ['A100-SXM4-40GB'];

describe('a cluster with tenants and a node that are hostile @all', function () {
  const folder = mkdtempSync(join(tmpdir(), 'gpu-partition-hostile-'));
  /** Runs in the place of the hostile node's agent: its pod is ready, and what it reports is the test's to write. */
  const impostor = join(folder, 'agent.mjs');
  writeFileSync(impostor, 'setInterval(() => undefined, 60_000);');
  const rig = useRig(
    [
      { name: 'honest', gpus, labels: { pool: 'a' }, strategy: 'mixed' },
      { name: 'hostile', gpus, labels: { pool: 'a' }, strategy: 'mixed' },
    ],
    { fileOf: (program) => (program === 'hostile' ? impostor : undefined) },
  );
  after(() => rmSync(folder, { recursive: true }));
  let tenant = '';
  let token = '';

  before(async () => {
    tenant = await createNamespace(rig().controlPlane, 'tenant');
    token = await rig().controlPlane.serviceAccountToken('gpu-partition-agents', 'gpu-partition-agent', {
      bound: { node: 'hostile' },
    });
  });

  const report = (device: object): Promise<string> =>
    attempt(rig().controlPlane, token, {
      path: '/apis/gpupartition.dev/v1alpha1/gpunodepartitions/hostile/status?fieldManager=gpu-partition-agent',
      body: { status: { device } },
    });

  async function honestReport(): Promise<DeviceReport> {
    const { status } = await eventually(
      () => rig().partition('honest'),
      (found) => (found.status?.device?.gpus ?? []).length > 0,
      { timeoutMs: 60_000, what: 'the honest report' },
    );
    if (status?.device === undefined) throw new Error('no report');
    return status.device;
  }

  async function change(profiles: Readonly<Record<string, number>>, layout: string): Promise<void> {
    await rig().apply('a', {
      nodeSelector: { matchLabels: { pool: 'a' } },
      layouts: [{ profiles }],
      rollout: { maxUnavailable: '100%', failureThreshold: '100%' },
    });
    await eventually(
      () => rig().partition('honest'),
      ({ status }) => status?.phase === 'Ready' && status.layout === layout,
      { timeoutMs: 60_000, what: `the honest node to have ${layout}` },
    );
    await eventually(
      async () => ownTaints(await rig().node('honest')),
      (taints) => taints.length === 0,
      { timeoutMs: 20_000, what: 'the honest node to be open' },
    );
  }

  it('gets a policy carried out beside an agent that says its GPU has one profile alone', async () => {
    const device = await honestReport();
    const [model] = device.models ?? [];
    const whole = (model?.profiles ?? []).filter(({ name }) => name.startsWith('7g'));
    const text = JSON.stringify({ ...device, models: [{ ...model, profiles: whole }] });
    const lie = JSON.parse(text.replaceAll(/GPU-[0-9a-f]{8}/g, 'GPU-00000bad')) as object;
    expect(
      await eventually(
        () => report(lie),
        (words) => words === '',
        { timeoutMs: 20_000 },
      ),
    ).to.equal('');
    await change({ '1g.5gb': 7 }, '1 GPU: 7×1g.5gb');
    const { metadata, status } = await rig().policy('a');
    expect(status).to.deep.include({ acceptedGeneration: metadata.generation });
    expect((await rig().partition('hostile')).status?.phase).to.not.equal('Ready');
  });

  it('is not held up by sums that no integer holds', async () => {
    const plan = { hash: 'h', wishHash: 'w', gpusChanging: 64, keep: 2 ** 31 - 1, destroy: 0, create: 0 };
    expect(await report({ plan })).to.include('422');
    expect(await report({ plan: { ...plan, keep: 1024, destroy: 1024, create: 1024 } })).to.equal('');
    await change({ '1g.5gb': 2, '3g.20gb': 1 }, '1 GPU: 2×1g.5gb + 1×3g.20gb');
  });

  it('is not kept closed by tenants who name their pods like the plugin, with a budget that keeps them', async () => {
    const labels = { app: 'nvidia-device-plugin-daemonset', 'app.kubernetes.io/name': 'nvidia-device-plugin' };
    const tolerations = [{ operator: 'Exists' }];
    const env = { MIG_STRATEGY: 'none' };
    await rig().create(pluginDaemonSet({ name: 'forged', namespace: tenant, labels, tolerations, env }));
    const budget = { maxUnavailable: 0, selector: { matchLabels: labels } };
    const metadata = { name: 'forged', namespace: tenant };
    await rig().create({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: budget });
    await rig().kubectl('rollout', 'status', 'ds/forged', '-n', tenant, '--timeout=30s');
    const pods = await rig().kubectl('get', 'pods', '-n', tenant, '-o', 'jsonpath={..metadata.uid}');
    await change({ '1g.5gb': 4, '3g.20gb': 1 }, '1 GPU: 4×1g.5gb + 1×3g.20gb');
    expect(await rig().kubectl('get', 'pods', '-n', tenant, '-o', 'jsonpath={..metadata.uid}')).to.equal(pods);
  });

  it('is not held up by bare pods that are labelled as owners of GPUs', async () => {
    const named: readonly Readonly<Record<string, string>>[] = [
      { app: 'nvidia-mig-manager' },
      { app: 'das-daemonset' },
      { 'app.kubernetes.io/component': 'hami-device-plugin' },
      { app: 'nvidia-dcgm-exporter' },
    ];
    for (const [index, labels] of named.entries()) {
      const limits = index === 0 ? { 'k8s.amazonaws.com/vgpu': 1 } : {};
      const containers = [{ name: 'main', image: 'example.com/x:1', resources: { limits } }];
      const metadata = { name: `owner-${index}`, namespace: tenant, labels };
      const spec = { nodeName: 'honest', tolerations: [{ operator: 'Exists' }], containers };
      await rig().create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
    }
    await change({ '2g.10gb': 3 }, '1 GPU: 3×2g.10gb');
  });

  it('has a controller that 80 pods of 1 MB on a node do not fill', async () => {
    const annotations = { long: 'x'.repeat(250_000) };
    const env = Array.from({ length: 7 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(100_000) }));
    const spec = { nodeName: 'honest', containers: [{ name: 'main', image: 'example.com/x:1', env }] };
    for (let index = 0; index < 80; index += 1) {
      const metadata = { name: `large-${index}`, annotations };
      const path = `/api/v1/namespaces/${tenant}/pods`;
      const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
      await rig().controlPlane.client.demand({ method: 'POST', path, body });
    }
    await change({ '1g.5gb': 7 }, '1 GPU: 7×1g.5gb');
    const status = readFileSync(`/proc/${rig().rig.controller.pid}/status`, 'utf8');
    const [, peak = ''] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
    expect(Number(peak) / 1024, 'MiB at the peak; the limit is 512').to.be.below(320);
  });

  it('takes grants again on that node once an honest agent is there, whatever epoch was said before', async () => {
    const refused = await report({ observedEpoch: Number.MAX_SAFE_INTEGER });
    expect(refused).to.equal('');
    writeFileSync(impostor, `await import(${JSON.stringify(programPath('agent'))});`);
    await rig().rig.agent('hostile').stop('SIGKILL');
    rig().rig.agent('hostile').start();
    await rig().waitFor('a', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition('hostile')).status?.layout).to.equal('1 GPU: 7×1g.5gb');
  });

  it('is not halted by a failure that was told in the name of an agent, which knows better, also after a restart', async () => {
    const { spec } = await rig().partition('hostile');
    const error = { code: 'CommandFailed', message: 'forged' };
    const forged = { step: 'Failed', error, observedEpoch: spec.granted?.epoch };
    const untilIdle = (): Promise<unknown> =>
      eventually(
        async () => (await rig().partition('hostile')).status?.device,
        (device) => device?.step === 'Idle' && device.error === undefined,
        { timeoutMs: 20_000, what: 'the agent’s own report' },
      );
    expect(await report(forged)).to.equal('');
    await untilIdle();
    await rig().rig.agent('hostile').stop('SIGKILL');
    expect(await report(forged)).to.equal('');
    rig().rig.agent('hostile').start();
    await untilIdle();
    await rig().apply('a', {
      nodeSelector: { matchLabels: { pool: 'a' } },
      layouts: [{ profiles: { '3g.20gb': 2 } }],
      rollout: { maxUnavailable: '100%', failureThreshold: 1 },
    });
    await rig().waitFor('a', 'Ready', 'True', 'Ready', 60_000);
  });
});
