import type { DeviceReport } from '../../api/types.ts';
import { sameJson } from '../text/fingerprint.ts';
import { timeText } from '../text/duration.ts';

/** What is known of the last successful reading. */
export interface ReadTime {
  /** When it began, in ms since the epoch by the API server's clock; undefined: there was none yet. */
  readonly readMs: number | undefined;
  /** `spec.drain.readAfter` */
  readonly readAfter: string | undefined;
}

/**
 * A report with the time of its reading. Readings that show nothing new are not reported, so that an idle node writes nothing: then
 * the time stays that of the first of them, unless the controller asks for a later one.
 */
export function stampReading(
  device: DeviceReport,
  told: DeviceReport | undefined,
  { readMs, readAfter }: ReadTime,
): DeviceReport {
  const { readTime: before } = told ?? {};
  const same = { ...device, ...(before !== undefined && { readTime: before }) };
  if (readMs === undefined) return same;
  const isAwaited = isAt(readMs, readAfter) && !isAt(Date.parse(before ?? ''), readAfter);
  return sameJson(same, told) && !isAwaited ? same : { ...device, readTime: timeText(readMs) };
}

function isAt(ms: number, time: string | undefined): boolean {
  return ms >= Date.parse(time ?? '');
}
