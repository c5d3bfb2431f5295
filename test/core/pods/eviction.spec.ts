import { expect } from 'chai';
import { type EvictionView, explainStaying, judgeEviction, ownerOf } from '../../../src/core/pods/eviction.ts';

const ownedBy = (kind: string, controller = true): EvictionView => ({
  metadata: { ownerReferences: [{ kind, uid: `uid-${kind}`, controller }] },
});
const annotated = (annotations: Readonly<Record<string, string>>, kind = 'ReplicaSet'): EvictionView => ({
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
    expect(explainStaying(ownedBy('DaemonSet'))).to.equal('of a DaemonSet, which would create it again');
    expect(judgeEviction(annotated(mirror, 'Node'))).to.equal('Never');
    expect(explainStaying(annotated(mirror, 'Node'))).to.equal('a static pod, which no eviction ends');
    expect(judgeEviction({ metadata: { annotations: mirror } })).to.equal('Never');
    expect(judgeEviction(annotated({ 'gpupartition.dev/evict': 'false' }, 'DaemonSet'))).to.equal('Never');
  });

  it('goes by force alone where nobody would make another one', () => {
    for (const pod of [{ metadata: {} }, ownedBy('ReplicaSet', false)]) {
      expect(judgeEviction(pod)).to.equal('ByForce');
      expect(explainStaying(pod)).to.equal('without a controller: nothing would create it again');
    }
  });

  it('goes by force alone where its owner does not want it evicted', () => {
    for (const key of ['gpupartition.dev/evict', 'cluster-autoscaler.kubernetes.io/safe-to-evict']) {
      expect(judgeEviction(annotated({ [key]: 'false' })), key).to.equal('ByForce');
      expect(explainStaying(annotated({ [key]: 'false' })), key).to.equal(`annotated ${key}: "false"`);
      expect(judgeEviction(annotated({ [key]: 'true' })), key).to.equal('Yes');
    }
  });

  it('is of the owner that controls it', () => {
    const ownerReferences = [
      { kind: 'Workflow', uid: 'w' },
      { kind: 'Job', uid: 'j', controller: true },
    ];
    expect(ownerOf({ metadata: { ownerReferences } })).to.include({ kind: 'Job', uid: 'j' });
    expect(ownerOf({ metadata: {} })).to.equal(undefined);
  });
});
