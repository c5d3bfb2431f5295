import type { GpuNodePartition } from '../../api/types.ts';
import { recallFailure } from './grant-failure.ts';

/** What a person asks to be tried again. */
export interface RestingFailure {
  /** Of the agent's error, such as `InUse`. */
  readonly code: string;
  readonly message: string;
  /** UUID of the GPU, where it is about one. */
  readonly gpu?: string;
  /** How often the same has failed in a row. */
  readonly equal: number;
  /** Whether it is not tried any more by itself. */
  readonly isResting: boolean;
}

/** What has failed on a node and is not tried now; undefined where nothing has, or it is being tried. */
export function findResting({ status }: GpuNodePartition): RestingFailure | undefined {
  const { step, error } = status?.device ?? {};
  const failure = recallFailure(status);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (step !== 'Failed' || !error) return undefined;
  return {
    code: error.code,
    message: error.message,
    ...(error.gpu !== undefined && { gpu: error.gpu }),
    equal: failure?.equal ?? 1,
    isResting: ready?.reason === 'Resting',
  };
}
