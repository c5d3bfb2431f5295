import { drawStory, findViolation, shrinkStory, tellStory, type Theme } from './story.ts';

/** Seeds from one to before another. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
  readonly theme?: Theme | undefined;
}

/** Tells stories in order. @returns the first that breaks a promise, cut short; undefined where none does */
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
