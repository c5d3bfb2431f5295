import { expect } from 'chai';
import type { ResourceClaimView } from '../../../../src/core/dra/resource-claim.ts';
import type { ResourceSliceView } from '../../../../src/core/dra/resource-slice.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  aDriverPod,
  advertisesSlice,
  advertisesWhole,
  aFreshRead,
  aGpuPod,
  aManagedPartition,
  aNode,
  type Answer,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  aSnapshot,
  decideWith,
  judge,
  namesOf,
  slicedGpu,
  slicesOf,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { findBackend } from '../../../../src/core/node/rules/find-backend.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

const policy = aSlicingPolicy({ backend: 'Auto' });
const nothing = { 'nvidia.com/gpu': '0' };
const dra = { 'nvidia.com/gpu.deploy.dra-driver': 'true' };
const plugin = { 'nvidia.com/gpu.deploy.device-plugin': 'true' };
const channels: ResourceSliceView = { spec: { driver: 'compute-domain.nvidia.com', devices: [{ name: 'channel-0' }] } };
const instances = [{ profile: '7g.40gb', gi: 0, start: 0, uuid: 'MIG-a' }];
const oneSlice = aDevice({ ...aGpu({ mig: 'Enabled' }), instances });
const claiming: PodView = {
  metadata: { name: 'train', namespace: 'ns', uid: 'uid-train' },
  spec: { containers: [{}], resourceClaims: [{ name: 'gpu' }] },
  status: { phase: 'Running' },
};

/** Which backend the node's object is told; empty if nothing is written. */
function told({ commands }: Pick<Answer, 'commands'>): readonly unknown[] {
  return commands.flatMap((one) => (one.name === 'WriteWish' ? [one.fields.backend] : []));
}

const known = (backend: 'DRA' | 'DevicePlugin' | undefined, device = wholeGpu) =>
  aManagedPartition({ device, ...(backend && { backend }) });

