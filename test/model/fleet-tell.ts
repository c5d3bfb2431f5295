import type { StoryRequest } from './tellers.ts';
import { fleetBugs } from './fleet-bugs.ts';
import {
  drawFleetStory,
  findFleetViolation,
  type FleetTheme,
  shrinkFleetStory,
  tellFleetStory,
} from './fleet-story.ts';

/** Runs a story. @returns how it violates an invariant, shortened if no bug is planted; undefined if it does not */
export async function tellFleetSeed({ seed, theme, bug }: StoryRequest<FleetTheme>): Promise<string | undefined> {
  const story = drawFleetStory(seed, theme);
  const found = await findFleetViolation(
    story,
    fleetBugs.find(({ name }) => name === bug),
  );
  if (!found) return undefined;
  if (bug !== undefined) return `seed ${seed}: ${found.message}`;
  const short = await shrinkFleetStory(story, found.invariant);
  return `${(await findFleetViolation(short))?.message ?? found.message}\n${tellFleetStory(short)}`;
}
