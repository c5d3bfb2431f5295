import { expect } from 'chai';
import type { DeviceReport, GpuNodePartition, GpuReport } from '../../../src/api/types.ts';
import { planRelease, type Verdict } from '../../../src/core/node/commands.ts';
import { reportCondition } from '../../../src/core/node/status.ts';
import type { NodeView } from '../../../src/core/kubernetes/node.ts';
import type { NodeSettings, NodeSnapshot } from '../../../src/core/node/snapshot.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import {
  advertisesSlice,
  advertisesWhole,
  aClaim,
  aGrant,
  aManagedPartition,
  aNode,
  aSlicingPolicy,
  noon,
  notInForce,
  refusedHold,
  slicedGpu,
  slicesOf,
  someSettings,
  taints,
} from '../../support/node-builders.ts';

const type = 'GpuPartitionReady';
const at = '2026-01-01T12:00:00Z';
const ready = { status: 'True', reason: 'Ready', message: 'all match' } as const;
const applying = { status: 'False', reason: 'Applying', message: 'GPU 0 changes' } as const;
type Told = { readonly status: 'True' | 'False'; readonly reason: string; readonly message: string };

/** The partition of a node, whose Ready says this. */
function saying(told: Told | undefined, more: Parameters<typeof aManagedPartition>[0] = {}): GpuNodePartition {
  const partition = aManagedPartition(more);
  const conditions = told && [{ type: 'Ready', lastTransitionTime: at, ...told }];
  return { ...partition, status: { ...partition.status, ...(conditions && { conditions }) } };
}

/** A node with this condition beside those of others. */
function having(condition: Told | undefined, more: Parameters<typeof aNode>[0] = {}): NodeView {
  const node = aNode(more);
  const own = condition && { type, ...condition };
  return {
    ...node,
    status: { ...node.status, conditions: [...(node.status?.conditions ?? []), ...(own ? [own] : [])] },
  };
}

interface Scene {
  readonly node?: NodeView;
  readonly told?: Told | undefined;
  /** What was found just now; absent: what is told. */
  readonly found?: Verdict;
  readonly partition?: Parameters<typeof aManagedPartition>[0];
  readonly slices?: NodeSnapshot['slices'];
  readonly settings?: Partial<NodeSettings>;
  readonly policy?: ReturnType<typeof aSlicingPolicy> | undefined;
  readonly claim?: Partial<ReturnType<typeof aClaim>>;
  readonly writtenAt?: number;
}

function report(scene: Scene): ReturnType<typeof reportCondition> {
  const told = 'told' in scene ? scene.told : ready;
  const partition = saying(told, scene.partition);
  const policy = 'policy' in scene ? scene.policy : aSlicingPolicy();
  const claim = aClaim(policy, partition, scene.claim);
  const settings = { ...someSettings, nodeCondition: true, ...scene.settings };
  const snapshot = { node: scene.node ?? aNode(), claim, settings, ...(scene.slices && { slices: scene.slices }) };
  const phase = told?.status === 'True' ? 'Ready' : 'Pending';
  const verdict = scene.found ?? ({ phase, message: '', ...told } as Verdict);
  return reportCondition(snapshot, partition, verdict, noon, scene.writtenAt);
}

const nothing = { patch: undefined, requeueAfterMs: undefined };
const removed = { patch: { type, $patch: 'delete' }, requeueAfterMs: undefined };

