import { retryAnnotation } from '../../src/api/names.ts';
import { findTrouble } from './calm.ts';
import type { Bug } from './cluster.ts';
import { deletePolicy } from './deletion.ts';
import { applyPolicy, drawSchedules, drawSpec } from './policies.ts';
import { Random } from './random.ts';
import { deleteDeadlineMs, drawSetup, type Setup } from './setup.ts';
import { cordon, endPods, findGpus, listSteps, type StoryStep, type StepName, take } from './steps.ts';
import { shrinkSteps, Violation, violationOf } from './violation.ts';
import { ModelWorld } from './world.ts';

/** The story of a seed: a node, what happens to it, and what its policies say in the end. */
export interface Story {
  readonly seed: number;
  readonly setup: Setup;
  readonly steps: readonly StoryStep[];
  readonly end: 'Enforce' | 'Delete' | 'Plan' | 'Pause';
  /** Whether somebody asks in the end for another attempt at once. Otherwise nobody does anything once faults have stopped. */
  readonly asksForRetry: boolean;
}

const pauses = [0, 20, 20, 150, 150, 600, 600, 2000, 2000, 5000, 15_000, 60_000] as const;

function repeat(times: number, names: readonly StepName[]): readonly StepName[] {
  return Array.from({ length: times }, () => names).flat();
}