describe('a node whose policy has its backend found out', () => {
  it('has the DRA driver if slices of it are published, and the device plugin neither runs nor advertises', () => {
    const parts = { policy, partition: known(undefined), node: aNode({ allocatable: nothing }) };
    const answer = judge(parts, { pods: [], slices: slicesOf(wholeGpu) });
    expect(told(answer)).to.deep.equal(['DRA']);
    expect(answer.verdict.reason).to.equal('AwaitingPlan');
  });

  it('has the DRA driver if only its pod is there, which has yet to publish', () => {
    const parts = { policy, partition: known(undefined), node: aNode({ allocatable: nothing }) };
    expect(told(judge(parts, { pods: [aDriverPod()], slices: [] }))).to.deep.equal(['DRA']);
  });

  it('has the device plugin if it advertises GPUs, or its pod is there', () => {
    const partition = known(undefined);
    expect(told(judge({ policy, partition }, { slices: [] }))).to.deep.equal(['DevicePlugin']);
    const parts = { policy, partition, node: aNode({ allocatable: nothing }) };
    expect(told(judge(parts, { pods: [aPluginPod()], slices: [] }))).to.deep.equal(['DevicePlugin']);
  });

  it('has the device plugin beside a DRA driver that hands out channels and no GPUs', () => {
    const driver = aDriverPod();
    const containers = [{ name: 'compute-domains', resources: {} }];
    const computeDomains: PodView = { ...driver, spec: { ...driver.spec, containers } };
    const found = { pods: [aPluginPod(), computeDomains], slices: [channels] };
    expect(told(judge({ policy, partition: known(undefined) }, found))).to.deep.equal(['DevicePlugin']);
  });

  it('has the device plugin, without a look, where the API server serves no claims', () => {
    const snapshot = { ...aSnapshot({ policy, partition: known(undefined) }), draApi: 'Missing' as const };
    const answer = decideWith(snapshot);
    expect(told(answer)).to.deep.equal(['DevicePlugin']);
    expect(answer.reads).to.deep.equal([]);
  });

  it('is left alone if both are there, and the message names what was seen and how to take one off', () => {
    for (const backend of [undefined, 'DRA', 'DevicePlugin'] as const) {
      for (const [allocatable, pods, slices, device] of [
        [advertisesWhole, [], slicesOf(wholeGpu), wholeGpu],
        [nothing, [aPluginPod()], slicesOf(wholeGpu), wholeGpu],
        [nothing, [aPluginPod(), aDriverPod()], [], wholeGpu],
        [advertisesSlice, [aDriverPod()], [], slicedGpu],
      ] as const) {
        const parts = { policy, partition: known(backend, device), node: aNode({ allocatable }) };
        const snapshot = { ...aSnapshot(parts), hasSlices: true };
        const { verdict, commands } = decideWith(snapshot, { pods, slices });
        expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
        expect(verdict.message).to.match(/both are on this node: the device plugin \(.+\) and the DRA driver \(.+\)/);
        expect(verdict.message).to.include('kubectl label node n nvidia.com/gpu.deploy.device-plugin=false');
        expect(commands).to.deep.equal([]);
      }
    }
  });

  it('is waited for while neither is there, with a word on what for, and nothing is touched', () => {
    const parts = { policy, partition: known(undefined), node: aNode({ allocatable: nothing }) };
    const { verdict, commands } = judge(parts, { pods: [], slices: [] });
    expect(verdict).to.include({ phase: 'Pending', reason: 'BackendUnknown', requeueAfterMs: 15_000 });
    expect(verdict.message)
      .to.include('it advertises no GPUs, has no ResourceSlices of gpu.nvidia.com')
      .and.not.include('start-up taint');
    expect(commands).to.deep.equal([]);
  });

  it('is waited for behind a start-up taint too, which its pods must tolerate', () => {
    const starting = aNode({ allocatable: nothing, taints: taints.startup });
    const { verdict, commands } = judge(
      { policy, partition: known(undefined), node: starting },
      { pods: [], slices: [] },
    );
    expect(verdict.message).to.include('unless they tolerate the start-up taint gpupartition.dev/uninitialized');
    expect(commands).to.deep.equal([]);
    const announced = aNode({ allocatable: nothing, taints: taints.startup, labels: plugin });
    const answer = judge({ policy, partition: known(undefined), node: announced }, { pods: [], slices: [] });
    expect(told(answer)).to.deep.equal(['DevicePlugin']);
  });

  it('is what gpu-operator’s label announces while neither is there, unless both are announced', () => {
    const look = (labels: Readonly<Record<string, string>>) =>
      judge(
        { policy, partition: known(undefined), node: aNode({ allocatable: nothing, labels }) },
        { pods: [], slices: [] },
      );
    expect(told(look(dra))).to.deep.equal(['DRA']);
    expect(told(look(plugin))).to.deep.equal(['DevicePlugin']);
    expect(look({ ...dra, ...plugin }).verdict.reason).to.equal('BackendUnknown');
    const paused = { 'nvidia.com/gpu.deploy.dra-driver': 'false', ...plugin };
    expect(told(look(paused))).to.deep.equal(['DevicePlugin']);
  });

  it('says what was found whatever its labels announce', () => {
    const node = aNode({ allocatable: nothing, labels: plugin });
    const answer = judge({ policy, partition: known(undefined), node }, { pods: [aDriverPod()], slices: [] });
    expect(told(answer)).to.deep.equal(['DRA']);
  });

  it('keeps what was found while that is restarting and shows nothing', () => {
    const node = aNode({ allocatable: nothing });
    for (const backend of ['DRA', 'DevicePlugin'] as const) {
      const answer = judge({ policy, partition: known(backend), node }, { pods: [], slices: [] });
      expect(told(answer)).to.deep.equal([]);
      expect(answer.verdict.reason).to.equal(backend === 'DRA' ? 'NoDraDriver' : 'NoDevicePlugin');
    }
  });

  it('changes over when the other one is there instead and no pod has a GPU', () => {
    const toDra = { policy, partition: known('DevicePlugin'), node: aNode({ allocatable: nothing }) };
    expect(told(judge(toDra, { pods: [aDriverPod()], slices: slicesOf(wholeGpu) }))).to.deep.equal(['DRA']);
    const toPlugin = { policy, partition: known('DRA'), node: aNode() };
    expect(told(judge(toPlugin, { pods: [aPluginPod()], slices: [] }))).to.deep.equal(['DevicePlugin']);
  });

  it('does not change over on a closed node by what a plugin without a pod has left with the kubelet', () => {
    const look = (node: ReturnType<typeof aNode>, pods: readonly PodView[] = []) =>
      told(judge({ policy, partition: known('DRA'), node }, { pods, slices: [] }));
    const closed = aNode({ taints: taints.closed });
    expect(look(closed)).to.deep.equal([]);
    expect(look(closed, [aPluginPod()])).to.deep.equal(['DevicePlugin']);
    expect(look(aNode())).to.deep.equal(['DevicePlugin']);
  });

  it('does not change over while pods still have GPUs of the previous one', () => {
    for (const [partition, node, found] of [
      [known('DevicePlugin'), aNode({ allocatable: nothing }), { pods: [aDriverPod(), aGpuPod()], slices: [] }],
      [known('DRA'), aNode(), { pods: [aPluginPod(), claiming], slices: [] }],
    ] as const) {
      const { verdict, commands } = judge({ policy, partition, node }, found);
      expect(verdict).to.include({ phase: 'Failed', reason: 'BackendMismatch' });
      expect(verdict.message).to.match(
        /is on this node now \(.+\), and pods still have GPUs .+: ns\/(job|train)\. End/,
      );
      expect(commands).to.deep.equal([]);
    }
  });

  it('changes over beside pods whose claims are for devices of other drivers', () => {
    const parts = { policy, partition: known('DRA'), node: aNode() };
    const reservedFor = [{ resource: 'pods', name: 'train', uid: 'uid-train' }];
    const claimOf = (driver: string): ResourceClaimView => ({
      metadata: { name: 'one', namespace: 'ns' },
      status: { allocation: { devices: { results: [{ driver, pool: 'n', device: 'gpu-0' }] } }, reservedFor },
    });
    const look = (driver: string) =>
      judge(parts, { pods: [aPluginPod(), claiming], slices: [], fresh: { claims: [claimOf(driver)] } });
    expect(told(look('dra.net'))).to.deep.equal(['DevicePlugin']);
    expect(look('gpu.nvidia.com').verdict.message).to.include('gave them: ns/train. End these pods');
  });

  it('does not change over while the DRA driver is only paused', () => {
    const labels = { 'nvidia.com/gpu.deploy.dra-driver': 'paused-for-mig-change' };
    const parts = { policy, partition: known('DRA'), node: aNode({ labels }) };
    const answer = judge(parts, { pods: [aPluginPod()], slices: [] });
    expect(told(answer)).to.deep.equal([]);
    expect(answer.verdict.reason).to.equal('BackendMismatch');
  });

  it('is not looked at again and again while the device plugin advertises and no slices were heard of', () => {
    const partition = known('DevicePlugin', slicedGpu);
    const answer = judge({ policy, partition, node: aNode({ allocatable: advertisesSlice }) });
    expect(answer.verdict).to.include({ phase: 'Ready', reason: 'Ready' });
    expect(answer.reads).not.to.include('Pods');
  });

  it('is looked at again where the device plugin advertises nothing, even if nothing is what it should', () => {
    const layouts = [{ gpus: { indices: [1] }, profiles: { '7g.40gb': 1 } }];
    const empty = aDevice(aGpu({ mig: 'Enabled' }));
    const parts = {
      policy: aSlicingPolicy({ backend: 'Auto', layouts }),
      partition: aManagedPartition({ device: empty, wish: { gpus: [] }, backend: 'DevicePlugin' }),
      node: aNode({ allocatable: nothing }),
    };
    expect(told(judge(parts, { pods: [aDriverPod()], slices: [] }))).to.deep.equal(['DRA']);
  });

  it('changes over on a closed node, too, and beside pods that have what the other stack gave them, or gave them nothing', () => {
    const closed = aNode({
      allocatable: nothing,
      taints: taints.closed,
      labels: { 'gpupartition.dev/state': 'updating' },
    });
    const toDra = { pods: [aDriverPod(), claiming], slices: slicesOf(wholeGpu) };
    expect(told(judge({ policy, partition: known('DevicePlugin'), node: closed }, toDra))).to.deep.equal(['DRA']);
    const refused: PodView = {
      ...aGpuPod('refused'),
      spec: { containers: [{ resources: { limits: { 'nvidia.com/mig-1g.5gb': 1 } } }] },
    };
    const besideRefused = { ...toDra, pods: [aDriverPod(), refused] };
    expect(told(judge({ policy, partition: known('DevicePlugin'), node: closed }, besideRefused))).to.deep.equal([
      'DRA',
    ]);
    const toPlugin = judge({ policy, partition: known('DRA') }, { pods: [aPluginPod(), aGpuPod()], slices: [] });
    expect(told(toPlugin)).to.deep.equal(['DevicePlugin']);
  });

  it('stays what it is beside pods that use it, when it has been looked at', () => {
    const snapshot = { ...aSnapshot({ policy, partition: known('DevicePlugin') }), hasSlices: true };
    const { verdict } = decideWith(snapshot, { pods: [aPluginPod(), aGpuPod()], slices: [] });
    expect(verdict.reason).to.not.equal('BackendMismatch');
  });

  it('is told by the slices that the API server itself shows', () => {
    const parts = { policy, partition: known('DevicePlugin') };
    const seen = { slices: [], pods: [aPluginPod()], fresh: aFreshRead({ resourceSlices: slicesOf(wholeGpu) }) };
    const outcome = findBackend(aSituation(parts, { hasSlices: true, ...seen }));
    expect(outcome).to.have.nested.property('verdict.reason', 'BackendMismatch');
  });

  it('becomes Ready as with backend DRA, and is told by its slices', () => {
    const world = new NodeWorld({
      policy,
      node: aNode({ allocatable: nothing }),
      partition: known(undefined, oneSlice),
      pods: [aDriverPod()],
      slices: slicesOf(oneSlice),
    });
    const { verdict } = world.settle();
    expect(verdict).to.include({ phase: 'Ready', message: 'device, labels and ResourceSlices match the policy' });
    expect(world.partition.spec.backend).to.equal('DRA');
  });

  it('is granted its change as with the device plugin, whose slices in a fresh look stop it', () => {
    const settled = { waits: { Closed: { since: 0 } }, evictions: {} };
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const parts = { policy, partition: known('DevicePlugin'), node };
    expect(namesOf(judge(parts, { pods: [], slices: [] }, settled))).to.include('WriteGrant');
    const both = judge(parts, { pods: [], slices: slicesOf(wholeGpu) }, settled);
    expect(both.verdict.reason).to.equal('BackendMismatch');
    expect(namesOf(both)).not.to.include('WriteGrant');
  });

  it('has the backend of a policy that names it, from then on', () => {
    const back = judge({ policy: aSlicingPolicy({ backend: 'DevicePlugin' }), partition: known('DevicePlugin') });
    expect(told(back)).to.deep.equal([null]);
    const kept = judge(
      { policy, partition: known('DRA'), node: aNode({ allocatable: nothing }) },
      { pods: [aDriverPod()], slices: slicesOf(wholeGpu), fresh: { claims: [] } },
    );
    expect(told(kept)).to.deep.equal([]);
  });
});

describe('a node in a cluster without the API of claims', () => {
  it('is left alone by a policy with backend DRA, and by one that had found the DRA driver, with the version that is needed', () => {
    for (const backend of ['DRA', 'Auto'] as const) {
      const parts = {
        policy: aSlicingPolicy({ backend }),
        partition: known('DRA'),
        node: aNode({ allocatable: nothing }),
      };
      const { verdict, commands } = decideWith({ ...aSnapshot(parts), draApi: 'Missing' }, { pods: [], slices: [] });
      expect(verdict).to.include({ phase: 'Failed', reason: 'NoDraApi', requeueAfterMs: 15_000 });
      expect(verdict.message).to.include('the API server does not serve resource.k8s.io/v1');
      expect(verdict.message).to.include('Kubernetes 1.34');
      expect(commands).to.deep.equal([]);
    }
  });

  it('follows a policy with the device plugin as ever', () => {
    const { verdict } = decideWith({ ...aSnapshot(), draApi: 'Missing' }, { pods: [aPluginPod()] });
    expect(verdict.reason).to.equal('AwaitingGrant');
  });
});
