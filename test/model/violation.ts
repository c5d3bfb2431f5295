/** An invariant that the product has violated, by its name in the catalogue. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

/** @throws Violation unless it is so */
export function demand(isSo: boolean | undefined, invariant: string, message: string): asserts isSo {
  if (isSo !== true) throw new Violation(invariant, message);
}

/** Plays a story. @returns how it violates an invariant; undefined if it does not @throws Error of the model itself */
export async function violationOf(play: () => Promise<unknown>): Promise<Violation | undefined> {
  try {
    await play();
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
}

/** The fewest steps that still violate an invariant (ddmin). @param find plays a story of these steps */
export async function shrinkSteps<Step>(
  all: readonly Step[],
  invariant: string,
  find: (steps: readonly Step[]) => Promise<Violation | undefined>,
): Promise<readonly Step[]> {
  let steps = all;
  for (let size = Math.ceil(steps.length / 2); size >= 1;) {
    let isSmaller = false;
    for (let at = 0; at < steps.length;) {
      const fewer = [...steps.slice(0, at), ...steps.slice(at + size)];
      const found = await find(fewer);
      if (found?.invariant === invariant) {
        steps = fewer;
        isSmaller = true;
      } else at += size;
    }
    if (!isSmaller || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return steps;
}
