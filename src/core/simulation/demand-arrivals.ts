import { compareText } from '../text/fingerprint.ts';
import { type Arrival, byStart, DAY } from './arrival.ts';
import { Random } from './random.ts';

/** What pods use and wait for at one moment, by profile. */
export interface DemandNow {
  readonly profile: string;
  readonly inUse: number;
  readonly waiting: number;
}

/**
 * Pods that come at random so that as many run on average as ask for slices now, each for an exponential time: what already runs has
 * as long to go as what comes.
 */
export function arriveByDemand(
  demand: readonly DemandNow[],
  { meanSeconds, days, seed }: { readonly meanSeconds: number; readonly days: number; readonly seed: number },
): { readonly running: readonly Arrival[]; readonly arrivals: readonly Arrival[] } {
  const random = new Random(seed);
  const draw = (mean: number): number => -Math.log(1 - random.next()) * mean;
  const duration = (): number => Math.max(1, Math.round(draw(meanSeconds)));
  const sorted = demand.toSorted((a, b) => compareText(a.profile, b.profile));
  const running = sorted.flatMap(({ profile, inUse }) =>
    Array.from({ length: inUse }, () => ({ start: 0, duration: duration(), profile })),
  );
  const arrivals = sorted.flatMap(({ profile, inUse, waiting }) => {
    const found: Arrival[] = Array.from({ length: waiting }, () => ({ start: 0, duration: duration(), profile }));
    if (inUse + waiting === 0) return found;
    const gap = meanSeconds / (inUse + waiting);
    for (let start = draw(gap); start < days * DAY; start += draw(gap))
      found.push({ start: Math.round(start), duration: duration(), profile });
    return found;
  });
  return { running, arrivals: arrivals.toSorted(byStart) };
}
