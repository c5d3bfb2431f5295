import type { GpuWork } from '../core/policy/plan-wish.ts';
import type { DeviceState } from '../device/state.ts';
import type { DeviceError } from '../device/errors.ts';

export interface WorkHooks {
  readonly allowGpuReset: boolean;
  /** Called before each operation; what it throws stops the work. */
  readonly beforeStep: () => Promise<void>;
  readonly signal: AbortSignal;
}

export type WorkResult =
  | { readonly uuid: string; readonly ok: true }
  | { readonly uuid: string; readonly ok: false; readonly error: DeviceError };

/** The node's GPUs, as the agent uses them. */
export interface Device {
  read(): Promise<DeviceState>;
  apply(work: readonly GpuWork[], hooks: WorkHooks): Promise<readonly WorkResult[]>;
}
