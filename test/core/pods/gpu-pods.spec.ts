import { expect } from 'chai';

import type { PodView } from '../../../src/core/pods/pod-view.ts';
import { mayClaimGpus, usesGpu } from '../../../src/core/pods/gpu-pods.ts';

type Amounts = Readonly<Record<string, string | number>>;

function aPod(spec: PodView['spec'], phase = 'Running'): PodView {
  return { metadata: { name: 'p', namespace: 'ml' }, spec: { ...spec }, status: { phase } };
}

const aPodWith = (limits: Amounts, phase?: string): PodView => aPod({ containers: [{ resources: { limits } }] }, phase);

describe('a pod that uses a GPU', () => {
  for (const name of [
    'nvidia.com/gpu',
    'nvidia.com/gpu.shared',
    'nvidia.com/mig-1g.5gb',
    'nvidia.com/mig-1g.10gb.me',
    'nvidia.com/mig-2g.48gb-me.shared',
    'k8s.amazonaws.com/vgpu',
  ]) {
    it(`asks for ${name}`, () => expect(usesGpu(aPodWith({ [name]: 1 }))).to.equal(true));
  }

  for (const name of [
    'nvidia.com/hostdev',
    'nvidia.com/mlnxnics',
    'nvidia.com/rdma_shared_device_a',
    'nvidia.com/GA102GL_A10',
    'nvidia.com/gpumem',
    'cpu',
    'example.com/nvidia.com/gpu',
  ]) {
    it(`does not ask for ${name} alone`, () => expect(usesGpu(aPodWith({ [name]: 1 }))).to.equal(false));
  }

  it('asks for a resource that the kubelet hands GPUs of this node out by, whatever its name', () => {
    const pod = aPodWith({ 'nvidia.com/a100-slice': 1 });
    expect(usesGpu(pod)).to.equal(false);
    expect(usesGpu(pod, { offered: { 'nvidia.com/a100-slice': 7 } })).to.equal(true);
  });

  it('asks in any container: of the start, beside the others, of a debugger', () => {
    const containers = [{ resources: { requests: { 'nvidia.com/gpu': '1' } } }];
    expect(usesGpu(aPod({ containers }))).to.equal(true);
    expect(usesGpu(aPod({ initContainers: containers }))).to.equal(true);
    expect(usesGpu(aPod({ ephemeralContainers: containers }))).to.equal(true);
    expect(usesGpu(aPod({ containers: [{}, { resources: {} }] }))).to.equal(false);
  });

  it('asks for more than nothing, however nothing is written', () => {
    expect(['0', '0k', '0.0', 0].filter((amount) => usesGpu(aPodWith({ 'nvidia.com/gpu': amount })))).to.deep.equal([]);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': '1k' }))).to.equal(true);
  });

  it('has not ended', () => {
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Pending'))).to.equal(true);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Unknown'))).to.equal(true);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Succeeded'))).to.equal(false);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Failed'))).to.equal(false);
  });

  describe('by a claim', () => {
    const claiming = aPod({ containers: [{}], resourceClaims: [{ name: 'gpu' }] });
    const claimed: readonly (readonly [what: string, pod: PodView])[] = [
      ['a claim', claiming],
      ['a resource that stands for a device class', aPodWith({ 'deviceclass.resource.kubernetes.io/any': 1 })],
      [
        'a claim that the scheduler made for a resource',
        { ...aPodWith({ 'example.com/fast': 1 }), status: { extendedResourceClaimStatus: {} } },
      ],
    ];

    for (const [what, pod] of claimed) {
      it(`has ${what}, as long as its kind is unknown`, () => {
        expect(usesGpu(pod)).to.equal(true);
        expect(usesGpu(pod, { mayClaim: true })).to.equal(true);
        expect(usesGpu(pod, { mayClaim: false })).to.equal(false);
      });
    }

    it('has not ended either', () => {
      expect(usesGpu({ ...claiming, status: { phase: 'Succeeded' } })).to.equal(false);
    });

    it('is on a node that offers GPUs by claim', () => {
      const slicesOf = (...drivers: readonly string[]) => drivers.map((driver) => ({ spec: { driver } }));
      expect(mayClaimGpus(undefined)).to.equal(true);
      expect(mayClaimGpus(slicesOf('gpu.nvidia.com', 'dra.net'))).to.equal(true);
      expect(mayClaimGpus(slicesOf('hami-core-gpu.project-hami.io'))).to.equal(true);
      expect(mayClaimGpus(slicesOf('compute-domain.nvidia.com', 'dra.net'))).to.equal(false);
      expect(mayClaimGpus([])).to.equal(false);
    });
  });
});
