import { expect } from 'chai';

import { resourceSlices } from '../../src/api/resources.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import { attributeOf, type ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import { listSliceDevices } from '../../src/core/node/offer.ts';
import type { ClaimExplanation, PodExplanation } from '../../src/core/explain/pod.ts';
import { jsonRunner, run } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod, slicesOf } from '../support/gpu-pods.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const node = 'claims';

/** A pod with a claim on one slice of a profile, of a controller that replaces it. */
function aClaimingSet(name: string, profile: string): object {
  const driver = 'gpu.nvidia.com';
  const expression = `device.attributes['${driver}'].profile == '${profile}'`;
  const exactly = { deviceClassName: 'mig.nvidia.com', selectors: [{ cel: { expression } }] };
  const claim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace: 'default' },
    spec: { devices: { requests: [{ name: 'gpu', exactly }] } },
  };
  const labels = { app: name };
  const spec = {
    containers: [{ name: 'main', image: 'example.com/train', resources: { claims: [{ name: 'gpu' }] } }],
    resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
  };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'default' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
  return { apiVersion: 'v1', kind: 'List', items: [claim, set] };
}

describe('a policy with backend DRA', function () {
  const rig = useRig([
    { name: node, gpus: ['A100-SXM4-40GB'], labels: { pool: 'dra' }, strategy: 'mixed', plugin: 'dra' },
  ]);

  const layout = (profiles: Readonly<Record<string, number>>): Promise<void> =>
    rig().apply('dra', {
      nodeSelector: { matchLabels: { pool: 'dra' } },
      strategy: 'mixed',
      backend: 'DRA',
      layouts: [{ profiles }],
    });

  /** UUIDs by the names of devices. */
  async function published(): Promise<ReadonlyMap<string, string | undefined>> {
    const path = collectionPath(resourceSlices);
    const list = (await rig().controlPlane.client.demand({ path })) as { items: readonly ResourceSliceView[] };
    return new Map(listSliceDevices(list.items).map((one) => [one.name, attributeOf(one, 'uuid')]));
  }

  /** `Running UID` of the pods with claims. */
  const claiming = (): Promise<string> =>
    rig().kubectl('get', 'pods', '-l', 'app=train', '-o', 'jsonpath={.items[*].status.phase} {.items[*].metadata.uid}');

  const explainClaim = async (claim: string): Promise<ClaimExplanation> => {
    const config = await rig().controlPlane.kubeconfigFile();
    const argv = ['explain', 'claim', `default/${claim}`, '--kubeconfig', config];
    return (await jsonRunner<ClaimExplanation>()(argv)).answer;
  };

  it('brings a node from MIG off to Ready, when the slices of its driver show what the device has', async () => {
    await layout({ '3g.20gb': 1, '1g.5gb': 2 });
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    const { status } = await rig().partition(node);
    const uuids = (status?.device?.gpus ?? []).flatMap(({ instances }) => instances.map(({ uuid }) => uuid));
    expect(uuids).to.have.length(3);
    expect([...(await published()).values()]).to.have.members(uuids);
  });

  it('keeps the slice of a running claim through an edit, and its pod untouched', async () => {
    await rig().create(aClaimingSet('train', '3g.20gb'));
    const before = await eventually(claiming, (text) => text.startsWith('Running '), { what: 'the pod with a claim' });
    const held = [...(await published())].filter(([name]) => name.includes('3g20gb'));
    await layout({ '3g.20gb': 1, '2g.10gb': 1 });
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    const after = await published();
    expect(held).to.have.length(1);
    expect([...after]).to.deep.include(held[0]);
    expect([...after.keys()].filter((one) => one.includes('2g10gb'))).to.have.length(1);
    expect(await claiming()).to.equal(before);
  });

  it('keeps a claim whose slice must go as long as a disruption budget does, then drains it', async () => {
    const before = await claiming();
    await rig().create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'train', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'train' } } },
    });
    await layout({ '2g.10gb': 3 });
    await rig().untilReason(node, 'EvictionBlocked');
    expect(await claiming()).to.equal(before);
    const config = await rig().controlPlane.kubeconfigFile();
    const shown = (await run(['status', node, '--kubeconfig', config])).stdout;
    expect(shown).to.match(/3g\.20gb at \d: default\/train-\w+ by claim default\/train\n/);
    expect(shown.replaceAll(/\s+/g, ' ')).to.match(/pods to evict: default\/train-\w+; their claims: default\/train /);
    const held = await explainClaim('train');
    expect(held).to.include({ code: 'Allocated', isPending: false });
    expect(held.message).to.match(
      /\(GPU 0: 3g\.20gb at \d\), which the plan of the node destroys; used by default\/train-\w+ /,
    );
    await rig().kubectl('delete', 'poddisruptionbudget', 'train');
    await rig().kubectl('annotate', 'node', node, 'gpupartition.dev/retry=now');
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    expect([...(await published()).keys()].every((one) => one.includes('2g10gb'))).to.equal(true);
    expect(await claiming()).not.to.include(before.replace('Running ', ''));
  });

  it('is what `explain claim` tells of a claim that waits with its pod, and which layout would serve it', async () => {
    const told = await eventually(
      () => explainClaim('train'),
      ({ code }) => code === 'NotOffered',
      { what: 'the claim of the next pod' },
    );
    expect(told.isPending).to.equal(true);
    expect(told.message).to.match(/^it waits with pod default\/train-\w+: .* by claim default\/train; /);
    expect(told.nodes.map((one) => one.node)).to.deep.equal([node]);
    const [edit] = told.suggestions.filter(({ kind }) => kind === 'EditPolicy');
    expect(edit?.message).to.match(/^set spec\.layouts\[0\]\.profiles of policy dra to .*1×3g\.20gb/);
  });

  it('keeps the slice of a pod that asked for it as with the device plugin', async () => {
    const resource = 'nvidia.com/mig-2g.10gb';
    const expression = "device.attributes['gpu.nvidia.com'].profile == '2g.10gb'";
    await applyObjects(rig(), [
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'mig-2g-10gb.gpu.nvidia.com' },
        spec: { selectors: [{ cel: { expression } }], extendedResourceName: resource },
      },
      gpuPod({ name: 'old', resource }),
    ]);
    await rig().kubectl('wait', '--for=jsonpath={.status.phase}=Running', 'pod/old', '--timeout=60s');
    const before = await published();
    await layout({ '2g.10gb': 1, '3g.20gb': 1 });
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    const kept = [...(await published())].filter(([name, uuid]) => before.get(name) === uuid);
    expect(kept).to.have.length(1);
    const phase = await rig().kubectl('get', 'pod', 'old', '-o', 'jsonpath={.status.phase}');
    expect(phase).to.equal('Running');
  });

  it('is what `explain pod` tells of a pod that waits for a claim, or for a resource of a DeviceClass', async () => {
    const config = await rig().controlPlane.kubeconfigFile();
    const explain = async (pod: string): Promise<PodExplanation> =>
      (await jsonRunner<PodExplanation>()(['explain', 'pod', `default/${pod}`, '--kubeconfig', config])).answer;
    const claims = [{ name: 'gpu', resourceClaimTemplateName: 'small' }];
    const container = { name: 'main', image: 'example.com/train', resources: { claims: [{ name: 'gpu' }] } };
    const exactly = { deviceClassName: 'mig-2g-10gb.gpu.nvidia.com' };
    await applyObjects(rig(), [
      gpuPod({ name: 'waits', resource: 'nvidia.com/mig-2g.10gb' }),
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaimTemplate',
        metadata: { name: 'small', namespace: 'default' },
        spec: { spec: { devices: { requests: [{ name: 'one', exactly }] } } },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'claims', namespace: 'default' },
        spec: { containers: [container], resourceClaims: claims },
      },
    ]);
    for (const name of ['waits', 'claims']) {
      const told = await eventually(
        () => explain(name),
        ({ code }) => code !== 'NoScheduler',
        { what: 'the word of the scheduler' },
      );
      expect(told, told.message).to.include({ code: 'Full', isPending: true });
      expect(told.message).to.contain('1 of 1 nvidia.com/mig-2g.10gb are in use, held by default/old');
    }
    await rig().kubectl('delete', 'pod', 'waits', 'claims', '--wait=false');
  });

  it('keeps the DeviceClasses of its profiles, and leaves one alone that somebody else has set', async () => {
    const className = 'mig-3g-20gb.gpu.nvidia.com';
    const ofSmall = 'mig-2g-10gb.gpu.nvidia.com';
    const read = (name: string): Promise<string> =>
      rig().kubectl(
        'get',
        'deviceclass',
        name,
        '--ignore-not-found',
        '-o',
        'jsonpath={.spec.extendedResourceName} {.spec.selectors[0].cel.expression}',
      );
    const before = await read(ofSmall);
    const patch = (spec: object): Promise<string> =>
      rig().kubectl('patch', 'gpupartitionpolicy', 'dra', '--type=merge', '-p', JSON.stringify({ spec }));
    const refusal = await patch({ backend: 'DevicePlugin', dra: { deviceClasses: 'Managed' } }).then(() => '', String);
    expect(refusal).to.include('dra needs backend DRA');
    await patch({ dra: { deviceClasses: 'Managed' } });
    const expression =
      "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig' && " +
      "device.attributes['gpu.nvidia.com'].profile == '3g.20gb'";
    await eventually(
      () => read(className),
      (text) => text === `nvidia.com/mig-3g.20gb ${expression}`,
      { what: 'the class of 3g.20gb' },
    );
    await eventually(
      () =>
        rig().kubectl('get', 'events', '-A', '-o', 'jsonpath={.items[?(@.reason=="DeviceClassNotWritten")].message}'),
      (text) => text.includes(`DeviceClass ${ofSmall} is not as this policy asks`),
      { what: 'the Event on the class that somebody else has set' },
    );
    expect(await read(ofSmall)).to.equal(before);
    await rig().kubectl('delete', 'deviceclass', ofSmall);
    await patch({ priority: 1 });
    await eventually(
      () => read(ofSmall),
      (text) => text.includes("type == 'mig'"),
      { what: 'the class that was deleted' },
    );
  });

  it('keeps a node closed whose driver does not come back, and opens it when it does', async () => {
    const { fleet } = rig().rig;
    fleet.setDriverFault(node, 'NeverReady');
    await layout({ '2g.10gb': 1, '1g.5gb': 2 });
    const message = await rig().untilReason(node, 'AdvertisePending', 60_000);
    expect(message).to.contain('DRA driver');
    await eventually(
      () => slicesOf(rig(), node, '1g.5gb'),
      (slices) => slices.length === 2,
      { timeoutMs: 60_000, what: 'the new slices' },
    );
    expect(ownTaints(await rig().node(node))).to.deep.equal(['gpupartition.dev/repartitioning']);
    expect([...(await published()).keys()].filter((one) => one.includes('1g5gb'))).to.deep.equal([]);
    fleet.setDriverFault(node, undefined);
    await rig().waitFor('dra', 'Ready', 'True', 'Ready', 60_000);
    expect(ownTaints(await rig().node(node))).to.deep.equal([]);
    expect([...(await published()).keys()].filter((one) => one.includes('1g5gb'))).to.have.length(2);
  });
});
