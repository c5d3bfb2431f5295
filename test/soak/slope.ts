/** A value at a time. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Slope {
  readonly slope: number;
  /** Twice the standard error: what noise alone may add or take in 95 of 100 cases, if it is without memory. */
  readonly uncertainty: number;
}

/**
 * The slope that several series have in common, by least squares, each with a level of its own; undefined where there are too few points for a
 * slope and its uncertainty.
 */
export function slopeOf(series: readonly (readonly Point[])[]): Slope | undefined {
  const centred = series.filter(({ length }) => length > 0).map(centre);
  const points = centred.flat();
  const freedom = points.length - centred.length - 1;
  const spread = sum(points, ({ x }) => x * x);
  if (freedom < 1 || spread === 0) return undefined;
  const slope = sum(points, ({ x, y }) => x * y) / spread;
  const rest = sum(points, ({ x, y }) => (y - slope * x) ** 2);
  return { slope, uncertainty: 2 * Math.sqrt(rest / freedom / spread) };
}

function centre(points: readonly Point[]): readonly Point[] {
  const meanX = sum(points, ({ x }) => x) / points.length;
  const meanY = sum(points, ({ y }) => y) / points.length;
  return points.map(({ x, y }) => ({ x: x - meanX, y: y - meanY }));
}

function sum(points: readonly Point[], of: (point: Point) => number): number {
  return points.reduce((all, point) => all + of(point), 0);
}
