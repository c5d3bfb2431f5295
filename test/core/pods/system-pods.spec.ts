import { expect } from 'chai';
import { type OwnedPodView, systemPods } from '../../../src/core/pods/system-pods.ts';

function aPod(namespace: string, kind: string, controller = true): OwnedPodView {
  return { metadata: { namespace, ownerReferences: [{ kind, controller }] } };
}

describe('systemPods', () => {
  it('are pods of DaemonSets in the namespaces of the cluster', () => {
    const own = aPod('gpu-operator', 'DaemonSet');
    const others = [
      aPod('tenant', 'DaemonSet'),
      aPod('gpu-operator', 'ReplicaSet'),
      aPod('gpu-operator', 'DaemonSet', false),
      { metadata: { namespace: 'gpu-operator' } },
      { metadata: { ownerReferences: [{ kind: 'DaemonSet', controller: true }] } },
    ];
    expect(systemPods([own, ...others], ['gpu-operator', 'kube-system'])).to.deep.equal([own]);
  });
});
