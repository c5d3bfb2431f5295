import type { Layout } from '../geometry/geometry.ts';

/** Every reason for which the planner refuses. */
export type RefusalCode =
  | 'InvalidProfileName'
  | 'UnknownProfile'
  | 'InvalidCount'
  | 'InvalidComputeInstance'
  | 'NotEnoughMemorySlices'
  | 'NotEnoughComputeSlices'
  | 'TooManyInstances'
  | 'NotEnoughEngines'
  | 'ExclusiveProfiles'
  | 'NoPlacement'
  | 'PlacementsUnknown'
  | 'TooManyCombinations'
  | 'OverlappingInstances'
  | 'UnknownInstance'
  | 'ForeignInstanceInTheWay'
  | 'BusyInstanceInTheWay'
  | 'NotEnoughGpus'
  | 'UnknownPreset';

/** Why a layout is not possible, for people and for programs. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One or two sentences that name the layout, what is missing with numbers, and what would fit. */
  readonly message: string;
  /** Valid layouts near the wanted one, nearest first, at most three. */
  readonly alternatives: readonly Layout[];
}

/** A refusal before alternatives have been searched. */
export function refuse(code: RefusalCode, message: string): Refusal {
  return { code, message, alternatives: [] };
}
