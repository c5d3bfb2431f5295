import type { DeviceReport, GpuReport } from '../../api/types.ts';
import type { ConditionDraft, StatusCondition } from './conditions.ts';
import { describeLosses } from '../pods/lost-devices.ts';
import { joinWithin } from '../text/cut-text.ts';

/** Of three lists in one message, each followed by what becomes of it. */
const longestList = 1250;

/**
 * Names the GPUs that do not work properly, what the host lacks since a change, and pods whose device was destroyed; omitted for a
 * node that never had any of these.
 */
export function judgeDegraded(
  device: Pick<DeviceReport, 'gpus' | 'hostProblems' | 'lostDevices'>,
  current: readonly StatusCondition[],
  observed: Pick<ConditionDraft, 'observedGeneration'>,
): readonly ConditionDraft[] {
  const { gpus = [], hostProblems = [] } = device;
  const losses = describeLosses(device);
  const sick = gpus.flatMap((gpu) => {
    const found = gpu.error ?? gpu.health?.message;
    return found === undefined ? [] : [`GPU ${gpu.index} (${gpu.product}, ${gpu.pciBusId}): ${found}${advise(gpu)}`];
  });
  const messages = [
    ...(sick.length > 0 ? [`${joinWithin(sick, longestList)}. Faulty GPUs are not repartitioned; the others are`] : []),
    ...(hostProblems.length > 0
      ? [`${joinWithin(hostProblems, longestList)}. The agent tries again with each reading`]
      : []),
    ...(losses.length > 0 ? [`${joinWithin(losses, longestList)}. Delete such pods, unless a change evicts them`] : []),
  ];
  if (messages.length > 0) {
    const reason = sick.length > 0 ? 'GpusUnhealthy' : hostProblems.length > 0 ? 'HostNotRestored' : 'DevicesLost';
    return [{ type: 'Degraded', status: 'True', reason, message: messages.join('. '), ...observed }];
  }
  if (!current.some(({ type }) => type === 'Degraded')) return [];
  const message = 'all GPUs work, the host is as it was, and pods hold what exists';
  return [{ type: 'Degraded', status: 'False', reason: 'GpusHealthy', message, ...observed }];
}

function advise({ error, health }: GpuReport): string {
  if (error !== undefined || health === undefined) return '';
  switch (health.action) {
    case 'Drain':
      return '; drain it of peer-to-peer traffic';
    case 'Reset':
      return '; drain the GPU and reset it (nvidia-smi --gpu-reset), or reboot the node';
    case 'Reboot':
      return '; drain the node and reboot it';
    case 'Replace':
      return '; have the GPU replaced';
    case 'Unknown':
      return '; look it up in NVIDIA’s documentation of this driver';
  }
}
