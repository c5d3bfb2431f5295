import { bugs } from './bugs.ts';
import { drawStory, findViolation, shrinkStory, tellStory, type Theme } from './story.ts';
import type { StoryRequest } from './tellers.ts';

/** Runs a story. @returns how it violates an invariant, shortened if no bug is planted; undefined if it does not */
export function tellSeed({ seed, theme, bug }: StoryRequest<Theme>): string | undefined {
  const story = drawStory(seed, theme);
  const found = findViolation(
    story,
    bugs.find(({ name }) => name === bug),
  );
  if (!found) return undefined;
  if (bug !== undefined) return `seed ${seed}: ${found.message}`;
  const short = shrinkStory(story, found.invariant);
  return `${findViolation(short)?.message ?? found.message}\n${tellStory(short)}`;
}
