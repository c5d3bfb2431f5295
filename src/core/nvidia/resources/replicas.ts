import type { SharedResource } from '../plugin-config/sharing.ts';

type Counts = Readonly<Record<string, number>>;

export interface Replicas {
  /** Those that are shared, sorted by name. */
  readonly resources: readonly SharedResource[];
  /** Shared resources have `.shared` appended to their names: all or none, as the plugin does it. */
  readonly isRenamed: boolean;
}

/**
 * By how much each resource is shared if exactly these devices are offered: a whole number of times, each resource under one name.
 * Undefined if that does not explain what is offered.
 *
 * @param offered GPU resources only
 */
export function findReplicas(offered: Counts, devices: Counts): Replicas | undefined {
  const found = Object.keys(offered).filter((name) => offered[name] !== 0);
  const wanted = Object.keys(devices).filter((name) => devices[name] !== 0);
  const names = new Map(wanted.map((name) => [name, found.filter((one) => one === name || one === `${name}.shared`)]));
  if (found.length !== wanted.length || [...names.values()].some(({ length }) => length !== 1)) return undefined;
  const all = wanted.toSorted().map((name) => {
    const offeredAs = names.get(name)?.[0] ?? name;
    return { name, isRenamed: offeredAs !== name, replicas: (offered[offeredAs] ?? 0) / (devices[name] ?? 0) };
  });
  const shared = all.filter(({ replicas, isRenamed }) => replicas !== 1 || isRenamed);
  const isRenamed = shared.some((one) => one.isRenamed);
  const isUniform = shared.every((one) => one.isRenamed === isRenamed);
  if (!isUniform || !shared.every(({ replicas }) => Number.isInteger(replicas) && replicas >= 2)) return undefined;
  return { resources: shared.map(({ name, replicas }) => ({ name, replicas })), isRenamed };
}
