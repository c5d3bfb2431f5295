import type { Step } from '../../core/gpu/plan/step.ts';
import type { GpuInstanceState } from '../reading/state.ts';
import { addParts, destroyParts } from './compute-instances.ts';
import { createInstances, isPlain } from './create-instances.ts';
import { destroyInstances } from './destroy-instances.ts';
import type { GpuSession } from './gpu-session.ts';

/** Steps in their order, in groups that one command can do: a process of nvidia-smi costs seconds on a large node. */
export function batchSteps(steps: readonly Step[]): readonly (readonly Step[])[] {
  const batches: Step[][] = [];
  for (const step of steps) {
    const last = batches.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && areOne(first, step)) last.push(step);
    else batches.push([step]);
  }
  return batches;
}

function areOne(first: Step, step: Step): boolean {
  if (first.action !== step.action) return false;
  if (step.action === 'DestroyInstance') return true;
  if (step.action !== 'CreateInstance' || !isPlain(first) || !isPlain(step)) return false;
  return first.computeInstances.length === step.computeInstances.length;
}

/**
 * Does a batch of steps. What the driver calls a success, in its own words, is taken as done until the end of the round, when one
 * reading proves it all and the next round does what is missing; anything but plain success is looked into at once. Whatever the exit
 * code says: an operation that failed and is done is done, one that succeeded and is not done has failed.
 *
 * @param instances the GPU's instances before the steps; one that a step names was there or was made by an earlier step
 * @throws DeviceError
 */
export async function takeSteps(
  session: GpuSession,
  batch: readonly Step[],
  instances: readonly GpuInstanceState[],
): Promise<void> {
  const [step] = batch;
  if (step === undefined) return;
  const find = (wanted: Step): GpuInstanceState | undefined =>
    instances.find(({ start, profile }) => start === wanted.start && profile === wanted.profile);
  switch (step.action) {
    case 'CreateInstance':
      return createInstances(session, batch);
    case 'DestroyInstance':
      // Gone since it was read: what the step wants is so already.
      return destroyInstances(
        session,
        batch.flatMap((one) => find(one) ?? []),
      );
    case 'DestroyComputeInstances':
      return destroyParts(session, demand(session, find(step), step), step.computeInstances);
    case 'CreateComputeInstances':
      return addParts(session, demand(session, find(step), step), step.computeInstances);
  }
}

function demand(session: GpuSession, instance: GpuInstanceState | undefined, step: Step): GpuInstanceState {
  if (instance !== undefined) return instance;
  throw session.explain('Unstable', { tried: `${step.action} on it`, found: 'the GPU instance is gone' }, step);
}
