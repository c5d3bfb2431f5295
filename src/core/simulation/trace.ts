import type { Geometry } from '../gpu/geometry/geometry.ts';
import { isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import { listBaseProfiles } from '../gpu/search/layout-enumeration.ts';
import { type Arrival, byStart, DAY } from './arrival.ts';
import { Random } from './random.ts';

/** A recorded task that asked for a part of a GPU, or for a profile. */
export interface TraceTask {
  /** Seconds from the start of the trace. */
  readonly arrival: number;
  readonly duration: number;
  /** A profile's name, or thousandths of a GPU. */
  readonly asked: string | number;
}

/**
 * How a share of a recorded GPU becomes a profile. `memory`: the smallest slice with the memory of the share, of a card with so many
 * GB; `share`: the smallest one that is the same share of a GPU.
 */
export type TraceMapping = { readonly by: 'share' } | { readonly by: 'memory'; readonly cardGb: number };

/** What a share is on GPUs of one kind. The largest profile serves what is larger. */
export function profileFor(geometry: Geometry, milli: number, mapping: TraceMapping): string | undefined {
  // Of equally large ones that with the fewest compute slices but for the double-memory ones, which no share of compute needs.
  const sizes = listBaseProfiles(geometry)
    .toSorted((a, b) => a.memorySlices - b.memorySlices || a.computeSlices - b.computeSlices)
    .filter(({ memorySlices }, index, all) => memorySlices !== all[index - 1]?.memorySlices);
  const largest = sizes.at(-1);
  if (largest === undefined) return undefined;
  const parsed = parseProfile(largest.name);
  const gbPerSlice = isProfileNameError(parsed) ? 0 : parsed.gb / largest.memorySlices;
  const wanted =
    mapping.by === 'share' ? (milli / 1000) * geometry.memorySlices : ((milli / 1000) * mapping.cardGb) / gbPerSlice;
  return (sizes.find(({ memorySlices }) => memorySlices >= wanted) ?? largest).name;
}

export interface Superposition {
  /** Mean memory slices in use if every request were served. */
  readonly slices: number;
  /** Memory slices of a profile. */
  readonly sizeOf: (profile: string) => number;
  /** Length of the trace in days. */
  readonly days: number;
  readonly seed: number;
}

/**
 * Copies of a trace, each shifted by whole days and up to an hour, until the wanted load is reached; the last one is thinned. All start
 * within the length of the trace.
 */
export function superpose(
  arrivals: readonly Arrival[],
  { slices, sizeOf, days, seed }: Superposition,
): readonly Arrival[] {
  const random = new Random(seed);
  const length = days * DAY;
  const each = arrivals.reduce((sum, one) => sum + one.duration * sizeOf(one.profile), 0) / length;
  if (each === 0) return [];
  const copies = slices / each;
  const all: Arrival[] = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const shift = random.integer(days) * DAY + random.integer(3600);
    const share = Math.min(1, copies - copy);
    for (const one of arrivals) {
      if (random.chance(share)) all.push({ ...one, start: (one.start + shift) % length });
    }
  }
  return all.toSorted(byStart);
}

/** The last days of a trace; a shorter one is repeated until they are full. */
export function fillDays(arrivals: readonly Arrival[], traceDays: number, days: number): readonly Arrival[] {
  const skipped = Math.max(0, traceDays - days) * DAY;
  const filled: Arrival[] = [];
  for (let from = 0; from < days; from += traceDays)
    for (const one of arrivals) {
      const start = one.start - skipped + from * DAY;
      if (start >= 0 && start < days * DAY) filled.push({ ...one, start });
    }
  return filled.toSorted(byStart);
}
