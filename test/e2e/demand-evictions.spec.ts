import { expect } from 'chai';
import { describeBudget, describeDeployment } from '../../src/simulator/rig/workloads.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { useRig } from '../support/rig.ts';

const nodeSelector = { matchLabels: { pool: 'p' } };
const names = ['n1', 'n2', 'n3'];
const nodes = names.map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p', place: name },
  strategy: 'mixed',
}));
const whole = 'nvidia.com/mig-7g.40gb';

describe('a demand that may evict @all', function () {
  const rig = useRig(nodes);

  const demand = (small: number) =>
    rig().apply('p', {
      nodeSelector,
      demand: {
        evict: 'IfNeeded',
        cooldown: '1s',
        slices: [
          { name: 'small', profiles: ['1g.5gb'], count: small, weight: 100 },
          { name: 'whole', profiles: ['7g.40gb'], count: 3, weight: 1 },
        ],
      },
    });
  /** Names of the deployments whose pods were evicted, in order. */
  const evicted = async (): Promise<readonly string[]> =>
    (await rig().writes()).flatMap((write) => /eviction \S*?(cheap|urgent|kept)-/.exec(write)?.[1] ?? []);
  const states = async () => (await rig().policy('p')).status?.demand ?? [];

  before(async () => {
    await rig().create({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'urgent' },
      value: 1000,
      preemptionPolicy: 'Never',
    });
    await demand(0);
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 90_000);
    await rig().create(describeBudget({ name: 'kept' }, 0));
    for (const [index, name] of ['urgent', 'cheap', 'kept'].entries()) {
      const prefers = { key: 'place', value: names[index] ?? '' };
      const more = name === 'urgent' ? { priorityClassName: 'urgent' } : {};
      await rig().create(describeDeployment({ name, resource: whole, replicas: 1, prefers, ...more }));
    }
    await eventually(
      async () => (await states()).find(({ name }) => name === 'whole')?.used,
      (used) => used === 3,
      { timeoutMs: 90_000, what: 'all three slices to be in use' },
    );
  });

  it('evicts the pod of the lowest priority, though others are as good a place', async () => {
    await demand(1);
    await eventually(
      async () => (await states()).find(({ name }) => name === 'small')?.offered,
      (offered) => offered === 1,
      { timeoutMs: 120_000, what: 'the small slice' },
    );
    expect(await evicted()).to.deep.equal(['cheap']);
  });

  it('evicts neither a pod of higher priority than a count has nor one that its disruption budget keeps, and says so', async () => {
    await demand(21);
    const small = await eventually(
      async () => (await states()).find(({ name }) => name === 'small'),
      (one) => one?.offered === 7 && one.unmet === 14,
      { timeoutMs: 120_000, what: 'seven small slices, and no more' },
    );
    expect(small).to.deep.include({
      wanted: 21,
      why: '14 could be made only in place of pods that cannot be evicted: they follow when slices fall idle',
    });
    await rig().waitFor('p', 'DemandMet', 'False', 'NothingIdle', 60_000);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect(await evicted()).to.deep.equal(['cheap']);
  });

  it('takes its slice once the budget allows it', async () => {
    await rig().create(describeBudget({ name: 'kept' }, 1));
    await eventually(
      async () => (await states()).find(({ name }) => name === 'small'),
      (one) => one?.offered === 14 && one.unmet === 7,
      { timeoutMs: 180_000, what: 'fourteen small slices' },
    );
    expect(await evicted()).to.deep.equal(['cheap', 'kept']);
  });
});
