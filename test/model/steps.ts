import { applyPolicy, drawSchedules, drawSpec } from './policies.ts';
import type { PolicySpec } from '../../src/api/types.ts';
import type { Kind } from './api.ts';
import { leadersClocks } from './clock.ts';
import { deletePolicy } from './deletion.ts';
import { remediate } from './remediator.ts';
import { DriverRefusal, type Gpu } from './device.ts';
import { hourMs } from './cluster.ts';
import type { ModelWorld } from './world.ts';

type Act = (world: ModelWorld) => void;

/** Everything that can happen to a node, with its weight. */
const table = {
  wait: [14, () => undefined],
  editPolicy: [
    10,
    (world) => {
      const { random, setup } = world;
      applyPolicy(world, random.chance(0.8) ? 'a' : 'b', drawSpec(setup, random, random.chance(0.6)));
    },
  ],
  deletePolicy: [3, (world) => deleteAny(world)],
  addPod: [10, (world) => world.kubelet.users.schedule()],
  endPod: [
    9,
    (world) => {
      const pod = world.random.pick(world.kubelet.users.list());
      if (pod) world.kubelet.endPod(pod.metadata.uid ?? '');
    },
  ],
  endAllPods: [4, (world) => endPods(world)],
  crashController: [3, (world) => world.endControllers()],
  crashControllerSoon: [
    4,
    (world) => {
      world.crashIn = { who: 'controller', at: 'Begin', calls: 1 + world.random.integer(6) };
    },
  ],
  failOver: [3, (world) => world.lead()],
  stopOldLeaders: [4, (world) => world.endOldLeaders()],
  stallController: [
    3,
    (world) => {
      world.random.pick(world.controllers)?.stall(world.random.between(500, 40_000), 'Next');
    },
  ],
  freezeWatch: [
    4,
    (world) => {
      const kinds: readonly Kind[] = ['nodes', 'partitions', 'policies', 'agents'];
      world.random.pick(world.controllers)?.frozen.add(world.random.pick(kinds) ?? 'nodes');
    },
  ],
  thawWatches: [6, (world) => world.deliverAll()],
  loseAnswers: [
    3,
    (world) => {
      world.faults.lostAnswer = world.random.pick([0.1, 0.3, 0.6]) ?? 0;
    },
  ],
  refuseCalls: [
    2,
    (world) => {
      world.faults.refusal = world.random.pick([0.1, 0.5, 1]) ?? 0;
    },
  ],
  healApi: [
    5,
    (world) => {
      world.faults.lostAnswer = 0;
      world.faults.refusal = 0;
    },
  ],
  crashAgent: [3, (world) => world.machine.restartAgent(10_000)],
  crashAgentSoon: [
    5,
    (world) => {
      world.crashIn = { who: 'agent', at: 'Begin', calls: 1 + world.random.integer(8) };
    },
  ],
  holdAgent: [
    1,
    (world) => {
      world.faults.agentHeld = true;
      world.machine.restartAgent(1000);
    },
  ],
  releaseAgent: [
    4,
    (world) => {
      world.faults.agentHeld = false;
    },
  ],
  reboot: [2, (world) => world.machine.reboot()],
  reloadDriver: [1, (world) => world.machine.reloadDriver()],
  replaceNode: [1, (world) => world.machine.replaceNode()],
  driverDown: [
    2,
    (world) => {
      world.faults.driverDown = true;
    },
  ],
  driverUp: [
    4,
    (world) => {
      world.faults.driverDown = false;
    },
  ],
  muteKubelet: [
    1,
    (world) => {
      world.faults.kubeletMute = true;
    },
  ],
  unmuteKubelet: [
    3,
    (world) => {
      world.faults.kubeletMute = false;
    },
  ],
  failOperations: [
    4,
    (world) => {
      world.faults.failures = 1 + world.random.integer(3);
    },
  ],
  failInMiddle: [
    0,
    (world) => {
      world.faults.failsEvery = 2 + world.random.integer(3);
    },
  ],
  failNoMore: [
    0,
    (world) => {
      world.faults.failsEvery = 0;
    },
  ],
  failThroughout: [
    0,
    (world) => {
      world.faults.failures = 30;
    },
  ],
  slowDevice: [
    0,
    (world) => {
      world.faults.slowDeviceMs = world.random.pick([5000, 15_000, 30_000]) ?? 0;
    },
  ],
  quickDevice: [
    0,
    (world) => {
      world.faults.slowDeviceMs = 0;
    },
  ],
  loseGpu: [
    1,
    (world) => {
      const gpu = world.random.pick(world.device.gpus);
      if (!gpu) return;
      world.checks.devicesAreLost([gpu.uuid, ...gpu.slices.map(({ uuid }) => uuid)]);
      gpu.isLost = true;
      // It comes back empty, as after a manual change, and only the kubelet could tell whose devices are still offered.
      if (!world.setup.kubeletTells) world.hasDrifted = true;
      world.device.version += 1;
    },
  ],
  findGpu: [3, (world) => findGpus(world)],
  destroyByHand: [4, (world) => drift(world, 'DestroyInstance')],
  createByHand: [3, (world) => drift(world, 'CreateInstance')],
  destroyUnderPod: [0, (world) => destroyUnderPod(world)],
  budgetHolds: [
    2,
    (world) => {
      world.faults.budget = true;
    },
  ],
  budgetGives: [
    4,
    (world) => {
      world.faults.budget = false;
    },
  ],
  holdersStay: [
    2,
    (world) => {
      world.faults.stubborn = true;
    },
  ],
  clientsGo: [
    3,
    (world) => {
      world.faults.stubborn = false;
    },
  ],
  discoveryDies: [
    2,
    (world) => {
      world.faults.discoveryDead = true;
    },
  ],
  discoveryLives: [
    3,
    (world) => {
      world.faults.discoveryDead = false;
    },
  ],
  slowStatus: [
    2,
    (world) => {
      world.faults.slowStatus = true;
    },
  ],
  quickStatus: [
    2,
    (world) => {
      world.faults.slowStatus = false;
    },
  ],
  cordon: [1, (world) => cordon(world, true)],
  uncordon: [3, (world) => cordon(world, false)],
  foreignMark: [
    2,
    (world) =>
      world.machine.edit('user', (node) => ({
        ...node,
        metadata: {
          ...node.metadata,
          labels: { ...node.metadata.labels, 'example.com/round': String(world.random.integer(9)) },
        },
      })),
  ],
  editInvalid: [
    0,
    (world) =>
      editSome(world, ({ layouts: _before, ...spec }) => {
        const isLayout = world.random.chance(0.5);
        const windows = [{ schedule: '* * * * *', duration: '1h', timeZone: 'Europe/Berlim' }];
        return isLayout
          ? { ...spec, layouts: [{ profiles: { '9g.90gb': 1 } }] }
          : { ...spec, layouts: drawSpec(world.setup, world.random, true).layouts ?? [], rollout: { windows } };
      }),
  ],
  editSchedules: [0, (world) => editSome(world, (spec) => ({ ...spec, schedules: drawSchedules(world) }))],
  /** A policy behind another, or before it. */
  addRival: [
    0,
    (world) => {
      const { random, setup } = world;
      const priority = random.pick([0, 0, 5]) ?? 0;
      applyPolicy(world, 'b', { ...drawSpec(setup, random, random.chance(0.8)), priority });
    },
  ],
  editSharing: [
    0,
    (world) =>
      editSome(world, ({ sharing: _before, ...spec }) => {
        const { random, setup } = world;
        const slices = setup.product === 'NVIDIA A30' ? 'nvidia.com/mig-1g.6gb' : 'nvidia.com/mig-1g.5gb';
        const resource = setup.strategy === 'mixed' && random.chance(0.7) ? slices : 'nvidia.com/gpu';
        const timeSlicing = [{ resource, replicas: 2 + random.integer(3) }];
        return random.chance(0.7) ? { ...spec, sharing: { timeSlicing } } : spec;
      }),
  ],
  editStrategy: [
    0,
    (world) =>
      editSome(world, (spec) => ({
        ...spec,
        strategy: world.random.pick(['none', 'single', 'mixed'] as const) ?? 'mixed',
      })),
  ],
  editDrain: [
    0,
    (world) => editSome(world, (spec) => ({ ...spec, drain: drawSpec(world.setup, world.random, false).drain ?? {} })),
  ],
  editMode: [0, (world) => editSome(world, (spec) => ({ ...spec, mode: spec.mode === 'Plan' ? 'Enforce' : 'Plan' }))],
  pausePolicy: [0, (world) => editSome(world, (spec) => ({ ...spec, rollout: { paused: true } }))],
  resumePolicy: [0, (world) => editSome(world, (spec) => ({ ...spec, rollout: {} }))],
  freezeAll: [
    0,
    (world) => {
      world.freeze = world.freeze === undefined ? 'the auditors are here' : undefined;
      world.endControllers();
    },
  ],
  editOnDelete: [
    0,
    (world) => editSome(world, (spec) => ({ ...spec, onDelete: world.random.chance(0.7) ? 'DisableMig' : 'Keep' })),
  ],
  setAgentClock: [
    0,
    (world) => {
      world.machine.aheadMs = world.random.pick([0, hourMs, -hourMs]) ?? 0;
    },
  ],
  setLeadersClock: [0, (world) => world.setLeadersClock(world.random.pick(leadersClocks) ?? 0)],
  nodeDies: [0, (world) => world.machine.die()],
  nodeLives: [0, (world) => world.machine.live()],
  blindAgent: [
    0,
    (world) => {
      world.machine.isBlind = true;
    },
  ],
  agentSees: [
    0,
    (world) => {
      world.machine.isBlind = false;
      world.machine.tellAgent();
    },
  ],
  driverGoes: [
    0,
    (world) => {
      world.faults.claimDriverAway = true;
      if (world.random.chance(0.5)) world.kubelet.restartPlugin();
    },
  ],
  driverComes: [
    0,
    (world) => {
      world.faults.claimDriverAway = false;
    },
  ],
  slowSlices: [
    0,
    (world) => {
      world.faults.slowSlices = true;
    },
  ],
  quickSlices: [
    0,
    (world) => {
      world.faults.slowSlices = false;
    },
  ],
  monitorComes: [0, (world) => world.kubelet.monitors.come()],
  monitorGoes: [0, (world) => world.kubelet.monitors.goAny()],
  monitorWorks: [0, (world) => world.kubelet.monitors.work()],
  deafenDriver: [
    0,
    (world) => {
      world.faults.driverDeaf = true;
    },
  ],
  undeafenDriver: [
    0,
    (world) => {
      world.faults.driverDeaf = false;
    },
  ],
  missEnds: [
    0,
    (world) => {
      world.faults.missesEnds = true;
    },
  ],
  noticeEnds: [
    0,
    (world) => {
      world.faults.missesEnds = false;
    },
  ],
  restartPlugin: [0, (world) => world.kubelet.restartPlugin()],
  restartKubelet: [
    0,
    (world) => {
      if (world.machine.isUp) world.kubelet.plugin.kubeletRestarts();
    },
  ],
  remediatorResets: [0, (world) => remediate(world.machine)],
  secondStackComes: [0, (world) => switchSecondStack(world, true)],
  secondStackGoes: [0, (world) => switchSecondStack(world, false)],
  editBackend: [
    0,
    (world) =>
      editSome(world, (spec) => ({
        ...spec,
        backend: world.random.pick(['DevicePlugin', 'DRA', 'Auto'] as const) ?? 'Auto',
      })),
  ],
  leaveDebris: [0, (world) => world.machine.leaveDebris()],
  /** Its DaemonSet is changed, and its pod with it. */
  dynamicMigOn: [0, (world) => switchDynamicMig(world, true)],
  dynamicMigOff: [0, (world) => switchDynamicMig(world, false)],
  removeTaintByHand: [
    1,
    (world) => {
      world.checks.isForcedOpen = true;
      world.machine.edit('user', (node) => ({
        ...node,
        spec: {
          ...node.spec,
          taints: (node.spec?.taints ?? []).filter(({ key }) => key !== 'gpupartition.dev/repartitioning'),
        },
      }));
    },
  ],
} as const satisfies Readonly<Record<string, readonly [number, Act]>>;

