import { expect } from 'chai';
import type { PolicySpec } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { run } from '../cli/run.ts';
import { eventually, stays } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const pool = ['u1', 'u2', 'u3'];
const nodes: readonly RigNode[] = [
  ...pool.map((name): RigNode => ({ name, gpus: ['A100-SXM4-40GB'], labels: { pool: 'u' }, strategy: 'mixed' })),
  { name: 'held', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' },
  { name: 'free', gpus: ['A100-SXM4-40GB'], labels: { pool: 'free' }, strategy: 'mixed' },
];
const nodeSelector = { matchLabels: { pool: 'p' } };
const halves = { nodeSelector, priority: 100, layouts: [{ profiles: { '3g.20gb': 2 } }] };
const tooMuch = [{ profiles: { '3g.20gb': 3 } }];
const windows = [{ schedule: '0 22 * * *', duration: '6h', timeZone: 'Europe/Berlim' }];
/** Longer than the controller needs for a decision, a drain of one pod and a change. */
const forMs = 3000;

describe('the generation in force', function () {
  const rig = useRig(nodes);

  /** All that a change of mind about the node would change. */
  async function stateOf(node: string): Promise<object> {
    const { spec, status } = await rig().partition(node);
    const { metadata } = await rig().node(node);
    const pods = await rig().kubectl('get', 'pods', '-o=jsonpath={.items[*].metadata.uid}');
    return {
      policy: spec.policy?.name,
      wish: spec.wish,
      phase: status?.phase,
      mark: metadata.labels['gpupartition.dev/state'],
      operations: await rig().rig.deviceOperations(node),
      taints: ownTaints(await rig().node(node)),
      pods,
    };
  }

  /** Does something that must not change the node, nor the pod on it. */
  async function writesNothing(act: () => Promise<unknown>): Promise<void> {
    const before = await stateOf('held');
    await act();
    await stays(
      async () => JSON.stringify(await stateOf('held')),
      (after) => after === JSON.stringify(before),
      { forMs, intervalMs: 300 },
    );
  }

  const inference = (spec: Partial<PolicySpec>): Promise<void> => rig().apply('inference', { ...halves, ...spec });
  const untilInvalid = (policy = 'inference') => rig().waitFor(policy, 'Valid', 'False');

  before(async function () {
    await rig().apply('fallback', { nodeSelector, layouts: [{ mig: 'Disabled' }] });
    await inference({});
    await rig().waitFor('inference', 'Ready', 'True', 'Ready', 90_000);
    await rig().waitFor('fallback', 'Ready', 'True', 'Outranked');
    await applyObjects(rig(), [gpuPod({ name: 'user', resource: 'nvidia.com/mig-3g.20gb', node: 'held' })]);
    await rig().kubectl('wait', '--for=condition=Ready', 'pod/user', '--timeout=60s');
  });

  it('survives a typing error in a layout: the node and the pod on it stay, and the policy says what is wrong', async () => {
    await writesNothing(async () => {
      await inference({ layouts: tooMuch });
      const { status } = await rig().waitFor('inference', 'Valid', 'False', 'DoesNotFit');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).to.include({ status: 'False', reason: 'DoesNotFit' });
      expect(ready?.message).to.match(
        /^generation \d+ is not accepted and touches nothing; generation \d+ stays in force: /,
      );
      const { status: held } = await rig().partition('held');
      expect(status?.summary, JSON.stringify(held)).to.equal('1/1 ready');
    });
  });

  it('survives an unknown time zone, a lower priority and another selector in an edit that is not valid @all', async () => {
    for (const spec of [
      { rollout: { windows } },
      { layouts: tooMuch, priority: -1 },
      { layouts: tooMuch, nodeSelector: { matchLabels: { pool: 'elsewhere' } } },
      { layouts: tooMuch, mode: 'Plan' as const },
    ]) {
      await writesNothing(async () => {
        await inference(spec);
        await untilInvalid();
      });
    }
  });

  it('decides again when one that only planned is followed by one that is not valid @all', async () => {
    await inference({ mode: 'Plan', layouts: [{ mig: 'Disabled' }] });
    await rig().untilReason('held', 'PlanOnly');
    await inference({ layouts: tooMuch });
    await untilInvalid();
    await rig().untilReason('held', 'Ready');
    const { spec } = await rig().partition('held');
    expect(spec.wish?.gpus.map(({ profiles }) => profiles)).to.deep.equal([{ '3g.20gb': 2 }]);
    expect(spec.policy?.name).to.equal('inference');
  });

  it('outlives the controller, and a change of leader @all', async () => {
    await writesNothing(async () => {
      await rig().rig.controller.stop('SIGKILL');
      rig().rig.controller.start();
      await rig().kubectl('label', 'gpp', 'fallback', 'seen=again', '--overwrite');
    });
    const next = await rig().rig.addController('controller-1');
    next.start();
    await writesNothing(async () => rig().rig.controller.stop('SIGTERM'));
    await inference({ layouts: tooMuch, priority: -2 });
    await writesNothing(() => untilInvalid());
  });

  it('is not displaced by a policy of higher priority that is not valid, which is named where no other policy wants the node @all', async () => {
    await writesNothing(async () => {
      const everywhere = { matchExpressions: [{ key: 'pool', operator: 'In' as const, values: ['p', 'free'] }] };
      await rig().apply('broken', { nodeSelector: everywhere, priority: 1000, layouts: tooMuch });
      await untilInvalid('broken');
      expect(await rig().untilReason('free', 'PolicyInvalid')).to.match(
        /policy broken is not accepted: .*Nothing is touched$/,
      );
    });
    await rig().kubectl('delete', 'gpp', 'broken');
  });

  it('keeps its node beside a policy of mode Plan and higher priority, which shows what it would do, pods included @all', async () => {
    await inference({});
    await rig().waitFor('inference', 'Ready', 'True', 'Ready');
    await writesNothing(async () => {
      await rig().apply('preview', {
        ...halves,
        priority: 1000,
        mode: 'Plan',
        layouts: [{ profiles: { '7g.40gb': 1 } }],
      });
      await rig().waitFor('preview', 'Ready', 'True', 'PlanOnly');
      const { status } = await eventually(
        () => rig().policy('preview'),
        (found) => found.status?.plan?.podsToEvict === 1,
        { timeoutMs: 30_000, what: 'the plan' },
      );
      expect(status?.plan).to.deep.equal({
        gpusChanging: 1,
        instancesKept: 0,
        instancesDestroyed: 2,
        instancesCreated: 1,
        podsToEvict: 1,
      });
      await rig().waitFor('inference', 'Ready', 'True', 'Ready');
    });
    await rig().kubectl('delete', 'gpp', 'preview');
  });

  it('keeps its node when its own policy turns to mode Plan @all', async () => {
    const before = await rig().rig.deviceOperations('held');
    await inference({ mode: 'Plan', layouts: [{ profiles: { '7g.40gb': 1 } }] });
    await rig().waitFor('inference', 'Ready', 'True', 'PlanOnly');
    // Its agent plans a moment after it was asked.
    await eventually(
      () => rig().untilReason('held', 'PlanOnly'),
      (message) => message.includes('evict default/user'),
      { timeoutMs: 30_000, what: 'the plan of held' },
    );
    await stays(
      async () => (await rig().partition('held')).spec.policy?.name,
      (name) => name === 'inference',
      { forMs, intervalMs: 300 },
    );
    expect(await rig().rig.deviceOperations('held')).to.deep.equal(before);
    await inference({});
    await rig().waitFor('inference', 'Ready', 'True', 'Ready');
  });

  it('opens a node again that was being drained when the edit came that is not valid', async () => {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'user', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'user' } } },
    };
    await rig().kubectl('label', 'pod', 'user', 'app=user');
    await applyObjects(rig(), [budget]);
    await inference({ layouts: [{ profiles: { '7g.40gb': 1 } }], drain: { onTimeout: 'Force' } });
    await eventually(
      async () => ownTaints(await rig().node('held')),
      (taints) => taints.length > 0,
      { timeoutMs: 30_000, what: 'the taint' },
    );
    await inference({ layouts: tooMuch, drain: { onTimeout: 'Force' } });
    await untilInvalid();
    await eventually(
      async () => ({
        taints: ownTaints(await rig().node('held')),
        ledger: (await rig().policy('inference')).status?.inFlight,
      }),
      ({ taints, ledger = [] }) => taints.length === 0 && ledger.length === 0,
      { timeoutMs: 30_000, what: 'the open node' },
    );
    expect(await rig().untilReason('held', 'PolicyInvalid')).to.match(
      /does not match generation \d+, and no change to it starts$/,
    );
    await rig().kubectl('wait', '--for=condition=Ready', 'pod/user', '--timeout=1s');
    await rig().kubectl('delete', 'pdb', 'user');
    await inference({});
    await rig().waitFor('inference', 'Ready', 'True', 'Ready', 60_000);
  });

  it('is followed by no new canary after a pause, and undo goes back behind the pause, which stays until somebody resumes @all', async () => {
    const ask = (profiles: Readonly<Record<string, number>>, rollout: NonNullable<PolicySpec['rollout']>) =>
      rig().apply('fleet', { nodeSelector: { matchLabels: { pool: 'u' } }, layouts: [{ profiles }], rollout });
    const operations = async (of: readonly string[]) => Promise.all(of.map((node) => rig().rig.deviceOperations(node)));
    const [good, bad] = [{ '3g.20gb': 2 }, { '7g.40gb': 1 }];
    const rollout = { maxUnavailable: 1, canary: { nodes: 1, soak: '1h' } };
    await ask(good, { maxUnavailable: '100%' });
    await rig().waitFor('fleet', 'Ready', 'True', 'Ready', 90_000);
    await ask(bad, rollout);
    const { status } = await eventually(
      () => rig().policy('fleet'),
      (found) => found.status?.canary?.readySince !== undefined,
      { timeoutMs: 90_000, what: 'the canary to be Ready' },
    );
    const [canary = ''] = status?.canary?.nodes ?? [];
    const others = pool.filter((node) => node !== canary);
    const before = await operations(others);
    for (const paused of [true, false, true]) {
      await ask(bad, { ...rollout, paused });
      await rig().waitFor('fleet', 'Reconciling', 'True', paused ? 'Paused' : 'CanarySoak');
    }
    const stopped = (await rig().policy('fleet')).status;
    expect(stopped?.canary).to.deep.include({ nodes: [canary], readySince: status?.canary?.readySince });
    expect(stopped?.history?.map(({ generation }) => generation)).to.deep.equal([5, 4, 3, 2, 1]);
    const kubeconfig = await rig().controlPlane.kubeconfigFile();
    const { code, stdout } = await run(['undo', 'fleet', '--apply', '--kubeconfig', kubeconfig]);
    expect([code, stdout.split(';')[0]]).to.deep.equal([
      0,
      'wrote generation 1 of policy fleet, which was in force before, instead of generation 5, which is in force',
    ]);
    expect((await rig().policy('fleet')).spec.layouts?.map(({ profiles }) => profiles)).to.deep.equal([good]);
    await rig().waitFor('fleet', 'Reconciling', 'True', 'Paused');
    const paused = JSON.stringify(await operations(pool));
    await stays(
      async () => JSON.stringify(await operations(pool)),
      (now) => now === paused,
      { forMs, intervalMs: 300 },
    );
    const [, words = ''] = stdout.split('\n');
    const [, patch = ''] =
      /^policy fleet is still paused. To resume: kubectl patch gpp fleet --type=merge -p '(.*)'$/.exec(words) ?? [];
    await rig().kubectl('patch', 'gpp', 'fleet', '--type=merge', '-p', patch);
    await rig().waitFor('fleet', 'Ready', 'True', 'Ready', 60_000);
    expect(await operations(others), 'nodes that never left the good layout').to.deep.equal(before);
    expect((await rig().partition(canary)).spec.wish?.gpus.map(({ profiles }) => profiles)).to.deep.equal([good]);
    await rig().kubectl('delete', 'gpp', 'fleet');
  });

  it('ends where its author says so in a generation that is accepted', async () => {
    await rig().kubectl('delete', 'pod', 'user', '--wait', '--grace-period=1');
    await inference({ priority: -1 });
    await rig().waitFor('fallback', 'Ready', 'True', 'Ready', 90_000);
    await rig().waitFor('inference', 'Ready', 'True', 'Outranked');
    expect((await rig().partition('held')).status?.layout).to.equal('1 GPU: whole');
  });
});
