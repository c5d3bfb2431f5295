/**
 * Reads `-gi` or `-ci` as nvidia-smi does: leading digits of each member count (`11-13`, `11abc` and `+11` all mean 11, `0xB` means 0),
 * members without digits are ignored. Undefined (option not given) matches every id; an empty list matches none.
 */
export function parseIdFilter(text: string | undefined): (id: number) => boolean {
  if (text === undefined) return () => true;
  const ids = text.split(',').flatMap((member) => {
    const digits = /^\s*\+?(\d+)/.exec(member)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
  return (id) => ids.includes(id);
}

/** A member of `-cgi` or `-cci`: a profile by id or name, and a start if one could be read. */
export interface ProfileTuple {
  /** As typed, for messages. */
  readonly text: string;
  readonly profile: string;
  readonly start?: number;
}

/** Splits `19:2,MIG 1g.5gb, 14`. An unreadable start (`19:x`, `19:`, `19:-1`) is silently dropped. */
export function parseProfileTuples(text: string): readonly ProfileTuple[] {
  return text.split(',').flatMap((member) => {
    const trimmed = member.trimStart();
    if (trimmed === '') return [];
    const colon = trimmed.indexOf(':');
    const profile = colon < 0 ? trimmed : trimmed.slice(0, colon);
    const start = colon < 0 ? undefined : /^\d+/.exec(trimmed.slice(colon + 1))?.[0];
    return [{ text: trimmed, profile, ...(start === undefined ? {} : { start: Number(start) }) }];
  });
}

/** Finds a profile by id (`19`, `019`) or name (`1g.5gb`, `MIG 1g.5gb`); names are case-sensitive. */
export function findByIdOrName<T extends { readonly id: number; readonly name: string }>(
  profiles: readonly T[],
  wanted: string,
): T | undefined {
  const id = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  const name = wanted.startsWith('MIG ') ? wanted.slice('MIG '.length) : wanted;
  return profiles.find((profile) => profile.id === id || profile.name === name);
}
