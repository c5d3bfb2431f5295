import { drawStory, findViolation, shrinkStory, tellStory, type Theme } from './story.ts';

/** A half-open range of seeds. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
  readonly theme?: Theme | undefined;
}

/** Runs stories in order. @returns the first that violates an invariant, shortened; undefined if none does */
export function tellSeeds({ from, to, theme }: SeedRange): string | undefined {
  for (let seed = from; seed < to; seed += 1) {
    const story = drawStory(seed, theme);
    const found = findViolation(story);
    if (!found) continue;
    const short = shrinkStory(story, found.invariant);
    return `${findViolation(short)?.message ?? found.message}\n${tellStory(short)}`;
  }
  return undefined;
}
