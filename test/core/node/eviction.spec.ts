import { expect } from 'chai';
import {
  type BudgetView,
  findTightBudget,
  judgeBudgets,
  judgeEviction,
  ownerOf,
} from '../../../src/core/node/eviction.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

function aBudget(status: BudgetView['status'], spec: BudgetView['spec'] = {}, name = 'pdb'): BudgetView {
  return {
    metadata: { name, namespace: 'team', generation: 1 },
    spec: { selector: { matchLabels: { app: 'train' } }, ...spec },
    status: { observedGeneration: 1, ...status },
  };
}

function aPod({ phase = 'Running', ready = 'True', ...metadata }: Record<string, string> = {}): PodView {
  return {
    metadata: { name: 'p', namespace: 'team', labels: { app: 'train' }, ...metadata },
    status: { phase, conditions: [{ type: 'Ready', status: ready }] },
  };
}

const none = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 };

describe('what PodDisruptionBudgets say to an eviction', () => {
  it('lets a pod go that none is about', () => {
    expect(judgeBudgets(aPod({ namespace: 'other' }), [aBudget(none)])).to.equal(undefined);
    expect(judgeBudgets(aPod(), [aBudget(none, { selector: { matchLabels: { app: 'web' } } })])).to.equal(undefined);
    expect(judgeBudgets(aPod(), [{ ...aBudget(none), spec: {} }])).to.equal(undefined);
  });

  it('lets a pod go as long as disruptions are allowed', () => {
    expect(judgeBudgets(aPod(), [aBudget({ ...none, disruptionsAllowed: 1 })])).to.equal(undefined);
  });

  it('refuses where none is allowed, and says which budget and how many it needs', () => {
    expect(judgeBudgets(aPod(), [aBudget(none)])).to.deep.equal({
      budgets: ['team/pdb'],
      message: 'PodDisruptionBudget team/pdb allows 0 disruptions (2 healthy, 2 needed)',
      isLasting: false,
    });
  });

  it('refuses for good where it needs as many healthy pods as there are, and as long as it can change otherwise not', () => {
    const full = { ...none, expectedPods: 2 };
    expect(judgeBudgets(aPod(), [aBudget(full)])).to.deep.equal({
      budgets: ['team/pdb'],
      message: 'PodDisruptionBudget team/pdb never allows a disruption: it needs 2 healthy pods and covers 2',
      isLasting: true,
    });
    const one = judgeBudgets(aPod(), [aBudget({ ...none, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 })]);
    expect(one?.message).to.match(/: it needs 1 healthy pod and covers 1$/);
    for (const [pod, budget] of [
      [aPod(), aBudget({ ...full, expectedPods: 3 })],
      [aPod(), aBudget({ ...full, observedGeneration: 0 })],
      [aPod({ ready: 'False' }), aBudget({ ...full, currentHealthy: 1 })],
    ] as const) {
      expect(judgeBudgets(pod, [budget])?.isLasting).to.equal(false);
    }
    const two = [aBudget(full, {}, 'b'), aBudget(full, {}, 'a')];
    expect(judgeBudgets(aPod(), two)?.isLasting).to.equal(true);
  });

  it('names the first that does not let all of some pods go at once', () => {
    const one = aBudget({ ...none, disruptionsAllowed: 1 });
    const sick = aPod({ ready: 'False' });
    expect(findTightBudget([aPod(), sick], [one])).to.equal(undefined);
    expect(findTightBudget([aPod(), aPod({ namespace: 'other' })], [one])).to.equal(undefined);
    expect(findTightBudget([aPod(), aPod()], [one])).to.equal(
      'PodDisruptionBudget team/pdb allows 1 of the 2 evictions',
    );
  });

  it('counts an empty selector as one for every pod of the namespace, with expressions too', () => {
    expect(judgeBudgets(aPod(), [aBudget(none, { selector: {} })])?.budgets).to.deep.equal(['team/pdb']);
    const matchExpressions = [{ key: 'app', operator: 'NotIn', values: ['web'] }];
    expect(judgeBudgets(aPod(), [aBudget(none, { selector: { matchExpressions } })])?.budgets).to.have.length(1);
  });

  it('refuses a pod that two are about, whatever they allow', () => {
    const allowing = { ...none, disruptionsAllowed: 1 };
    const refusal = judgeBudgets(aPod(), [aBudget(allowing, {}, 'b'), aBudget(allowing, {}, 'a')]);
    expect(refusal?.message).to.equal(
      'it has 2 PodDisruptionBudgets (team/a, team/b), and the Eviction API supports at most one: remove one',
    );
  });

  it('refuses if its status was not updated since it was changed', () => {
    const message = judgeBudgets(aPod(), [aBudget({ disruptionsAllowed: 1, observedGeneration: 0 })])?.message;
    expect(message).to.match(/has not been processed/);
    expect(judgeBudgets(aPod(), [{ ...aBudget({}), status: {} }])?.message).to.match(/has not been processed/);
  });

  it('lets a pod go that is pending, has ended or is going', () => {
    for (const pod of [aPod({ phase: 'Pending' }), aPod({ phase: 'Failed' }), aPod({ deletionTimestamp: 'now' })]) {
      expect(judgeBudgets(pod, [aBudget(none)])).to.equal(undefined);
    }
  });

  it('lets a pod go that is not ready where enough others are, or where the budget says so', () => {
    const sick = aPod({ ready: 'False' });
    expect(judgeBudgets(sick, [aBudget(none)])).to.equal(undefined);
    const short = { ...none, currentHealthy: 1 };
    expect(judgeBudgets(sick, [aBudget(short)])?.budgets).to.have.length(1);
    expect(judgeBudgets(sick, [aBudget(short, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })])).to.equal(undefined);
  });
});

