import { expect } from 'chai';
import type { GpuNodePartition } from '../../../src/api/types.ts';
import { planRelease } from '../../../src/core/node/commands.ts';
import { reportCondition } from '../../../src/core/node/status.ts';
import type { NodeView } from '../../../src/core/kubernetes/node.ts';
import type { NodeSettings } from '../../../src/core/node/snapshot.ts';
import {
  aClaim,
  aManagedPartition,
  aNode,
  aSlicingPolicy,
  noon,
  notInForce,
  refusedHold,
  someSettings,
  taints,
} from '../../support/node-builders.ts';

const type = 'GpuPartitionReady';
const at = '2026-01-01T12:00:00Z';
const ready = { status: 'True', reason: 'Ready', message: 'all match' } as const;
const applying = { status: 'False', reason: 'Applying', message: 'GPU 0 changes' } as const;
type Told = { readonly status: 'True' | 'False'; readonly reason: string; readonly message: string };

/** The partition of a node, whose Ready says this. */
function saying(told: Told | undefined): GpuNodePartition {
  const partition = aManagedPartition();
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
  readonly settings?: Partial<NodeSettings>;
  readonly policy?: ReturnType<typeof aSlicingPolicy> | undefined;
  readonly claim?: Partial<ReturnType<typeof aClaim>>;
  readonly writtenAt?: number;
}

function report(scene: Scene): ReturnType<typeof reportCondition> {
  const partition = 'told' in scene ? saying(scene.told) : saying(ready);
  const policy = 'policy' in scene ? scene.policy : aSlicingPolicy();
  const claim = aClaim(policy, partition, scene.claim);
  const settings = { ...someSettings, nodeCondition: true, ...scene.settings };
  return reportCondition({ node: scene.node ?? aNode(), claim, settings }, partition, noon, scene.writtenAt);
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
