import { policies } from '../../src/api/resources.ts';
import type { PolicySpec } from '../../src/api/types.ts';
import type { StoredPartition } from '../model/api.ts';
import { FleetWorld } from '../model/fleet-world.ts';
import { printMetric, tell } from './metric.ts';
import { share } from './fleet-roll.ts';
import { threadMs } from './thread-time.ts';

const sizes = (process.env['BENCH_ROLLS'] ?? '200,1000').split(',').map(Number);
/** How much longer than 50 to 1,500 ms a command of a device takes: a change has a handful. */
const slowMs = 3_000;
/** From a changed device until its plugin has looked at it, in the mean: 50 to 2,500 ms. */
const pluginMs = 1_275;
const lookMs = 250;
const longestMs = 3_600_000;
const seed = 1;
const policy = 'fleet';
const layouts = { before: { '1g.5gb': 7 }, after: { '1g.5gb': 5, '2g.10gb': 1 } } as const;

/**
 * How a policy edit moves through a fleet where the API server is not the limit: the controller and the agents that ship, with an API
 * server in memory, in virtual time. An answer takes 3 to 60 ms, an event 1 to 150 ms, and work none; the CPU time is told for itself. The
 * checks of the fleet's model watch every write, above all that the budget holds.
 */
export async function measureConvergence(): Promise<void> {
  for (const size of sizes) {
    const world = new FleetWorld(
      { nodes: size, cap: '100%', hasStartupTaint: false, product: 'NVIDIA A100-SXM4-40GB', slowMs },
      seed,
      undefined,
    );
    world.api.create('policies', policy, aPolicy(), 'user');
    await converge(world, 1);
    world.api.update('policies', policy, 'user', (one) => ({
      ...one,
      metadata: { ...one.metadata, generation: 2 },
      spec: specOf('after'),
    }));
    const cpuMs = threadMs();
    const { tookMs, changesMs } = await converge(world, 2);
    const slots = Math.max(1, Math.floor(size * share));
    const metric = `convergence: ${size} nodes against the ideal, in virtual time`;
    const idealMs = changesMs.reduce((sum, one) => sum + one + pluginMs, 0) / slots;
    printMetric({ metric, value: tookMs / idealMs, unit: 'ratio', baseline: 1.2 });
    const cpu = `convergence: CPU of controller, agents and model for each of ${size} nodes`;
    printMetric({ metric: cpu, value: (threadMs() - cpuMs) / size, unit: 'ms' });
    tell(
      `${changesMs.length} nodes were changed in ${tookMs / 1000} s of virtual time, ideal ${Math.round(idealMs / 1000)} s`,
    );
  }
}

/** Times in ms of virtual time. */
interface Convergence {
  readonly tookMs: number;
  /** What each change of a node takes by itself: from its grant until its agent reports that it is done. */
  readonly changesMs: readonly number[];
}

/** Lets time pass until the policy is Ready at this generation. */
async function converge(world: FleetWorld, generation: number): Promise<Convergence> {
  const { timeline, api } = world;
  const startedMs = timeline.now;
  const grantedAt = new Map<string, number>();
  const changesMs: number[] = [];
  let seen = api.log.length;
  while (!isReady(world, generation)) {
    if (timeline.now - startedMs > longestMs)
      throw new Error(`not Ready: ${api.find('policies', policy)?.status?.summary}`);
    await world.run(lookMs);
    for (const { kind, key, object, before } of api.log.slice(seen)) {
      if (kind !== 'partitions') continue;
      const [{ spec, status }, earlier] = [object as StoredPartition, before as StoredPartition | undefined];
      if (spec.granted?.epoch !== earlier?.spec.granted?.epoch) grantedAt.set(key, timeline.now);
      const sinceMs = grantedAt.get(key);
      const isDone = status?.device?.observedEpoch !== earlier?.status?.device?.observedEpoch;
      if (isDone && sinceMs !== undefined) changesMs.push(timeline.now - sinceMs);
    }
    seen = api.log.length;
  }
  return { tookMs: timeline.now - startedMs, changesMs };
}

function isReady({ api }: FleetWorld, generation: number): boolean {
  return (api.find('policies', policy)?.status?.conditions ?? []).some(
    ({ type, status, observedGeneration }) =>
      type === 'Ready' && status === 'True' && observedGeneration === generation,
  );
}

function aPolicy() {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const metadata = { name: policy, uid: 'policy-1', generation: 1, creationTimestamp };
  return { apiVersion: 'gpupartition.dev/v1alpha1', kind: policies.kind, metadata, spec: specOf('before') } as const;
}

function specOf(layout: keyof typeof layouts): PolicySpec {
  return {
    nodeSelector: { matchLabels: { fleet: 'yes' } },
    strategy: 'mixed',
    layouts: [{ profiles: layouts[layout] }],
    rollout: { maxUnavailable: '10%', failureThreshold: '100%' },
  };
}
