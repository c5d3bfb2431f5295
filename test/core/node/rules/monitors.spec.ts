import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import type { ResourceClaimView } from '../../../../src/core/dra/resource-claim.ts';
import { holdersAnnotation } from '../../../../src/core/pods/holder-pods.ts';
import { wishHash } from '../../../../src/core/wish/wish.ts';
import { aDevice, aGpu, uuidOf } from '../../../support/builders.ts';
import {
  aDriverPod,
  aGrant,
  aManagedPartition,
  aNode,
  aSlicingPolicy,
  type Answer,
  changeOf,
  judge,
  namesOf,
  noon,
  slicesOf,
  someSettings,
  taints,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

const nothing = { 'nvidia.com/gpu': '0' };
const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '3g.20gb': 1 } }] };
const policy = aSlicingPolicy({ backend: 'DRA', layouts: [{ profiles: { '3g.20gb': 1 } }] });
const profiles = [
  { name: '7g.40gb', id: 0, memorySlices: 8, computeSlices: 7, starts: [0], maxInstances: 1 },
  { name: '3g.20gb', id: 9, memorySlices: 4, computeSlices: 3, starts: [0, 4], maxInstances: 2 },
];
const models = [{ product: 'NVIDIA A100-SXM4-40GB', computeSlices: 7, memorySlices: 8, profiles }];

/** One slice that has to go, and who has it open by the agent's last reading. */
function sliced(...pods: readonly string[]): DeviceReport {
  const held = pods.length > 0 && { busy: true as const, pods: [...pods] };
  const instance = { profile: '7g.40gb', gi: 0, start: 0, uuid: 'MIG-a', ...held };
  return { ...aDevice({ ...aGpu({ mig: 'Enabled' }), instances: [instance] }), models };
}

const seen = sliced('ns/monitor');
const slices = slicesOf(sliced());
const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' }, allocatable: nothing });
const settled = { waits: { Closed: { since: 0 } }, evictions: {} };

function aClaim(name: string, adminAccess: boolean): ResourceClaimView {
  const result = { driver: 'gpu.nvidia.com', pool: 'n', device: 'gpu-0-mig-7g40gb-0-0' };
  return {
    metadata: { name, namespace: 'ns' },
    status: {
      allocation: { devices: { results: [{ ...result, ...(adminAccess && { adminAccess }) }] } },
      reservedFor: [{ resource: 'pods', name: 'monitor', uid: 'uid-monitor' }],
    },
  };
}

/** It is bare: nothing would replace it. */
const monitor: PodView = {
  metadata: { name: 'monitor', namespace: 'ns', uid: 'uid-monitor', creationTimestamp: '2026-01-01T11:00:00Z' },
  spec: { containers: [{}], resourceClaims: [{ name: 'gpus' }] },
  status: { phase: 'Running' },
};
const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'watch', uid: 'uid-watch', controller: true };
const ofDaemonSet: PodView = { ...monitor, metadata: { ...monitor.metadata, ownerReferences: [owner] } };

interface Scene {
  readonly device?: DeviceReport;
  readonly node?: typeof closed;
  readonly monitors?: readonly string[];
  readonly claims?: readonly ResourceClaimView[];
  readonly pod?: PodView;
  readonly waitsSince?: number;
  readonly isSlotless?: boolean;
}

function decideOn({ device = seen, monitors, claims, pod = monitor, ...scene }: Scene): Answer {
  const partition = aManagedPartition({ backend: 'DRA', device, wish, ...(monitors && { monitors }) });
  const { node = closed, isSlotless = false, waitsSince } = scene;
  const waits = { ...settled.waits, ...(waitsSince !== undefined && { Monitors: { since: waitsSince } }) };
  const found = { pods: [aDriverPod(), pod], slices, fresh: { claims: claims ?? [aClaim('c', true)] } };
  const slot = isSlotless && { slot: undefined };
  return judge({ policy, partition, node, now: noon, ...slot }, found, { waits, evictions: {} });
}

