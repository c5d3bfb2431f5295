import { expect } from 'chai';
import type { NodeMemory } from '../../../src/core/node/memory.ts';
import type { Outcome } from '../../../src/core/node/commands.ts';
import { recordFreshPlugin, refreshAfterSilence, type Offered } from '../../../src/core/node/rules/plugin.ts';
import { pausedForMigChange } from '../../../src/core/node/plugin-pods.ts';
import {
  aDriverPod,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  namesOf,
  noMemory,
  noon,
  slicedGpu,
  slicesOf,
  taints,
  wholeGpu,
} from '../../support/node-builders.ts';
import { NodeWorld } from '../../support/node-world.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

const change = 'unanswered-3';
const partition = aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, step: 'Unknown' } });
const refreshedAnnotation = 'gpupartition.dev/plugin-refreshed';
const markOf = (uids: readonly string[], tolerates = false): Readonly<Record<string, string>> => ({
  [refreshedAnnotation]: `${change}/${uids.join(',')}${tolerates ? '/tolerates' : ''}`,
});

interface Silence {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly memory?: NodeMemory;
  readonly ready?: 'True' | 'Unknown';
  /** The driver's, of a node whose GPUs are handed out by claims. */
  readonly slices?: ReturnType<typeof slicesOf>;
}

/** What is done about the plugin of a closed node whose agent says nothing after grant 3. */
function replace(pods: readonly PodView[], { slices, memory = noMemory, ...node }: Silence = {}): Outcome | Offered {
  const policy = aSlicingPolicy(slices && { backend: 'DRA' });
  const parts = { node: aNode({ taints: taints.closed, allocatable: {}, ...node }), partition, policy };
  return refreshAfterSilence(aSituation(parts, { pods, memory, ...(slices && { slices }) }), 3);
}
const isOver = (outcome: Outcome | Offered): boolean => !('verdict' in outcome || 'needs' in outcome);
const commandsOf = (outcome: Outcome | Offered) =>
  namesOf({ commands: ('commands' in outcome && outcome.commands) || [] });
const readyFor = (ms: number): NodeMemory => ({
  ...noMemory,
  waits: { PluginReady: { since: noon - ms, of: change }, Advertised: { since: noon - ms, of: change } },
});

describe('the device plugin of a node whose agent is silent', () => {
  const tolerant = (uid: string, isReady = true) => aPluginPod({ name: uid, uid, tolerates: true, isReady });

  it('keeps a ready DRA node closed after the deadline too while slices of the driver before are left', () => {
    const slices = slicesOf(wholeGpu);
    const memory = readyFor(10 * 60_000);
    const look = (more: Silence, ready: 'True' | 'Unknown' = 'True') =>
      isOver(replace([], { annotations: markOf(['old']), memory, ready, ...more }));
    expect([look({ slices }), look({ slices: [] }), look({ slices }, 'Unknown')]).to.deep.equal([false, true, true]);
  });

  it('is recorded and evicted, and recorded once, whichever of its pods is left', () => {
    const pods = [tolerant('a'), tolerant('b')];
    expect(commandsOf(replace(pods))).to.deep.equal(['PatchNode', 'EvictPod', 'EvictPod']);
    const annotations = markOf(['a', 'b'], true);
    expect(commandsOf(replace(pods.slice(1), { annotations }))).to.deep.equal(['EvictPod']);
  });

  it('says what refuses its eviction, and nothing else', () => {
    const messageOf = (memory: NodeMemory) => {
      const outcome = replace([tolerant('a')], { memory });
      return 'verdict' in outcome ? outcome.verdict.message : undefined;
    };
    const message = 'its device plugin is restarting, to offer what exists now';
    expect(messageOf(noMemory)).to.equal(message);
    const refused = { ...noMemory, evictions: { a: { at: noon, refusal: 'a budget' } } };
    expect(messageOf(refused)).to.equal(`${message}: gpu/a: a budget`);
  });

  it('is there when any of its new pods has been ready for long enough, and not before', () => {
    const annotations = markOf(['old'], true);
    const of = (pods: readonly PodView[], ms: number) => replace(pods, { annotations, memory: readyFor(ms) });
    expect(isOver(of([tolerant('new')], 29_000))).to.equal(false);
    expect(isOver(of([tolerant('new')], 31_000))).to.equal(true);
    expect(isOver(of([tolerant('new'), tolerant('other', false)], 31_000))).to.equal(true);
    expect(isOver(of([tolerant('new', false)], 31_000))).to.equal(false);
    expect(isOver(of([], 31_000))).to.equal(false);
    const over = of([tolerant('new')], 31_000);
    expect(over).to.have.property('waits').that.has.keys('Advertised', 'PluginReady');
  });

  it('that stays away from a closed node is waited for until nothing is offered, by slices either', () => {
    const annotations = markOf(['old']);
    expect(isOver(replace([], { annotations }))).to.equal(true);
    expect(isOver(replace([], { annotations, allocatable: { 'nvidia.com/gpu': '1' } }))).to.equal(false);
    expect(isOver(replace([], { annotations, slices: slicesOf(wholeGpu) }))).to.equal(false);
    expect(isOver(replace([], { annotations, slices: [] }))).to.equal(true);
  });

  it('counts as one that comes to a closed node only if all of its pods tolerate all of our taints', () => {
    const recorded = (pods: readonly PodView[], own: typeof taints.closed | typeof taints.both = taints.closed) => {
      const parts = { node: aNode({ taints: own, allocatable: {} }), partition };
      const outcome = refreshAfterSilence(aSituation(parts, { pods }), 3);
      const [first] = ('commands' in outcome && outcome.commands) || [];
      return first?.name === 'PatchNode' ? first.change.annotations?.[refreshedAnnotation] : undefined;
    };
    const tolerations = [{ key: 'gpupartition.dev/repartitioning', operator: 'Exists' }];
    const half = { ...tolerant('a'), spec: { ...tolerant('a').spec, tolerations } };
    expect(recorded([tolerant('a'), tolerant('b')])).to.equal('unanswered-3/a,b/tolerates');
    expect(recorded([tolerant('a'), aPluginPod({ name: 'b', uid: 'b' })])).to.equal('unanswered-3/a,b');
    expect(recorded([half])).to.equal('unanswered-3/a/tolerates');
    expect(recorded([half], taints.both)).to.equal('unanswered-3/a');
  });
});

