/** A number of nodes, or a percentage of them. */
export type Limit = number | string;

/** Rounded down, at least 1 unless it is 0. @param of the number of nodes that a percentage refers to */
export function countLimit(limit: Limit, of: number): number {
  const [, percent] = typeof limit === 'string' ? (/^([0-9]+)%$/.exec(limit) ?? []) : [];
  const share = percent === undefined ? Number(limit) : (of * Number(percent)) / 100;
  // An unreadable limit holds everything back: it must never admit more than was meant.
  if (!Number.isFinite(share) || Number(percent ?? limit) <= 0) return 0;
  return Math.max(1, Math.floor(share));
}
