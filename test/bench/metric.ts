/** One figure of a run. */
export interface Metric {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** A figure of the same run and unit that the value is judged against; its meaning stands in docs/internal/benchmarks.md. */
  readonly baseline?: number;
}

/** One JSON object a line on standard output. */
export function printMetric({ metric, value, unit, baseline }: Metric): void {
  const line = { metric, value: round(value), unit, ...(baseline === undefined ? {} : { baseline: round(baseline) }) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Progress, on standard error. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Times are noise after the fourth digit. */
function round(number: number): number {
  return Number(number.toPrecision(4));
}
