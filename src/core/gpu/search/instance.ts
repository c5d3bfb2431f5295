/** A GPU instance that is on a GPU now. */
export interface Instance {
  /** Profile of the GPU instance: `3g.20gb`. */
  readonly profile: string;
  /** First placement unit; unique among the instances of one GPU. */
  readonly start: number;
  /** True if a process runs on it or a pod holds it. Busy instances weigh infinitely more than idle ones. */
  readonly busy: boolean;
  /**
   * Compute instance profiles on it, such as `['1c.3g.20gb', '2c.3g.20gb']`; absent or `[profile]` means one compute instance over the
   * whole GPU instance; empty means that it has none (and cannot be used).
   */
  readonly computeInstances?: readonly string[];
  /** Placement size as the driver shows it; needed only if the table may not know the profile. */
  readonly size?: number;
}

/** A GPU instance to create. */
export interface PlannedInstance {
  readonly profile: string;
  readonly start: number;
  /** Compute instances to create on it, biggest first; `[profile]` for one over the whole GPU instance. */
  readonly computeInstances: readonly string[];
}

/** Where an instance is: instances of one GPU never overlap, so this identifies it as long as it lives. */
export type Place = Pick<Instance, 'profile' | 'start'>;

/** The place in one word, such as `3g.20gb@4`. */
export function placeOf({ profile, start }: Place): string {
  return `${profile}@${start}`;
}
