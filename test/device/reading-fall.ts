/** What a reading shows of one GPU. */
export interface Sight {
  readonly gpu: string;
  readonly mode: string | undefined;
  /** The reading itself says that it does not know. */
  readonly isUnknown: boolean;
  readonly instances: readonly { readonly id: number; readonly parts: readonly number[] }[];
  /** `GPU`, or `GPU instance/compute instance` of each process. */
  readonly users: readonly string[];
}

/** In what a reading shows less than there is. */
export function findFalls(whole: readonly Sight[], seen: readonly Sight[]): readonly string[] {
  // A GPU that is lost is said to be so.
  if (seen.some(({ isUnknown, gpu }) => isUnknown && gpu === 'lost')) return [];
  return whole.flatMap((before) => {
    const now = seen.find(({ gpu }) => gpu === before.gpu);
    if (now === undefined) return ['no such GPU'];
    if (now.isUnknown) return [];
    if (before.mode === 'Enabled' && now.mode !== 'Enabled') return ['MIG off'];
    const count = ({ instances }: Sight): number => instances.flatMap(({ parts }) => parts).length;
    if (now.instances.length < before.instances.length) return ['fewer GPU instances'];
    if (count(now) < count(before)) return ['fewer compute instances'];
    return before.users.some((user) => !now.users.includes(user)) ? ['idle'] : [];
  });
}

export function describeFall(effect: string, command: readonly string[], _whole: string, _damaged: string): string {
  return `${command.filter((arg) => !/^(?:mig|-i|[\dA-F:.]+)$/.test(arg)).join(' ')}: ${effect}`;
}
