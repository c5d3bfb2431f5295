import type { Shortage } from './counters.ts';
import type { Grid } from './grid.ts';
import type { Wanted } from './wanted.ts';

/** A shortage for a person who does not know the slice grid: `needs 9 of 8 memory slices (2×3g.20gb take 8, 1×1g.5gb takes 1)`. */
export function describeShortage(grid: Grid, wanted: Wanted, shortage: Shortage): string {
  const { resource, needed, available, profile } = shortage;
  const numbers = `needs ${needed} of ${available}`;
  switch (resource) {
    case 'MemorySlices':
      return `${numbers} memory slices (${listTakes(grid, wanted, 'memorySlices')})`;
    case 'ComputeSlices':
      return `${numbers} compute slices (${listTakes(grid, wanted, 'computeSlices')})`;
    case 'Instances':
      return profile === undefined
        ? `needs ${needed} instances of profiles of which a GPU holds at most ${available} in total`
        : `needs ${needed} instances of ${grid.profiles[profile]?.name ?? ''}, of which a GPU holds at most ${available}`;
    case 'CopyEngines':
      return `${numbers} copy engines`;
    case 'Decoders':
      return `${numbers} video decoders`;
    case 'Encoders':
      return `${numbers} video encoders`;
    case 'JpegEngines':
      return `${numbers} JPEG engines`;
    case 'OpticalFlowEngines':
      return `${numbers} optical flow engines`;
    case 'Gpus':
      return `${numbers} GPUs`;
  }
}

/** Counts GPU instances, which shows that compute instances (`7×1c.3g.20gb`) need three of them. */
function listTakes(grid: Grid, wanted: Wanted, size: 'memorySlices' | 'computeSlices'): string {
  return grid.largestFirst
    .filter((index) => (wanted.totals[index] ?? 0) > 0)
    .map((index) => {
      const { name = '', [size]: takes = 0 } = grid.profiles[index] ?? {};
      const total = wanted.totals[index] ?? 0;
      return `${total}×${name} ${total === 1 ? 'takes' : 'take'} ${total * takes}`;
    })
    .join(', ');
}
