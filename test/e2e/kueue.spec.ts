import { expect } from 'chai';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { exportQueues, installKueueKinds, largeSlice, queueNodes, queueSpec } from '../support/kueue.ts';
import { useRig } from '../support/rig.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta1';

/** Three pods of a job that Kueue has suspended. */
const workload = {
  apiVersion,
  kind: 'Workload',
  metadata: { name: 'job-train', namespace: 'default' },
  spec: {
    queueName: 'p',
    podSets: [
      {
        name: 'main',
        count: 3,
        template: {
          spec: { containers: [{ name: 'main', image: 'x', resources: { requests: { [largeSlice]: 1 } } }] },
        },
      },
    ],
  },
};

describe('a demand from Kueue @all', function () {
  const rig = useRig(queueNodes);

  const until = (
    what: string,
    holds: (large: NonNullable<NonNullable<GpuPartitionPolicy['status']>['demand']>[number]) => boolean,
  ) =>
    eventually(
      async () => (await rig().policy('p')).status?.demand?.find(({ name }) => name === 'large'),
      (one) => one !== undefined && holds(one),
      { timeoutMs: 120_000, what },
    );

  it('says where there is no Kueue what to do, and goes by min and pods meanwhile', async () => {
    await rig().apply('p', queueSpec);
    const told = await rig().waitFor('p', 'DemandMet', 'False', 'KueueUnavailable', 60_000);
    const { message } = told.status?.conditions?.find(({ type }) => type === 'DemandMet') ?? {};
    expect(message).to.match(
      /^this cluster has no Kueue: .*install Kueue .*or set demand\.from: Pods\. Until then only pods count: /,
    );
    const small = await eventually(
      async () => (await rig().policy('p')).status?.demand?.[0],
      (one) => one?.offered === 2,
      { timeoutMs: 90_000, what: 'the two small slices of min' },
    );
    expect(small).to.include({ wanted: 2, unmet: 0 });
  });

  it('makes slices for a job that is suspended, of which there are no pods', async () => {
    await installKueueKinds(rig());
    await applyObjects(rig(), [...(await exportQueues()), workload]);
    await until(
      'three large slices for what Kueue holds back',
      ({ offered, waiting }) => offered === 3 && waiting === 3,
    );
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
    expect(await rig().kubectl('get', 'pods', '-o', 'name')).to.equal('');
  });

  it('counts the pods of a job that is admitted, and its Workload no more', async () => {
    const status = {
      admission: { clusterQueue: 'p', podSetAssignments: [{ name: 'main', flavors: { [largeSlice]: 'p' } }] },
      conditions: ['QuotaReserved', 'Admitted'].map((type) => ({
        type,
        status: 'True',
        reason: type,
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    };
    await applyObjects(
      rig(),
      ['a', 'b', 'c'].map((name) => gpuPod({ name, resource: largeSlice })),
    );
    await rig().kubectl(
      'patch',
      'workloads.kueue.x-k8s.io',
      'job-train',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    );
    await rig().kubectl('wait', '--for=jsonpath={.status.phase}=Running', 'pod/a', 'pod/b', 'pod/c', '--timeout=90s');
    const one = await until('three in use and none waiting', ({ used, waiting }) => used === 3 && waiting === 0);
    expect(one).to.include({ wanted: 3, offered: 3, unmet: 0 });
    expect((await rig().writes()).filter((write) => write.includes('eviction'))).to.deep.equal([]);
  });

  it('goes by pods where Workloads cannot be read because the conversion of Kueue does not answer, and says so', async () => {
    const crd = JSON.parse(await rig().kubectl('get', 'crd', 'workloads.kueue.x-k8s.io', '-o', 'json')) as {
      readonly spec: { readonly versions: readonly { readonly name: string }[] };
    };
    const versions = crd.spec.versions.map((one) => ({ ...one, storage: one.name === 'v1beta1' }));
    const patch = (spec: object) =>
      rig().kubectl('patch', 'crd', 'workloads.kueue.x-k8s.io', '--type=merge', '-p', JSON.stringify({ spec }));
    await patch({ versions });
    await applyObjects(rig(), [{ ...workload, metadata: { ...workload.metadata, name: 'job-old' } }]);
    await patch({
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/convert' } },
      },
    });
    const told = await rig().waitFor('p', 'DemandMet', 'False', 'KueueUnavailable', 60_000);
    const { message } = told.status?.conditions?.find(({ type }) => type === 'DemandMet') ?? {};
    expect(message).to.match(/^the objects of Kueue cannot be read: .*conversion webhook/);
  });
});
