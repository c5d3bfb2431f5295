import type { PolicySpec } from '../../src/api/types.ts';
import type { Random } from './random.ts';
import { drawDrain, drawRollout, drawSelector } from './fleet-policies.ts';
import type { FleetSetup } from './fleet-setup.ts';
import type { FleetWorld } from './fleet-world.ts';

type Demand = NonNullable<PolicySpec['demand']>;
type Slice = Demand['slices'][number];

/** What users ask for, the smallest first. */
const profiles: Readonly<Record<FleetSetup['product'], readonly string[]>> = {
  'NVIDIA A30': ['1g.6gb', '2g.12gb', '4g.24gb'],
  'NVIDIA A100-SXM4-40GB': ['1g.5gb', '2g.10gb', '3g.20gb'],
};

export function drawProfile({ product }: FleetSetup, random: Random): string {
  const [small = '', ...others] = profiles[product];
  return random.chance(0.5) ? small : (random.pick(others) ?? small);
}

export function drawDemandSpec(setup: FleetSetup, random: Random, isCalm: boolean): PolicySpec {
  const demand = drawDemand(setup, random);
  const drain = drawDrain(random, isCalm);
  // A demand that never evicts refuses to drain whole nodes.
  const isRefused = drain.scope === 'Node' && demand.evict !== 'IfNeeded';
  return {
    nodeSelector: drawSelector(random),
    strategy: 'mixed',
    demand,
    priority: random.integer(3),
    allow: { replaceForeignInstances: true },
    rollout: drawRollout(random, isCalm),
    drain: { ...drain, ...(isRefused && { scope: 'Affected' as const }) },
  };
}

export function drawDemand(setup: FleetSetup, random: Random): Demand {
  const followsPods = random.chance(0.65);
  const [small = '', middle = '', large = ''] = profiles[setup.product];
  const kinds = [
    [{ name: 'small', profiles: [small] }],
    [
      { name: 'small', profiles: [small] },
      { name: 'large', profiles: [large] },
    ],
    [
      { name: 'small', profiles: ['1g.*'] },
      { name: 'middle', profiles: [middle] },
      { name: 'large', profiles: [large], weight: 20 },
    ],
    [
      { name: 'any', profiles: [middle, small] },
      { name: 'large', profiles: [large] },
    ],
  ];
  const slices = (random.pick(kinds) ?? []).map((slice) => ({ ...slice, ...drawAmount(setup, random, followsPods) }));
  return {
    slices,
    ...(random.chance(0.4) && { evict: 'IfNeeded' as const }),
    cooldown: random.pick(['10s', '2m', '10m']) ?? '2m',
    ...(followsPods && { from: 'Pods' as const, stabilization: random.pick(['20s', '1m', '3m']) ?? '1m' }),
  };
}

/** Another demand from the next minute on, or since this one began, for up to three minutes. */
export function drawDemandSchedules({ random, setup, timeline }: FleetWorld): NonNullable<PolicySpec['schedules']> {
  const minuteMs = 60_000;
  const start = timeline.now - (timeline.now % minuteMs) + (random.chance(0.5) ? minuteMs : 0);
  const lasts = Math.max(0, Math.ceil((timeline.now - start) / 1000)) + 5 + random.integer(180);
  const time = new Date(start);
  const schedule = `${time.getUTCMinutes()} ${time.getUTCHours()} * * *`;
  return [{ name: 'night', schedule, duration: `${lasts}s`, demand: drawDemand(setup, random) }];
}

/** A policy that only plans, for all nodes and before all others: it shows what it would do, and keeps no pod from another. */
export function drawOnlooker(setup: FleetSetup): PolicySpec {
  const slices = profiles[setup.product].map((profile) => ({ profiles: [profile] }));
  return {
    nodeSelector: { matchLabels: { fleet: 'yes' } },
    strategy: 'mixed',
    mode: 'Plan',
    priority: 9,
    demand: { from: 'Pods', slices, stabilization: '20s' },
  };
}

/** Many slices of one kind, declared: a change of all nodes, a few at a time. */
export function drawDeclaredSpec(setup: FleetSetup, random: Random): PolicySpec {
  const [small = '', middle = ''] = profiles[setup.product];
  const count = setup.nodes + random.integer(setup.nodes);
  const name = random.pick([small, middle]) ?? small;
  return {
    nodeSelector: { matchLabels: { fleet: 'yes' } },
    strategy: 'mixed',
    demand: { slices: [{ name: 'wanted', profiles: [name], count }], cooldown: '10m' },
    allow: { replaceForeignInstances: true },
    rollout: { maxUnavailable: random.pick([1, 2]) ?? 1, failureThreshold: '100%' },
  };
}

function drawAmount(
  { nodes }: FleetSetup,
  random: Random,
  followsPods: boolean,
): Pick<Slice, 'count' | 'min' | 'max' | 'spare'> {
  if (!followsPods || random.chance(0.2)) return { count: random.integer(nodes + 2) };
  const min = random.integer(3);
  return {
    min,
    ...(random.chance(0.3) && { max: min + random.integer(nodes * 2) }),
    ...(random.chance(0.5) && { spare: random.pick([1, 2, '25%']) ?? 1 }),
  };
}
