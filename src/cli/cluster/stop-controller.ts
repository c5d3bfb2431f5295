import { controllerManager } from '../../api/names.ts';
import { deployments, pods } from '../../api/resources.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { type Clock, systemClock, waitFor } from '../../process/clock.ts';
import { CliError } from '../exit.ts';
import { ask, mergeFound } from './connection.ts';

interface PodEnd extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly deletionTimestamp?: string };
}

const controllerPods = `app.kubernetes.io/name=${controllerManager}`;
const pollMs = 500;
const deadlineMs = 120_000;

/**
 * Scales the controllers' Deployment to none and waits until their pods have ended: a standby that still runs would lead next.
 *
 * @throws CliError if they do not end
 */
export async function stopController(client: KubeClient, namespace: string, clock: Clock = systemClock): Promise<void> {
  if (!(await scaleToNone(client, namespace))) return;
  const end = clock.monotonicMs() + deadlineMs;
  for (;;) {
    const running = await listRunning(client, namespace, clock);
    if (running.length === 0) return;
    if (clock.monotonicMs() > end) {
      const what = `after ${deadlineMs / 1000} s these pods of the controller still run in ${namespace}: ${running.join(', ')}`;
      throw new CliError(`${what}. Find out why, or delete them, and run this again`, 1);
    }
    await waitFor(clock, pollMs);
  }
}

/** @returns whether there is such a Deployment */
function scaleToNone(client: KubeClient, namespace: string): Promise<boolean> {
  const ref = { resource: deployments, namespace, name: controllerManager, subresource: 'scale' } as const;
  const failure = `cannot stop Deployment ${namespace}/${controllerManager}`;
  return mergeFound(client, failure, ref, { spec: { replicas: 0 } });
}

/** Without those whose time to end is over: on a machine that is gone, their objects would stay. */
async function listRunning(client: KubeClient, namespace: string, clock: Clock): Promise<readonly string[]> {
  const { items } = await ask(`pods of ${namespace}`, () =>
    client.list<PodEnd>(pods, { namespace, labelSelector: controllerPods }),
  );
  return items
    .filter(({ metadata: { deletionTimestamp } }) => !(Date.parse(deletionTimestamp ?? '') < clock.wallMs()))
    .map(({ metadata }) => metadata.name);
}
