import { retryAnnotation } from '../../src/api/names.ts';
import { hourMs } from './cluster.ts';
import { watchedKinds } from './controller.ts';
import { deletePolicy } from './deletion.ts';
import { drawDeclaredSpec, drawDemandSchedules, drawDemandSpec, drawOnlooker, drawProfile } from './demand-policies.ts';
import {
  applyFleetPolicy,
  drawDrain,
  drawFleetSpec,
  drawLayouts,
  drawOffer,
  drawRollout,
  pools,
  tooMany,
} from './fleet-policies.ts';
import type { FleetMachine } from './fleet-machine.ts';
import { isUsers } from './fleet-pods.ts';
import { apps, type FleetWorld } from './fleet-world.ts';
import { remediate } from './remediator.ts';

/** What can happen to a fleet. */
const usualSteps = {
  wait: () => {},
  newPolicy: (world) => applyFleetPolicy(world, pickName(world), () => drawFleetSpec(world.setup, world.random, false)),
  editLayout: (world) => editSome(world, (spec) => ({ ...spec, layouts: drawLayouts(world.setup, world.random) })),
  editRollout: (world) => editSome(world, (spec) => ({ ...spec, rollout: drawRollout(world.random, false) })),
  editDrain: (world) => editSome(world, (spec) => ({ ...spec, drain: drawDrain(world.random, false) })),
  widen: (world) => editSome(world, (spec) => ({ ...spec, nodeSelector: { matchLabels: { fleet: 'yes' } } })),
  prioritize: (world) => editSome(world, (spec) => ({ ...spec, priority: world.random.integer(3) })),
  deletePolicy: (world) => deletePolicy(world.api, pickName(world), world.timeline.now),
  loseStatus: (world) => {
    const name = pickName(world);
    if (!world.api.find('policies', name)) return;
    world.noteFault();
    world.api.update('policies', name, 'user', ({ status: _lost, ...one }) => one);
  },
  addPods: (world) => {
    for (let count = 1 + world.random.integer(4); count > 0; count -= 1) {
      world.schedule(world.random.pick(apps) ?? 'x', world.random.chance(0.06));
    }
  },
  endPods: (world) => {
    for (const pod of world.api.list('pods'))
      if (isUsers(pod) && world.random.chance(0.5)) world.endPod(pod.metadata.uid ?? '');
  },
  budget: (world) =>
    void world.budgets.set(
      world.random.pick(apps) ?? 'x',
      world.random.pick(['Free', 'Free', 'OneAtATime', 'Closed'] as const) ?? 'Free',
    ),
  joinNode: (world) => world.join(`n${world.random.integer(world.setup.nodes + 4)}`),
  removeNode: (world) => withMachine(world, ({ name }) => world.remove(name)),
  replaceNode: (world) =>
    withMachine(world, ({ name }) => {
      world.remove(name);
      world.later(100, 20_000, () => world.join(name));
    }),
  notReady: (world) =>
    withMachine(world, (machine) => {
      setReady(machine, false);
      world.later(1000, 120_000, () => machine.isUp && setReady(machine, true));
    }),
  cordon: (world) =>
    withMachine(world, (machine) => {
      const isOn = machine.node?.spec?.unschedulable !== true;
      machine.edit('user', ({ spec, ...node }) => {
        const { unschedulable: _before, ...rest } = spec ?? {};
        return { ...node, spec: { ...rest, ...(isOn && { unschedulable: true }) } };
      });
    }),
  reboot: (world) =>
    withMachine(world, (machine) => {
      if (!machine.isUp) return;
      machine.shutDown();
      setReady(machine, false);
      for (const pod of world.podsOf(machine.name))
        if (isUsers(pod)) world.api.delete('pods', pod.metadata.uid ?? '', 'kubelet');
      world.later(5000, 60_000, () => machine.comeUp());
    }),
  crashAgent: (world) =>
    withMachine(world, (machine) => {
      machine.restartAgent(world.random.chance(0.8) ? 5000 : 90_000);
    }),
  failDevice: (world) =>
    withMachine(world, (machine) => {
      machine.fate = world.random.chance(0.6) ? 'FailOnce' : 'FailAlways';
    }),
  healDevice: (world) =>
    withMachine(world, (machine) => {
      machine.fate = 'Well';
    }),
  drift: (world) =>
    withMachine(world, (machine) => {
      const [gpu] = machine.device.gpus;
      const slice = gpu?.slices.find(({ uuid }) => !machine.holders().has(uuid));
      if (!gpu || !slice || !machine.isUp) return;
      machine.device.takeStep(gpu, { action: 'DestroyInstance', ...slice });
      machine.lostAt = world.timeline.now;
      machine.devicesChanged();
    }),
  crashController: (world) => world.endControllers(),
  crashAtCall: (world) => {
    world.crashIn = { who: 'controller', at: 'Both', calls: 1 + world.random.integer(12) };
  },
  secondLeader: (world) => world.controllers.length < 2 && world.lead(),
  hang: (world) => {
    world.noteFault();
    for (const one of world.controllers)
      if (world.random.chance(0.7)) one.stall(world.random.between(1000, 20_000), 'Awaited');
  },
  freezeWatch: (world) => {
    world.noteFault();
    for (const one of world.controllers) {
      const kind = world.random.pick(watchedKinds) ?? 'policies';
      one.frozen.add(kind);
      world.later(1000, 20_000, () => {
        one.frozen.delete(kind);
        one.deliver(kind);
      });
    }
  },
  loseAnswers: (world) => {
    world.noteFault();
    Object.assign(world.faults, { refusal: world.random.next() * 0.15, lostAnswer: world.random.next() * 0.15 });
    world.later(1000, 30_000, () => {
      world.noteFault();
      Object.assign(world.faults, { refusal: 0, lostAnswer: 0 });
    });
  },
  freezeAll: (world) => {
    world.freeze = world.freeze === undefined ? 'the auditors are here' : undefined;
    world.endControllers();
  },
  retry: (world) => withMachine(world, askForRetry),
} as const satisfies FleetSteps;