export type StepName = keyof typeof table;

export interface StoryStep {
  readonly name: StepName;
  readonly seed: number;
  /** Time until the next step. */
  readonly ms: number;
}

const names = Object.keys(table) as readonly StepName[];
const weighted = names.flatMap((name) => Array<StepName>(table[name][0]).fill(name));

export function listSteps(): readonly StepName[] {
  return weighted;
}

export function take(world: ModelWorld, name: StepName): void {
  table[name][1](world);
}

export function endPods(world: ModelWorld): void {
  for (const pod of world.kubelet.users.list()) world.kubelet.endPod(pod.metadata.uid ?? '');
}

export function findGpus(world: ModelWorld): void {
  for (const gpu of world.device.gpus) {
    if (!gpu.isLost) continue;
    // It comes back from a reset: without instances.
    world.checks.devicesAreLost();
    world.hasDrifted = true;
    gpu.isLost = false;
    gpu.slices = [];
    gpu.emptied = [];
    world.device.version += 1;
    world.kubelet.plugin.devicesChanged();
  }
}

export function cordon(world: ModelWorld, isCordoned: boolean): void {
  world.machine.edit('user', (node) => {
    const { unschedulable: _before, ...spec } = node.spec ?? {};
    return { ...node, spec: { ...spec, ...(isCordoned && { unschedulable: true }) } };
  });
}