/** Some stories have a topic that chance alone would rarely hit often enough. */
const themes = {
  Usual: { setup: {}, names: listSteps(), pauses },
  Drift: {
    setup: { hasClient: false },
    names: [
      'destroyByHand',
      'destroyByHand',
      'destroyUnderPod',
      'createByHand',
      'endAllPods',
      'addPod',
      'addPod',
      'crashController',
    ],
    pauses: [20, 2000, 60_000, 60_000, 60_000],
  },
  Rush: {
    setup: { plugin: 'Tolerant', hasStartupTaint: false },
    names: ['editPolicy', 'addPod', 'addPod', 'addPod', 'addPod', 'addPod', 'addPod', 'endAllPods', 'endAllPods'],
    pauses: [20, 20, 150, 150, 600, 2000, 15_000],
  },
  Drains: {
    setup: { hasStartupTaint: false },
    names: [
      'editPolicy',
      'addPod',
      'addPod',
      'addPod',
      'addPod',
      'addPod',
      'endPod',
      'budgetHolds',
      'budgetGives',
      'wait',
    ],
    pauses: [20, 150, 600, 2000, 5000, 15_000, 60_000],
  },
  /** Pods of all kinds, on a device that somebody else changes too. */
  Force: {
    setup: { hasStartupTaint: false, hasAllPods: true },
    names: [
      'editPolicy',
      'editPolicy',
      'addPod',
      'addPod',
      'addPod',
      'addPod',
      'endPod',
      'endPod',
      'budgetHolds',
      'budgetGives',
      'destroyByHand',
      'destroyUnderPod',
      'createByHand',
      'wait',
      'wait',
    ],
    pauses: [20, 150, 600, 2000, 5000, 15_000, 60_000, 150_000],
  },
  /** What users do with policies, beside all else. */
  Users: {
    setup: { hasStartupTaint: false, hasConfigMap: true, hasAllPods: true },
    names: [
      ...listSteps(),
      ...repeat(5, [
        'editInvalid',
        'addRival',
        'editSharing',
        'editStrategy',
        'editDrain',
        'editMode',
        'pausePolicy',
        'resumePolicy',
        'resumePolicy',
        'freezeAll',
      ]),
      ...repeat(2, [
        'nodeDies',
        'nodeLives',
        'nodeLives',
        'blindAgent',
        'agentSees',
        'agentSees',
        'slowDevice',
        'quickDevice',
      ]),
    ],
    pauses,
  },
  /** A node that hands its GPUs out by claims. */
  Claims: {
    setup: { backend: 'DRA', strategy: 'mixed' },
    names: [
      ...listSteps(),
      ...repeat(10, ['addPod', 'addPod', 'editPolicy']),
      ...repeat(4, ['driverGoes', 'driverComes', 'driverComes', 'slowSlices', 'quickSlices', 'endPod']),
    ],
    pauses,
  },
  /** A node whose slices a person destroys, also under pods that have claims on them. */
  ClaimDrift: {
    setup: { backend: 'DRA', strategy: 'mixed', repeatsUuids: true },
    names: [
      ...listSteps(),
      ...repeat(10, ['addPod', 'addPod', 'editPolicy']),
      ...repeat(6, ['destroyByHand', 'destroyUnderPod', 'destroyUnderPod', 'createByHand', 'endPod']),
      ...repeat(3, ['driverGoes', 'driverComes', 'driverComes', 'slowSlices', 'quickSlices', 'crashController']),
    ],
    pauses,
  },
  /** The same, with pods that only look on, and a driver that is also an owner for a while, late, or away. */
  Monitors: {
    setup: { backend: 'DRA', strategy: 'mixed', repeatsUuids: true },
    names: [
      ...listSteps(),
      ...repeat(10, ['addPod', 'addPod', 'editPolicy', 'editPolicy']),
      ...repeat(8, ['monitorComes', 'monitorComes', 'monitorGoes', 'monitorWorks', 'endPod']),
      ...repeat(4, ['dynamicMigOn', 'dynamicMigOff', 'dynamicMigOff', 'driverGoes', 'driverComes', 'driverComes']),
      ...repeat(3, ['slowSlices', 'quickSlices', 'deafenDriver', 'undeafenDriver', 'failOperations']),
    ],
    pauses,
  },
  /** Changes that fail and are undone: what is made again has the UUID of before. */
  Again: {
    setup: { backend: 'DRA', strategy: 'mixed', gpus: 1, repeatsUuids: true, hasStartupTaint: false },
    names: [
      ...repeat(3, ['editPolicy', 'editPolicy', 'failInMiddle', 'addPod', 'addPod', 'addPod', 'deafenDriver']),
      ...repeat(2, ['failNoMore', 'undeafenDriver', 'endPod', 'endAllPods']),
      'crashAgentSoon',
      'crashController',
      'endAllPods',
    ],
    pauses: [600, 2000, 5000, 15_000, 60_000],
  },
  /** Edits, and little else. */
  Edits: {
    setup: { hasStartupTaint: false, hasConfigMap: true },
    names: [
      'editPolicy',
      'editInvalid',
      'editInvalid',
      'addRival',
      'editSharing',
      'editSharing',
      'editMode',
      'pausePolicy',
      'resumePolicy',
      'resumePolicy',
      'freezeAll',
      'addPod',
      'endAllPods',
      'wait',
    ],
    pauses: [600, 5000, 15_000, 60_000],
  },
  /** Policies that switch to other layouts and back, beside faults, pods and several leaders. */
  Schedules: {
    setup: { hasStartupTaint: false },
    names: [
      ...listSteps(),
      ...repeat(12, ['editSchedules', 'editSchedules', 'addPod', 'wait']),
      ...repeat(3, [
        'failOver',
        'stopOldLeaders',
        'crashController',
        'endPod',
        'addRival',
        'pausePolicy',
        'resumePolicy',
      ]),
    ],
    pauses: [20, 600, 2000, 5000, 15_000, 60_000],
  },
  /** An agent that sees its grants late. */
  Late: {
    setup: { hasStartupTaint: false },
    names: ['editPolicy', 'blindAgent', 'blindAgent', 'agentSees', 'agentSees', 'addPod', 'endAllPods', 'wait'],
    pauses: [150, 5000, 15_000, 60_000, 150_000],
  },
  /** Clocks of agents and leaders that are an hour off. */
  Clocks: {
    setup: { hasStartupTaint: false, hasClocks: true },
    names: [
      'editPolicy',
      'editPolicy',
      'editPolicy',
      'setAgentClock',
      'setAgentClock',
      'setLeadersClock',
      'blindAgent',
      'agentSees',
      'agentSees',
      'crashController',
      'failOver',
      'crashAgentSoon',
      'slowDevice',
      'quickDevice',
      'reboot',
      'nodeDies',
      'nodeLives',
      'addPod',
      'addPod',
      'endAllPods',
      'editOnDelete',
      'editOnDelete',
      'deletePolicy',
      'wait',
    ],
    pauses: [150, 2000, 5000, 15_000, 60_000, 150_000],
  },
  /** Policies that are deleted, and whose GPUs become whole first or stay as they are. */
  Deletions: {
    setup: { hasConfigMap: true, hasAllPods: true },
    names: [
      'editPolicy',
      'editPolicy',
      'editOnDelete',
      'editOnDelete',
      'deletePolicy',
      'deletePolicy',
      'addRival',
      'editInvalid',
      'editSharing',
      'editMode',
      'pausePolicy',
      'addPod',
      'addPod',
      'endPod',
      'endAllPods',
      'crashControllerSoon',
      'failOver',
      'crashAgentSoon',
      'failOperations',
      'nodeDies',
      'nodeLives',
      'reboot',
      'cordon',
      'uncordon',
      'wait',
      'wait',
    ],
    pauses: [20, 600, 5000, 15_000, 60_000, 300_000],
  },
  /** Changes that holders of the GPUs, or what labels them, may prevent. */
  Held: {
    setup: { hasStartupTaint: false, hasDiscovery: true, exporter: 'ByEviction', plugin: 'Stock' },
    names: [
      'editPolicy',
      'holdersStay',
      'clientsGo',
      'discoveryDies',
      'discoveryLives',
      'addPod',
      'addPod',
      'wait',
      'wait',
    ],
    pauses: [2000, 15_000, 60_000, 150_000],
  },
  /** Machines that are gone for long. */
  Dead: {
    setup: { hasStartupTaint: false },
    names: ['editPolicy', 'editPolicy', 'nodeDies', 'nodeLives', 'reboot', 'crashAgent', 'addPod', 'wait'],
    pauses: [600, 2000, 5000, 60_000, 900_000],
  },
  /** Nodes whose policies have it found out that a DRA driver hands the GPUs out, or say so. */
  Auto: {
    setup: { backend: 'DRA', strategy: 'mixed', findsBackend: true },
    names: [
      ...listSteps(),
      ...repeat(10, ['editPolicy', 'editPolicy', 'addPod', 'endPod']),
      ...repeat(4, ['driverGoes', 'driverComes', 'driverComes', 'slowSlices', 'quickSlices', 'addRival']),
    ],
    pauses,
  },
  /** The same with a device plugin. */
  AutoPlugin: {
    setup: { strategy: 'mixed', findsBackend: true, plugin: 'Stock', hasStartupTaint: false },
    names: [
      ...listSteps(),
      ...repeat(10, ['editPolicy', 'editPolicy', 'addPod', 'endPod']),
      ...repeat(4, ['restartPlugin', 'driverDown', 'driverUp', 'driverUp', 'addRival']),
    ],
    pauses,
  },
  /** A device plugin, and a DRA driver that comes to the node, too. */
  SecondDriver: {
    setup: { strategy: 'mixed', findsBackend: true, plugin: 'Stock', hasStartupTaint: false },
    names: [
      ...listSteps(),
      ...repeat(10, ['editPolicy', 'editPolicy', 'addPod', 'addPod', 'endPod']),
      ...repeat(5, ['secondStackComes', 'secondStackGoes', 'secondStackGoes', 'editBackend', 'restartPlugin']),
    ],
    pauses,
  },
  /** The same the other way round. */
  SecondPlugin: {
    setup: { backend: 'DRA', strategy: 'mixed', findsBackend: true, hasStartupTaint: false },
    names: [
      ...listSteps(),
      ...repeat(10, ['editPolicy', 'editPolicy', 'addPod', 'addPod', 'endPod']),
      ...repeat(5, ['secondStackComes', 'secondStackGoes', 'secondStackGoes', 'editBackend', 'restartPlugin']),
      ...repeat(3, ['slowSlices', 'quickSlices', 'driverGoes', 'driverComes', 'driverComes']),
    ],
    pauses,
  },
  /** Device plugins that register again, while the kubelet misses when they end. */
  Registrations: {
    setup: { hasStartupTaint: false, kubeletTells: true, obeysSignals: true },
    names: [
      ...repeat(3, ['editPolicy', 'editPolicy', 'missEnds', 'restartPlugin', 'addPod', 'endAllPods', 'wait']),
      ...repeat(2, ['noticeEnds', 'deafenDriver', 'undeafenDriver', 'endPod']),
      'restartKubelet',
      'reboot',
      'crashController',
      'failOver',
      'stopOldLeaders',
      'crashAgentSoon',
      'crashAgent',
      'crashAgent',
      'destroyByHand',
      'createByHand',
      'failOperations',
      'muteKubelet',
      'unmuteKubelet',
      'unmuteKubelet',
      'blindAgent',
      'agentSees',
      'agentSees',
      'driverDown',
      'driverUp',
      'driverUp',
      'loseAnswers',
      'healApi',
      'healApi',
      'editSharing',
    ],
    pauses: [20, 600, 2000, 5000, 15_000, 60_000],
  },
  /** Devices that take their time. */
  Slow: {
    setup: { hasStartupTaint: false },
    names: [
      'editPolicy',
      'editPolicy',
      'slowDevice',
      'slowDevice',
      'quickDevice',
      'crashAgent',
      'addPod',
      'endPod',
      'refuseCalls',
      'healApi',
      'healApi',
      'wait',
    ],
    pauses: [600, 5000, 15_000, 60_000, 150_000],
  },
  Failures: {
    setup: { hasStartupTaint: false },
    names: ['failOperations', 'failOperations', 'failOperations', 'failOperations', 'wait', 'wait', 'editPolicy'],
    pauses: [600, 15_000, 60_000, 300_000],
  },
  /** The driver refuses every change for a long time. */
  Broken: {
    setup: { hasStartupTaint: false },
    names: ['failThroughout', 'failThroughout', 'wait', 'wait', 'editPolicy'],
    pauses: [600, 15_000, 60_000, 300_000],
  },
  Leaders: {
    setup: {},
    names: [
      'editPolicy',
      'editPolicy',
      'failOver',
      'failOver',
      'stopOldLeaders',
      'freezeWatch',
      'thawWatches',
      'stallController',
      'crashControllerSoon',
      'loseAnswers',
      'healApi',
      'addPod',
      'endAllPods',
    ],
    pauses: [20, 150, 600, 2000, 5000],
  },
  Holders: {
    setup: { exporter: 'ByEviction', plugin: 'Stock' },
    names: ['holdersStay', 'budgetHolds', 'crashController', 'endAllPods', 'wait', 'wait', 'wait', 'wait'],
    pauses: [2000, 60_000, 300_000],
  },
  /** mig-manager dies in the middle of changes, on nodes of gpu-operator whose policies mostly replace it. */
  Debris: {
    setup: { plugin: 'Operator', exporter: 'ByLabel', hasClient: true, hasMigManager: true },
    names: [
      ...listSteps(),
      ...repeat(8, ['leaveDebris', 'leaveDebris', 'editPolicy', 'editPolicy', 'addPod', 'endPod']),
    ],
    pauses,
  },
  /** Somebody else who switches gpu-operator's operands off and on by the same labels, and resets GPUs in between. */
  Remediator: {
    setup: {
      backend: 'DevicePlugin',
      strategy: 'mixed',
      plugin: 'Operator',
      operandsTolerate: true,
      exporter: 'ByLabel',
      hasClient: true,
      hasStartupTaint: false,
    },
    names: [
      'editPolicy',
      'editPolicy',
      'editPolicy',
      'remediatorResets',
      'remediatorResets',
      'addPod',
      'endAllPods',
      'crashController',
      'crashAgentSoon',
      'slowDevice',
      'quickDevice',
      'wait',
    ],
    pauses: [20, 150, 600, 2000, 5000, 15_000, 60_000],
  },
  /** Nodes of which a gate of others asks whether pods may come, while they wait, change, fail, and are changed by hand. */
  Gates: {
    setup: { hasCondition: true, hasStartupTaint: false, strategy: 'mixed' },
    names: [
      ...repeat(5, ['editPolicy', 'editPolicy', 'addPod', 'endPod', 'wait']),
      ...repeat(3, ['pausePolicy', 'resumePolicy', 'resumePolicy', 'blindAgent', 'agentSees', 'agentSees', 'reboot']),
      ...repeat(2, ['editInvalid', 'destroyByHand', 'failInMiddle', 'crashAgent', 'crashAgentSoon', 'crashController']),
      ...repeat(2, ['nodeDies', 'nodeLives', 'nodeLives', 'restartPlugin', 'addRival', 'endAllPods', 'failNoMore']),
    ],
    pauses,
  },
  /** MIG modes that wait for a boot, which somebody brings about, or which comes at any time. */
  Boots: {
    setup: { modeNeedsBoot: true, modeSurvivesReboot: true },
    names: ['editPolicy', 'editPolicy', 'reboot', 'crashAgent', 'crashController', 'addPod', 'endAllPods', 'wait'],
    pauses: [150, 2000, 15_000, 60_000, 120_000],
  },
} as const satisfies Readonly<
  Record<
    string,
    { readonly setup: Partial<Setup>; readonly names: readonly StepName[]; readonly pauses: readonly number[] }
  >
