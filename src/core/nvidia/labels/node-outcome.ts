import { parseDevicePluginConfig } from '../plugin-config/device-plugin-config.ts';
import type { Labels } from './label-value.ts';
import type { MigStrategy } from './mig-strategy.ts';
import type { NodeDescription } from './node-description.ts';
import { computeLabels } from './node-labels.ts';
import { computeResources } from '../resources/node-resources.ts';

/** What a node shows to Kubernetes once NVIDIA's tools have run on it; the output of `gpu-partition labels`. */
export interface LabelsAndResources {
  readonly labels: Labels;
  readonly resources: Readonly<Record<string, number>>;
  /** Upstream's messages, verbatim: those for the config file alone, else GFD's, then the device plugin's. */
  readonly errors: readonly string[];
}

/**
 * Labels and resources of a node. `configFile` is the device plugin's config file as a YAML parser returns it, unchecked; a file
 * that upstream refuses stops both tools, with one error.
 */
export function describeNode(node: NodeDescription, strategy: MigStrategy, configFile?: unknown): LabelsAndResources {
  const parsed = parseDevicePluginConfig(configFile);
  if (!parsed.ok) {
    const error = parsed.findings.find(({ severity }) => severity === 'error');
    return { labels: {}, resources: {}, errors: [error?.upstream ?? error?.message ?? 'invalid config file'] };
  }
  const { labels, errors: gfdErrors } = computeLabels(node, strategy, parsed.config);
  const { resources, errors: pluginErrors } = computeResources(node, strategy, parsed.config);
  return { labels, resources, errors: [...gfdErrors, ...pluginErrors].map(({ message }) => message) };
}
