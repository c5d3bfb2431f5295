const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3600_000 };

/** Milliseconds of a duration as written in policies, such as `90s`, `10m` or `1h30m`; the schema has checked it. */
export function durationMs(text: string): number {
  return [...text.matchAll(/([0-9]+)([smh])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0),
    0,
  );
}

/** Waits that double with each failure in a row, in ms: the first, and the longest. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** @param failures in a row, from 1 */
export function doubledMs({ baseMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
}

/** Approximate duration for people: `45 s`, `4 min`, `2 h 10 min`; from two days on `2 d 1 h`, from eight on `9 d`, as kubectl does. */
export function describeDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return twoUnits([hours, 'h'], [minutes % 60, 'min']);
  const days = Math.floor(hours / 24);
  return twoUnits([days, 'd'], [days < 8 ? hours % 24 : 0, 'h']);
}

function twoUnits(large: readonly [number, string], small: readonly [number, string]): string {
  return [large, small].flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}

/** RFC 3339 in whole seconds, as Kubernetes' metav1.Time writes it: `2026-01-01T12:00:00Z`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
