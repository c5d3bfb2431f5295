const suffix = '-demand';
/** A policy's name becomes a label value. */
const longestName = 63;

/**
 * A name for the policy that is advised beside another, which it must not replace.
 *
 * @param taken names of policies that enforce, and of others that are advised
 */
export function nameAdvised(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? suffix : `${suffix}-${number}`;
    // A part of a DNS name ends with a letter or digit.
    const start = name.slice(0, longestName - end.length).replace(/[-.]+$/, '');
    if (!taken.has(start + end)) return start + end;
  }
}
