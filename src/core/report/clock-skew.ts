import type { DeviceReport } from '../../api/types.ts';

/** What two clocks may differ by, in seconds; the measurement is precise to two. */
const usualSeconds = 10;
const mostSeconds = 2_000_000_000;

/** By how much the node's clock is wrong, if it is: the reported value stays as long as it is about right, or each report would be a write. */
export function reportSkew(
  skewMs: number | undefined,
  { clockSkewSeconds: before }: Pick<DeviceReport, 'clockSkewSeconds'> = {},
): Pick<DeviceReport, 'clockSkewSeconds'> {
  if (skewMs === undefined) return before === undefined ? {} : { clockSkewSeconds: before };
  const seconds = Math.max(-mostSeconds, Math.min(mostSeconds, Math.round(skewMs / 1000)));
  if (Math.abs(seconds) < usualSeconds) return {};
  const isAsBefore = before !== undefined && Math.abs(seconds - before) < usualSeconds;
  return { clockSkewSeconds: isAsBefore ? before : seconds };
}
