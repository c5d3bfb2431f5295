import type { PolicyLayout, PolicySpec } from '../../src/api/types.ts';
import type { Random } from './random.ts';
import type { FleetSetup } from './fleet-setup.ts';
import type { FleetWorld } from './fleet-world.ts';

type Rollout = NonNullable<PolicySpec['rollout']>;

const layouts: Readonly<Record<FleetSetup['product'], readonly PolicyLayout[]>> = {
  'NVIDIA A30': [
    { profiles: { '1g.6gb': 4 } },
    { profiles: { '2g.12gb': 2 } },
    { profiles: { '1g.6gb': 2, '2g.12gb': 1 } },
    { profiles: { '4g.24gb': 1 } },
  ],
  'NVIDIA A100-SXM4-40GB': [
    { profiles: { '3g.20gb': 2 } },
    { profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } },
    { profiles: { '7g.40gb': 1 } },
    { profiles: { '2g.10gb': 3 } },
  ],
};

/** Pools of the fleet; each node is in one of them. */
export const pools = ['p', 'q'] as const;

const selectors = [
  { matchLabels: { pool: 'p' } },
  { matchLabels: { pool: 'q' } },
  // Widened: all pools.
  { matchLabels: { fleet: 'yes' } },
] as const;

/** A layout that no GPU can hold. */
export const tooMany = { '1g.6gb': 9, '1g.5gb': 9 } as const;

export function drawSelector(random: Random): PolicySpec['nodeSelector'] {
  return random.pick(selectors) ?? selectors[0];
}

export function drawLayouts({ product }: FleetSetup, random: Random): readonly PolicyLayout[] {
  const layout = random.chance(0.06) ? { mig: 'Disabled' as const } : (random.pick(layouts[product]) ?? {});
  return [layout];
}

/** A way to offer slices, with layouts that it can offer. */
export function drawOffer(setup: FleetSetup, random: Random): Pick<PolicySpec, 'strategy' | 'layouts' | 'sharing'> {
  const strategy = random.chance(0.3) ? ('single' as const) : ('mixed' as const);
  const all = layouts[setup.product];
  const uniform = all.filter(({ profiles = {} }) => Object.keys(profiles).length === 1);
  const layout = random.pick(strategy === 'single' ? uniform : all) ?? {};
  const [profile = ''] = Object.keys(layout.profiles ?? {});
  const resource = strategy === 'single' ? 'nvidia.com/gpu' : `nvidia.com/mig-${profile}`;
  const sharing = { timeSlicing: [{ resource, replicas: 2 + random.integer(3) }] };
  return { strategy, layouts: [layout], ...(random.chance(0.4) && { sharing }) };
}

export function drawRollout(random: Random, isCalm: boolean): Rollout {
  const most = isCalm
    ? (random.pick([1, 2, '50%', '34%']) ?? 1)
    : (random.pick([0, 1, 1, 1, 2, 2, 3, '10%', '34%', '50%', '60%', '100%']) ?? 1);
  return {
    maxUnavailable: most,
    ...(random.chance(0.3) && {
      canary: { nodes: random.chance(0.7) ? 1 : 2, soak: random.pick(['30s', '2m', '5m']) ?? '30s' },
    }),
    failureThreshold: isCalm ? '100%' : (random.pick([1, 1, 2, 3, '30%']) ?? 1),
    ...(!isCalm && random.chance(0.2) && { windows: [{ schedule: '*/10 * * * *', duration: '4m' }] }),
    ...(!isCalm && random.chance(0.08) && { paused: true }),
  };
}

export function drawFleetSpec(setup: FleetSetup, random: Random, isCalm: boolean): PolicySpec {
  return {
    nodeSelector: drawSelector(random),
    strategy: 'mixed',
    layouts: drawLayouts(setup, random),
    priority: random.integer(3),
    allow: { replaceForeignInstances: true },
    rollout: drawRollout(random, isCalm),
    drain: drawDrain(random, isCalm),
    ...(!isCalm && random.chance(0.25) && { onDelete: 'DisableMig' as const }),
  };
}

export function drawDrain(random: Random, isCalm: boolean): NonNullable<PolicySpec['drain']> {
  return {
    scope: isCalm ? 'Affected' : (random.pick(['Affected', 'Affected', 'Affected', 'Node', 'None'] as const) ?? 'None'),
    timeout: random.pick(['30s', '2m', '10m']) ?? '30s',
    onTimeout: random.pick(['Skip', 'Skip', 'Wait', 'Force'] as const) ?? 'Skip',
  };
}

/** Writes a policy as a user does: its generation counts changes of the spec. */
export function applyFleetPolicy(
  { api, timeline, random }: FleetWorld,
  name: string,
  change: (known: PolicySpec | undefined) => PolicySpec,
): void {
  const known = api.find('policies', name);
  if (known) {
    if (known.metadata.deletionTimestamp !== undefined) return;
    api.update('policies', name, 'user', (one) => ({
      ...one,
      metadata: { ...one.metadata, generation: (one.metadata.generation ?? 0) + 1 },
      spec: change(one.spec),
    }));
    return;
  }
  const metadata = {
    name,
    uid: `${name}-${api.log.length}-${random.integer(1e6)}`,
    generation: 1,
    creationTimestamp: new Date(timeline.now).toISOString(),
  };
  api.create(
    'policies',
    name,
    { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata, spec: change(undefined) },
    'user',
  );
}

/** `90s`, `5m` or `1h`, in ms. */
export function msOf(duration: string): number {
  const unit = { s: 1000, m: 60_000, h: 3600_000 }[duration.at(-1) ?? ''] ?? 0;
  return Number.parseInt(duration, 10) * unit;
}
