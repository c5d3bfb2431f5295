import { expect } from 'chai';
import {
  advertisesSlice,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  judge,
  namesOf,
  type SnapshotParts,
  slicedGpu,
  taints,
  aGpuPod,
  aGrant,
  aSlot,
  aWish,
  noMemory,
  noon,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { planNotReady, planRefused } from '../../../../src/core/node/rules/plan.ts';
import { nodeUnavailable } from '../../../../src/core/node/rules/slot.ts';
import { takeOver as turnOff } from '../../../../src/core/node/owners.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { DeviceReport } from '../../../../src/api/types.ts';
import { userKey } from '../../../../src/core/gpu/device-state.ts';
import { planWish } from '../../../../src/core/device/plan.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';

const manager = 'nvidia.com/gpu.deploy.mig-manager';
const managerPod = {
  ...aPluginPod({ name: 'mig-manager' }),
  metadata: { ...aPluginPod({ name: 'mig-manager' }).metadata, labels: { app: 'nvidia-mig-manager' } },
  spec: { nodeSelector: { [manager]: 'true' } },
};
const takeOver = aSlicingPolicy({ allow: { takeOver: ['mig-manager'] } });

describe('GPUs that are not ours', () => {
  it('are left alone while their driver is being replaced, before a change and after', () => {
    const labels = { 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' };
    const before = judge({ node: aNode({ labels }) });
    expect(before.verdict).to.include({ phase: 'Waiting', reason: 'DriverUpgrade' });
    expect(before.commands).to.deep.equal([]);
    const partition = aManagedPartition({ device: slicedGpu });
    const after = judge({ partition, node: aNode({ labels, allocatable: advertisesSlice }) });
    expect(after.verdict.reason).to.equal('DriverUpgrade');
    expect(after.reads).to.deep.equal([]);
  });

  it('are left alone while mig-manager runs, and the message says how to hand them over', () => {
    const { verdict, commands, reads } = judge(
      { node: aNode({ labels: { [manager]: 'true' } }) },
      { pods: [managerPod] },
    );
    expect(verdict).to.include({ phase: 'Failed', reason: 'ForeignManager', requeueAfterMs: 15_000 });
    expect(verdict.message).to.include('To hand over the GPUs');
    expect(commands).to.deep.equal([]);
    expect(reads).to.deep.equal(['Pods']);
  });

  it('are ours where the label alone speaks of mig-manager', () => {
    const { verdict } = judge({ node: aNode({ labels: { [manager]: 'true' } }) }, { pods: [aPluginPod()] });
    expect(verdict.reason).to.equal('AwaitingGrant');
  });

  it('are left to another device plugin while it restarts, and the kubelet offers nothing of it', () => {
    const vgpu = 'k8s.amazonaws.com/vgpu';
    const node = aNode({ allocatable: { [vgpu]: '0' } });
    const capacity = { [vgpu]: '10' };
    const user = {
      metadata: { name: 'user', namespace: 'team', uid: 'uid-user' },
      spec: { containers: [{ resources: { limits: { [vgpu]: '1' } } }] },
    };
    const { verdict } = judge(
      { node: { ...node, status: { ...node.status, capacity } } },
      { pods: [aPluginPod(), user] },
    );
    expect(verdict.reason).to.equal('ForeignManager');
  });

  it('are left to a DRA driver that makes slices, which only a fresh look shows', () => {
    const slices = [{ spec: { driver: 'gpu.nvidia.com', sharedCounters: [{}] } }];
    const { verdict, commands, reads } = judge({}, { pods: [aPluginPod()], fresh: { resourceSlices: slices } });
    expect(reads).to.deep.equal(['All']);
    expect(verdict.reason).to.equal('ForeignManager');
    expect(commands).to.deep.equal([]);
  });

  it('are taken over where the policy says so, and given back when it does not any more', () => {
    const world = new NodeWorld({
      policy: takeOver,
      node: aNode({ labels: { [manager]: 'true' } }),
      pods: [managerPod],
    });
    expect(world.step().verdict).to.include({ phase: 'Updating', reason: 'TakingOver' });
    expect(world.labels[manager]).to.equal('false');
    expect(world.step(500).verdict.reason).to.equal('TakingOver');
    world.pods = [aPluginPod()];
    expect(world.step(500).verdict.reason).to.equal('AwaitingGrant');
    world.policy = aSlicingPolicy({ generation: 2 });
    for (let second = 0; second < 3; second += 1) world.step(1000);
    expect(world.labels[manager]).to.equal('true');
  });

  it('keep a closed node closed no longer than it takes to open it', () => {
    const node = aNode({
      taints: taints.closed,
      labels: { 'gpupartition.dev/state': 'updating', 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' },
    });
    const world = new NodeWorld({ node });
    for (let second = 0; second < 3; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('a takeover from mig-manager', () => {
  const labelled = (value: string) => aNode({ labels: { [manager]: value } });
  const step = (parts: SnapshotParts) => {
    const outcome = turnOff(aSituation({ policy: takeOver, ...parts }, { pods: [managerPod] }), 'TakeOver');
    return outcome && 'verdict' in outcome ? outcome : undefined;
  };

  it('takes a slot to turn it off', () => {
    const waiting = step({ node: labelled('true'), slot: undefined });
    expect(waiting?.verdict.reason).to.equal('AwaitingSlot');
    expect(waiting).to.have.property('request');
    expect(namesOf({ commands: step({ node: labelled('true') })?.commands ?? [] })).to.deep.equal(['PatchNode']);
  });

  it('writes nothing while its pod ends, and asks for no slot', () => {
    for (const value of ['false', 'paused-for-driver-upgrade']) {
      const ending = step({ node: labelled(value), slot: undefined });
      expect(ending?.verdict.reason).to.equal('TakingOver');
      expect(ending).to.not.have.property('commands');
    }
  });
});

const inUse = (device: DeviceReport) => aManagedPartition({ device });
const busy = aDevice(aGpu({ slices: ['1g.5gb@0*'] }));
const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });

const aTainted = (key: string, effect = 'NoSchedule') => aNode({ taints: [{ key, effect }] });

describe('a plan', () => {
  it('is told and not carried out in mode Plan', () => {
    const { verdict, commands } = judge({ policy: aSlicingPolicy({ mode: 'Plan' }) });
    expect(verdict).to.include({ phase: 'Pending', reason: 'PlanOnly' });
    expect(verdict.message).to.include('create 1');
    expect(commands).to.deep.equal([]);
  });

  it('waits while the rollout is paused, unless it has begun', () => {
    const policy = aSlicingPolicy({ rollout: { paused: true }, generation: 2 });
    expect(judge({ policy }).verdict.reason).to.equal('AwaitingGrant');
    const found = { ...aSlot, generation: 2, kind: 'Fresh' as const };
    expect(judge({ policy, slot: found }).verdict.reason).to.equal('Paused');
    const { verdict, commands } = judge({ policy, slot: undefined });
    expect(verdict).to.include({ phase: 'Pending', reason: 'Paused' });
    expect(commands).to.deep.equal([]);
  });

  it('waits for processes, and for the pods that they are of, by name', () => {
    const process = judge({ partition: inUse(busy) });
    expect(process.reads).to.deep.equal(['Pods']);
    expect(process.verdict).to.include({ phase: 'Waiting', reason: 'ProcessesUseGpus', requeueAfterMs: 5000 });
    const pod = judge({ partition: inUse(busy) }, { pods: [aGpuPod('train'), aPluginPod()] });
    expect(pod.verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
    expect(pod.verdict.message).to.include('Pods of this node that use GPUs: ns/train');
  });

  it('names pid and command of the process in its way, even if pods of the node use GPUs', () => {
    const users = new Map([
      [userKey(busy.gpus?.[0]?.uuid ?? '', busy.gpus?.[0]?.instances[0]), ['pid 4242 (python3)']],
    ]);
    const plan = planWish(busy, aWish, undefined, users).report;
    const partition = aManagedPartition({ device: { ...busy, plan } });
    for (const pods of [[], [aGpuPod('train')]]) {
      const { verdict } = judge({ partition }, { pods: [...pods, aPluginPod()] });
      expect(verdict.message).to.match(/^GPU 0 \(A100-SXM4-40GB\): .*1g\.5gb.*pid 4242 \(python3\)/);
    }
  });

  it('fails for good on what cannot be', () => {
    const lost = judge({ partition: inUse(aDevice(aGpu({ error: 'GpuLost: off the bus' }))) });
    expect(lost.verdict).to.include({ phase: 'Failed', reason: 'Refused' });
    expect(lost.commands).to.deep.equal([]);
  });

  it('says whose instances are in the way', () => {
    const plan = {
      ...planWish(wholeGpu, aWish).report,
      refusalCode: 'Foreign' as const,
      refusal: '3g.20gb is not ours',
    };
    const { verdict } = judge({ partition: aManagedPartition({ device: { ...wholeGpu, plan } }) });
    expect(verdict).to.include({ phase: 'Failed', reason: 'ForeignInstances', message: '3g.20gb is not ours' });
  });

  it('says so where the record of our own instances is lost, and how to adopt them', () => {
    const plan = { ...planWish(wholeGpu, aWish).report, refusalCode: 'Foreign' as const, refusal: 'not ours' };
    const { lastGood: _lost, ...device } = { ...wholeGpu, plan };
    const restored = judge({ partition: aManagedPartition({ device, granted: aGrant() }) });
    expect(restored.verdict).to.include({ phase: 'Failed', reason: 'RecordLost' });
    expect(restored.verdict.message).to.include('`kubectl annotate gpn n gpupartition.dev/adopt-instances=boot-a`');
    // Nothing was ever granted here: the instances are somebody else's.
    const { verdict } = judge({ partition: aManagedPartition({ device }) });
    expect(verdict).to.include({ reason: 'ForeignInstances', message: 'not ours' });
  });

  it('waits on a closed node for a pod of which the agent does not know yet what it holds, and tells the agent so', () => {
    const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };
    const after = judge({ node: closed }, { pods: [aGpuPod(), aPluginPod()] }, settled);
    expect(after.verdict).to.include({ phase: 'Updating', reason: 'Draining' });
    const planHash = aManagedPartition().status?.device?.plan?.hash;
    expect(after.commands).to.deep.equal([{ name: 'WriteDrain', drain: { planHash, pods: [] } }]);
  });

  it('gives a pod that the scheduler was just placing time to show up', () => {
    const first = judge({ node: closed });
    expect(first.verdict).to.include({ reason: 'AwaitingGrant', requeueAfterMs: 300 });
    expect(first.reads).to.deep.equal([]);
    expect(judge({ node: closed, now: noon + 299 }, {}, first.memory).commands).to.deep.equal([]);
    expect(judge({ node: closed, now: noon + 300 }, {}, first.memory).commands).to.have.lengthOf(1);
  });

  it('is granted as it was looked at, with its hash and all that the agent may do', () => {
    const policy = aSlicingPolicy({ allow: { gpuReset: false }, rollout: { rollback: 'Never' } });
    const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };
    const { commands } = judge(
      {
        node: closed,
        policy,
        partition: aManagedPartition({ granted: aGrant(), wish: { ...aWish, allowGpuReset: false } }),
      },
      {},
      settled,
    );
    const [grant] = commands.flatMap((command) => (command.name === 'WriteGrant' ? [command.granted] : []));
    expect(grant).to.include({
      epoch: 4,
      planHash: planWish(wholeGpu, aWish).report.hash,
      deadline: '2026-01-01T12:10:00Z',
      allowGpuReset: false,
      allowReboot: null,
      replaceForeignInstances: null,
      rollback: 'Never',
    });
  });
});

describe('a node that is not there for a change', () => {
  for (const [what, node, reason] of [
    ['that is being deleted', aNode({ deletionTimestamp: '2026-01-01T11:00:00Z' }), 'NodeTerminating'],
    ['that Cluster Autoscaler removes', aTainted('ToBeDeletedByClusterAutoscaler'), 'NodeTerminating'],
    ['that Karpenter removes', aTainted('karpenter.sh/disrupted'), 'NodeTerminating'],
    ['that GKE is about to stop', aTainted('cloud.google.com/impending-node-termination'), 'NodeTerminating'],
    ['that AWS takes back', aTainted('aws-node-termination-handler/spot-itn'), 'NodeTerminating'],
    ['that is switched off', aTainted('node.kubernetes.io/out-of-service', 'NoExecute'), 'NodeTerminating'],
    ['that is not Ready', aNode({ ready: 'False' }), 'NodeNotReady'],
    ['whose kubelet is silent', aNode({ ready: 'Unknown' }), 'NodeNotReady'],
    ['that somebody has cordoned', aNode({ unschedulable: true }), 'ForeignCordon'],
  ] as const) {
    it(`${what} is neither closed nor granted`, () => {
      const { verdict, commands } = judge({ node });
      expect(verdict).to.include({ phase: 'Pending', reason });
      expect(commands).to.deep.equal([]);
      const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };
      const taints = [...(node.spec?.taints ?? []), ...(closed.spec?.taints ?? [])];
      const late = judge({ node: { ...node, spec: { ...node.spec, ...closed.spec, taints } } }, {}, settled);
      expect(late.verdict.reason).to.equal(reason);
      expect(late.commands.filter(({ name }) => name === 'WriteGrant')).to.deep.equal([]);
    });
  }

  it('says how to proceed', () => {
    expect(judge({ node: aNode({ unschedulable: true }) }).verdict.message).to.include('kubectl uncordon n');
    expect(judge({ node: aNode({ ready: 'False' }) }).verdict.message).to.include('the kubelet says so');
  });
});

describe('what is said of a node that does not change', () => {
  it('in mode Plan is written nowhere on the node', () => {
    expect(planNotReady(aSituation({ policy: aSlicingPolicy({ mode: 'Plan' }) }))).to.include({ writesNothing: true });
  });

  it('of a kubelet that is not Ready is why, if that is known', () => {
    const messageOf = (message: string) => {
      const { status, ...node } = aNode({ ready: 'False' });
      const conditions = [{ type: 'Ready', status: 'False', message }];
      return nodeUnavailable(aSituation({ node: { ...node, status: { ...status, conditions } } }))?.verdict.message;
    };
    expect(messageOf('PLEG')).to.equal('the node is not Ready (PLEG); its GPUs change when it is');
    expect(messageOf('')).to.equal('the node is not Ready; its GPUs change when it is');
  });

  it('of instances whose record is lost takes a boot of which they are', () => {
    const of = (device: DeviceReport) => {
      const plan = { ...planWish(wholeGpu, aWish).report, refusal: 'foreign', refusalCode: 'Foreign' as const };
      const partition = aManagedPartition({ granted: aGrant() });
      const status = { device: { ...device, plan } };
      return planRefused(aSituation({ partition: { ...partition, status } }));
    };
    expect(of({ ...wholeGpu, bootID: 'boot-a' })).to.have.nested.property('verdict.reason', 'RecordLost');
    expect(of(wholeGpu)).to.have.nested.property('verdict.reason', 'ForeignInstances');
  });

  it('of a failure that takes a reboot is that', () => {
    const failed = (code: 'RebootRequired' | 'CommandFailed') => {
      const device = { ...wholeGpu, step: 'Failed' as const, error: { code, message: 'no' } };
      const parts = { partition: aManagedPartition({ granted: aGrant(), device }) };
      return judge({ ...parts, now: noon + 1 }, {}, judge(parts).memory).verdict.reason;
    };
    expect(failed('RebootRequired')).to.equal('RebootRequired');
    expect(failed('CommandFailed')).to.equal('Failed');
  });

  it('of a MIG mode that waits for a boot is that nothing is tried before, unless the wish turns', () => {
    const gpus = [{ ...aGpu(), migPending: 'Enabled' as const }];
    const judgeAfter = ({ code = 'RebootRequired', bootID = 'boot-a', turned = false }) => {
      const error = { code, message: 'it stays pending', gpu: aGpu().uuid };
      const device = { ...wholeGpu, gpus, step: 'Failed' as const, error };
      const { memory } = judge({ partition: aManagedPartition({ granted: aGrant(), device }) });
      const disabled = { gpus: [{ uuid: aGpu().uuid, mig: 'Disabled' as const }] };
      const later = {
        policy: aSlicingPolicy(turned ? { layouts: [{ mig: 'Disabled' }] } : {}),
        node: aNode({ nodeInfo: { bootID } }),
        partition: aManagedPartition({
          granted: aGrant(),
          device: { ...device, bootID },
          ...(turned && { wish: disabled }),
        }),
        now: noon + 24 * 3600_000,
      };
      return judge(later, {}, memory).verdict;
    };
    const waits = judgeAfter({});
    expect(waits).to.include({ phase: 'Failed', reason: 'RebootRequired' });
    expect(waits).to.not.have.property('requeueAfterMs');
    expect(waits.message).to.contain('MIG mode Enabled is pending').and.to.contain('nothing is tried before');
    expect(judgeAfter({ code: 'ResetRequired' })).to.include({ phase: 'Failed', reason: 'Failed' });
    expect(judgeAfter({ code: 'CommandFailed' }).reason).to.equal('AwaitingGrant');
    expect(judgeAfter({ bootID: 'boot-b' }).reason, 'after the boot').to.equal('AwaitingGrant');
    expect(judgeAfter({ turned: true }).reason, 'another wish').to.equal('AwaitingGrant');
  });
});
