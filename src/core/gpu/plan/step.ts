/**
 * One operation on a GPU. A plan's steps are executed in order, one by one; each is possible once those before it are done.
 * `profile` is the GPU instance's, `start` its first placement unit.
 */
export type Step =
  /** Destroy some compute instances of a GPU instance that stays. */
  | ComputeInstanceStep<'DestroyComputeInstances'>
  /** Destroy a GPU instance, after the named compute instances on it. */
  | InstanceStep<'DestroyInstance'>
  /** Create a GPU instance at a place, then the compute instances on it. */
  | InstanceStep<'CreateInstance'>
  /** Create compute instances on a GPU instance that stays. */
  | ComputeInstanceStep<'CreateComputeInstances'>;

interface InstanceStep<Action extends string> {
  readonly action: Action;
  readonly profile: string;
  readonly start: number;
  /** Compute instance profiles, largest first; may be empty for an instance that has none. */
  readonly computeInstances: readonly string[];
}

interface ComputeInstanceStep<Action extends string> extends InstanceStep<Action> {
  /** At least one. */
  readonly computeInstances: readonly string[];
}

/** Steps in their order, grouped so that one command can do each group: an nvidia-smi process costs seconds on a large node. */
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

/** True if one command creates the GPU instance with its contents: the compute instance over the whole, or none. */
export function isPlain({ profile, computeInstances }: Step): boolean {
  return computeInstances.length === 0 || isWhole({ profile, computeInstances });
}

export function isWhole({ profile, computeInstances }: Pick<Step, 'profile' | 'computeInstances'>): boolean {
  return computeInstances.length === 1 && computeInstances[0] === profile;
}
