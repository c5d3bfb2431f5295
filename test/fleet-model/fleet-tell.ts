import {
  drawFleetStory,
  findFleetViolation,
  type FleetTheme,
  shrinkFleetStory,
  tellFleetStory,
} from './fleet-story.ts';

interface FleetSeeds {
  readonly from: number;
  /** Exclusive end. */
  readonly to: number;
  readonly theme?: FleetTheme | undefined;
}

/** Runs stories in order. @returns the first that violates an invariant, shortened; undefined if none does */
export function tellFleetSeeds({ from, to, theme }: FleetSeeds): string | undefined {
  for (let seed = from; seed < to; seed += 1) {
    const story = drawFleetStory(seed, theme);
    const found = findFleetViolation(story);
    if (!found) continue;
    const short = shrinkFleetStory(story, found.invariant);
    return `${findFleetViolation(short)?.message ?? found.message}\n${tellFleetStory(short)}`;
  }
  return undefined;
}
