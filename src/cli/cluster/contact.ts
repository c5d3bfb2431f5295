import { policies } from '../../api/resources.ts';
import type { Interruption } from '../../core/view/freshness.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Reflector } from '../../kube/reflector.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { type Clock, waitFor } from '../../process/clock.ts';
import { LeadershipWatch } from './leadership.ts';
import { messageOf } from '../../core/text/message-of.ts';

interface Contact {
  readonly client: KubeClient;
  readonly watches: readonly Pick<Reflector<KubeObject>, 'trouble'>[];
  readonly clock: Clock;
}

/** Time between two questions, and the limit of each, in ms. */
const pulseMs = 5000;

/** How current what the watches have seen is. */
export interface ContactState {
  /** When everything was last known to be current, in ms since 1970. */
  readonly seenAt: number;
  /** Undefined while updates come in. */
  readonly interruption: Interruption | undefined;
}

/**
 * Asks the API server regularly whether it is there, until the signal aborts: a watch on a dead connection is as silent as one
 * without changes, for a minute and a half.
 *
 * @param tell called with each answer, and when there is none in time
 */
export async function watchContact(
  { client, watches, clock }: Contact,
  signal: AbortSignal,
  tell: (state: ContactState) => void,
): Promise<void> {
  let seenAt = clock.wallMs();
  let wasTroubled = false;
  let absence: Interruption | undefined;
  const leadership = new LeadershipWatch(client, clock);
  while (!signal.aborted) {
    const silence = await findSilence(client, signal);
    const trouble = silence ?? watches.find((watch) => watch.trouble !== undefined)?.trouble;
    // A watch that was cut is usually open again at once; while it is not, the store may be behind.
    const isInterrupted = trouble !== undefined && (silence !== undefined || wasTroubled);
    wasTroubled = trouble !== undefined;
    if (trouble === undefined) seenAt = clock.wallMs();
    const kind = silence === undefined ? 'Stale' : 'Disconnected';
    if (silence === undefined) absence = await findAbsence(leadership, absence, signal);
    const interruption = isInterrupted ? ({ kind, since: seenAt, why: messageOf(trouble) } as const) : absence;
    if (!signal.aborted) tell({ seenAt, interruption });
    await waitFor(clock, pulseMs, signal);
  }
}

/** @param last what was found at the last look, which holds as long as there is no answer */
async function findAbsence(
  leadership: LeadershipWatch,
  last: Interruption | undefined,
  signal: AbortSignal,
): Promise<Interruption | undefined> {
  try {
    const answer = await leadership.check({ signal, attempts: 1, timeoutMs: pulseMs });
    return answer === 'Unsettled' ? last : answer;
  } catch {
    return last;
  }
}

/** @returns why there was no answer; undefined if there was one */
async function findSilence(client: KubeClient, signal: AbortSignal): Promise<unknown> {
  try {
    const options = { signal, attempts: 1, timeoutMs: pulseMs, pageSize: 1, metadataOnly: true };
    await client.listPages(policies, {}, options).next();
    return undefined;
  } catch (error) {
    // The watches' connections lead to the same place. Without this they would be trusted until their own limit.
    if (error instanceof ApiError && error.reason === 'Timeout') await client.config.close();
    return error;
  }
}
