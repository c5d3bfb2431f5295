import { InvalidArgumentError } from 'commander';

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Parser of an option for a stretch of the past, as Prometheus writes it. @returns seconds */
export function readWindow(text: string): number {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,4})([mhdw])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (seconds >= 3600 && seconds <= 366 * 86_400) return seconds;
  throw new InvalidArgumentError('must be a time from 1h to 366d, such as 12h or 7d.');
}

/** Parser of an option for a share of the time. */
export function readQuantile(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('must be a number above 0 and at most 1, such as 0.95.');
}

/** Parser of an option for the address of a web service. */
export function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('must be an address such as http://prometheus.monitoring:9090.');
}
