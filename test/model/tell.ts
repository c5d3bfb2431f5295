import { bugs } from './bugs.ts';
import { drawStory, findViolation, shrinkStory, tellStory, type Theme } from './story.ts';
import type { StoryRequest } from './tellers.ts';

/** Runs a story. @returns how it violates an invariant, shortened if no bug is planted; undefined if it does not */
export async function tellSeed({ seed, theme, bug }: StoryRequest<Theme>): Promise<string | undefined> {
  const story = drawStory(seed, theme);
  const found = await findViolation(
    story,
    bugs.find(({ name }) => name === bug),
  );
  if (!found) return undefined;
  if (bug !== undefined) return `seed ${seed}: ${found.message}`;
  const short = await shrinkStory(story, found.invariant);
  return `${(await findViolation(short))?.message ?? found.message}\n${tellStory(short)}`;
}
