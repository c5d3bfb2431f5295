/** How the device plugin advertises MIG devices; the same word configures GPU Feature Discovery. */
export const MIG_STRATEGIES = ['none', 'single', 'mixed'] as const;
export type MigStrategy = (typeof MIG_STRATEGIES)[number];

export function isMigStrategy(value: unknown): value is MigStrategy {
  return MIG_STRATEGIES.some((strategy) => strategy === value);
}
