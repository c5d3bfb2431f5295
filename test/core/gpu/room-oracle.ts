import type { Geometry } from '../../../src/core/gpu/geometry.ts';
import type { PlacedState } from './placed-states.ts';

/**
 * How many more instances of each profile a state could take on its own, from the largest profile to the smallest, found by
 * adding them in every way for as long as the result is one of the known states.
 */
export function measureRooms(
  geometry: Geometry,
  states: readonly PlacedState[],
): (state: PlacedState) => readonly number[] {
  const known = new Set(states.map((state) => state.join()));
  const ordered = geometry.profiles.toSorted(
    (a, b) => b.memorySlices - a.memorySlices || b.computeSlices - a.computeSlices,
  );
  const rooms = new Map<string, readonly number[]>();

  function countMore(state: PlacedState, profile: Geometry['profiles'][number], from: number): number {
    let most = 0;
    profile.starts.forEach((start, index) => {
      const next = [...state, `${profile.name}@${start}`].toSorted();
      if (index >= from && known.has(next.join())) most = Math.max(most, 1 + countMore(next, profile, index + 1));
    });
    return most;
  }

  return (state) => {
    const measured = rooms.get(state.join()) ?? ordered.map((profile) => countMore(state, profile, 0));
    rooms.set(state.join(), measured);
    return measured;
  };
}
