import type { PolicySpec } from '../../src/api/types.ts';
import type { Fleet } from '../../src/core/policy/fleet.ts';
import type { Bug } from './cluster.ts';
import { deletePolicy } from './deletion.ts';
import { Random } from './random.ts';
import { shrinkSteps, Violation, violationOf } from './violation.ts';
import { meets } from './fleet-checks.ts';
import { oscillate } from './demand-tide.ts';
import { drawDemandSpec } from './demand-policies.ts';
import { findDemandTrouble } from './demand-trouble.ts';
import { applyFleetPolicy, drawFleetSpec } from './fleet-policies.ts';
import { isUsers } from './fleet-pods.ts';
import { drawFleetSetup, type FleetSetup } from './fleet-setup.ts';
import {
  askForRetry,
  type FleetStep,
  type FleetStepName,
  listFleetSteps,
  setReady,
  takeFleetStep,
} from './fleet-steps.ts';
import { FleetWorld } from './fleet-world.ts';

/** The story of a seed: a fleet, and what happens to it. */
export interface FleetStory {
  readonly seed: number;
  readonly theme: keyof typeof themes;
  readonly setup: FleetSetup;
  readonly steps: readonly FleetStep[];
}

const themes = {
  Usual: { setup: {}, names: listFleetSteps(), pauses: [0, 20, 200, 1000, 3000, 10_000, 30_000, 120_000] },
  Leaders: {
    setup: { cap: '100%' },
    names: [
      'editLayout',
      'editLayout',
      'editRollout',
      'secondLeader',
      'secondLeader',
      'hang',
      'freezeWatch',
      'crashAtCall',
      'loseAnswers',
      'addPods',
    ],
    pauses: [20, 200, 1000, 3000, 10_000],
  },
  Rollout: {
    setup: { cap: '100%', hasStartupTaint: false },
    names: ['editLayout', 'editLayout', 'editRollout', 'notReady', 'failDevice', 'joinNode', 'wait', 'wait'],
    pauses: [1000, 10_000, 30_000, 120_000, 400_000],
  },
  Pods: {
    setup: { cap: '100%', hasStartupTaint: false },
    names: ['editLayout', 'addPods', 'addPods', 'addPods', 'budget', 'editDrain', 'endPods', 'crashController', 'wait'],
    pauses: [200, 3000, 10_000, 30_000],
  },
  Churn: {
    setup: { hasStartupTaint: true },
    names: [
      'editLayout',
      'joinNode',
      'joinNode',
      'replaceNode',
      'replaceNode',
      'removeNode',
      'reboot',
      'freezeWatch',
      'notReady',
    ],
    pauses: [200, 1000, 3000, 10_000, 30_000],
  },
  Demand: {
    setup: { hasDemands: true },
    names: [
      'wantSlices',
      'wantSlices',
      'wantSlices',
      'wantSlices',
      'endPods',
      'endPods',
      'editDemand',
      'editDemand',
      'newDemand',
      'toLayouts',
      'editRollout',
      'budget',
      'crashController',
      'crashAtCall',
      'secondLeader',
      'freezeWatch',
      'hang',
      'loseAnswers',
      'notReady',
      'replaceNode',
      'reboot',
      'crashAgent',
      'failDevice',
      'healDevice',
      'drift',
      'cordon',
      'wait',
      'wait',
    ],
    pauses: [200, 3000, 10_000, 30_000, 90_000, 240_000],
  },
  /** Pods that no node can ever hold, beside those of a demand. */
  Tenants: {
    setup: { hasDemands: true, hasTenants: true },
    names: [
      'absurdPods',
      'absurdPods',
      'absurdPods',
      'wantSlices',
      'wantSlices',
      'wantSlices',
      'endPods',
      'editDemand',
      'newDemand',
      'crashController',
      'crashAtCall',
      'failDevice',
      'healDevice',
      'cordon',
      'wait',
    ],
    pauses: [200, 3000, 10_000, 30_000, 90_000, 240_000],
  },
  /** Demands that change with the time of day, leaders that change within a cooldown, and policies that cannot act beside others. */
  Turns: {
    setup: { hasDemands: true, hasStartupTaint: false },
    names: [
      'wantSlices',
      'wantSlices',
      'wantSlices',
      'endPods',
      'endPods',
      'editDemand',
      'newDemand',
      'switchDemand',
      'switchDemand',
      'switchDemand',
      'planOnly',
      'enforce',
      'enforce',
      'pause',
      'resume',
      'freezeAll',
      'crashController',
      'crashController',
      'secondLeader',
      'wait',
    ],
    pauses: [3000, 10_000, 30_000, 60_000, 120_000],
  },
  Users: {
    setup: { cap: '100%' },
    names: [
      'editLayout',
      'editLayout',
      'invalidEdit',
      'invalidEdit',
      'planOnly',
      'enforce',
      'pause',
      'resume',
      'newPolicy',
      'prioritize',
      'widen',
      'editDrain',
      'editOnDelete',
      'deletePolicy',
      'cordon',
      'failDevice',
      'freezeAll',
      'addPods',
      'crashController',
      'drift',
    ],
    pauses: [200, 3000, 10_000, 30_000, 120_000],
  },
  /** Clocks that are an hour off, and agents that see their grants late. */
  Clocks: {
    setup: { cap: '100%', hasStartupTaint: false, hasClocks: true },
    names: [
      'editLayout',
      'editLayout',
      'editLayout',
      'editRollout',
      'setClock',
      'setClock',
      'blindAgent',
      'blindAgent',
      'crashController',
      'crashAgent',
      'addPods',
      'leaderless',
      'leaderless',
      'wait',
    ],
    pauses: [1000, 3000, 10_000, 30_000, 120_000],
  },
  /** Device plugins that have to be replaced, GPU Feature Discovery that is down, and machines that die with their pods. */
  Plugins: {
    setup: { cap: '100%', hasStartupTaint: false, plugin: 'Stock', hasDiscovery: true },
    names: [
      'editOffer',
      'editOffer',
      'editOffer',
      'editOffer',
      'editDrain',
      'prioritize',
      'addPods',
      'endPods',
      'discoveryDies',
      'discoveryLives',
      'nodeDies',
      'nodesLive',
      'cordon',
      'pause',
      'resume',
      'crashController',
      'wait',
    ],
    pauses: [3000, 10_000, 30_000, 120_000],
  },
  /** Machines that die in the middle of a change, for long: pods of theirs never end. */
  Dead: {
    setup: { cap: '100%', hasStartupTaint: false, plugin: 'Stock' },
    names: ['editOffer', 'editOffer', 'nodeDies', 'nodeDies', 'nodesLive', 'addPods'],
    pauses: [600, 3000, 10_000, 120_000, 900_000],
  },
  /** Pods that never go, users' and the device plugin's. */
  Stuck: {
    setup: { cap: '100%', hasStartupTaint: false, plugin: 'Stock' },
    names: [
      'editOffer',
      'editOffer',
      'editLayout',
      'editDrain',
      'holdersStay',
      'holdersStay',
      'clientsGo',
      'closeBudget',
      'budget',
      'addPods',
      'addPods',
      'nodeDies',
      'nodesLive',
      'crashController',
      'wait',
    ],
    pauses: [600, 3000, 30_000, 120_000, 900_000],
  },
  /** Canaries that break while nobody leads. */
  Leaderless: {
    setup: { cap: '100%', hasStartupTaint: false },
    names: ['editCanary', 'editCanary', 'breakCanary', 'breakCanary', 'leaderless', 'leaderless', 'mendNodes', 'wait'],
    pauses: [3000, 10_000, 30_000, 120_000],
  },
  /** Nodes that cannot be used, or do not change, while slices are wanted of them. */
  Unusable: {
    setup: { hasDemands: true },
    names: [
      'wantSlices',
      'wantSlices',
      'wantSlices',
      'endPods',
      'editDemand',
      'newDemand',
      'cordon',
      'cordon',
      'cordon',
      'leave',
      'leave',
      'notReady',
      'notReady',
      'failDevice',
      'failDevice',
      'healDevice',
      'replaceNode',
      'removeNode',
      'joinNode',
      'crashController',
      'wait',
    ],
    pauses: [200, 3000, 10_000, 30_000, 90_000, 240_000],
  },
  /** Somebody else who ends pauses of GPU clients and resets GPUs, on nodes of gpu-operator, in the middle of rollouts. */
  Remediator: {
    setup: { cap: '100%', hasStartupTaint: false, plugin: 'Operator', slowMs: 1500 },
    names: [
      'editMode',
      'editMode',
      'editMode',
      'editLayout',
      'editRollout',
      'remediatorResets',
      'remediatorFollows',
      'remediatorFollows',
      'remediatorFollows',
      'newPolicy',
      'prioritize',
      'addPods',
      'addPods',
      'endPods',
      'budget',
      'failDevice',
      'notReady',
      'reboot',
      'crashController',
      'secondLeader',
      'wait',
    ],
    pauses: [200, 1000, 3000, 3000, 10_000, 10_000, 30_000, 120_000],
  },
  Succession: {
    setup: { hasDemands: true, cap: '100%', hasStartupTaint: false },
    names: ['crashController', 'crashAtCall', 'crashController', 'crashAtCall', 'wait'],
    pauses: [200, 1000, 3000, 10_000],
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly setup: Partial<FleetSetup>;
      readonly names: readonly FleetStepName[];
      readonly pauses: readonly number[];
    }
  >
>;

export type FleetTheme = keyof typeof themes;

export const fleetThemes: readonly FleetTheme[] = [
  'Leaders',
  'Rollout',
  'Pods',
  'Churn',
  'Users',
  'Clocks',
  'Leaderless',
  'Plugins',
  'Dead',
  'Stuck',
  'Demand',
  'Tenants',
  'Turns',
  'Succession',
  'Unusable',
  'Remediator',
];

export function drawFleetStory(seed: number, theme: FleetTheme = 'Usual'): FleetStory {
  const random = new Random(seed);
  const setup = { ...drawFleetSetup(random), ...themes[theme].setup };
  const { names, pauses } = themes[theme];
  const count = 12 + Math.floor(24 * random.next() ** 2);
  const drawn = Array.from({ length: count }, (): FleetStep => ({
    name: random.pick<FleetStepName>(names) ?? 'wait',
    seed: random.integer(2 ** 31),
    ms: random.pick<number>(pauses) ?? 0,
  }));
  const first = (name: FleetStepName, ms: number): FleetStep => ({ name, seed: random.integer(2 ** 31), ms });
  const open = (one: FleetStepName, ms: number, other: FleetStepName, otherMs: number): FleetStory => ({
    seed,
    setup,
    theme,
    steps: [first(one, ms), first(other, otherMs), ...drawn],
  });
  // All at rest, then one edit, and leaders that come and go while it is carried out.
  if (theme === 'Succession') return open('declare', 400_000, 'declare', 500);
  if (theme === 'Turns') return open('onlook', 0, 'newDemand', 20_000);
  return theme === 'Demand' || theme === 'Tenants' || theme === 'Unusable'
    ? open('newDemand', 20_000, 'wantSlices', 2000)
    : open('newPolicy', 20_000, 'addPods', 2000);
}

/** A new leader continues: however often one follows another, an edit re-lays no more GPUs than with one leader. */
async function compareLeaders(story: FleetStory, bug: Bug | undefined): Promise<void> {
  const changes = await countChanges(story, bug, true);
  const alone = await countChanges(story, bug, false);
  if (changes > alone)
    throw new Violation(
      'D6',
      `${changes} GPUs were changed while leaders followed each other, and ${alone} by one leader`,
    );
}

/** @returns how many GPUs are changed, with leaders that change or with one */
async function countChanges(story: FleetStory, bug: Bug | undefined, changesLeaders: boolean): Promise<number> {
  const world = new FleetWorld(story.setup, story.seed, bug);
  for (const step of story.steps) {
    world.random = new Random(step.seed);
    const isPlayed = changesLeaders || step.name === 'declare';
    if (isPlayed) takeFleetStep(world, step.name);
    await world.run(step.ms);
  }
  world.crashIn = undefined;
  await comeToRest(world);
  return world.checks.changes;
}

/** After a failed drain a node rests for at most an hour, after drift for another. */
const patienceMs = 4 * 3600_000;

/** @throws Violation if an invariant is violated on the way, or if the fleet does not settle afterwards */
export async function runFleetStory({ seed, setup, steps }: FleetStory, bug?: Bug): Promise<FleetWorld> {
  const world = new FleetWorld(setup, seed, bug);
  for (const step of steps) {
    world.random = new Random(step.seed);
    takeFleetStep(world, step.name);
    await world.run(step.ms);
  }
  world.random = new Random(seed);
  await calmDown(world);
  await comeToRest(world);
  if (setup.hasDemands === true) await oscillate(world);
  return world;
}

/** Faults stop, pods can be evicted, and the users' wishes stay as they are. */
async function calmDown(world: FleetWorld): Promise<void> {
  world.isCalm = true;
  world.remediatesNext = false;
  Object.assign(world.faults, { refusal: 0, lostAnswer: 0 });
  world.crashIn = undefined;
  world.freeze = undefined;
  world.leaderlessUntil = -Infinity;
  world.deliverAll();
  world.endControllers();
  for (const machine of world.machines.values()) machine.stuckAt = undefined;
  for (const pod of world.api.list('pods')) if (isUsers(pod)) world.endPod(pod.metadata.uid ?? '');
  world.budgets.clear();
  await world.run(10_000);
  for (const machine of world.machines.values()) {
    machine.comeUp();
    machine.fate = 'Well';
    machine.isBlind = false;
    machine.isDiscoveryDead = false;
    machine.startAgent(1000);
    machine.tellAgent();
    setReady(machine, true);
    machine.edit('user', ({ spec, ...node }) => {
      const { unschedulable: _over, ...rest } = spec ?? {};
      return { ...node, spec: rest };
    });
    askForRetry(machine);
  }
  for (const { metadata } of world.api.list('policies')) {
    if (metadata.name === 'x') continue;
    if (metadata.name !== 'a' && world.random.chance(0.5)) deletePolicy(world.api, metadata.name, world.timeline.now);
    else applyFleetPolicy(world, metadata.name, () => drawCalmSpec(world));
  }
  if (world.setup.hasTenants === true) takeFleetStep(world, 'absurdPods');
  if (world.setup.hasDemands === true) for (let count = 3; count > 0; count -= 1) takeFleetStep(world, 'wantSlices');
}

function drawCalmSpec({ setup, random }: FleetWorld): PolicySpec {
  return setup.hasDemands === true && random.chance(0.8)
    ? drawDemandSpec(setup, random, true)
    : drawFleetSpec(setup, random, true);
}

async function comeToRest(world: FleetWorld): Promise<void> {
  const { timeline, checks, setup } = world;
  const since = timeline.now;
  let trouble: string | undefined = 'nothing was looked at';
  for (let pause = 5000; trouble !== undefined; pause = Math.min(pause * 1.6, 300_000)) {
    if (timeline.now - since > patienceMs) throw new Violation('L1', `not at rest: ${trouble}`);
    await world.run(pause);
    trouble = findFleetTrouble(world);
  }
  // Who follows pods reads them again and again: some minutes show as much.
  const quietMs = setup.hasDemands === true ? 300_000 : 3600_000;
  // A GPU that was re-laid rests for ten minutes, one that was twice for longer; what follows then lets another rest.
  await world.run(setup.hasDemands === true ? 2_100_000 : 1_400_000);
  const writes = checks.controllerWrites;
  await world.run(quietMs);
  const after = findFleetTrouble(world);
  if (after !== undefined) throw new Violation('L1', `did not stay at rest: ${after}`);
  if (checks.controllerWrites !== writes) {
    throw new Violation('S9', `${checks.controllerWrites - writes} writes, and nothing had changed`);
  }
}

function findFleetTrouble(world: FleetWorld): string | undefined {
  const { api, machines, controllers, setup } = world;
  const [controller] = controllers;
  if (!controller || controllers.length > 1) return 'there is not one controller';
  for (const { metadata, status } of api.list('policies')) {
    const held = (status?.inFlight ?? []).map(({ node }) => node);
    if (metadata.deletionTimestamp !== undefined) return `policy ${metadata.name} is still being deleted`;
    if (held.length > 0) return `${held.join()} in flight for ${metadata.name} (L5)`;
  }
  for (const machine of machines.values()) {
    const { name } = machine;
    const verdict = controller.verdicts.get(name);
    const words = `${name}: ${verdict?.phase} ${verdict?.reason}: ${verdict?.message}`;
    const ours = (machine.node?.spec?.taints ?? []).filter(({ key }) => key.includes('gpupartition'));
    const away = machine.deployLabels.filter((key) => machine.node?.metadata.labels?.[key] !== 'true');
    if (away.length > 0) return `${away.join()} of ${name} is not back (L4); ${words}`;
    const winner = deciderOf(controller.cluster.fleet, name);
    // A node that no policy selects is not verified.
    if (ours.some(({ key }) => key.endsWith('repartitioning')) || (winner && ours.length > 0)) return `${words} (L4)`;
    const isPlanned = winner === undefined && controller.cluster.fleet.winnerOf(name) !== undefined;
    if (!isPlanned && verdict?.phase !== (winner === undefined ? 'Unmanaged' : 'Ready')) return words;
    if (winner === undefined) continue;
    const { wish } = api.find('partitions', name)?.spec ?? {};
    if (!wish || !meets(machine, wish.gpus)) return `${name} is not as wished; ${words}`;
    if (api.find('partitions', name)?.spec.drain !== undefined) return `${name} still tells pods to go`;
  }
  return setup.hasDemands === true ? findDemandTrouble(world) : undefined;
}

/** The policy that decides over a node, unless that only plans. */
function deciderOf(fleet: Pick<Fleet, 'winnerOf' | 'policy'>, node: string): string | undefined {
  const name = fleet.winnerOf(node);
  return name !== undefined && fleet.policy(name)?.policy.spec.mode !== 'Plan' ? name : undefined;
}

/** The shortest story that still violates the same invariant. */
export async function shrinkFleetStory(story: FleetStory, invariant: string): Promise<FleetStory> {
  const find = (steps: FleetStory['steps']) => findFleetViolation({ ...story, steps });
  return { ...story, steps: await shrinkSteps(story.steps, invariant, find) };
}

export function findFleetViolation(story: FleetStory, bug?: Bug): Promise<Violation | undefined> {
  return violationOf(() => (story.theme === 'Succession' ? compareLeaders(story, bug) : runFleetStory(story, bug)));
}

export function tellFleetStory({ seed, setup, steps }: FleetStory): string {
  const lines = steps.map(({ name, ms, seed: own }) => `  ${name} (${own}), then ${ms} ms`);
  return [`seed ${seed}`, JSON.stringify(setup), ...lines].join('\n');
}
