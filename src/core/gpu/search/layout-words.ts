import type { Layout } from '../geometry/geometry.ts';

/** A layout as people read it: `3g.20gb ×2 + 1g.5gb ×1`, or `no instances`. */
export function writeLayout(layout: Layout): string {
  const parts = Object.entries(layout).map(([profile, count]) => `${profile} ×${count}`);
  return parts.length === 0 ? 'no instances' : parts.join(' + ');
}

/** `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
