import type { DeviceReport } from '../../../api/types.ts';
import { describeReport } from '../../nvidia/labels/describe-report.ts';
import type { MigStrategy } from '../../nvidia/labels/mig-strategy.ts';
import { computeLabels, type NodeLabels } from '../../nvidia/labels/node-labels.ts';
import type { DevicePluginConfig } from '../../nvidia/plugin-config/sharing.ts';
import { computeResources } from '../../nvidia/resources/node-resources.ts';
import { sameJson } from '../../text/fingerprint.ts';

/** What GPU Feature Discovery and the device plugin make of a device. */
export interface Prediction extends NodeLabels {
  readonly offer: ReturnType<typeof computeResources>;
}

interface Known {
  readonly strategy: MigStrategy;
  readonly config: DevicePluginConfig | undefined;
  readonly prediction: Prediction;
}

/** Maximum number of reports whose predictions are cached: those of nodes that are being decided. A whole fleet's would fill the memory. */
const mostReports = 64;
/** By the report, which is never mutated: the same prediction is needed several times per decision, and again while a node waits. */
const known = new Map<DeviceReport, readonly Known[]>();

export function predictDevice(
  device: DeviceReport,
  strategy: MigStrategy,
  config: DevicePluginConfig | undefined,
): Prediction {
  const before = known.get(device) ?? [];
  const same = before.find((one) => one.strategy === strategy && sameJson(one.config, config));
  if (same) return same.prediction;
  const description = describeReport(device);
  const prediction = {
    ...computeLabels(description, strategy, config),
    offer: computeResources(description, strategy, config),
  };
  if (known.size >= mostReports) known.clear();
  known.set(device, [...before, { strategy, config, prediction }]);
  return prediction;
}
