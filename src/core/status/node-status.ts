import type { NodeReason } from '../../api/names.ts';
import type { GpuNodePartition, Phase } from '../../api/types.ts';
import { deviceText } from './layout-text.ts';

/** The controller's part of a GpuNodePartition's status, before its conditions have times. */
export interface NodeStatusDraft {
  readonly phase: Phase;
  readonly layout: string;
  readonly writerMode: 'Patch' | 'Verify';
  readonly conditions: readonly {
    readonly type: 'Ready' | 'Waiting';
    readonly status: 'True' | 'False';
    readonly reason: NodeReason;
    readonly message: string;
  }[];
}

export function nodeStatus(
  partition: GpuNodePartition,
  verdict: { readonly phase: Phase; readonly reason: NodeReason; readonly message: string },
  writerMode: 'Patch' | 'Verify',
): NodeStatusDraft {
  const { phase, reason } = verdict;
  const message = verdict.message.slice(0, 4096);
  const isWaiting = phase === 'Waiting';
  return {
    phase,
    layout: deviceText(partition.status?.device?.gpus ?? []).slice(0, 512),
    writerMode,
    conditions: [
      { type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason, message },
      {
        type: 'Waiting',
        status: isWaiting ? 'True' : 'False',
        reason: isWaiting ? reason : 'NoPodsUseGpus',
        message: isWaiting ? message : '',
      },
    ],
  };
}
