import { expect } from 'chai';
import type { ResourceClaimView } from '../../../src/core/kubernetes/pod.ts';
import { listGpuClaims } from '../../../src/core/node/rules/users.ts';

type Result = NonNullable<
  NonNullable<NonNullable<NonNullable<ResourceClaimView['status']>['allocation']>['devices']>['results']
>[number];

const onNode: Result = { driver: 'gpu.nvidia.com', pool: 'n', device: 'gpu-0' };
const reservedFor = [{ resource: 'pods', name: 'train', uid: 'uid-train' }];

function aClaim(...results: readonly Result[]): ResourceClaimView {
  return { metadata: { name: 'c', namespace: 'ml' }, status: { allocation: { devices: { results } }, reservedFor } };
}

describe('The claims on a node’s GPUs', () => {
  it('name their devices and the pods that they are reserved for', () => {
    const users = [{ name: 'ml/train', uid: 'uid-train' }];
    expect(listGpuClaims([aClaim(onNode)], 'n')).to.deep.equal([{ name: 'ml/c', devices: ['gpu-0'], users }]);
  });

  it('count once they are allocated, though no pod has started', () => {
    const { metadata, status } = aClaim(onNode);
    const allocated = { metadata, status: { ...status, reservedFor: [] } };
    expect(listGpuClaims([allocated], 'n')).to.deep.equal([{ name: 'ml/c', devices: ['gpu-0'], users: [] }]);
    expect(listGpuClaims([{ metadata }, { metadata, status: { reservedFor } }], 'n')).to.deep.equal([]);
  });

  it('are not those of other nodes, of other drivers and of monitors', () => {
    const others = [
      { ...onNode, pool: 'm' },
      { ...onNode, driver: 'dra.net' },
      { ...onNode, adminAccess: true },
    ];
    expect(listGpuClaims([aClaim(...others)], 'n')).to.deep.equal([]);
    expect(listGpuClaims([aClaim(...others, onNode)], 'n')[0]?.devices).to.deep.equal(['gpu-0']);
  });
});
