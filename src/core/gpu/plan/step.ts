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
