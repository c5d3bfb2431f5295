import { expect } from 'chai';
import type { DeviceReport, PolicySpec } from '../../../../src/api/types.ts';
import { clientsAnnotation } from '../../../../src/core/node/marks.ts';
import { wishHash, planWish } from '../../../../src/core/device/plan.ts';
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
  aClaim as aClaimOfPlanHolders,
  aFreshRead,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PodView, ResourceClaimView } from '../../../../src/core/kubernetes/pod.ts';
import { findHolders } from '../../../../src/core/node/rules/users.ts';
import type { RuleInput } from '../../../../src/core/node/commands.ts';
import { listReportedPods } from '../../../../src/core/device/holders.ts';
import { aPod, drainWish, heldDevice } from '../../../support/drain-world.ts';
import { listHolderNamespaces } from '../../../../src/core/node/snapshot.ts';

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
      changeOf(decideOn({ node, monitors: ['ns/c'], device: sliced(), pod })).annotations?.[clientsAnnotation];
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
        annotations: { [clientsAnnotation]: 'uid-monitor' },
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
        settings: { clientsDeadlineMs: 60_000 },
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

type Announced = NonNullable<Parameters<typeof aManagedPartition>[0]>['drain'];
const { report: plan } = planWish(heldDevice, drainWish);
const before = '2026-01-01T11:00:00Z';
const readTime = '2026-01-01T11:30:00Z';
const since = '2026-01-01T11:59:00Z';
const order = (uid: string, planHash = plan.hash): NonNullable<Announced> => ({
  planHash,
  pods: [{ namespace: 'ns', name: uid.replace('uid-', ''), uid }],
});

interface Parts {
  readonly drain?: Announced;
  readonly scope?: NonNullable<PolicySpec['drain']>['scope'];
  readonly device?: DeviceReport;
  /** What the agent's reading names; by default what the device says. */
  readonly read?: Partial<NonNullable<RuleInput['fresh']>>;
}

/** Names by kind, of a node whose plan destroys what `ns/goes` holds. */
function judgeOfPlanHolders(
  pods: readonly PodView[],
  { drain, scope, device = { ...heldDevice, readTime }, read }: Parts = {},
) {
  const partition = aManagedPartition({ device, wish: drainWish, ...(drain && { drain }) });
  const policy = aSlicingPolicy({ ...(scope && { drain: { scope } }) });
  const fresh = aFreshRead({ ...listReportedPods(device), ...read });
  const found = findHolders({ node: aNode(), partition, claim: aClaimOfPlanHolders(policy, partition), fresh }, pods);
  return Object.fromEntries(
    Object.entries(found).map(([kind, list]) => [
      kind,
      (list as readonly PodView[]).map(({ metadata }) => metadata.uid),
    ]),
  );
}
const of = (kind: 'affected' | 'namesakes' | 'unknown' | 'none', uid: string) => ({
  affected: [],
  namesakes: [],
  unknown: [],
  ...(kind !== 'none' && { [kind]: [uid] }),
});
const created = (name: string, creationTimestamp: string, more: object = {}) =>
  aPod(name, { creationTimestamp, ...more });

