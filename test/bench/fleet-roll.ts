import type { PolicySpec } from '../../src/api/types.ts';
import { waitForQuiet } from './audited-writes.ts';
import type { FleetCluster } from './fleet/fleet-cluster.ts';
import { fleetLayout } from './fleet-objects.ts';
import { tell } from './metric.ts';

/** A real change of a node with 8 GPUs takes about so long, in ms. */
export const workMs = 20_000;
export const share = 0.1;

/** What each GPU has, in turn: one change destroys two instances and makes one, the other the opposite. */
const layouts = {
  before: fleetLayout,
  after: { '1g.5gb': 5, '2g.10gb': 1 },
} as const satisfies Record<string, Readonly<Record<string, number>>>;
const rollout = { maxUnavailable: '10%', failureThreshold: '100%' } satisfies PolicySpec['rollout'];

export type RollLayout = keyof typeof layouts;

/** Nodes are changed `share` of them at a time; the ideal loses no moment between two. */
export function idealMs({ size }: FleetCluster): number {
  return Math.ceil(size / Math.max(1, Math.floor(size * share))) * workMs;
}

/** Edits the policy and waits until all nodes are as it says. */
export async function roll(cluster: FleetCluster, layout: RollLayout, deviceMs: number) {
  const { fleet, recorder, rollout: watch, size } = cluster;
  await waitForQuiet(cluster.controlPlane, 3_000);
  fleet.pace.workMs = deviceMs;
  fleet.begun.clear();
  watch.begin();
  recorder.begin(Math.floor(size * share));
  const [startedAt, startedMs] = [performance.now(), Date.now()];
  await cluster.edit({ layouts: [{ profiles: layouts[layout] }], rollout });
  await cluster.waitUntilReady(6 * idealMs(cluster));
  const tookMs = performance.now() - startedAt;
  if (fleet.begun.size < size) throw new Error(`Ready, and ${size - fleet.begun.size} nodes were not changed`);
  if (recorder.broken.length > 0) throw new Error(`the budget was not kept: ${recorder.broken.slice(0, 5).join('; ')}`);
  tell(`${size} nodes were changed in ${(tookMs / 1000).toFixed(1)} s, at most ${recorder.most} at a time`);
  return { startedAt, startedMs, tookMs };
}
