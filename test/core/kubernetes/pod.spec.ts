import { expect } from 'chai';
import { systemPods, type PodView } from '../../../src/core/kubernetes/pod.ts';

function aPod(namespace: string, kind: string, controller = true): PodView {
  return { metadata: { name: 'p', namespace, ownerReferences: [{ kind, controller }] } };
}

describe('systemPods', () => {
  it('are pods of DaemonSets in the namespaces of the cluster', () => {
    const own = aPod('gpu-operator', 'DaemonSet');
    const others = [
      aPod('tenant', 'DaemonSet'),
      aPod('gpu-operator', 'ReplicaSet'),
      aPod('gpu-operator', 'DaemonSet', false),
      { metadata: { name: 'p', namespace: 'gpu-operator' } },
      { metadata: { name: 'p', ownerReferences: [{ kind: 'DaemonSet', controller: true }] } },
    ];
    expect(systemPods([own, ...others], ['gpu-operator', 'kube-system'])).to.deep.equal([own]);
  });
});