describe('a monitor, whose claim has admin access,', () => {
  it('is told to the agent before the node asks for a slot, though nothing would replace it', () => {
    const node = aNode({ allocatable: nothing });
    const answer = decideOn({ node, isSlotless: true });
    expect(answer.verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan' });
    expect(answer.commands).to.deep.equal([{ name: 'WriteMonitors', claims: ['ns/c'] }]);
    expect(answer.rolloutState).not.to.have.property('request');
  });

  it('is waited for until the agent plans without it, and never evicted', () => {
    const answer = decideOn({ monitors: ['ns/c'] });
    expect(answer.verdict).to.include({ reason: 'AwaitingPlan', requeueAfterMs: 1000 });
    expect(answer.verdict.message).to.match(/: 1 claim with admin access only looks on$/);
    expect(answer.commands).to.deep.equal([]);
    const late = decideOn({ monitors: ['ns/c'], waitsSince: noon - 121_000 });
    expect(late.verdict).to.include({ phase: 'Waiting', reason: 'PodsUseGpus' });
    expect(late.verdict.message).to.include('still counts ns/monitor');
    const evicted = (late.commands ?? []).flatMap((one) => (one.name === 'EvictPod' ? [one.pod.name] : []));
    // The node was closed, and nothing tells that its device has stayed as the driver read it.
    expect(evicted).to.deep.equal(['driver']);
  });

  it('stays on a slice that is destroyed', () => {
    expect(namesOf(decideOn({ monitors: ['ns/c'], device: sliced() }))).to.deep.equal(['WriteGrant']);
  });

  it('is told to the agent before a plan that destroys nothing, too, on a GPU that it seems to hold', () => {
    const gpu = { ...aGpu({ mig: 'Enabled' }), busy: true as const, pods: ['ns/monitor'] };
    const answer = decideOn({ device: { ...aDevice(gpu), models } });
    expect(answer.commands).to.deep.equal([{ name: 'WriteMonitors', claims: ['ns/c'] }]);
  });

  it('is a monitor no longer if it has a GPU to use by another claim', () => {
    const answer = decideOn({ claims: [aClaim('c', true), aClaim('d', false)], pod: ofDaemonSet });
    expect(answer.commands).to.deep.equal([{ name: 'WriteMonitors', claims: ['ns/c'] }]);
    const told = decideOn({ monitors: ['ns/c'], claims: [aClaim('c', true), aClaim('d', false)], pod: ofDaemonSet });
    expect(told.verdict.reason).to.equal('PodsUseGpus');
    expect(told.verdict.message).to.include('ns/monitor');
  });

  it('is not told again once its claim has gone', () => {
    const answer = decideOn({ monitors: ['ns/c'], claims: [], device: sliced() });
    expect(answer.commands).to.deep.equal([{ name: 'WriteMonitors', claims: [] }]);
    expect(answer.verdict.message).to.match(/: no claim only looks on any more$/);
  });

  it('is restarted after the change, to read the devices again, if it is a DaemonSet’s', () => {
    const node = aNode({ allocatable: nothing });
    const noted = (pod: PodView): string | undefined =>
      changeOf(decideOn({ node, monitors: ['ns/c'], device: sliced(), pod })).annotations?.[holdersAnnotation];
    expect(noted(monitor)).to.equal(undefined);
    expect(noted(ofDaemonSet)).to.equal('uid-monitor');
    const done = {
      ...aDevice({ ...aGpu({ mig: 'Enabled' }), instances: [{ profile: '3g.20gb', gi: 1, start: 0, uuid: 'MIG-b' }] }),
      models,
    };
    const world = new NodeWorld({
      policy,
      node: aNode({
        taints: taints.closed,
        labels: { 'gpupartition.dev/state': 'updating' },
        annotations: { [holdersAnnotation]: 'uid-monitor' },
        allocatable: nothing,
      }),
      partition: aManagedPartition({ backend: 'DRA', device: { ...done, observedEpoch: 3 }, wish, granted: aGrant() }),
      pods: [aDriverPod(), ofDaemonSet],
      slices: slicesOf(done),
    });
    world.step();
    expect(world.done).to.include('EvictPod uid-monitor');
  });

  describe('whose process is on a slice that has to go,', () => {
    const busy: DeviceReport = sliced();
    const processes = (monitors: readonly string[] = ['ns/monitor (claim ns/c)']): DeviceReport => ({
      ...busy,
      gpus: (busy.gpus ?? []).map((gpu) => ({
        ...gpu,
        instances: gpu.instances.map((one) => ({ ...one, busy: true })),
      })),
      plan: {
        hash: 'refused',
        wishHash: wishHash(wish),
        keep: 0,
        destroy: 0,
        create: 0,
        refusalCode: 'InUse',
        refusal: 'GPU 0 (A100-SXM4-40GB): 7g.40gb at 0 is in use (held by pid 7 (dcgm))',
        ...(monitors.length > 0 && { monitors: [...monitors] }),
      },
    });
    const aWorld = (device: DeviceReport): NodeWorld => {
      const world = new NodeWorld({
        policy,
        partition: aManagedPartition({ backend: 'DRA', device, wish, monitors: ['ns/c'] }),
        pods: [aDriverPod(), monitor],
        slices: slicesOf(busy),
        node: aNode({ allocatable: nothing }),
        settings: { holdersDeadlineMs: 60_000 },
      });
      world.claims = [aClaim('c', true)];
      return world;
    };

    it('is named with its claim, and with what to do', () => {
      const { verdict } = aWorld(processes()).step();
      expect(verdict).to.include({ phase: 'Waiting', reason: 'ProcessesUseGpus' });
      expect(verdict.message)
        .to.include('pid 7 (dcgm)')
        .and.include('Pod ns/monitor (claim ns/c) looks on with admin access')
        .and.include('nvidia.com/gpu.deploy.dcgm-exporter=false');
    });

    it('makes the node a failed one if it stays past the deadline of GPU clients, and nothing is closed for it', () => {
      const world = aWorld(processes());
      const before = world.step(1000);
      expect(before.rolloutState.hasFailed).to.equal(false);
      expect(before.verdict.requeueAfterMs).to.equal(someSettings.waitingPollMs);
      for (let seconds = 0; seconds < 55; seconds += 5) expect(world.step(5000).rolloutState.hasFailed).to.equal(false);
      expect(world.step(3000).verdict.requeueAfterMs).to.equal(2010);
      const { verdict, rolloutState } = world.step(7_000);
      expect(verdict).to.include({ phase: 'Failed', reason: 'ClientsStay' });
      expect(verdict.message).to.include('It has stayed for 60 s');
      expect(rolloutState.hasFailed).to.equal(true);
      expect(world.step(600_000).rolloutState.hasFailed).to.equal(true);
      expect(world.step(1000).verdict.reason).to.equal('ClientsStay');
      world.failOver();
      expect(world.step(1000).rolloutState.hasFailed).to.equal(true);
      expect(world.done).to.deep.equal([]);
    });

    it('has the change follow once it has ended', () => {
      const world = aWorld(processes());
      for (let seconds = 0; seconds < 80; seconds += 5) world.step(5000);
      world.report(aManagedPartition({ backend: 'DRA', device: busy, wish }).status?.device ?? {});
      for (let steps = 0; steps < 5; steps += 1) world.step(500);
      expect(world.done).to.include('WriteGrant');
    });

    it('is waited for without a deadline if it is not a monitor’s', () => {
      const world = aWorld(processes([]));
      world.step(1000);
      const { verdict, rolloutState } = world.step(600_000);
      expect([verdict.phase, rolloutState.hasFailed]).to.deep.equal(['Waiting', false]);
    });
  });

  it('makes room for a change of MIG mode like other holders of the GPU, if it is a DaemonSet’s', () => {
    const whole = { ...aDevice(aGpu()), models };
    const sliceOfWhole = (pod: PodView): Answer => {
      const partition = aManagedPartition({ backend: 'DRA', device: whole, wish, monitors: ['ns/c'] });
      const found = { pods: [aDriverPod(), pod], slices: slicesOf(whole), fresh: { claims: [aClaim('c', true)] } };
      return judge({ policy, partition, node: closed }, found, settled);
    };
    const { verdict, commands } = sliceOfWhole(ofDaemonSet);
    expect(verdict).to.include({ reason: 'ClientsStay' });
    expect(commands.flatMap((one) => (one.name === 'EvictPod' ? [one.pod.uid] : []))).to.deep.equal(['uid-monitor']);
    expect(namesOf(sliceOfWhole(monitor))).to.deep.equal(['WriteGrant']);
  });
});
