import type { DeviceReport, Strategy } from '../../../api/types.ts';
import { describeReport } from '../labels/describe-report.ts';
import { offersDevices } from './advertised.ts';
import { computeResources } from './node-resources.ts';

/** Whether a kubelet offers what a device is, and nothing of what it was: the device plugin has followed a change. */
export function followsDevice(
  advertised: NonNullable<DeviceReport['advertised']>,
  device: DeviceReport,
  strategy: Strategy,
): boolean {
  const { resources, errors } = computeResources(describeReport(device), strategy);
  return advertised.stale === 0 && errors.length === 0 && offersDevices(advertised.resources ?? {}, resources);
}
