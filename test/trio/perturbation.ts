import { aStatus, errorLine, type EarlierList, type RequestRule } from '../support/fault.ts';
import { isResume, type SeenRequest } from '../support/seen-request.ts';
import { refusal } from '../support/fault.ts';

/** Sieve's three: what a program is made to see, or how it ends. */
export const perturbations = ['Killed before', 'Killed after', 'Stale at restart', 'Events skipped'] as const;
export type PerturbationKind = (typeof perturbations)[number];

/** At which write of a program, in the order of a run without faults. */
export interface Perturbation {
  readonly program: string;
  readonly kind: PerturbationKind;
  /** From 0. */
  readonly at: number;
  /** `patch gpunodepartitions`. */
  readonly write: string;
}

/** Writes that are part of a change: not what is written all the time, or only told. */
export function isOfChange({ verb, resource }: SeenRequest): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb) && !/^(?:leases|events)$/.test(resource);
}

export function describeWriteOf({ verb, resource }: SeenRequest): string {
  return `${verb} ${resource}`;
}

/** Every kind at every write that a program makes in a run without faults. */
export function listPerturbations(writes: ReadonlyMap<string, readonly string[]>): readonly Perturbation[] {
  return [...writes].flatMap(([program, list]) =>
    list.flatMap((write, at) => perturbations.map((kind) => ({ program, kind, at, write }))),
  );
}

/** The rule of a proxy that waits for a write, and tells when it is there. */
export class Trigger {
  readonly #perturbation: Perturbation;
  readonly #onStrike: () => void;
  /** Lists from before the change, by resource. */
  readonly #earlier: ReadonlyMap<string, EarlierList>;
  #seen = 0;
  #isStale = false;
  #skipped = 0;
  /** How often it has struck. */
  count = 0;

  constructor(perturbation: Perturbation, earlier: ReadonlyMap<string, EarlierList>, onStrike: () => void) {
    this.#perturbation = perturbation;
    this.#earlier = earlier;
    this.#onStrike = onStrike;
  }

  readonly rule: RequestRule = (request) => {
    const { kind, at } = this.#perturbation;
    if (request.verb === 'watch' && kind === 'Events skipped') return { lines: (line) => this.#skip(line) };
    const stale = this.#isStale ? this.#answerStale(request) : undefined;
    if (stale !== undefined) return stale;
    if (!isOfChange(request) || this.count > 0 || this.#seen++ !== at) return undefined;
    this.count += 1;
    this.#isStale = kind === 'Stale at restart';
    this.#onStrike();
    if (kind === 'Events skipped') return undefined;
    return { drop: kind === 'Killed before' ? 'before' : 'after' };
  };

  /** From now on the API server is as it is. */
  catchUp(): void {
    this.#isStale = false;
  }

  #answerStale(request: SeenRequest): ReturnType<RequestRule> {
    const stale = this.#earlier.get(request.resource);
    if (stale === undefined || (request.verb !== 'list' && request.verb !== 'watch')) return undefined;
    return isResume(request) ? refusal(410, 'Expired') : { stale };
  }

  /** The watch jumps: three events after the write never come, and then it ends, as where a server has compacted them. */
  #skip(line: string): { readonly send: readonly string[]; readonly end?: boolean } {
    if (this.count === 0 || this.#skipped > 3 || line === '') return { send: [line] };
    this.#skipped += 1;
    return this.#skipped <= 3 ? { send: [] } : { send: [errorLine(aStatus(410, 'Expired'))], end: true };
  }
}
