import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import {
  advertisesSlice,
  aClaim,
  aDriverPod,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  noon,
  slicedGpu,
  someSettings,
  taints,
} from '../../../support/node-builders.ts';
import { awaitSignalled, listPodsToSignal } from '../../../../src/core/node/rules/signal-plugin.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

const updating = { 'gpupartition.dev/state': 'updating' };
const wanted = { 'nvidia.com/mig-7g.40gb': 1 };

/** A node whose agent is done with grant 3, and has signalled these pods. */
function aSignalledNode(uids: string[], device: Partial<DeviceReport> = {}): NodeWorld {
  const signalled = { epoch: 3, uids };
  const report = { ...slicedGpu, observedEpoch: 3, signalled, advertised: { stale: 1, resources: wanted }, ...device };
  return new NodeWorld({
    node: aNode({ taints: taints.closed, labels: updating }),
    partition: aManagedPartition({ granted: aGrant({ signalPods: ['old'] }), device: report }),
    pods: [aPluginPod({ uid: 'old' })],
  });
}

function follow(world: NodeWorld): void {
  world.report({ advertised: { stale: 0, resources: wanted } });
}

describe('a device plugin that the agent has signalled', () => {
  it('keeps its pod: the node stays closed until the kubelet and the API server tell of the layout', () => {
    const world = aSignalledNode(['old']);
    const first = world.step();
    expect(first.verdict.message).to.include('was signalled to read the devices again');
    expect(world.done).to.deep.equal([]);
    follow(world);
    world.step(500);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.advertise(advertisesSlice);
    expect(world.step(9_000).verdict.phase).to.equal('Ready');
    expect(world.done.filter((what) => what.startsWith('EvictPod'))).to.deep.equal([]);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is believed by the devices that the kubelet offers, not by counts that are as they were', () => {
    const world = aSignalledNode(['old']);
    world.advertise(advertisesSlice);
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    follow(world);
    expect(world.step(500).verdict.phase).to.equal('Ready');
    expect(world.done.filter((what) => what.startsWith('EvictPod'))).to.deep.equal([]);
  });

  it('is replaced where it does not follow in 20 s', () => {
    const world = aSignalledNode(['old']);
    world.step();
    world.step(19_000);
    expect(world.done).to.deep.equal([]);
    world.step(2_000);
    expect(world.done).to.include('EvictPod old');
  });

  it('is replaced at once where it has another pod that was not signalled', () => {
    const world = aSignalledNode(['old']);
    world.pods = [...world.pods, aPluginPod({ name: 'other', uid: 'other' })];
    world.step();
    expect(world.done).to.include('EvictPod old').and.include('EvictPod other');
  });

  it('is not taken for signalled by an answer to another grant, or without a pod', () => {
    const of = (device: Partial<DeviceReport>, pods: readonly PodView[] = [aPluginPod({ uid: 'old' })]) => {
      const signalled = { epoch: 3, uids: ['old'] };
      const partition = aManagedPartition({
        granted: aGrant(),
        device: { ...slicedGpu, observedEpoch: 3, signalled, ...device },
      });
      return awaitSignalled(aSituation({ partition }), pods, 'x');
    };
    expect(of({})).to.have.property('lastsMs', 0);
    expect(of({ observedEpoch: 2 })).to.equal(undefined);
    expect(of({ observedEpoch: 2, signalled: { epoch: 2, uids: ['old'] } })).to.equal(undefined);
    expect(of({}, [])).to.equal(undefined);
  });

  it('is replaced at once where one of its pods was not reached, or for another grant', () => {
    for (const world of [
      aSignalledNode([]),
      aSignalledNode(['another']),
      aSignalledNode(['old'], { signalled: { epoch: 2, uids: ['old'] } }),
    ]) {
      world.step();
      expect(world.done).to.include('EvictPod old');
    }
  });
});

describe('the pods that an agent is asked to signal', () => {
  const pods = [aPluginPod({ uid: 'one' })];
  const partition = aManagedPartition();
  const situation = {
    settings: someSettings,
    node: aNode(),
    partition,
    claim: aClaim(aSlicingPolicy(), partition),
    now: noon,
  };

  it('is what the grant names: the plugin’s on the node', () => {
    expect(listPodsToSignal(situation, pods)).to.deep.equal(['one']);
    expect(listPodsToSignal(situation, [])).to.equal(null);
    const many = Array.from({ length: 9 }, (_, at) => aPluginPod({ name: `p${at}`, uid: `${at}` }));
    expect(listPodsToSignal(situation, many), 'as many as the API takes').to.have.length(8);
  });

  it('do not exist if the pods are to be replaced', () => {
    const settings = { ...someSettings, pluginRefresh: 'Evict' as const };
    expect(listPodsToSignal({ ...situation, settings }, pods)).to.equal(null);
  });

  describe('of the DRA driver, which ends at a signal', () => {
    const byClaims = { ...situation, claim: aClaim(aSlicingPolicy({ backend: 'DRA' }), partition) };

    /** A driver whose container has run for so long since its restart. */
    function aRestartedDriver(minutes: number, tolerates = true): PodView {
      const startedAt = new Date(noon - minutes * 60_000).toISOString();
      const containerStatuses = [{ name: 'gpus', restartCount: 1, state: { running: { startedAt } } }];
      const pod = aDriverPod({ uid: 'driver', tolerates });
      return { ...pod, status: { ...pod.status, containerStatuses } };
    }

    it('are signalled once in ten minutes: the kubelet would delay another restart, so the pod is replaced', () => {
      expect(listPodsToSignal(byClaims, [aDriverPod({ uid: 'driver', tolerates: true })])).to.deep.equal(['driver']);
      expect(listPodsToSignal(byClaims, [aRestartedDriver(11)])).to.deep.equal(['driver']);
      expect(listPodsToSignal(byClaims, [aRestartedDriver(9)])).to.equal(null);
      expect(listPodsToSignal(byClaims, [aRestartedDriver(9), aRestartedDriver(11)])).to.equal(null);
    });

    it('are still signalled where a new pod could not come back to the closed node', () => {
      expect(listPodsToSignal(byClaims, [aRestartedDriver(9, false)])).to.deep.equal(['driver']);
    });
  });
});
