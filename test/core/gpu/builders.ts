import type { Instance, Refusal } from '../../../src/core/gpu/grid.ts';
import { findModel, type GpuModel } from '../../../src/core/gpu/geometry.ts';
import type { GpuPlan, GpuPlanResult, GpuView, ViewedInstance, Step } from '../../../src/core/gpu/plan.ts';

/** The model that a test is about; a name that finds none is a mistake in the test. */
export function modelOf(name: string): GpuModel {
  const model = findModel(name);
  if (model === undefined) throw new Error(`no GPU model is called ${name}`);
  return model;
}

/** `3g.20gb@4` as an idle instance, `3g.20gb@4*` as a busy one, with the given compute instances if any. */
export function anInstance(text: string, computeInstances?: readonly string[]): Instance {
  const [profile = '', start = ''] = text.replace('*', '').split('@');
  return {
    profile,
    start: Number(start),
    busy: text.endsWith('*'),
    ...(computeInstances === undefined ? {} : { computeInstances }),
  };
}

export function someInstances(...texts: readonly string[]): readonly Instance[] {
  return texts.map((text) => anInstance(text));
}

/** An instance as the device shows it: with one compute instance over the whole unless told otherwise. */
export function aViewed(text: string, computeInstances?: readonly string[], size?: number): ViewedInstance {
  const instance = anInstance(text);
  return {
    ...instance,
    computeInstances: computeInstances ?? [instance.profile],
    ...(size !== undefined && { size }),
  };
}

/** An A100-40GB in MIG mode that is not used, unless told otherwise. */
export function aView({ product = 'A100-SXM4-40GB', ...more }: Partial<GpuView> = {}): GpuView {
  return {
    product,
    geometry: modelOf(product),
    mig: { current: 'Enabled', pending: 'Enabled' },
    instances: [],
    use: 'None',
    ...more,
  };
}

/** `CreateInstance 3g.20gb@4 [1c.3g.20gb,2c.3g.20gb]` */
export function writeSteps(steps: readonly Step[]): readonly string[] {
  return steps.map(
    ({ action, profile, start, computeInstances }) => `${action} ${profile}@${start} [${computeInstances.join()}]`,
  );
}

/** For plans that disturb nobody. */
export const isIdle = ({ busy }: Instance): boolean => !busy;

/** Instances as `3g.20gb@4`, in the order given. */
export function writePlaces(
  instances: readonly { readonly profile: string; readonly start: number }[],
): readonly string[] {
  return instances.map(({ profile, start }) => `${profile}@${start}`);
}

export function expectPlan(result: GpuPlanResult): GpuPlan {
  if (!result.fits) throw new Error(`expected a plan, got: ${result.refusal.message}`);
  return result;
}

export function expectRefusal(result: { readonly fits: true } | { fits: false; refusal: Refusal }): Refusal {
  if (result.fits) throw new Error('expected a refusal, got a plan');
  return result.refusal;
}
