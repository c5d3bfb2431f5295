import { describeReport } from '../../src/core/nvidia/predict.ts';
import { isGfdLabelKey, dropInvalidLabels, computeLabels } from '../../src/core/nvidia/labels.ts';
import type { ModelMachine } from './machine.ts';
import type { ModelPlugin } from './plugin.ts';

/** GPU Feature Discovery looks at the devices and labels the node. */
export function writeGfdLabels(machine: ModelMachine, plugin: ModelPlugin): void {
  const { device, node } = machine;
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
  machine.edit('discovery', (one) => ({ ...one, metadata: { ...one.metadata, labels: after } }));
}
