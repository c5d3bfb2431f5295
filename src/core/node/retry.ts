import type { GpuNodePartition } from '../../api/types.ts';
import { recallFailure } from './grant-failure.ts';
import { mostRepairs } from './repair.ts';
import { recallRest } from './rest.ts';

/** A failure that a person can ask to have retried. */
export interface RestingFailure {
  /** Of the agent's error, such as `InUse`; or the node's reason, such as `DrainTimeout`. */
  readonly code: string;
  readonly message: string;
  /** UUID of the GPU, if it is about one. */
  readonly gpu?: string;
  /** How often the same failure has occurred in a row; if the GPUs drift, how often they were repaired. */
  readonly equal: number;
  /** Whether it is left alone, longer each time; otherwise its next attempt is near. */
  readonly isResting: boolean;
}

/** What has failed on a node and is not being retried now; undefined if nothing has failed or a retry is under way. */
export function findResting({ status }: GpuNodePartition): RestingFailure | undefined {
  const { step, error } = status?.device ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const rest = ready && recallRest(status, ready.reason);
  if (ready && rest) return { code: ready.reason, message: ready.message, equal: rest.count, isResting: true };
  if (ready?.reason === 'GpusGone') return { code: ready.reason, message: ready.message, equal: 1, isResting: true };
  if (ready?.reason === 'Drifting')
    return { code: ready.reason, message: ready.message, equal: mostRepairs, isResting: true };
  if (step !== 'Failed' || !error) return undefined;
  return {
    code: error.code,
    message: error.message,
    ...(error.gpu !== undefined && { gpu: error.gpu }),
    equal: recallFailure(status)?.equal ?? 1,
    isResting: ready?.reason === 'Resting',
  };
}
