import type { GpuWork } from '../core/wish/plan-gpu-wish.ts';
import type { DeviceState } from '../core/gpu/state/device-state.ts';
import type { GpuWish } from '../api/types.ts';
import type { DeviceApplyOptions, NodeResult } from '../device/apply/apply-options.ts';

type Limits = Pick<DeviceApplyOptions, 'allowReset' | 'undo' | 'allOrNothing' | 'confirm' | 'listHeld' | 'signal'>;

/** @see DeviceApplyOptions; where `confirm` or `listHeld` throws, the work stops */
export interface WorkOptions extends Required<Limits> {
  /** What the work was planned on, just read. */
  readonly device: DeviceState | undefined;
  /** Asked before every operation: why it may not start. None starts any more then. @param disrupts whether it destroys, resets, or changes the mode */
  readonly explainStop: (disrupts: boolean) => string | undefined;
}

/** The node's GPUs, as the agent uses them. */
export interface Device {
  /** Before it reads, it gives back to the host what work still owes it. */
  read(): Promise<DeviceState>;
  /** What could not be given back to the host so far, a sentence each. */
  hostProblems(): readonly string[];
  /** Brings GPUs to their wishes through the steps of `work`; destroys only what these name. */
  apply(wishes: readonly GpuWish[], work: readonly GpuWork[], options: WorkOptions): Promise<NodeResult>;
}