/** What happens in stories about demands. */
const demandSteps = {
  /** Somebody removes a node, as Karpenter does, and thinks better of it. */
  leave: (world) =>
    withMachine(world, (machine) => {
      const leaving = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
      const edit = (isOn: boolean): void =>
        machine.edit('user', ({ spec, ...node }) => {
          const others = (spec?.taints ?? []).filter(({ key }) => key !== leaving.key);
          return { ...node, spec: { ...spec, taints: isOn ? [...others, leaving] : others } };
        });
      edit(true);
      world.later(1000, 240_000, () => {
        if (machine.node !== undefined) edit(false);
      });
    }),
  newDemand: (world) =>
    applyFleetPolicy(world, pickName(world), () => drawDemandSpec(world.setup, world.random, false)),
  editDemand: (world) =>
    editSome(world, ({ layouts: _instead, ...spec }) => {
      const { demand, drain, rollout } = drawDemandSpec(world.setup, world.random, false);
      return { ...spec, ...(demand && { demand }), ...(drain && { drain }), ...(rollout && { rollout }) };
    }),
  declare: (world) => applyFleetPolicy(world, 'a', () => drawDeclaredSpec(world.setup, world.random)),
  toLayouts: (world) =>
    editSome(world, ({ demand: _instead, ...spec }) => ({ ...spec, layouts: drawLayouts(world.setup, world.random) })),
  wantSlices: (world) => {
    const resource = `nvidia.com/mig-${drawProfile(world.setup, world.random)}`;
    for (let count = 1 + world.random.integer(5); count > 0; count -= 1)
      world.want(resource, world.random.chance(0.3) ? world.random.pick(pools) : undefined);
  },
} as const satisfies FleetSteps;

