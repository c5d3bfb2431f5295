import { listGpuClaims } from '../../dra/resource-claim.ts';
import { cutText } from '../../text/cut-text.ts';
import { asksForClaims, takesFromClaims } from '../backend.ts';
import { waitFor } from '../memory.ts';
import { isClosed } from '../node-view.ts';
import { awaitUsers, type Outcome, passing, type Situation } from '../outcome.ts';
import type { PodView } from '../../pods/pod-view.ts';

/** How long a pod may take to be bound after its claim was allocated, in ms. */
const longestBindingMs = 120_000;
const pollMs = 1000;
const longestText = 600;

/**
 * The scheduler allocates a claim before it binds the pod: until then nothing on the node tells that its device is taken, and a pod
 * whose device has gone would hang. Which idle instances a plan destroys is not known here, so each such claim counts. An open node is
 * not closed for that; on a closed one the pod is waited for, and drained like others.
 */
export function awaitClaims(situation: Situation, pods: readonly PodView[]): Outcome | undefined {
  // They are listed by the plan that was known before the look, which may be an older one than the partition shows by now.
  const { fresh } = situation;
  if (fresh !== undefined && fresh.claims === undefined && asksForClaims(situation)) return { needs: 'All' };
  if (!takesFromClaims(situation)) return undefined;
  const early = listEarlyClaims(situation, pods);
  if (early.length === 0) return undefined;
  const names = cutText(early.join('; '), longestText);
  const message = `claims have devices of this node for pods that are not there yet: ${names}. Delete those that no pod is to use`;
  const { lastsMs, waits } = waitFor(situation, 'Claims');
  const isShut = isClosed(situation.node);
  if (!isShut || lastsMs > longestBindingMs) {
    // A node that cannot be opened yet does not start a second wait.
    return { ...awaitUsers(message, situation.settings.waitingPollMs), ...(isShut && { waits }) };
  }
  return { ...passing('Updating', 'Draining', message, pollMs), waits, keepsHoldersAway: true };
}

function listEarlyClaims({ node, fresh }: Situation, pods: readonly PodView[]): readonly string[] {
  const here = new Set(pods.map(({ metadata }) => metadata.uid));
  return listGpuClaims(fresh?.claims ?? [], node.metadata.name).flatMap(({ name, devices, users }) => {
    const absent = users.filter(({ uid }) => !here.has(uid));
    if (users.length > 0 && absent.length === 0) return [];
    const whose = users.length === 0 ? 'no pod' : `pod ${absent.map((user) => user.name).join(', ')}`;
    return [`claim ${name} has ${devices.join(', ')} for ${whose}`];
  });
}
