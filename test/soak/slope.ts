/** A value at a time. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The slope of the line through points with the least squares; undefined for fewer than three. */
export function slopeOf(points: readonly Point[]): number | undefined {
  if (points.length < 3) return undefined;
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const meanX = mean(({ x }) => x);
  const meanY = mean(({ y }) => y);
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (spread === 0) return undefined;
  return points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
