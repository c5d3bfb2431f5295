import { expect } from 'chai';
import { explainStaying, judgeEviction, ownerOf } from '../../../src/core/pods/eviction.ts';
import type { PodView } from '../../../src/core/pods/pod-view.ts';

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
      expect(judgeEviction(ownedBy(kind)), kind).to.equal('Yes');
      expect(explainStaying(ownedBy(kind)), kind).to.equal(undefined);
    }
  });

  it('is never made to go where it comes back at once, or the API cannot end it', () => {
    expect(judgeEviction(ownedBy('DaemonSet'))).to.equal('Never');
    expect(explainStaying(ownedBy('DaemonSet'))).to.equal('belongs to a DaemonSet, which would recreate it');
    expect(judgeEviction(annotated(mirror, 'Node'))).to.equal('Never');
    expect(explainStaying(annotated(mirror, 'Node'))).to.equal('is a static pod, which no eviction ends');
    expect(judgeEviction({ metadata: { name: 'p', annotations: mirror } })).to.equal('Never');
    expect(judgeEviction(annotated({ 'gpupartition.dev/evict': 'false' }, 'DaemonSet'))).to.equal('Never');
  });

  it('goes by force only if no controller would recreate it', () => {
    for (const pod of [{ metadata: { name: 'p' } }, ownedBy('ReplicaSet', false)]) {
      expect(judgeEviction(pod)).to.equal('ByForce');
      expect(explainStaying(pod)).to.equal('has no controller: nothing would recreate it');
    }
  });

  it('goes by force alone where its owner does not want it evicted', () => {
    for (const key of ['gpupartition.dev/evict', 'cluster-autoscaler.kubernetes.io/safe-to-evict']) {
      expect(judgeEviction(annotated({ [key]: 'false' })), key).to.equal('ByForce');
      expect(explainStaying(annotated({ [key]: 'false' })), key).to.equal(`is annotated ${key}: "false"`);
      expect(judgeEviction(annotated({ [key]: 'true' })), key).to.equal('Yes');
    }
  });

  it('is not spared because it names a DaemonSet of another API group, or one that does not exist', () => {
    for (const apiVersion of [
      'apps.kruise.io/v1beta1',
      'tenant.example.com/v1',
      'apps/v1beta1',
      'extensions/v1beta1',
    ]) {
      expect(judgeEviction(ownedBy('DaemonSet', true, apiVersion)), apiVersion).to.equal('Yes');
    }
    expect(judgeEviction(ownedBy('DaemonSet', false))).to.equal('ByForce');
    const missing = new Set(['uid-DaemonSet']);
    expect(judgeEviction(ownedBy('DaemonSet'), missing)).to.equal('ByForce');
    expect(explainStaying(ownedBy('DaemonSet'), missing)).to.equal(
      'belongs to DaemonSet set, which does not exist: nothing would recreate it',
    );
    expect(judgeEviction(ownedBy('DaemonSet'), new Set(['uid-of-another']))).to.equal('Never');
    expect(judgeEviction(ownedBy('ReplicaSet'), new Set(['uid-ReplicaSet']))).to.equal('Yes');
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
