import type { Step } from '../../core/gpu/plan/step.ts';
import type { GpuInstanceState } from '../../core/gpu/state/device-state.ts';
import { addParts, destroyParts } from './compute-instances.ts';
import { createInstances } from './create-instances.ts';
import { destroyInstances } from './destroy-instances.ts';
import type { GpuSession } from './gpu-session.ts';

/**
 * Does a batch of steps. A success in the driver's own words is accepted until the end of the round, when one reading proves
 * everything and the next round does what is missing; anything but plain success is checked at once. Whatever the exit code:
 * a failed operation whose effect is there is done; a successful one without effect has failed.
 *
 * @param instances the GPU's instances before the steps; any instance that a step names is among them or was made by an earlier step
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
      // Gone since it was read: the step's goal is already reached.
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
