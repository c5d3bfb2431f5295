import { compareText } from '../../text/fingerprint.ts';
import type { Layout } from '../geometry/geometry.ts';

/** A layout for people, small profiles first: `1×1g.5gb + 2×3g.20gb`, or `no instances`. */
export function writeLayout(layout: Layout): string {
  const parts = listProfiles(layout).map(([profile, count]) => `${count}×${profile}`);
  return parts.length === 0 ? 'no instances' : parts.join(' + ');
}

/** Profiles with their counts, by compute slices, then memory, then name: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb. */
export function listProfiles(layout: Layout): readonly (readonly [profile: string, count: number])[] {
  return Object.entries(layout).sort(([a], [b]) => compareProfiles(a, b));
}

function compareProfiles(a: string, b: string): number {
  const slices = (name: string) => Number(/(\d)g\./.exec(name)?.[1] ?? 0);
  const memory = (name: string) => Number(/\.(\d+)gb/.exec(name)?.[1] ?? 0);
  return slices(a) - slices(b) || memory(a) - memory(b) || compareText(a, b);
}

/** `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
