import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { findFreePorts } from '../../src/simulator/control-plane/components.ts';
import { demoNodes } from '../../src/simulator/demo/screen.ts';
import { repartitioningTaint } from '../../src/api/names.ts';
import { mergePatchOf } from '../../src/core/text/json.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import type { PodObject } from '../../src/simulator/kubelet/node.ts';
import { eventually, stays } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const [healthPort = 0] = await findFreePorts(1);

interface Vector {
  readonly id: string;
  readonly strategy: string;
  readonly expected: { readonly labels: Readonly<Record<string, string>> };
}

/** Labels that NVIDIA's own packages computed for a node of this kind. */
async function vectorLabels(id: string, strategy: string): Promise<Readonly<Record<string, string>>> {
  const vectors = JSON.parse(await readFile('test/fixtures/labels/label-vectors.json', 'utf8')) as readonly Vector[];
  return vectors.find((vector) => vector.id === id && vector.strategy === strategy)?.expected.labels ?? {};
}

/** Without what says nothing of the layout: versions of driver and CUDA, and the machine. */
function layoutLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(labels).filter(
      ([key]) =>
        key.startsWith('nvidia.com/') &&
        !/^nvidia\.com\/(cuda\.|gpu\.machine$|gpu\.present$|mig\.config\.state$)/.test(key),
    ),
  );
}

