import { expect } from 'chai';
import { podTrimmer } from '../../../src/core/cluster/kept-pods.ts';
import { aPluginPod } from '../../support/node-builders.ts';
import { usesGpu } from '../../../src/core/device/holders.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

const filler = 'x'.repeat(1 << 20);
const offer = {
  resources: { 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.5gb': '7' },
  offered: { 'example.com/slice': 1 },
};

/** A pod as a tenant can make it, 1 MB long. */
function aLongPod(limits: Readonly<Record<string, string | number>>, more: object = {}): PodView {
  const containers = [{ name: filler, image: filler, env: [{ name: 'A', value: filler }], resources: { limits } }];
  return {
    metadata: { name: 'p', namespace: 'tenant', uid: 'u', annotations: { a: filler }, labels: { a: filler } },
    spec: { containers, ...more },
    status: { phase: 'Running' },
  };
}

const projectOfProjectPod = podTrimmer({ systemNamespaces: ['gpu'], gpus: offer });

describe('a pod as the controller keeps it', () => {
  it('is as long as its name, whatever a tenant writes into it', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `nvidia.com/mig-${index}g.5gb`);
    const pod = aLongPod(Object.fromEntries(names.map((name) => [name, 1])));
    expect(JSON.stringify(projectOfProjectPod(pod)).length).to.be.below(400);
  });

  it('keeps how long it may take to end', () => {
    const graceOf = (terminationGracePeriodSeconds?: number) =>
      projectOfProjectPod(aLongPod({}, { terminationGracePeriodSeconds })).spec?.terminationGracePeriodSeconds;
    expect([0, 300, undefined].map(graceOf)).to.deep.equal([0, 300, undefined]);
  });

  it('uses a GPU as the whole pod does', () => {
    const pods = [
      aLongPod({ 'nvidia.com/gpu': 1 }),
      aLongPod({ 'nvidia.com/mig-1g.5gb': '1' }),
      aLongPod({ 'nvidia.com/mig-2g.10gb': 1 }),
      aLongPod({ 'example.com/slice': 1 }),
      aLongPod({ 'deviceclass.resource.kubernetes.io/gpu': 1 }),
      aLongPod({ cpu: 1 }),
      aLongPod({ cpu: 1 }, { resourceClaims: [{ name: filler }] }),
    ];
    const uses = pods.map((pod) => usesGpu(pod, offer));
    expect(uses).to.deep.equal([true, true, false, true, true, false, true]);
    expect(pods.map((pod) => usesGpu(projectOfProjectPod(pod), offer))).to.deep.equal(uses);
  });

  it('is whole where it is the cluster’s own', () => {
    const pod: PodView = aPluginPod();
    expect(projectOfProjectPod(pod)).to.deep.equal(pod);
  });
});