const ownedBy = (kind: string, controller = true, apiVersion = 'apps/v1'): PodView => ({
  metadata: { name: 'p', ownerReferences: [{ apiVersion, kind, name: 'set', uid: `uid-${kind}`, controller }] },
});
const annotated = (annotations: Readonly<Record<string, string>>, kind = 'ReplicaSet'): PodView => ({
  metadata: { ...ownedBy(kind).metadata, annotations },
});
const mirror = { 'kubernetes.io/config.mirror': 'x' };

describe('a pod that has to go', () => {
  it('is evicted where a controller makes another one elsewhere', () => {
    for (const kind of ['ReplicaSet', 'StatefulSet', 'Job', 'RayCluster']) {
      expect(judgeEviction(ownedBy(kind)).evictable, kind).to.equal('Yes');
      expect(judgeEviction(ownedBy(kind)).why, kind).to.equal(undefined);
    }
  });

  it('is never made to go where it comes back at once, or the API cannot end it', () => {
    expect(judgeEviction(ownedBy('DaemonSet')).evictable).to.equal('Never');
    expect(judgeEviction(ownedBy('DaemonSet')).why).to.equal('belongs to a DaemonSet, which would recreate it');
    expect(judgeEviction(annotated(mirror, 'Node')).evictable).to.equal('Never');
    expect(judgeEviction(annotated(mirror, 'Node')).why).to.equal('is a static pod, which no eviction ends');
    expect(judgeEviction({ metadata: { name: 'p', annotations: mirror } }).evictable).to.equal('Never');
    expect(judgeEviction(annotated({ 'gpupartition.dev/evict': 'false' }, 'DaemonSet')).evictable).to.equal('Never');
  });

  it('goes by force only if no controller would recreate it', () => {
    for (const pod of [{ metadata: { name: 'p' } }, ownedBy('ReplicaSet', false)]) {
      expect(judgeEviction(pod).evictable).to.equal('ByForce');
      expect(judgeEviction(pod).why).to.equal('has no controller: nothing would recreate it');
    }
  });

  it('goes by force alone where its owner does not want it evicted', () => {
    for (const key of ['gpupartition.dev/evict', 'cluster-autoscaler.kubernetes.io/safe-to-evict']) {
      expect(judgeEviction(annotated({ [key]: 'false' })).evictable, key).to.equal('ByForce');
      expect(judgeEviction(annotated({ [key]: 'false' })).why, key).to.equal(`is annotated ${key}: "false"`);
      expect(judgeEviction(annotated({ [key]: 'true' })).evictable, key).to.equal('Yes');
    }
  });

  it('is not spared because it names a DaemonSet of another API group, or one that does not exist', () => {
    for (const apiVersion of [
      'apps.kruise.io/v1beta1',
      'tenant.example.com/v1',
      'apps/v1beta1',
      'extensions/v1beta1',
    ]) {
      expect(judgeEviction(ownedBy('DaemonSet', true, apiVersion)).evictable, apiVersion).to.equal('Yes');
    }
    expect(judgeEviction(ownedBy('DaemonSet', false)).evictable).to.equal('ByForce');
    const missing = new Set(['uid-DaemonSet']);
    expect(judgeEviction(ownedBy('DaemonSet'), missing).evictable).to.equal('ByForce');
    expect(judgeEviction(ownedBy('DaemonSet'), missing).why).to.equal(
      'belongs to DaemonSet set, which does not exist: nothing would recreate it',
    );
    expect(judgeEviction(ownedBy('DaemonSet'), new Set(['uid-of-another'])).evictable).to.equal('Never');
    expect(judgeEviction(ownedBy('ReplicaSet'), new Set(['uid-ReplicaSet'])).evictable).to.equal('Yes');
  });

  it('is of the owner that controls it', () => {
    const ownerReferences = [
      { kind: 'Workflow', uid: 'w' },
      { kind: 'Job', uid: 'j', controller: true },
    ];
    expect(ownerOf({ metadata: { name: 'p', ownerReferences } })).to.include({ kind: 'Job', uid: 'j' });
    expect(ownerOf({ metadata: { name: 'p' } })).to.equal(undefined);
  });
});