describe('the main job, all programs on a real control plane', function () {
  const rig = useRig(demoNodes, { controllerArguments: ['--health-port', String(healthPort)] });

  it('partitions four kinds of nodes by the samples, and kubectl wait sees it', async () => {
    await applyFolder(rig().controlPlane, 'samples');
    for (const name of ['inference', 'notebooks', 'whole-gpus']) {
      await rig().kubectl('wait', '--for=condition=Ready', `gpp/${name}`, '--timeout=60s');
    }
    expect(await rig().rig.deviceState('sim-a100')).to.match(/gpu 7 mig 1 pending 1/);
    const states = await Promise.all(demoNodes.map(({ name }) => rig().partition(name)));
    expect(states.map(({ status }) => status?.layout)).to.deep.equal([
      '8 GPUs: 2×1g.5gb + 1×2g.10gb + 1×3g.20gb',
      '2 GPUs: 2×1g.10gb + 1×2g.20gb + 1×3g.40gb',
      '1 GPU: 4×1g.6gb',
      '1 GPU: whole',
    ]);
  });

  it('labels a node under single as GPU Feature Discovery does', async () => {
    const { metadata } = await rig().node('sim-a30');
    expect(layoutLabels(metadata.labels)).to.deep.equal(layoutLabels(await vectorLabels('a30-4x1g.6gb', 'single')));
  });

  it('labels a node under mixed as GPU Feature Discovery does', async () => {
    const { metadata } = await rig().node('sim-a100');
    // The vector is of one GPU and of the driver of 2020: eight GPUs, and the newer driver's memory of the same profiles.
    const expected = {
      ...layoutLabels(await vectorLabels('a100-40gb-mixed-2x1g-1x2g-1x3g', 'mixed')),
      'nvidia.com/gpu.count': '8',
      'nvidia.com/gpu.memory': '40960',
      'nvidia.com/mig-1g.5gb.count': '16',
      'nvidia.com/mig-2g.10gb.count': '8',
      'nvidia.com/mig-3g.20gb.count': '8',
      'nvidia.com/mig-2g.10gb.memory': '9856',
      'nvidia.com/mig-3g.20gb.memory': '19968',
    };
    const named = Object.fromEntries(
      Object.entries(expected).map(([key, value]) => [key, value.replace(/^A100-/, 'NVIDIA-A100-')]),
    );
    expect(layoutLabels(metadata.labels)).to.deep.equal(named);
  });

  it('opens the nodes when they are done, and marks them', async () => {
    for (const { name } of demoNodes) {
      const node = await rig().node(name);
      expect(ownTaints(node)).to.deep.equal([]);
      expect(node.metadata.labels).to.include({
        'gpupartition.dev/state': 'ready',
        'nvidia.com/mig.config.state': 'success',
      });
    }
  });

  it('has the API server track no fields of the nodes’ objects', async () => {
    const partitions = await Promise.all(demoNodes.map(({ name }) => rig().partition(name)));
    expect(partitions.map(({ metadata }) => metadata['managedFields'])).to.deep.equal(demoNodes.map(() => undefined));
  });

  it('lets the real scheduler bind pods by label and by resource', async () => {
    await applyFolder(rig().controlPlane, 'samples/workloads');
    const nodes = await eventually(
      async () => {
        const pods = await rig().list<PodObject>('/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName!=');
        return Object.fromEntries(pods.map(({ metadata, spec }) => [metadata.name, spec?.nodeName]));
      },
      (bound) => 'notebook' in bound && 'small-model' in bound,
      { timeoutMs: 20_000, what: 'the nodes of pods' },
    );
    expect(nodes).to.include({ notebook: 'sim-a30', 'small-model': 'sim-a100' });
    await rig().kubectl('delete', '-k', 'samples/workloads', '--wait', '--grace-period=1');
  });

  const readDevices = (): Promise<readonly unknown[]> =>
    Promise.all(demoNodes.map(async ({ name }) => (await rig().partition(name)).status?.device));

  it('writes nothing and touches no device when the same policies are applied again', async () => {
    // The pods of the test before have ended, and their processes; until the agents have seen it, they have something to tell.
    await eventually(readDevices, (devices) => !/"(pods|busy)":/.test(JSON.stringify(devices)), {
      timeoutMs: 30_000,
      what: 'what the agents report',
    });
    let count = -1;
    await eventually(
      async () => {
        const last = count;
        count = (await rig().writes()).length;
        return count === last;
      },
      (isQuiet) => isQuiet,
      // Much longer than the agents' read interval.
      { timeoutMs: 60_000, intervalMs: 5000, what: 'no writes for a while' },
    );
    const devices = await readDevices();
    const before = await rig().writes();
    const operations = await Promise.all(demoNodes.map(({ name }) => rig().rig.deviceOperations(name)));
    await applyFolder(rig().controlPlane, 'samples');
    // A change of metadata wakes every watch.
    await rig().kubectl('annotate', 'gpp', '--all', `touched=${Date.now()}`);
    await stays(
      async () => (await rig().writes()).slice(before.length),
      (writes) => writes.length === 0,
      { forMs: 3000, intervalMs: 300 },
    ).catch(async (error: unknown) => {
      const now = await readDevices();
      const changes = now.map((device, at) => JSON.stringify(mergePatchOf({ device: devices[at] }, { device })));
      expect(changes.join(', '), String(error)).to.equal(devices.map(() => '{}').join(', '));
      throw error;
    });
    const after = await Promise.all(demoNodes.map(({ name }) => rig().rig.deviceOperations(name)));
    expect(after.map(({ length }) => length)).to.deep.equal(operations.map(({ length }) => length));
  });

  it('looks at no node because the status of a policy was written, by somebody else or by itself', async () => {
    const countLooks = async (): Promise<string> => {
      const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
      const lines = metrics.split('\n').filter((line) => line.startsWith('gpu_partition_reconciles_total'));
      return lines.filter((line) => line.includes('queue="nodes"')).join('\n');
    };
    const before = await countLooks();
    expect(before).to.match(/result="success".* [1-9]\d*$/m);
    const patch = JSON.stringify({ status: { summary: 'by hand' } });
    for (const name of ['inference', 'notebooks', 'whole-gpus']) {
      await rig().kubectl('patch', 'gpp', name, '--subresource=status', '--type=merge', '-p', patch);
      const summaryOf = async (): Promise<string | undefined> => (await rig().policy(name)).status?.summary;
      await eventually(summaryOf, (summary) => summary !== 'by hand', { timeoutMs: 10_000, what: 'our own write' });
    }
    await stays(countLooks, (looks) => looks === before, { forMs: 1500, intervalMs: 300 });
  });

  it('changes a node with one write of the wish and at most nine writes in all', async () => {
    const before = (await rig().writes()).length;
    await rig().apply('inference', {
      nodeSelector: { matchLabels: { pool: 'inference' } },
      layouts: [
        { gpus: { models: ['A100-*-40GB'] }, profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } },
        { gpus: { models: ['H100-80GB-*'] }, profiles: { '3g.40gb': 2 } },
      ],
    });
    await rig().waitFor('inference', 'Ready', 'True', 'Ready');
    const writes = (await rig().writes()).slice(before).filter((write) => write.endsWith(' sim-h100'));
    const toSpec = writes.filter((write) => write.includes('gpunodepartitions.gpupartition.dev sim-h100'));
    // The wish and the grant.
    expect(toSpec, toSpec.join('\n')).to.have.lengthOf(2);
    // Not Ready any more, at work for long, Ready: what the controller tells. The plan and the end: what the agent does. Closing, opening.
    expect(writes.length, writes.join('\n')).to.be.at.most(9);
  });

  it('keeps what can stay: the A100 node was not touched by that change', async () => {
    const { spec } = await rig().partition('sim-a100');
    expect(spec.granted?.epoch).to.equal(1);
  });

  it('refuses a layout that cannot fit, with numbers, and touches nothing', async () => {
    const before = await rig().rig.deviceState('sim-h100');
    await rig().apply('inference', {
      nodeSelector: { matchLabels: { pool: 'inference' } },
      layouts: [{ gpus: { models: ['H100-80GB-*'] }, profiles: { '3g.40gb': 2, '1g.10gb': 1 } }],
    });
    const policy = await rig().waitFor('inference', 'Valid', 'False', 'DoesNotFit');
    const valid = policy.status?.conditions?.find(({ type }) => type === 'Valid');
    expect(valid?.message).to.match(/9 of 8 memory slices/);
    expect(await rig().rig.deviceState('sim-h100')).to.equal(before);
    expect(await rig().kubectl('describe', 'gpp', 'inference')).to.include('9 of 8 memory slices');
  });

  it('refuses a profile of another GPU on the node that has it', async () => {
    await rig().apply('inference', {
      nodeSelector: { matchLabels: { pool: 'inference' } },
      layouts: [{ profiles: { '1g.5gb': 7 } }],
    });
    const policy = await rig().waitFor('inference', 'Valid', 'False', 'UnknownProfile');
    expect(policy.status?.conditions?.find(({ type }) => type === 'Valid')?.message).to.match(/sim-h100.*1g\.10gb/);
  });

  it('refuses by name what no schema can know', async () => {
    await rig().apply('inference', {
      nodeSelector: { matchLabels: { pool: 'inference' } },
      layouts: [{ profiles: { '1g.5gb': 7 } }],
      rollout: { windows: [{ schedule: '0 22 * * *', duration: '6h', timeZone: 'Europe/Atlantis' }] },
    });
    const policy = await rig().waitFor('inference', 'Valid', 'False', 'BadWindow');
    expect(policy.status?.conditions?.find(({ type }) => type === 'Valid')?.message).to.include('Europe/Atlantis');
  });

  it('is Ready for a selector of nothing', async () => {
    await rig().apply('nobody', { nodeSelector: { matchLabels: { pool: 'nobody' } }, layouts: [{ mig: 'Disabled' }] });
    await rig().waitFor('nobody', 'Ready', 'True', 'NoNodes');
  });

  it('names the winner to a policy that loses a node, and lets it win when the other goes', async () => {
    const layouts = [{ gpus: { models: ['A30'] }, profiles: { '2g.12gb': 2 } }];
    await rig().apply('stronger', {
      nodeSelector: { matchLabels: { pool: 'notebooks' } },
      strategy: 'single',
      priority: 10,
      layouts,
    });
    const loser = await rig().waitFor('notebooks', 'Ready', 'True', 'Outranked');
    expect(loser.status?.conditions?.find(({ type }) => type === 'Ready')?.message).to.include('policy stronger');
    expect(loser.status?.summary).to.equal('0/1 ready, 1 outranked');
    await rig().waitFor('stronger', 'Ready', 'True', 'Ready');
    expect((await rig().partition('sim-a30')).status?.layout).to.equal('1 GPU: 2×2g.12gb');
    await rig().kubectl('delete', 'gpp', 'stronger');
    await rig().waitFor('notebooks', 'Ready', 'True', 'Ready');
    expect((await rig().partition('sim-a30')).status?.layout).to.equal('1 GPU: 4×1g.6gb');
  });

  it('waits for pods that use the GPUs where it may not evict, names them, and continues when they have ended', async () => {
    await applyFolder(rig().controlPlane, 'samples/workloads');
    await rig().kubectl('wait', '--for=condition=Ready', 'pod/notebook', '--timeout=20s');
    await rig().apply('notebooks', {
      nodeSelector: { matchLabels: { pool: 'notebooks' } },
      strategy: 'single',
      layouts: [{ gpus: { models: ['A30'] }, profiles: { '2g.12gb': 2 } }],
      drain: { scope: 'None' },
    });
    expect(await rig().untilReason('sim-a30', 'PodsUseGpus')).to.include('default/notebook');
    const partition = await rig().partition('sim-a30');
    expect(partition.status).to.deep.include({ phase: 'Updating', layout: '1 GPU: 4×1g.6gb' });
    expect(ownTaints(await rig().node('sim-a30'))).to.deep.equal([repartitioningTaint.key]);
    await rig().kubectl('delete', '-k', 'samples/workloads', '--wait', '--grace-period=1');
    await rig().waitFor('notebooks', 'Ready', 'True', 'Ready');
    expect((await rig().partition('sim-a30')).status?.layout).to.equal('1 GPU: 2×2g.12gb');
  });

  it('computes and changes nothing in mode Plan', async () => {
    await rig().apply('notebooks', {
      nodeSelector: { matchLabels: { pool: 'notebooks' } },
      strategy: 'single',
      mode: 'Plan',
      layouts: [{ gpus: { models: ['A30'] }, profiles: { '1g.6gb': 4 } }],
    });
    const policy = await rig().waitFor('notebooks', 'Ready', 'True', 'PlanOnly');
    await eventually(
      () => rig().policy('notebooks'),
      ({ status }) => status?.plan?.instancesDestroyed === 2 && status.plan.instancesCreated === 4,
      { what: 'the plan in the status' },
    );
    expect(policy.status?.nodes?.matched).to.equal(1);
    expect((await rig().partition('sim-a30')).status?.layout).to.equal('1 GPU: 2×2g.12gb');
  });

  it('turns slices back into whole GPUs, and takes the labels of slices along, whoever wrote them', async () => {
    const foreign = 'nvidia.com/mig-3g.47gb.count';
    await rig().kubectl('label', 'node', 'sim-a30', `${foreign}=2`);
    await rig().apply('notebooks', {
      nodeSelector: { matchLabels: { pool: 'notebooks' } },
      strategy: 'mixed',
      mode: 'Enforce',
      layouts: [{ mig: 'Disabled' }],
    });
    await rig().waitFor('notebooks', 'Ready', 'True', 'Ready');
    expect(await rig().rig.deviceState('sim-a30')).to.include('gpu 0 mig 0 pending 0');
    const { metadata } = await rig().node('sim-a30');
    expect(metadata.labels).to.include({ 'nvidia.com/gpu.product': 'NVIDIA-A30', 'nvidia.com/gpu.count': '1' });
    expect(metadata.labels).not.to.have.any.keys('nvidia.com/gpu.slices.gi', foreign);
  });

  it('leaves layout and GPU labels on a node whose policy is deleted, and nothing else of its own', async () => {
    await rig().kubectl('delete', 'gpp', 'inference', 'whole-gpus');
    await eventually(
      () => rig().partition('sim-a100'),
      ({ status, spec }) => status?.phase === 'Unmanaged' && spec.policy === undefined,
      { timeoutMs: 15_000 },
    );
    const { metadata } = await eventually(
      () => rig().node('sim-a100'),
      (node) => node.metadata.labels['gpupartition.dev/policy'] === undefined,
    );
    expect(metadata.labels).to.include({ 'nvidia.com/mig-1g.5gb.count': '16' });
    expect(await rig().rig.deviceState('sim-a100')).to.include('gpu 7 mig 1 pending 1');
  });
});
