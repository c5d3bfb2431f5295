const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3600_000 };

/** Milliseconds of a duration as policies have it, such as `90s`, `10m` or `1h30m`; the schema has checked it. */
export function durationMs(text: string): number {
  return [...text.matchAll(/([0-9]+)([smh])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0),
    0,
  );
}

/** Short text of a duration, rounded up to whole seconds: `45s`, `10m`, `1h30m`. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : [])).join('');
  return text === '' ? '0s' : text;
}
