/**
 * Known words that a mistyped one probably means, nearest first: those that contain all its parts, then those a few edits away. Case
 * is ignored.
 */
export function findNearestWords(word: string, known: readonly string[], most = 3): readonly string[] {
  const wanted = word.toLowerCase();
  const parts = splitParts(wanted);
  return [...new Set(known)]
    .map((candidate) => ({ candidate, distance: measure(wanted, parts, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, Math.floor(wanted.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || a.candidate.length - b.candidate.length)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

function measure(wanted: string, parts: readonly string[], candidate: string): number {
  const words = splitParts(candidate);
  // Part of a name (a100, 80gb) is not a typo: it counts less than one edit.
  if (parts.length > 0 && parts.every((part) => words.includes(part))) return 0.5;
  return countEdits(wanted, candidate);
}

function splitParts(text: string): readonly string[] {
  return text.split(/[^a-z0-9.]+/).filter((part) => part !== '');
}

/** Levenshtein distance. */
function countEdits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
