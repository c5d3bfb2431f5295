import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { nodes as nodeResource } from '../../src/api/resources.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { createKubeClient } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';
import { History, type RecordedNode } from '../support/timeline.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

const nodes: readonly RigNode[] = [
  { name: 'gated', gpus: ['A100-SXM4-40GB'], strategy: 'mixed', labels: { pool: 'inference' } },
];
const pool = { nodeSelector: { matchLabels: { pool: 'inference' } } };
const type = 'GpuPartitionReady';

describe('a gate of others that looks at conditions of nodes', function () {
  const rig = useRig(nodes, { controllerArguments: ['--node-condition'] });

  async function conditions(): Promise<readonly Condition[]> {
    const { status } = (await rig().node('gated')) as unknown as {
      readonly status: { readonly conditions: readonly Condition[] };
    };
    return status.conditions;
  }

  async function until(what: string, isSo: (own: Condition | undefined) => boolean): Promise<Condition | undefined> {
    const found = await eventually(conditions, (all) => isSo(all.find((one) => one.type === type)), {
      timeoutMs: 60_000,
      what,
    });
    return found.find((one) => one.type === type);
  }

  it('has samples that Node Readiness Controller’s rules take, of a taint that is its own', async () => {
    await rig().kubectl('apply', '-f', 'test/fixtures/node-readiness/crd.yaml');
    await rig().kubectl('wait', '--for=condition=Established', 'crd/nodereadinessrules.readiness.node.x-k8s.io');
    const files = ['node-readiness-rule.yaml', 'with-node-problem-detector.yaml'].map(
      (name) => `samples/gates/${name}`,
    );
    for (const file of files) await rig().kubectl('apply', '--dry-run=server', '--validate=strict', '-f', file);
    const sample = await readFile(files[0] ?? '', 'utf8');
    const ours = sample.replace('key: readiness.k8s.io/gpu-partition', 'key: gpupartition.dev/uninitialized');
    const { code, stderr } = await rig().controlPlane.kubectl(['apply', '--dry-run=server', '-f', '-'], {
      input: ours,
    });
    expect([code, stderr.includes('readiness.k8s.io')], 'it could never take our taint off').to.deep.equal([1, true]);
  });

  it('sees GpuPartitionReady True while the node is open with its layout, even while it waits, False while that changes, and none without a policy', async () => {
    const foreign = { type: 'GpuFault', status: 'False', reason: 'NoGpuFault', message: 'as somebody else says' };
    const patch = JSON.stringify({ status: { conditions: [foreign] } });
    await rig().kubectl('patch', 'node', 'gated', '--subresource=status', '--type=strategic', '-p', patch);
    await rig().apply('p', { ...pool, layouts: [{ profiles: { '3g.20gb': 2 } }] });
    const first = await until('the condition', (own) => own?.status === 'True');
    expect(first).to.include({ reason: 'Ready', message: 'device, labels and resources match the policy' });

    const admin = await createKubeClient(rig().controlPlane);
    const history = new History<RecordedNode>(admin, nodeResource);
    await history.start();
    const next = { ...pool, layouts: [{ profiles: { '1g.5gb': 7 } }] };
    await rig().apply('p', { ...next, rollout: { paused: true } });
    const paused = await until('the wait', (own) => own?.reason === 'Paused');
    expect(paused, 'its slices are what they were').to.include({ status: 'True' });
    expect(paused?.lastTransitionTime).to.equal(first?.lastTransitionTime);
    await rig().apply('p', next);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    await until('the condition of the new layout', (own) => own?.status === 'True');
    await history.catchUp();
    await history.stop();
    const seen = history.eventsOf('gated').flatMap(({ object }) => (object === undefined ? [] : [readState(object)]));
    const statuses = seen.map(({ own }) => own?.status).filter((status, at, all) => status !== all[at - 1]);
    expect(statuses).to.deep.equal(['True', 'False', 'True']);
    const opened = seen.findLast(({ own }) => own?.status === 'True');
    expect(opened?.taints, 'open, before it says so').to.deep.equal([]);
    expect(opened?.own?.lastTransitionTime).to.equal(seen.at(-1)?.own?.lastTransitionTime);
    expect(seen.every(({ types }) => types.includes('GpuFault') && types.includes('Ready'))).to.equal(true);
    const said = new Set(seen.map(({ own }) => JSON.stringify(own)));
    expect(said.size, 'few writes').to.be.at.most(6);

    await rig().kubectl('delete', 'gpp', 'p');
    await until('no condition', (own) => own === undefined);
    expect((await conditions()).find((one) => one.type === 'GpuFault')).to.include(foreign);
  });
});

function readState(node: RecordedNode): {
  readonly own: Condition | undefined;
  readonly types: readonly string[];
  readonly taints: readonly string[];
} {
  const { conditions = [] } = (node.status ?? {}) as { readonly conditions?: readonly Condition[] };
  return {
    own: conditions.find((one) => one.type === type),
    types: conditions.map((one) => one.type),
    taints: ownTaints(node as unknown as Parameters<typeof ownTaints>[0]),
  };
}