describe('a pod whose name a plan gives as a holder', () => {
  it('has to go if it is older than the reading, and may be another one if it is younger', () => {
    expect(judgeOfPlanHolders([created('goes', before)])).to.deep.equal(of('affected', 'uid-goes'));
    expect(judgeOfPlanHolders([created('goes', since)])).to.deep.equal(of('namesakes', 'uid-goes'));
  });

  it('has to go, whenever it was read, if this very pod was told to', () => {
    expect(judgeOfPlanHolders([created('goes', since)], { drain: order('uid-goes') })).to.deep.equal(
      of('affected', 'uid-goes'),
    );
    expect(judgeOfPlanHolders([created('goes', since)], { drain: order('uid-other') })).to.deep.equal(
      of('namesakes', 'uid-goes'),
    );
  });

  it('is told by its name alone if it was told to go for another plan', () => {
    const drain = order('uid-goes', 'another');
    expect(judgeOfPlanHolders([created('goes', since)], { drain })).to.deep.equal(of('namesakes', 'uid-goes'));
  });

  it('is spared during a drain if it is read on what stays', () => {
    const read = { holders: ['ns/goes', 'ns/stays'], going: [] };
    const again = created('goes', before, { uid: 'uid-again' });
    expect(judgeOfPlanHolders([again], { drain: order('uid-goes'), read })).to.deep.equal(of('none', ''));
    expect(judgeOfPlanHolders([again], { read })).to.deep.equal(of('affected', 'uid-again'));
  });

  it('is unknown during a drain if the reading does not show it any more: only another one of the name can be there', () => {
    const read = { holders: ['ns/stays'], going: [] };
    const again = created('goes', before, { uid: 'uid-again' });
    expect(judgeOfPlanHolders([again], { drain: order('uid-goes'), read })).to.deep.equal(of('unknown', 'uid-again'));
  });
});

describe('a pod whose device no longer exists', () => {
  it('has to go, under whatever name its kubelet hands such devices out, unless it uses no GPU', () => {
    const lostDevices = [{ id: 'MIG-destroyed', pods: ['ns/tools'] }];
    const advertised = { stale: 0, resources: { 'tools.example/slice': 1 } };
    const device = { ...heldDevice, readTime, lostDevices, advertised };
    const using = (resource: string): PodView => {
      const containers = [{ resources: { limits: { [resource]: 1 } } }];
      return { ...created('tools', before), spec: { containers } };
    };
    expect(judgeOfPlanHolders([using('tools.example/slice')], { device })).to.deep.equal(of('affected', 'uid-tools'));
    expect(judgeOfPlanHolders([using('tools.example/license')], { device })).to.deep.equal(of('none', ''));
    const claiming = { ...created('tools', before), spec: { containers: [], resourceClaims: [{ name: 'gpu' }] } };
    expect(judgeOfPlanHolders([claiming], { device })).to.deep.equal(of('none', ''));
  });
});

describe('a pod that was told to go', () => {
  it('is spared if neither the plan names it nor the whole node drains', () => {
    const drain = order('uid-stays');
    expect(judgeOfPlanHolders([created('stays', before)], { drain })).to.deep.equal(of('none', ''));
    expect(judgeOfPlanHolders([created('stays', before)], { drain, scope: 'Node' })).to.deep.equal(
      of('affected', 'uid-stays'),
    );
  });

  it('still has to while the whole node drains and nothing tells what its claim is for', () => {
    const pod = created('claims', before);
    const claiming = { ...pod, spec: { containers: [], resourceClaims: [{ name: 'gpu' }] } };
    const parts = { scope: 'Node', read: { holders: [], going: [] } } as const;
    expect(judgeOfPlanHolders([claiming], parts)).to.deep.equal(of('none', ''));
    expect(judgeOfPlanHolders([claiming], { ...parts, drain: order('uid-claims') })).to.deep.equal(
      of('affected', 'uid-claims'),
    );
  });
});

describe('the namespaces whose disruption budgets are read', () => {
  const device = { ...heldDevice, plan: { ...plan, affectedPods: ['team/goes'] } };
  const list = (parts: { drain?: NonNullable<Announced>; device?: DeviceReport }, scope?: 'Node' | 'Affected') =>
    listHolderNamespaces(aManagedPartition({ device, ...parts }), scope && { scope });

  it('are those of pods that the plan names, and that were told to go', () => {
    expect(list({})).to.deep.equal(['team']);
    expect(list({}, 'Affected')).to.deep.equal(['team']);
    expect(list({ drain: order('uid-x') })).to.deep.equal(['team', 'ns']);
    expect(list({ device: {} })).to.deep.equal([]);
  });

  it('are those of every reported pod if the whole node drains, or if the plan could not name all', () => {
    expect(list({}, 'Node')).to.deep.equal(['team', 'ns']);
    expect(list({ device: { ...device, plan: { ...device.plan, morePods: 1 } } })).to.deep.equal(['team', 'ns']);
  });
});