>;

export type Theme = keyof typeof themes;

export function drawStory(seed: number, theme: Theme = 'Usual'): Story {
  const random = new Random(seed);
  const setup = { ...drawSetup(random), ...themes[theme].setup };
  const { names, pauses } = themes[theme];
  const count = 60 + Math.floor(140 * random.next() ** 4);
  const steps = Array.from({ length: count }, (_, index): StoryStep => ({
    name: index === 0 ? 'editPolicy' : (random.pick(names) ?? 'wait'),
    seed: random.integer(2 ** 31),
    ms: index === 0 ? 3000 : (random.pick(pauses) ?? 0),
  }));
  const end =
    random.pick(['Enforce', 'Enforce', 'Enforce', 'Enforce', 'Delete', 'Plan', 'Pause'] as const) ?? 'Enforce';
  return { seed, setup, steps, end, asksForRetry: theme !== 'Broken' };
}

/** Holders that do not terminate are left alone for at most an hour, a drifting device for another. */
const patienceMs = 3 * 3600_000;

/** @throws Violation if an invariant is violated on the way, or if the node does not settle afterwards */
export async function runStory(story: Story, bug?: Bug): Promise<ModelWorld> {
  const { seed, setup, steps, end } = story;
  const world = new ModelWorld(setup, seed, bug);
  for (const step of steps) {
    world.random = new Random(step.seed);
    take(world, step.name);
    await world.run(step.ms);
  }
  world.random = new Random(seed);
  await calmDown(world, story);
  await comeToRest(world, end);
  return world;
}

