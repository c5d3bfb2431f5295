import type { MigStrategy } from '../labels/mig-strategy.ts';
import type { NodeDescription } from '../labels/node-description.ts';
import { computeResources } from '../resources/node-resources.ts';
import type { DevicePluginConfig } from './sharing.ts';

/**
 * Shared resources that the node does not have, so that their replicas have no effect: upstream does not report them. Often
 * `nvidia.com/gpu` under strategy mixed, which does not affect slices.
 */
export function findUnusedSharing(
  node: NodeDescription,
  strategy: MigStrategy,
  config: DevicePluginConfig,
): readonly string[] {
  const { resources, errors } = computeResources(node, strategy);
  if (errors.length > 0) return [];
  const names = config.sharing?.resources.map(({ name }) => name) ?? [];
  return [...new Set(names)].filter((name) => !Object.hasOwn(resources, name));
}
