/**
 * Whether a whole text matches a glob: `*` is any run of characters, `?` any one; case is ignored. Takes at most (length of glob ×
 * length of text) steps: a regular expression of many `.*` would let a policy stall its readers.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const pattern = glob.toLowerCase();
  const subject = text.toLowerCase();
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < subject.length) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      resume = position;
    } else if (pattern[at] === '?' || pattern[at] === subject[position]) {
      at += 1;
      position += 1;
    } else if (star !== -1) {
      // Let the last star take one more character, and try again from there.
      at = star + 1;
      resume += 1;
      position = resume;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
