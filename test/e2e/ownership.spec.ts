import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { apiVersion, uninitializedTaint } from '../../src/api/names.ts';
import type { PolicySpec } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { jsonRunner, run as runCommand } from '../cli/run.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const run = promisify(execFile);
const gpus = ['A100-SXM4-40GB'];
const nodes: readonly RigNode[] = [
  { name: 'adopted', gpus, labels: { pool: 'adopted' }, strategy: 'mixed' },
  { name: 'booted', gpus, labels: { pool: 'booted' }, strategy: 'mixed', taints: [uninitializedTaint] },
  { name: 'foreign', gpus, labels: { pool: 'foreign' }, strategy: 'mixed' },
  { name: 'drifting', gpus, labels: { pool: 'drifting' }, strategy: 'mixed' },
];

/** Profile ids of an A100: `-cgi 9` makes a 3g.20gb, `-cgi 19` a 1g.5gb. */
const large = '9';
const small = '19';

describe('GPU instances and whose they are @all', function () {
  const rig = useRig(nodes);

  /** What an administrator does on a node. */
  async function byHand(node: string, ...argv: string[]): Promise<void> {
    await run(join(rig().rig.folder, node, 'nvidia-smi'), argv);
  }

  async function enable(node: string, profiles: string): Promise<void> {
    await byHand(node, '-i', '0', '-mig', '1');
    await byHand(node, 'mig', '-i', '0', '-cgi', profiles, '-C');
  }

  async function ask(pool: string, profiles: Readonly<Record<string, number>>, more: Partial<PolicySpec> = {}) {
    await rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, layouts: [{ profiles }], ...more });
  }

  it('takes a node that is as the policy says without any device operation, and labels it', async () => {
    await enable('adopted', `${large},${large}`);
    const before = await rig().rig.deviceOperations('adopted');
    await ask('adopted', { '3g.20gb': 2 });
    await rig().waitFor('adopted', 'Ready', 'True', 'Ready');
    expect(await rig().rig.deviceOperations('adopted')).to.deep.equal(before);
    const node = await rig().node('adopted');
    expect(node.metadata.labels).to.include({ 'nvidia.com/mig-3g.20gb.count': '2', 'gpupartition.dev/state': 'ready' });
    // The agent notes at its next look that all of this is ours from now on.
    const { spec, status } = await eventually(
      () => rig().partition('adopted'),
      ({ status: found }) => found?.device?.lastGood !== undefined,
      { timeoutMs: 20_000, what: 'the adoption' },
    );
    expect(spec.granted, 'nothing was granted').to.equal(undefined);
    expect(status?.device?.lastGood?.gpus?.[0]?.placements).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
  });

  it('opens a node whose layout its boot has made, by the exported unit, without a grant and any device operation', async () => {
    const spec = { nodeSelector: { matchLabels: { pool: 'booted' } }, layouts: [{ profiles: { '1g.5gb': 7 } }] };
    const policy = { apiVersion, kind: 'GpuPartitionPolicy', metadata: { name: 'booted' } };
    const stdin = stringify({ ...policy, spec: { strategy: 'mixed', ...spec } });
    const { answer } = await jsonRunner<{ readonly unit: string }>()(
      ['export', 'boot', '-f', '-', '--format', 'systemd'],
      { stdin },
    );
    const [, layout = ''] = /^StandardInputText=(.*)$/m.exec(answer.unit) ?? [];
    const [, options = ''] = /^ExecStart=\S+ (node apply .*)$/m.exec(answer.unit) ?? [];
    const folder = join(rig().rig.folder, 'booted');
    const ofNode = ['--nvidia-smi', join(folder, 'nvidia-smi'), '--state-dir', join(folder, 'boot')];
    const applied = await runCommand([...options.split(' '), ...ofNode], { stdin: layout });
    expect(applied.code, applied.stderr).to.equal(0);
    expect(ownTaints(await rig().node('booted'))).to.deep.equal([uninitializedTaint.key]);
    const before = await rig().rig.deviceOperations('booted');
    await rig().apply('booted', spec);
    await rig().waitFor('booted', 'Ready', 'True', 'Ready');
    expect(await rig().rig.deviceOperations('booted')).to.deep.equal(before);
    expect(ownTaints(await rig().node('booted'))).to.deep.equal([]);
    expect((await rig().partition('booted')).spec.granted, 'nothing was granted').to.equal(undefined);
  });

  it('changes what it adopted as what it made itself', async () => {
    await ask('adopted', { '3g.20gb': 1, '1g.5gb': 3 });
    await rig().waitFor('adopted', 'Ready', 'True', 'Ready');
    const { status } = await rig().partition('adopted');
    expect(status?.layout).to.equal('1 GPU: 3×1g.5gb + 1×3g.20gb');
  });

  it('destroys nothing that somebody else made, names it, and continues when it may', async () => {
    await enable('foreign', `${large},${small}`);
    const before = await rig().rig.deviceOperations('foreign');
    await ask('foreign', { '7g.40gb': 1 });
    const message = await rig().untilReason('foreign', 'ForeignInstances');
    expect(message).to.match(/requires destroying .*3g\.20gb at \d.*, which this operator did not create/);
    expect(message).to.include('replaceForeignInstances');
    expect(await rig().rig.deviceOperations('foreign')).to.deep.equal(before);
    await ask('foreign', { '7g.40gb': 1 }, { allow: { replaceForeignInstances: true } });
    await rig().waitFor('foreign', 'Ready', 'True', 'Ready');
    expect((await rig().partition('foreign')).status?.layout).to.equal('1 GPU: 1×7g.40gb');
  });

  it('puts a layout right that somebody changed, three times, and then says so instead', async () => {
    await ask('drifting', { '3g.20gb': 2 });
    await rig().waitFor('drifting', 'Ready', 'True', 'Ready');
    const meddle = async () => {
      await byHand('drifting', 'mig', '-i', '0', '-dci');
      await byHand('drifting', 'mig', '-i', '0', '-dgi');
    };
    const untilLeftAlone = async (repairs: readonly number[]) => {
      for (const round of repairs) {
        await meddle();
        await eventually(
          () => rig().partition('drifting'),
          ({ spec: { granted, repairs }, status }) => {
            const { observedEpoch, step } = status?.device ?? {};
            return repairs?.length === round && observedEpoch === granted?.epoch && step === 'Idle';
          },
          { timeoutMs: 20_000, what: `repair ${round}` },
        );
      }
      await rig().waitFor('drifting', 'Ready', 'True', 'Ready');
      await meddle();
      return rig().untilReason('drifting', 'Drifting');
    };
    expect(await untilLeftAlone([1, 2, 3])).to.match(/repaired 3 times within an hour.*next repair is at 20/);
    // A request for a retry is a new beginning.
    await rig().kubectl('annotate', 'node', 'drifting', 'gpupartition.dev/retry=once');
    await rig().waitFor('drifting', 'Ready', 'True', 'Ready');
    await untilLeftAlone([2, 3]);
    const operations = await rig().rig.deviceOperations('drifting');
    // So is any edit of the policy, also one that leaves the layout as it is.
    await ask('drifting', { '3g.20gb': 2 }, { priority: 1 });
    await rig().waitFor('drifting', 'Ready', 'True', 'Ready');
    expect((await rig().rig.deviceOperations('drifting')).length).to.be.greaterThan(operations.length);
    expect((await rig().partition('drifting')).status?.layout).to.equal('1 GPU: 2×3g.20gb');
  });
});