describe('the condition GpuPartitionReady of a node', () => {
  it('says what the node’s own object says, since now', () => {
    const since = { lastHeartbeatTime: at, lastTransitionTime: at };
    expect(report({ told: ready }).patch).to.deep.equal({ type, ...ready, ...since });
    expect(report({ told: applying, node: having(ready) }).patch).to.deep.equal({ type, ...applying, ...since });
  });

  it('is not written where it says that already', () => {
    expect(report({ told: ready, node: having(ready) })).to.deep.equal(nothing);
  });

  it('keeps the time of its transition while its status stays, whatever is said of it', () => {
    const draining = { ...applying, reason: 'Draining' };
    const { patch } = report({ told: draining, node: having(applying) });
    expect(patch).to.deep.equal({ type, ...draining, lastHeartbeatTime: at });
  });

  it('is written at most once in ten seconds while its status stays, and at once when that changes', () => {
    const scene = { told: { ...applying, message: 'GPU 1 changes' }, node: having(applying) };
    expect(report({ ...scene, writtenAt: noon - 4000 })).to.deep.equal({ ...nothing, requeueAfterMs: 6000 });
    expect(report({ ...scene, writtenAt: noon - 10_000 }).patch).to.include({ message: 'GPU 1 changes' });
    expect(report({ told: ready, node: having(applying), writtenAt: noon }).patch).to.include({ status: 'True' });
  });

  it('has a message of at most 1024 characters, and is not written again for what is cut off', () => {
    const long = { ...applying, message: 'x'.repeat(3000) };
    const { patch } = report({ told: long });
    const message = patch !== undefined && 'message' in patch ? patch.message : '';
    expect(message.length).to.be.at.most(1024);
    expect(report({ told: long, node: having({ ...applying, message }) })).to.deep.equal(nothing);
  });

  it('waits for the object of this very node', () => {
    expect(report({ told: undefined })).to.deep.equal(nothing);
    const other = { ...aNode(), metadata: { ...aNode().metadata, uid: 'uid-other' } };
    expect(report({ told: ready, node: other })).to.deep.equal(nothing);
  });

  it('goes from a node that no policy decides over any more, once that is open', () => {
    const told = { status: 'False', reason: 'NoPolicy', message: 'no policy' } as const;
    const gone = { told, policy: undefined };
    expect(report({ ...gone, node: having(ready) })).to.deep.equal(removed);
    expect(report(gone)).to.deep.equal(nothing);
    const { patch } = report({ ...gone, node: having(applying, { taints: taints.closed }) });
    expect(patch).to.include({ reason: 'NoPolicy' });
  });

  it('is of no policy that changes nothing: one of mode Plan, or of which no generation was accepted', () => {
    expect(report({ policy: aSlicingPolicy({ mode: 'Plan' }), told: applying })).to.deep.equal(nothing);
    expect(report({ claim: notInForce(refusedHold), told: applying })).to.deep.equal(nothing);
  });

  it('goes where the option is off, also from a closed node', () => {
    const settings = { nodeCondition: false };
    expect(report({ settings })).to.deep.equal(nothing);
    expect(report({ settings, node: having(ready, { taints: taints.closed }) })).to.deep.equal(removed);
  });

  it('goes with the operator', () => {
    const release = planRelease(having(ready), undefined, noon);
    expect(release).to.deep.equal({ state: 'Marked', patch: [], condition: removed.patch, wasChanging: false });
  });
});

const waiting = { status: 'False', reason: 'AwaitingSlot', message: 'waiting for a slot' } as const;
/** Of an agent that has made the layout in this boot. */
const made: DeviceReport = {
  ...slicedGpu,
  lastGood: { bootID: 'boot-a', gpus: [{ uuid: uuidOf(0), mig: 'Enabled', placements: ['7g.40gb@0'] }] },
};
const verified = {
  'gpupartition.dev/layout': '1x7g.40gb',
  'gpupartition.dev/state': 'ready',
  'nvidia.com/mig.strategy': 'mixed',
};
/** Open, with its verified layout, under a policy that wants another. */
const open = { labels: verified, allocatable: advertisesSlice };
const patient: Scene = { told: waiting, node: having(ready, open), partition: { device: made } };

/** What the condition becomes of a node that waits, with something else about it. */
function statusOf(more: Scene = {}): string | undefined {
  const { patch } = report({ ...patient, ...more });
  return patch !== undefined && 'status' in patch ? patch.status : undefined;
}