/** What tenants do that no pool can serve. */
const tenantSteps = {
  absurdPods: (world) => {
    const resource = `nvidia.com/mig-${drawProfile(world.setup, world.random)}`;
    for (let count = 1 + world.random.integer(3); count > 0; count -= 1) {
      const amount = world.random.pick(['8', '20', '3000000000', '9223372036854775807']) ?? '20';
      world.want(resource, world.random.chance(0.3) ? world.random.pick(pools) : undefined, amount);
    }
  },
} as const satisfies FleetSteps;

/** Schedules with demands of their own, and policies that cannot act beside those that can. */
const turnSteps = {
  switchDemand: (world) =>
    editSome(world, ({ schedules: _before, ...spec }) =>
      spec.demand === undefined ? spec : { ...spec, schedules: drawDemandSchedules(world) },
    ),
  onlook: (world) => applyFleetPolicy(world, 'x', () => drawOnlooker(world.setup)),
} as const satisfies FleetSteps;

/** What users do beside: in a theme of their own, so that the seeds of stories without one tell what they told. */
const userSteps = {
  invalidEdit: (world) =>
    editSome(world, ({ demand: _instead, ...spec }) => ({ ...spec, layouts: [{ profiles: { ...tooMany } }] })),
  planOnly: (world) => {
    const known = world.random.pick(world.api.list('policies').filter(({ status }) => status?.inForce !== undefined));
    if (known) applyFleetPolicy(world, known.metadata.name, (spec = known.spec) => ({ ...spec, mode: 'Plan' }));
  },
  enforce: (world) => editSome(world, ({ mode: _plan, ...spec }) => spec),
  pause: (world) => editSome(world, (spec) => ({ ...spec, rollout: { ...spec.rollout, paused: true } })),
  resume: (world) => editSome(world, (spec) => ({ ...spec, rollout: { ...spec.rollout, paused: false } })),
  editOnDelete: (world) =>
    editSome(world, (spec) => ({ ...spec, onDelete: world.random.chance(0.5) ? 'DisableMig' : 'Keep' })),
} as const satisfies FleetSteps;

/** Clocks that are wrong, agents that hear late, and a fleet that nobody leads for a while. */
const lateSteps = {
  setClock: (world) =>
    withMachine(world, (machine) => {
      machine.aheadMs = world.random.pick([0, hourMs, -hourMs]) ?? 0;
    }),
  blindAgent: (world) =>
    withMachine(world, (machine) => {
      machine.isBlind = true;
      world.later(5000, 500_000, () => {
        machine.isBlind = false;
        machine.tellAgent();
      });
    }),
  leaderless: (world) => {
    world.leaderlessUntil = world.timeline.now + world.random.between(30_000, 600_000);
    world.endControllers();
  },
  editCanary: (world) =>
    editSome(world, (spec) => ({
      ...spec,
      layouts: drawLayouts(world.setup, world.random),
      rollout: {
        maxUnavailable: '100%',
        failureThreshold: 3,
        canary: { nodes: world.random.chance(0.7) ? 1 : 2, soak: world.random.pick(['30s', '2m', '5m']) ?? '30s' },
      },
    })),
  breakCanary: (world) => {
    const canaries = world.api.list('policies').flatMap(({ status }) => status?.canary?.nodes ?? []);
    const machine = world.machines.get(world.random.pick(canaries) ?? '');
    if (!machine) return;
    if (world.random.chance(0.3)) machine.fate = 'FailAlways';
    else setReady(machine, false);
  },
  mendNodes: (world) => {
    for (const machine of world.machines.values()) {
      machine.fate = 'Well';
      if (machine.isUp) setReady(machine, true);
    }
  },
} as const satisfies FleetSteps;