describe('a plugin that was away while the devices changed', () => {
  const plugin = 'nvidia.com/gpu.deploy.device-plugin';
  const driver = 'nvidia.com/gpu.deploy.dra-driver';
  const noteOf = (label: string, value: string, backend?: 'DRA', annotations = {}) =>
    recordFreshPlugin(
      aSituation({
        node: aNode({ labels: { [label]: value }, annotations }),
        policy: aSlicingPolicy(backend && { backend }),
      }),
    ).annotations?.[refreshedAnnotation];

  it('need not be replaced when it comes back, each by its own label', () => {
    expect(noteOf(plugin, pausedForMigChange)).to.match(/^0-[0-9a-f]{8}@boot-a\/$/);
    expect(noteOf(driver, pausedForMigChange, 'DRA')).to.match(/^0-[0-9a-f]{8}@boot-a\/$/);
    expect(noteOf(plugin, 'true')).to.equal(undefined);
    expect(noteOf(driver, pausedForMigChange)).to.equal(undefined);
    expect(noteOf(plugin, pausedForMigChange, 'DRA')).to.equal(undefined);
  });

  it('keeps what was recorded for this change', () => {
    const mark = `${noteOf(plugin, pausedForMigChange)}old`;
    expect(noteOf(plugin, pausedForMigChange, undefined, { [refreshedAnnotation]: mark })).to.equal(undefined);
  });
});

describe('what is remembered while a node waits for its plugin', () => {
  const updating = { 'gpupartition.dev/state': 'updating' };
  const done = aManagedPartition({ granted: aGrant(), device: slicedGpu });
  const slice = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1' };
  const waitsOf = (more: ConstructorParameters<typeof NodeWorld>[0]) => {
    const world = new NodeWorld({ partition: done, pods: [aPluginPod({ uid: 'old' })], ...more });
    world.step();
    return world.memory.waits;
  };

  it('is since when its layout is to be advertised, closed or not', () => {
    const closed = { taints: taints.closed, labels: updating };
    expect(waitsOf({ node: aNode({ ...closed, allocatable: slice }) })).to.have.property('Advertised');
    expect(waitsOf({ node: aNode(closed) })).to.have.property('Advertised');
    expect(waitsOf({ node: aNode() })).to.have.property('Advertised');
    expect(waitsOf({ node: aNode({ allocatable: slice }) })).to.not.have.property('Advertised');
  });

  it('is not forgotten where the controller writes what the kubelet offers', () => {
    const resources = { 'nvidia.com/mig-7g.40gb': 1 };
    const world = new NodeWorld({
      partition: aManagedPartition({
        granted: aGrant({ signalPods: ['old'] }),
        device: { ...slicedGpu, observedEpoch: 3 },
      }),
      node: aNode({ taints: taints.closed, labels: updating }),
      pods: [aPluginPod({ uid: 'old' })],
      settings: { nodeStatus: 'Write' },
    });
    world.report({ signalled: { epoch: 3, uids: ['old'] }, advertised: { stale: 1, resources } });
    world.step();
    world.report({ advertised: { stale: 0, resources } });
    world.step(100);
    expect(world.done).to.have.length(1);
    expect(world.done[0]).to.match(/^AdvertiseDevices /);
    expect(world.memory.waits).to.include.keys('Advertised', 'AdvertisedEarly', 'Differs', 'Signalled');
  });

  it('is that nothing was offered, where the taints go for a plugin to come', () => {
    const world = new NodeWorld({
      partition: done,
      node: aNode({ taints: taints.closed, labels: updating, allocatable: {} }),
    });
    world.step();
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.node.metadata.annotations?.[refreshedAnnotation]).to.match(/@boot-a\/\/nothing$/);
  });

  it('is every pod that has to go, even if one of them has gone', () => {
    const two = [aPluginPod({ name: 'a', uid: 'a' }), aPluginPod({ name: 'b', uid: 'b' })];
    const world = new NodeWorld({
      partition: done,
      node: aNode({ taints: taints.closed, labels: updating }),
      pods: two,
    });
    world.refusals = { a: 'no', b: 'no' };
    world.step();
    world.pods = two.slice(1);
    world.step(6000);
    expect(world.node.metadata.annotations?.[refreshedAnnotation]).to.match(/\/a,b$/);
  });

  it('does not close a node again that is open and Ready because of what its kubelet says', () => {
    const advertised = { stale: 1, resources: { 'nvidia.com/mig-7g.40gb': 1 } };
    const stale = aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, advertised } });
    const world = new NodeWorld({ partition: stale, node: aNode({ allocatable: slice }), pods: [aDriverPod()] });
    expect(world.step().verdict.phase).to.equal('Ready');
  });
});
