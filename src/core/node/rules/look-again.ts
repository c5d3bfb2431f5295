/** How often, in ms, whatever is not watched is checked again. */
export const lookAgainMs = 15_000;