/** Faults stop, and the users' wishes stay as they are. */
async function calmDown(world: ModelWorld, { end, asksForRetry }: Story): Promise<void> {
  if (!asksForRetry) {
    await editAtLast(world, end);
    world.faults.failures = Infinity;
    await world.run(900_000);
  }
  world.healFaults();
  endPods(world);
  world.kubelet.users.forgetUnbound();
  world.kubelet.monitors.endAll();
  findGpus(world);
  cordon(world, false);
  world.endOldLeaders();
  world.deliverAll();
  // A plugin that looked between two manual changes counts as restarted: the person who made them restarts it.
  if (world.hasDrifted) world.kubelet.restartPlugin();
  world.freeze = undefined;
  if (world.controllers.some(({ freeze }) => freeze !== undefined)) world.endControllers();
  // What has failed in the same way rests for up to an hour, unless somebody asks for a retry.
  if (asksForRetry)
    world.machine.edit('user', (node) => ({
      ...node,
      metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, [retryAnnotation]: 'now' } },
    }));
  if (asksForRetry) await editAtLast(world, end);
  // Without a policy that acts a person has to.
  if (end !== 'Enforce') world.machine.endDebris();
}

async function editAtLast(world: ModelWorld, end: Story['end']): Promise<void> {
  const { api, setup, random, timeline } = world;
  for (const { metadata } of api.list('policies')) {
    if (end === 'Delete' || metadata.name === 'b') deletePolicy(api, metadata.name, timeline.now);
  }
  if (end === 'Delete') return;
  await awaitDeletion(world, 'a');
  const spec = drawSpec(setup, random, true);
  const hasSchedules = api.find('policies', 'a')?.spec.schedules !== undefined;
  applyPolicy(world, 'a', {
    ...spec,
    ...(hasSchedules && { schedules: drawSchedules(world) }),
    ...(end === 'Plan' && { mode: 'Plan' as const }),
    ...(end === 'Pause' && { rollout: { paused: true } }),
  });
}

