import { expect } from 'chai';

import { classNameOf } from '../../src/core/policy/device-classes.ts';
import { attributeOf, type ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import { run } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { describeDriver, driverName, driverNamespace, driverSelector } from './driver-daemon-set.ts';
import { simulatorImage } from './images.ts';
import { nodeName } from './node-config.ts';
import type { Profiles } from './operator.ts';
import { isOnNode } from './real-node.ts';
import { useRealNode } from './shared-node.ts';
import { listSliceDevices } from '../../src/core/node/offer.ts';

const mixed: Profiles = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };
const small: Profiles = { '1g.5gb': 4, '3g.20gb': 1 };

/** A claim on one slice of a profile, and a pod that has it. */
function aClaimingPod(name: string, profile: string): object {
  const exactly = { deviceClassName: classNameOf(profile) };
  const claim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace: 'default' },
    spec: { devices: { requests: [{ name: 'gpu', exactly }] } },
  };
  const container = {
    name: 'main',
    image: simulatorImage,
    command: ['sleep', '100000'],
    resources: { claims: [{ name: 'gpu' }] },
  };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [container],
      resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
    },
  };
  return { apiVersion: 'v1', kind: 'List', items: [claim, pod] };
}

describe('backend DRA on a real kubelet', () => {
  const operator = useRealNode();

  before(async () => {
    await operator().applyFolder('config/default');
    await operator().apply(describeDriver());
    await operator().rollOut();
  });

  after(async () => {
    if (!isOnNode()) return;
    await operator().kubectl('delete', 'pods,resourceclaims', '--all', '-n', 'default');
    await operator().remove();
    const options = ['--cascade=foreground', '--timeout=30s'];
    await operator().kubectl('delete', '-n', driverNamespace, `daemonset/${driverName}`, ...options);
    await operator().kubectl('delete', 'deviceclasses,resourceslices', '--all');
  });

  /** UUIDs by the names of devices. */
  async function published(): Promise<ReadonlyMap<string, string | undefined>> {
    const list = JSON.parse(await operator().kubectl('get', 'resourceslices', '-o', 'json')) as {
      readonly items: readonly ResourceSliceView[];
    };
    return new Map(listSliceDevices(list.items).map((one) => [one.name, attributeOf(one, 'uuid')]));
  }

  /** Waits until the policy is Ready, and expects of the driver's slices what the device has. */
  async function untilDone(profiles: Profiles): Promise<void> {
    await operator().ask(profiles, { backend: 'DRA' });
    await operator().untilReady();
    const [offered, devices] = [await published(), await operator().devices()];
    const perGpu = Object.values(profiles).reduce((sum, count) => sum + count, 0);
    expect([...offered.keys()]).to.have.length(2 * perGpu);
    for (const uuid of offered.values()) expect(devices).to.include(uuid);
    expect(await operator().taints()).to.deep.equal([]);
  }

  const deviceOf = (claim: string): Promise<string> =>
    operator().kubectl('get', 'resourceclaim', claim, '-o=jsonpath={.status.allocation.devices.results[0].device}');

  /** Waits until a pod is Ready. @throws Error with what the cluster tells of it */
  async function ready(name: string): Promise<void> {
    const wait = ['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s'];
    await operator()
      .kubectl(...wait)
      .catch(async (error: unknown) => {
        throw new Error(await operator().kubectl('describe', 'pod', name), { cause: error });
      });
  }

  /** Uid and restarts of the driver's pod. */
  async function driverPod(): Promise<{ readonly uid: string; readonly restarts: number }> {
    const path = '-o=jsonpath={.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}';
    const text = await operator().kubectl('get', 'pods', '-n', driverNamespace, '-l', driverSelector, path);
    const [uid = '', restarts = ''] = text.split(' ');
    return { uid, restarts: Number(restarts) };
  }

  it('makes the slices of a policy, and a pod with a claim runs on one', async () => {
    await untilDone(mixed);
    const policy = await operator().kubectl('get', 'gpp', 'slices', '-o', 'json');
    const { stdout, stderr } = await run(['export', 'dra', '-f', '-', '-o', 'json'], { stdin: policy });
    expect(stderr).to.equal('');
    const { items } = JSON.parse(stdout) as { readonly items: readonly { readonly kind: string }[] };
    const classes = items.filter(({ kind }) => kind === 'DeviceClass');
    await operator().apply({ apiVersion: 'v1', kind: 'List', items: classes });
    await operator().apply(aClaimingPod('holder', '3g.20gb'));
    await ready('holder');
    expect(await deviceOf('holder')).to.match(/^gpu-\d-mig-3g20gb-9-\d$/);
  });

  it('gives a pod that asks for an extended resource a slice by a claim', async () => {
    await operator().runGpuPod('by-resource', 'nvidia.com/mig-1g.5gb');
    const claim = await operator().kubectl(
      'get',
      'pod',
      'by-resource',
      '-o=jsonpath={.status.extendedResourceClaimStatus.resourceClaimName}',
    );
    expect(await deviceOf(claim)).to.match(/^gpu-\d-mig-1g5gb-19-\d$/);
    await operator().kubectl('delete', 'pod', 'by-resource', '--timeout=30s');
  });

  it('replaces the driver, which has just been restarted, before it closes the node for an edit around a claim: its pod and its slice stay', async () => {
    const [device, driver, offered] = [await deviceOf('holder'), await driverPod(), await published()];
    expect(driver.restarts, 'restarts by the first layout').to.equal(1);
    const pod = ['get', 'pod', 'holder', '-o=jsonpath={.metadata.uid} {.status.containerStatuses[0].restartCount}'];
    const before = await operator().kubectl(...pod);
    await untilDone(small);
    expect(await operator().kubectl(...pod)).to.equal(before);
    expect((await published()).get(device)).to.equal(offered.get(device));
    const { uid, restarts } = await driverPod();
    expect(uid).not.to.equal(driver.uid);
    expect(restarts, 'restarts of the new pod, by the signal after the edit').to.equal(1);
    const closed = await operator().kubectl('get', 'gpunodepartition', nodeName, '-o=jsonpath={.status.closed}');
    console.log(`    the node was closed: ${closed}`);
  });

  it('prepares a claim on a slice that came with the edit, and ends the pod of one while the driver is there', async () => {
    await operator().apply(aClaimingPod('late', '1g.5gb'));
    await ready('late');
    await operator().kubectl('delete', 'pod', 'late', '--timeout=30s');
    await eventually(
      () => operator().kubectl('get', 'resourceclaim', 'late', '-o=jsonpath={.status.reservedFor}'),
      (users) => users === '',
      { what: 'the users of the claim' },
    );
  });

  it('waits, with the node open, for a pod that nothing would recreate, and continues when its claim is free', async () => {
    await operator().ask({ '7g.40gb': 1 }, { backend: 'DRA' });
    const message = (): Promise<string> =>
      operator().kubectl('get', 'gpp', 'slices', '-o=jsonpath={.status.conditions[?(@.type=="Ready")].message}');
    await eventually(message, (text) => text.includes('default/holder'), { timeoutMs: 30_000, what: 'the message' });
    await operator().kubectl('delete', 'pod', 'holder', '--timeout=30s');
    await untilDone({ '7g.40gb': 1 });
  });
});
