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

/** In what a reading shows less than there is: the kinds of all falls. */
export function findFalls(whole: readonly Sight[], seen: readonly Sight[]): readonly string[] {
  // A GPU that is lost is said to be so.
  if (seen.some(({ isUnknown, gpu }) => isUnknown && gpu === 'lost')) return [];
  return whole.flatMap((before) => {
    const now = seen.find(({ gpu }) => gpu === before.gpu);
    // On the first reading it is unknown which of two UUIDs is the right one: the GPU is unknown by the wrong one.
    const isRenamed = seen.some(({ gpu, isUnknown }) => isUnknown && whole.every((other) => other.gpu !== gpu));
    if (now === undefined) return isRenamed ? [] : ['no such GPU'];
    if (now.isUnknown) return [];
    if (before.mode === 'Enabled' && now.mode !== 'Enabled') return ['MIG off'];
    const count = ({ instances }: Sight): number => instances.flatMap(({ parts }) => parts).length;
    if (now.instances.length < before.instances.length) {
      const lost = before.instances.filter(({ id }) => now.instances.every((instance) => instance.id !== id));
      const isBare = count(now) === count(before) && lost.every(({ parts }) => parts.length === 0);
      return [isBare ? 'fewer GPU instances, none with a compute instance' : 'fewer GPU instances'];
    }
    if (count(now) < count(before)) return ['fewer compute instances'];
    return before.users.some((user) => !now.users.includes(user)) ? ['idle'] : [];
  });
}

/** A fall with the command that was damaged, and what the damage did to it where that can be told. */
export function describeFall(fall: string, command: readonly string[], whole: string, damaged: string): string {
  const name = command.filter((arg) => !/^(?:mig|-i|[\dA-F:.]+)$/.test(arg)).join(' ');
  const count = (text: string, tag: string): number => text.split(`<${tag}>`).length;
  const lost = ['process_info', 'mig_device'].find((tag) => count(damaged, tag) < count(whole, tag));
  return [`${name}: ${fall}`, ...(lost === undefined ? [] : [`a ${lost} lost`])].join(', ');
}
