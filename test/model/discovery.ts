import { describeReport } from '../../src/core/nvidia/predict.ts';
import { isGfdLabelKey, dropInvalidLabels, computeLabels } from '../../src/core/nvidia/labels.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { ModelDevice } from './device.ts';
import type { ModelPlugin } from './plugin.ts';

/** GPU Feature Discovery looks at the devices and labels the node. */
export function writeGfdLabels({
  device,
  plugin,
  node,
  editNode,
}: {
  readonly device: ModelDevice;
  readonly plugin: ModelPlugin;
  readonly node: NodeObject | undefined;
  readonly editNode: (by: string, change: (node: NodeObject) => NodeObject) => void;
}): void {
  const { strategy, sharing } = plugin.settings;
  const { labels, errors } = computeLabels(describeReport(device.report()), strategy, sharing && { sharing });
  if (errors.length > 0 || !node) return;
  const wanted: Readonly<Record<string, string>> = {
    ...dropInvalidLabels(labels),
    'nvidia.com/gfd.timestamp': '1',
  };
  const before = node.metadata.labels ?? {};
  const others = Object.entries(before).filter(([key]) => !isGfdLabelKey(key));
  const after = { ...Object.fromEntries(others), ...wanted };
  if (Object.keys(after).length === Object.keys(before).length) {
    if (Object.entries(after).every(([key, value]) => before[key] === value)) return;
  }
  editNode('discovery', (one) => ({ ...one, metadata: { ...one.metadata, labels: after } }));
}
