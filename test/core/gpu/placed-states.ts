import type { Geometry } from '../../../src/core/gpu/geometry.ts';

/** One instance at its place, as text: `3g.20gb@4`. */
export type Placed = string;

/** A set of instances that a GPU can hold at once, sorted. */
export type PlacedState = readonly Placed[];

/**
 * Every set of instances that a GPU can hold, the empty one included, found the slow way: candidates are taken or left one after
 * the other, and a set counts if its units do not overlap and all its totals are within the GPU's. Shares nothing with the planner.
 */
export function listPlacedStates(geometry: Geometry, only?: readonly string[]): readonly PlacedState[] {
  const candidates = geometry.profiles
    .filter(({ name }) => only === undefined || only.includes(name))
    .flatMap((profile) => profile.starts.map((start) => ({ profile, start, text: `${profile.name}@${start}` })));
  const states: PlacedState[] = [];

  function choose(index: number, taken: typeof candidates, units: ReadonlySet<number>): void {
    const candidate = candidates[index];
    if (candidate === undefined) {
      states.push(taken.map(({ text }) => text).toSorted());
      return;
    }
    choose(index + 1, taken, units);
    const needed = Array.from({ length: candidate.profile.memorySlices }, (_, unit) => candidate.start + unit);
    if (needed.some((unit) => units.has(unit) || unit >= geometry.memorySlices)) return;
    const next = [...taken, candidate];
    if (
      isWithinTotals(
        geometry,
        next.map(({ profile }) => profile),
      )
    )
      choose(index + 1, next, new Set([...units, ...needed]));
  }

  choose(0, [], new Set());
  return states;
}

function isWithinTotals(geometry: Geometry, profiles: readonly Geometry['profiles'][number][]): boolean {
  const compute = profiles.reduce((sum, profile) => sum + profile.computeSlices, 0);
  const decoders = profiles.reduce((sum, profile) => sum + profile.engines.decoder, 0);
  const jpeg = profiles.reduce((sum, profile) => sum + profile.engines.jpeg, 0);
  const ofa = profiles.reduce((sum, profile) => sum + profile.engines.ofa, 0);
  const { engines } = geometry;
  return (
    compute <= geometry.computeSlices &&
    (engines === undefined || (decoders <= engines.decoder && jpeg <= engines.jpeg && ofa <= engines.ofa)) &&
    profiles.every((profile) => profiles.filter((other) => other === profile).length <= profile.maxInstances)
  );
}

/** States to which no candidate of `states` adds an instance. */
export function keepMaximalStates(states: readonly PlacedState[]): readonly PlacedState[] {
  const known = new Set(states.map((state) => state.join()));
  const all = [...new Set(states.flat())];
  return states.filter((state) =>
    all.every((placed) => state.includes(placed) || !known.has([...state, placed].toSorted().join())),
  );
}

/** What a state is as a layout, in a form that compares: `1g.5gb=2,3g.20gb=1`. */
export function multisetOf(state: PlacedState): string {
  const counts = new Map<string, number>();
  for (const placed of state) {
    const profile = placed.slice(0, placed.indexOf('@'));
    counts.set(profile, (counts.get(profile) ?? 0) + 1);
  }
  return [...counts]
    .map(([profile, count]) => `${profile}=${count}`)
    .toSorted()
    .join();
}

/** `1g.5gb=2` as a layout. */
export function parseMultiset(text: string): Record<string, number> {
  if (text === '') return {};
  return Object.fromEntries(
    text.split(',').map((part) => [part.slice(0, part.indexOf('=')), Number(part.slice(part.indexOf('=') + 1))]),
  );
}

/** A layout in the form of {@link multisetOf}. */
export function writeMultiset(layout: Readonly<Record<string, number>>): string {
  return Object.entries(layout)
    .map(([profile, count]) => `${profile}=${count}`)
    .toSorted()
    .join();
}
