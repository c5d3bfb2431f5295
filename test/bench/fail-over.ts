import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { eventually } from '../support/eventually.ts';
import { listOwnWrites } from './audited-writes.ts';
import type { FleetCluster } from './fleet/fleet-cluster.ts';
import { roll, type RollLayout } from './fleet-roll.ts';
import { printMetric, tell } from './metric.ts';

/** Time of the devices where only the controller is looked at, in ms. */
const quickWorkMs = 2_000;

/** The leader ends in the middle of a rollout, and its standby takes over. */
export async function measureFailOver(cluster: FleetCluster): Promise<void> {
  const [leader, standby] = cluster.controllers;
  if (!leader || !standby) throw new Error('there are two controllers');
  const killed = await failOver(cluster, { leader, standby, signal: 'SIGKILL', layout: 'after' });
  printMetric({ metric: 'fleet: fail-over, leader killed', value: killed, unit: 's', baseline: 20 });
  const ended = await failOver(cluster, { leader: standby, standby: leader, signal: 'SIGTERM', layout: 'before' });
  printMetric({ metric: 'fleet: fail-over, graceful', value: ended, unit: 's', baseline: 3 });
}

/** Ends the leader in the middle of a rollout. @returns seconds until the next one writes to a Node, or a grant */
async function failOver(
  cluster: FleetCluster,
  about: {
    readonly leader: RigProcess;
    readonly standby: RigProcess;
    readonly signal: 'SIGTERM' | 'SIGKILL';
    readonly layout: RollLayout;
  },
): Promise<number> {
  const { controlPlane, fleet } = cluster;
  const { leader, standby, signal, layout } = about;
  standby.start();
  const isStandby = (log: string): boolean => log.includes('standing for election');
  await eventually(() => standby.readLog(), isStandby, { timeoutMs: 30_000, what: 'the log of the standby' });
  const rolled = roll(cluster, layout, quickWorkMs);
  await eventually(
    () => fleet.begun.size,
    (count) => count > cluster.size / 3,
    { timeoutMs: 300_000, what: 'changed nodes' },
  );
  const signalledMs = Date.now();
  await leader.stop(signal);
  const endedMs = Date.now();
  await rolled;
  const writes = await listOwnWrites(controlPlane, endedMs);
  const first = writes.find(
    ({ program, resource, subresource }) =>
      program === 'controller' && subresource === '' && /^(nodes$|gpunodepartitions\.)/.test(resource),
  );
  tell(`the leader had ended after ${endedMs - signalledMs} ms`);
  return ((first?.atMs ?? Number.NaN) - signalledMs) / 1000;
}
