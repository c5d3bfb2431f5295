/** A pod that asks for one slice. */
export interface Arrival {
  /** Seconds from the start of the simulation. */
  readonly start: number;
  /** Seconds that it runs, once it has its slice. */
  readonly duration: number;
  readonly profile: string;
  /** As the pod's; 0 if absent. */
  readonly priority?: number;
}

export const DAY = 86_400;

export function byStart(a: Arrival, b: Arrival): number {
  return a.start - b.start || a.duration - b.duration;
}
