import type { PolicyLayout, PolicySpec } from '../../src/api/types.ts';
import type { Random } from './random.ts';
import type { Setup } from './setup.ts';
import type { ModelWorld } from './world.ts';

const mixed40: readonly (readonly PolicyLayout[])[] = [
  [{ profiles: { '1g.5gb': 7 } }],
  [{ profiles: { '3g.20gb': 2 } }],
  [{ profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } }],
  [{ gpus: { indices: [0] }, profiles: { '1g.5gb': 7 } }],
  [{ gpus: { indices: [0] }, profiles: { '2g.10gb': 3 } }, { mig: 'Disabled' }],
  [{ mig: 'Disabled' }],
  [{ gpus: { count: 1 }, profiles: { '4g.20gb': 1, '1g.5gb': 3 } }, { profiles: { '7g.40gb': 1 } }],
];
const mixed24: readonly (readonly PolicyLayout[])[] = [
  [{ profiles: { '1g.6gb': 4 } }],
  [{ profiles: { '2g.12gb': 2 } }],
  [{ profiles: { '1g.6gb': 2, '2g.12gb': 1 } }],
  [{ mig: 'Disabled' }],
  [{ gpus: { indices: [1] }, profiles: { '4g.24gb': 1 } }],
];
const single40: readonly (readonly PolicyLayout[])[] = [
  [{ profiles: { '1g.5gb': 7 } }],
  [{ profiles: { '2g.10gb': 3 } }],
  [{ profiles: { '7g.40gb': 1 } }],
  [{ mig: 'Disabled' }],
];
const single24: readonly (readonly PolicyLayout[])[] = [
  [{ profiles: { '1g.6gb': 4 } }],
  [{ profiles: { '2g.12gb': 2 } }],
  [{ mig: 'Disabled' }],
];

function layoutsFor({ product, strategy }: Setup): readonly (readonly PolicyLayout[])[] {
  const isA30 = product === 'NVIDIA A30';
  if (strategy === 'single') return isA30 ? single24 : single40;
  return isA30 ? mixed24 : mixed40;
}

/** The spec of a policy of the story; `isCalm`: feasible, with nothing that blocks it. */
export function drawSpec(setup: Setup, random: Random, isCalm: boolean): PolicySpec {
  const layouts = random.pick(layoutsFor(setup)) ?? [];
  const isImpossible = !isCalm && random.chance(0.06);
  return {
    nodeSelector: { matchLabels: { pool: 'p' } },
    strategy: setup.strategy,
    ...((setup.backend === 'DRA' || setup.findsBackend === true) && { backend: drawBackend(setup, random) }),
    layouts: (isImpossible ? [{ profiles: { '7g.40gb': 2 } }] : layouts).map((layout) => ({
      ...layout,
      gpus: { models: [setup.product.replace('NVIDIA ', '')], ...layout.gpus },
    })),
    ...(!isCalm && random.chance(0.1) && { mode: 'Plan' as const }),
    ...(!isCalm && random.chance(0.1) && { rollout: { paused: true } }),
    drain: {
      scope: isCalm ? 'Affected' : (random.pick(['Affected', 'Affected', 'Node', 'None'] as const) ?? 'Affected'),
      timeout: random.pick(['30s', '2m', '10m']) ?? '30s',
      onTimeout: random.pick(['Skip', 'Skip', 'Wait'] as const) ?? 'Skip',
      ...(setup.hasAllPods && drawForce(random)),
    },
    ...(random.chance(0.15) && { priority: random.integer(3) }),
    ...drawAllow(setup, random, isCalm),
  };
}

/** What is allowed beside the layout. Only a takeover repairs what mig-manager leaves. */
function drawAllow({ hasMigManager = false }: Setup, random: Random, isCalm: boolean): Pick<PolicySpec, 'allow'> {
  const replaces = isCalm || random.chance(0.5);
  const takesOver = hasMigManager && (isCalm || random.chance(0.7));
  if (!replaces && !takesOver) return {};
  return {
    allow: {
      ...(replaces && { replaceForeignInstances: true }),
      ...(takesOver && { takeOver: ['mig-manager' as const] }),
    },
  };
}

/** Users may say it, or have it found out. */
function drawBackend({ backend, findsBackend }: Setup, random: Random): NonNullable<PolicySpec['backend']> {
  return findsBackend === true && random.chance(0.7) ? 'Auto' : backend;
}

const minuteMs = 60_000;

/** Other layouts from the next minute on, or since this one began, for up to two minutes. */
export function drawSchedules({ random, setup, timeline }: ModelWorld): NonNullable<PolicySpec['schedules']> {
  const start = timeline.now - (timeline.now % minuteMs) + (random.chance(0.5) ? minuteMs : 0);
  const lasts = Math.max(0, Math.ceil((timeline.now - start) / 1000)) + 5 + random.integer(120);
  const time = new Date(start);
  const schedule = `${time.getUTCMinutes()} ${time.getUTCHours()} * * *`;
  const layouts = drawSpec(setup, random, true).layouts ?? [];
  return [{ name: 'night', schedule, duration: `${lasts}s`, layouts }];
}

/** Pods may be given less time than they ask for, and be deleted if they do not go. */
function drawForce(random: Random): PolicySpec['drain'] {
  return {
    ...(random.chance(0.4) && { onTimeout: 'Force' as const }),
    ...(random.chance(0.4) && { gracePeriod: random.pick(['1s', '30s', '5m']) ?? '1s' }),
  };
}

/** Writes a policy as a user does: its generation counts changes of the spec. */
export function applyPolicy(world: ModelWorld, name: string, spec: PolicySpec): void {
  const known = world.api.find('policies', name);
  if (known) {
    world.api.update('policies', name, 'user', (one) => ({
      ...one,
      metadata: { ...one.metadata, generation: (one.metadata.generation ?? 0) + 1 },
      spec,
    }));
    return;
  }
  world.api.create(
    'policies',
    name,
    {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: {
        name,
        uid: `${name}-${world.api.log.length}`,
        generation: 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec,
    },
    'user',
  );
}