function switchDynamicMig(world: ModelWorld, isOn: boolean): void {
  if (world.faults.dynamicMig === isOn) return;
  world.faults.dynamicMig = isOn;
  world.hasDrifted = true;
  world.kubelet.restartPlugin();
}

function switchSecondStack(world: ModelWorld, isThere: boolean): void {
  world.faults.secondStack = isThere;
  world.kubelet.syncSoon();
}

/** A user edits a policy that is there. */
function editSome(world: ModelWorld, change: (spec: PolicySpec) => PolicySpec): void {
  const policy = world.random.pick(world.api.list('policies'));
  if (policy) applyPolicy(world, policy.metadata.name, change(policy.spec));
}

function deleteAny(world: ModelWorld): void {
  const policy = world.random.pick(world.api.list('policies'));
  if (policy) deletePolicy(world.api, policy.metadata.name, world.timeline.now);
}

/** A person on the node runs nvidia-smi. */
function drift(world: ModelWorld, action: 'DestroyInstance' | 'CreateInstance'): void {
  const { device, random, kubelet } = world;
  const gpu = random.pick(device.gpus.filter(({ mig, isLost }) => mig === 'Enabled' && !isLost));
  if (!gpu) return;
  const held = kubelet.users.heldUuids();
  const profile = random.pick(device.model.profiles.filter(({ name }) => /^\dg\.\d+gb$/.test(name)));
  const idle = random.pick(gpu.slices.filter(({ uuid }) => !held.has(uuid)));
  const chosen =
    action === 'DestroyInstance' ? idle : profile && { profile: profile.name, start: random.pick(profile.starts) ?? 0 };
  if (chosen) changeByHand(world, gpu, action, chosen);
}

/** The person kills what runs on a slice first, and its pods live on. */
function destroyUnderPod(world: ModelWorld): void {
  const { device, random, kubelet } = world;
  const held = kubelet.users.heldUuids();
  const gpu = random.pick(device.gpus.filter(({ slices }) => slices.some(({ uuid }) => held.has(uuid))));
  const slice = gpu && random.pick(gpu.slices.filter(({ uuid }) => held.has(uuid)));
  if (!gpu || !slice) return;
  kubelet.users.killProcesses(slice.uuid);
  changeByHand(world, gpu, 'DestroyInstance', slice);
}

function changeByHand(
  world: ModelWorld,
  gpu: Gpu,
  action: 'DestroyInstance' | 'CreateInstance',
  chosen: { readonly profile: string; readonly start: number; readonly uuid?: string },
): void {
  world.hasDrifted = true;
  if (chosen.uuid !== undefined) world.checks.devicesAreLost([chosen.uuid]);
  try {
    world.device.takeStep(gpu, { action, profile: chosen.profile, start: chosen.start });
    world.kubelet.plugin.devicesChanged();
  } catch (error) {
    if (!(error instanceof DriverRefusal)) throw error;
  }
}
