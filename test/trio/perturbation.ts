import type { SeenRequest } from '../support/seen-request.ts';

/** Sieve's three: how a program ends, and what it is made to see. */
export type PerturbationKind =
  /** Killed before the write is sent on, or once it has taken effect. */
  | 'killed before'
  | 'killed after'
  /** Killed after it, and restarted at a server that lags by this many writes, or by the whole change. */
  | 'stale by 2'
  | 'stale by 6'
  | 'stale by all'
  /** From the write on, three events never come, and the watches begin again. */
  | 'events skipped';

export const perturbationKinds: readonly PerturbationKind[] = [
  'killed before',
  'killed after',
  'stale by 2',
  'stale by 6',
  'stale by all',
  'events skipped',
];

/** At which write of a program, in the order of an undisturbed run. */
export interface Perturbation {
  readonly program: string;
  readonly kind: PerturbationKind;
  /** From 0. */
  readonly at: number;
  /** `patch gpunodepartitions`. */
  readonly write: string;
}

/** Undefined for kinds that show nothing old. */
export function lagOf(kind: PerturbationKind): number | undefined {
  const [, lag] = /^stale by (\w+)$/.exec(kind) ?? [];
  return lag === undefined ? undefined : lag === 'all' ? Infinity : Number(lag);
}

/** Writes that are part of a change: not what is written all the time, or only told. */
export function isOfChange({ verb, resource }: SeenRequest): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb) && !/^(?:leases|events)$/.test(resource);
}

export function describeWriteOf({ verb, resource }: SeenRequest): string {
  return `${verb} ${resource}`;
}

/** Every kind at every write that a program makes in an undisturbed run. */
export function listPerturbations(writes: ReadonlyMap<string, readonly string[]>): readonly Perturbation[] {
  return [...writes].flatMap(([program, list]) =>
    list.flatMap((write, at) => perturbationKinds.map((kind) => ({ program, kind, at, write }))),
  );
}
