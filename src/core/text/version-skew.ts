/** Maximum difference in minor versions between controller and agents, either way: an update replaces them one after the other. */
const mostApart = 1;

export type VersionSkew = 'Fine' | 'TooOld' | 'TooNew';

/** How another program's version relates to ours. A version that is not a release (`dev`, `unknown`) is never refused. */
export function compareVersions(theirs: string | undefined, ours: string | undefined): VersionSkew {
  const [their, our] = [readVersion(theirs), readVersion(ours)];
  if (their === undefined || our === undefined) return 'Fine';
  if (their.major !== our.major) return their.major < our.major ? 'TooOld' : 'TooNew';
  const apart = their.minor - our.minor;
  return Math.abs(apart) <= mostApart ? 'Fine' : apart < 0 ? 'TooOld' : 'TooNew';
}

function readVersion(text: string | undefined): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^v?(\d{1,6})\.(\d{1,6})\.\d/.exec(text ?? '') ?? [];
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
