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

/** What ran out. */
export type ScarceResource =
  | 'MemorySlices'
  | 'ComputeSlices'
  | 'Instances'
  | 'CopyEngines'
  | 'Decoders'
  | 'Encoders'
  | 'JpegEngines'
  | 'OpticalFlowEngines'
  | 'Gpus';

/** Why a layout is not possible, for people and for programs. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One or two sentences that name the layout, what is missing with numbers, and what would fit. */
  readonly message: string;
  readonly resource?: ScarceResource;
  readonly needed?: number;
  readonly available?: number;
  /** The largest part of the wanted layout that fits, by memory slices; empty if no part does. */
  readonly largestPart: Layout;
  /** Valid layouts near the wanted one, nearest first, at most three. */
  readonly alternatives: readonly Layout[];
}

/** A refusal before alternatives have been searched. */
export function refuse(
  code: RefusalCode,
  message: string,
  numbers: { readonly resource?: ScarceResource; readonly needed?: number; readonly available?: number } = {},
): Refusal {
  return { code, message, ...numbers, largestPart: {}, alternatives: [] };
}
