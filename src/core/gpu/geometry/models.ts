import { A100_MODELS, A30_MODELS } from './data/ampere.ts';
import { BLACKWELL_MODELS } from './data/blackwell.ts';
import { HOPPER_MODELS } from './data/hopper.ts';
import { RTX_PRO_MODELS } from './data/rtx-pro.ts';
import { THOR_MODELS } from './data/thor.ts';
import type { GpuModel } from './model.ts';

export type { GpuModel, Product } from './model.ts';

/**
 * Every GPU model that supports MIG. For validation, simulation and documentation: the table of a live driver always wins. Of two
 * models with one product name, the name resolves to the first.
 */
export const MODELS: readonly GpuModel[] = [
  ...A100_MODELS,
  ...A30_MODELS,
  ...HOPPER_MODELS,
  ...BLACKWELL_MODELS,
  ...RTX_PRO_MODELS,
  ...THOR_MODELS,
];
