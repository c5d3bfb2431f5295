/** What is not watched is looked at again after so many ms. */
export const lookAgainMs = 15_000;
