/** How the device plugin advertises MIG devices; the same word configures GPU Feature Discovery. */
export const MIG_STRATEGIES = ['none', 'single', 'mixed'] as const;
export type MigStrategy = (typeof MIG_STRATEGIES)[number];

export function isMigStrategy(value: unknown): value is MigStrategy {
  return MIG_STRATEGIES.some((strategy) => strategy === value);
}

/**
 * The strategy that a node's labels show; undefined if they do not. GPU Feature Discovery writes none under strategy `none`, nor
 * before it has labelled the node.
 *
 * @param isComplete the node has all labels: no label means `none`
 */
export function strategyByLabels(
  labels: Readonly<Record<string, string>>,
  isComplete: boolean,
): MigStrategy | undefined {
  const value = labels['nvidia.com/mig.strategy'];
  if (isMigStrategy(value)) return value;
  return value === undefined && isComplete && 'nvidia.com/gpu.count' in labels ? 'none' : undefined;
}
