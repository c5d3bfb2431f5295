// Finds the texts in a program. A line is looked at by itself, so that a finding has its line.

/**
 * @param {string} line of a program
 * @returns {string[]} the bodies of its string and template literals; none in a comment
 */
export function literalsOf(line) {
  if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return [];
  return [...line.matchAll(/(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g)].map(([, , body = '']) => body);
}