/** A policy that is being deleted can be applied again once it is gone. */
async function awaitDeletion(world: ModelWorld, name: string): Promise<void> {
  const isGoing = (): boolean => world.api.find('policies', name)?.metadata.deletionTimestamp !== undefined;
  for (let ms = 0; isGoing() && ms <= deleteDeadlineMs; ms += 10_000) await world.run(10_000);
}

/**
 * Waits until everything is as it should be, then checks that nothing happens any more.
 * @throws Violation
 */
export async function comeToRest(world: ModelWorld, end: Story['end'], watchMs = 600_000): Promise<void> {
  const { timeline, checks } = world;
  const since = timeline.now;
  let trouble: string | undefined = 'nothing was looked at';
  for (let pause = 1000; trouble !== undefined; pause = Math.min(pause * 1.5, 60_000)) {
    if (timeline.now - since > patienceMs) throw new Violation('L1', `not at rest: ${trouble}`);
    await world.run(pause);
    endPods(world);
    trouble = findTrouble(world, end);
  }
  // Labels may be due, or a process's own write may come back: after that nothing happens any more.
  await world.run(end === 'Enforce' ? 70_000 : 400_000);
  const [writes, operations] = [checks.controllerWrites, checks.operations];
  await world.run(watchMs);
  const after = findTrouble(world, end);
  if (after !== undefined) throw new Violation('L1', `did not stay at rest: ${after}`);
  if (checks.controllerWrites !== writes) {
    throw new Violation('S9', `${checks.controllerWrites - writes} writes, and nothing had changed`);
  }
  if (checks.operations !== operations) throw new Violation('S9', 'the device is changed, and all is as wished');
}

/** The shortest story that still violates the same invariant. */
export async function shrinkStory(story: Story, invariant: string, bug?: Bug): Promise<Story> {
  const find = (steps: Story['steps']) => findViolation({ ...story, steps }, bug);
  return { ...story, steps: await shrinkSteps(story.steps, invariant, find) };
}

export function findViolation(story: Story, bug?: Bug): Promise<Violation | undefined> {
  return violationOf(() => runStory(story, bug));
}

export function tellStory({ seed, setup, steps, end }: Story): string {
  const lines = steps.map(({ name, ms, seed: own }) => `  ${name} (${own}), then ${ms} ms`);
  return [`seed ${seed}, in the end ${end}`, JSON.stringify(setup), ...lines].join('\n');
}