describe('the condition GpuPartitionReady of a node that waits', () => {
  it('stays True while it offers what was verified, and says what it waits for', () => {
    const { patch } = report(patient);
    expect(patch).to.deep.equal({ type, ...waiting, status: 'True', lastHeartbeatTime: at });
  });

  it('is True where it was not written before, or was False: the option was switched on, or a drain was given up', () => {
    expect(statusOf({ node: having(undefined, open) })).to.equal('True');
    expect(statusOf({ node: having(waiting, open) })).to.equal('True');
  });

  it('stays True whatever of its policy keeps it waiting, or which pods do', () => {
    for (const reason of ['Paused', 'PolicyInvalid', 'DoesNotFit', 'PodsUseGpus', 'EvictionBlocked', 'ForeignCordon'])
      expect(statusOf({ told: { ...waiting, reason } }), reason).to.equal('True');
  });

  it('is False where what it offers is in doubt', () => {
    for (const reason of [
      'NodeNotReady',
      'AgentNotReporting',
      'ForeignManager',
      'DriverUpgrade',
      'LabelsStale',
      'Failed',
    ])
      expect(statusOf({ told: { ...waiting, reason } }), reason).to.equal('False');
  });

  it('stays True while an agent is replaced, as Ready does', () => {
    const found = { phase: 'Pending', reason: 'AgentNotReporting', message: 'no agent pod' } as const;
    expect(statusOf({ found: { ...found, transient: true } })).to.equal('True');
    expect(statusOf({ found })).to.equal('False');
  });

  it('is False until a first layout was verified', () => {
    const whole = { told: waiting, node: having(undefined), partition: {} };
    expect(report(whole).patch).to.include({ status: 'False', reason: 'AwaitingSlot' });
    const adopted = having(undefined, { labels: { 'gpupartition.dev/layout': 'whole' } });
    expect(report({ ...whole, node: adopted }).patch).to.include({ status: 'True' });
  });

  it('is True of GPUs that differ, which have no label of their own, only where it was so before', () => {
    const [slice = aGpu()] = slicedGpu.gpus ?? [];
    const placements = ['3g.20gb@4'];
    const claims = [...(made.lastGood?.gpus ?? []), { uuid: uuidOf(1), mig: 'Enabled' as const, placements }];
    const device = {
      ...aDevice(slice, aGpu({ index: 1, slices: placements })),
      lastGood: { bootID: 'boot-a', gpus: claims },
    };
    const labels = { ...verified, 'gpupartition.dev/layout': 'various' };
    const allocatable = { 'nvidia.com/mig-7g.40gb': '1', 'nvidia.com/mig-3g.20gb': '1' };
    const differing = (condition: Told | undefined): Scene => ({
      node: having(condition, { labels, allocatable }),
      partition: { device },
    });
    expect(statusOf(differing(ready))).to.equal('True');
    for (const before of [undefined, applying]) expect(statusOf(differing(before))).to.equal('False');
  });

  it('is False while a taint keeps it closed, or it offers nothing yet, with what is done there', () => {
    const found = { phase: 'Updating', reason: 'Draining', message: 'a pod goes' } as const;
    const closed = { ...patient, found, node: having(ready, { ...open, taints: taints.closed }) };
    expect(report(closed).patch).to.include({ status: 'False', reason: 'Draining', message: 'a pod goes' });
    expect(statusOf({ node: having(ready, { ...open, taints: taints.startup }) })).to.equal('False');
    const updating = { ...open, labels: { ...verified, 'gpupartition.dev/state': 'updating' } };
    expect(statusOf({ node: having(ready, updating) })).to.equal('False');
    // It is being closed at this moment, which the watch has not brought back yet.
    expect(statusOf({ found })).to.equal('False');
  });

  it('is False where the GPUs are not what was verified any more', () => {
    const gone = aDevice(aGpu({ slices: [] }));
    const others = { 'gpupartition.dev/layout': 'various' };
    const without = { ...open, allocatable: {}, labels: { ...verified, ...others } };
    const scenes: Readonly<Record<string, Scene>> = {
      'another label': { node: having(ready, { ...open, labels: { ...verified, ...others } }) },
      'an instance is gone': { partition: { device: { ...made, ...gone } } },
      'one is gone of GPUs that differ': {
        node: having(ready, without),
        partition: {
          device: { ...made, ...aDevice(aGpu({ slices: [] }), aGpu({ index: 1 })) },
        },
      },
      'a grant is not answered': { partition: { device: { ...made, observedEpoch: 2 }, granted: aGrant() } },
      'a change has failed': { partition: { device: { ...made, step: 'Failed' } } },
      'nobody can read them': { partition: { device: { ...made, step: 'Unknown' } } },
      'the node has restarted': { node: having(ready, { ...open, nodeInfo: { bootID: 'boot-b' } }) },
      'the driver was loaded again': {
        partition: { device: { ...made, driverLoad: '2', lastGood: { ...made.lastGood, bootID: 'boot-a+1' } } },
      },
    };
    for (const [name, scene] of Object.entries(scenes)) expect(statusOf(scene), name).to.equal('False');
  });

  it('is False where the device plugin or the DRA driver does not offer them, or labels tell of others', () => {
    expect(statusOf({ node: having(ready, { ...open, allocatable: advertisesWhole }) })).to.equal('False');
    expect(statusOf({ node: having(ready, { ...open, allocatable: {} }) })).to.equal('False');
    const stale = { ...made, advertised: { resources: { 'nvidia.com/mig-7g.40gb': 1 }, stale: 1 } };
    expect(statusOf({ partition: { device: stale } })).to.equal('False');
    const wrong = { ...verified, 'nvidia.com/mig-7g.40gb.count': '3' };
    const annotations = { 'gpupartition.dev/managed-labels': 'mig-7g.40gb.count' };
    expect(statusOf({ node: having(ready, { ...open, labels: wrong, annotations }) })).to.equal('False');
  });

  it('knows slices that the device plugin shares, and those of the DRA driver', () => {
    const shared = { ...open, allocatable: { 'nvidia.com/mig-7g.40gb': '4' } };
    expect(statusOf({ node: having(ready, shared) })).to.equal('True');
    const device = aDevice(aGpu({ slices: ['7g.40gb@0'] }));
    const uuids = { ...made, gpus: (device.gpus ?? []).map(withUuid) };
    const dra: Scene = {
      node: having(ready, { labels: verified, allocatable: {} }),
      policy: aSlicingPolicy({ backend: 'DRA' }),
      partition: { backend: 'DRA', device: uuids },
    };
    expect(statusOf({ ...dra, slices: slicesOf(uuids) })).to.equal('True');
    expect(statusOf({ ...dra, slices: [] })).to.equal('False');
  });
});

/** With the UUID by which the DRA driver publishes each slice. */
function withUuid(gpu: GpuReport): GpuReport {
  return { ...gpu, instances: gpu.instances.map(({ profile, gi, start }) => ({ profile, gi, start, uuid: 'MIG-1' })) };
}