/** Nodes whose device plugin has to be replaced after a change, and has the policy's settings. */
const pluginSteps = {
  editOffer: (world) =>
    editSome(world, ({ sharing: _before, ...spec }) => ({ ...spec, ...drawOffer(world.setup, world.random) })),
  discoveryDies: (world) =>
    withMachine(world, (machine) => {
      machine.isDiscoveryDead = true;
    }),
  discoveryLives: (world) => {
    for (const machine of world.machines.values()) machine.isDiscoveryDead = false;
  },
  nodeDies: (world) =>
    withMachine(world, (machine) => {
      if (!machine.isUp) return;
      machine.shutDown();
      setReady(machine, false);
      world.strand(machine);
    }),
  nodesLive: (world) => {
    for (const machine of world.machines.values()) machine.comeUp();
  },
} as const satisfies FleetSteps;

/** Pods that never go: they hang in Terminating, or a budget refuses each eviction. */
const stuckSteps = {
  holdersStay: (world) =>
    withMachine(world, (machine) => {
      machine.stuckAt ??= world.timeline.now;
    }),
  clientsGo: (world) =>
    withMachine(world, (machine) => {
      machine.stuckAt = undefined;
    }),
  closeBudget: (world) => void world.budgets.set(world.random.pick(apps) ?? 'x', 'Closed'),
} as const satisfies FleetSteps;

/** Somebody else who switches gpu-operator's operands off and on, and changes of the MIG mode, for which the controller does. */
const remediatorSteps = {
  /** Some take longer than any deadline of ours. */
  remediatorResets: (world) =>
    withMachine(world, (machine) => remediate(machine, world.random.pick([3000, 15_000, 15_000, 300_000]))),
  /** On the node whose clients the controller pauses next. */
  remediatorFollows: (world) => {
    world.remediatesNext = true;
  },
  editMode: (world) =>
    editSome(world, (spec) => ({
      ...spec,
      layouts: world.random.chance(0.5) ? [{ mig: 'Disabled' }] : drawLayouts(world.setup, world.random),
    })),
} as const satisfies FleetSteps;

const steps = {
  ...usualSteps,
  ...demandSteps,
  ...tenantSteps,
  ...turnSteps,
  ...userSteps,
  ...lateSteps,
  ...pluginSteps,
  ...stuckSteps,
  ...remediatorSteps,
};

type FleetSteps = Readonly<Record<string, (world: FleetWorld) => unknown>>;

export type FleetStepName = keyof typeof steps;

export interface FleetStep {
  readonly name: FleetStepName;
  /** Seed of its random choices: a shortened story keeps its steps. */
  readonly seed: number;
  /** Time until the next step. */
  readonly ms: number;
}

export function takeFleetStep(world: FleetWorld, name: FleetStepName): void {
  steps[name](world);
}

/** Those of stories without a theme, of which the seeds are to tell the same story in the future. */
export function listFleetSteps(): readonly FleetStepName[] {
  return Object.keys(usualSteps) as FleetStepName[];
}

/** A user requests a retry of what failed twice in the same way. */
export function askForRetry(machine: FleetMachine): void {
  machine.edit('user', (node) => ({
    ...node,
    metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, [retryAnnotation]: 'now' } },
  }));
}

export function setReady(machine: FleetMachine, isReady: boolean): void {
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'Unknown' }];
  machine.edit('user', (node) => ({ ...node, status: { ...node.status, conditions } }));
}

function withMachine(world: FleetWorld, act: (machine: FleetMachine) => void): void {
  const machine = world.random.pick([...world.machines.values()]);
  if (machine) act(machine);
}

function pickName({ random }: FleetWorld): string {
  return random.pick(['a', 'a', 'a', 'b', 'b', 'c']) ?? 'a';
}

function editSome(world: FleetWorld, change: Parameters<typeof mapSpec>[0]): void {
  const known = world.random.pick(world.api.list('policies').filter(({ metadata }) => metadata.name !== 'x'));
  if (known) applyFleetPolicy(world, known.metadata.name, mapSpec(change, known.spec));
}

type Spec = Parameters<Parameters<typeof applyFleetPolicy>[2]>[0];

function mapSpec(change: (spec: NonNullable<Spec>) => NonNullable<Spec>, before: NonNullable<Spec>) {
  return (spec: Spec): NonNullable<Spec> => change(spec ?? before);
}
