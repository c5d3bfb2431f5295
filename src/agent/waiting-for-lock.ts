import { nodePartitions } from '../api/resources.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { KubeClient } from '../kube/client.ts';
import { isConflict } from '../kube/api-error.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { wait } from './wait.ts';
import type { Partition } from './partition.ts';
import { faultFields } from '../core/report/report-fields.ts';

/** An agent that is being replaced finishes its current GPU: this is not worth reporting. */
const silentMs = 30_000;

export interface LockWait {
  readonly client: Pick<KubeClient, 'find' | 'merge'>;
  readonly nodeName: string;
  readonly logger: Logger;
  /** What was found. */
  readonly message: string;
  readonly silentMs?: number;
}

/**
 * Reports on the node's object that its GPUs are not changed and why, until the lock is held. All other fields stay: the holder of
 * the lock may still be reporting, and wins.
 */
export async function tellOfLock(parts: LockWait, signal: AbortSignal): Promise<void> {
  while (await wait(parts.silentMs ?? silentMs, signal)) {
    try {
      await tellOnce(parts);
    } catch (error) {
      if (!isConflict(error))
        parts.logger.warn('cannot report that the agent waits for the lock', { error: describeError(error) });
    }
  }
}

async function tellOnce({ client, nodeName: name, message }: LockWait): Promise<void> {
  const ref = { resource: nodePartitions, name };
  const partition = await client.find<Partition>(ref);
  if (partition === undefined) return;
  const seen = partition.status?.device;
  const device = { ...seen, ...faultFields({ code: 'WaitingForLock', message }, 'Unknown') };
  const { resourceVersion } = partition.metadata;
  if (sameJson(device, seen)) return;
  const status = { ...ref, subresource: 'status' } as const;
  await client.merge(status, { metadata: { resourceVersion }, status: { device } });
}
