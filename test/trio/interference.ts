import { refusal, type RequestRule } from '../support/fault.ts';
import { isResume, type SeenRequest } from '../support/seen-request.ts';
import type { EarlierStates } from './earlier-states.ts';
import { isOfChange, lagOf, type Perturbation } from './perturbation.ts';

const mostSkipped = 3;

/** One perturbation at a program's proxy. */
class Strike {
  readonly #perturbation: Perturbation;
  readonly #states: EarlierStates;
  readonly #struck = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<void>();
  readonly #skippedAll = Promise.withResolvers<void>();
  /** Resources whose watches must begin again, since events of theirs were skipped. */
  readonly #expired = new Set<string>();
  #mode: 'waiting' | 'stale' | 'blind' | 'over' = 'waiting';
  #seen = 0;
  #skipped = 0;
  #staleRevision = 0;
  hasStruck = false;

  constructor(perturbation: Perturbation, states: EarlierStates) {
    this.#perturbation = perturbation;
    this.#states = states;
  }

  /** The write has come, and has taken effect unless the program is killed before. */
  get struck(): Promise<void> {
    return this.#struck.promise;
  }

  /** The restarted program has read something old. */
  get answeredStale(): Promise<void> {
    return this.#answered.promise;
  }

  get skippedAll(): Promise<void> {
    return this.#skippedAll.promise;
  }

  /** From now on the API server is as it is. */
  catchUp(): void {
    this.#mode = 'over';
  }

  readonly rule: RequestRule = (request) => {
    if (this.#mode === 'over' && isResume(request) && this.#expired.delete(request.resource))
      return refusal(410, 'Expired');
    const stale = this.#mode === 'stale' ? this.#answerStale(request) : undefined;
    if (stale !== undefined) return stale;
    if (!isOfChange(request) || this.hasStruck || this.#seen++ !== this.#perturbation.at) return undefined;
    return this.#strike();
  };

  /** @returns whether an event of a watch never comes */
  swallows(resource: string, line: string): boolean {
    if (this.#mode !== 'blind' || line === '') return false;
    this.#expired.add(resource);
    if (!line.startsWith('{"type":"BOOKMARK"') && ++this.#skipped === mostSkipped) this.#skippedAll.resolve();
    return true;
  }

  #strike(): ReturnType<RequestRule> {
    const { kind } = this.#perturbation;
    const lag = lagOf(kind);
    this.hasStruck = true;
    if (kind === 'events skipped') {
      this.#mode = 'blind';
      this.#struck.resolve();
      return undefined;
    }
    const onDrop = (): void => {
      if (lag !== undefined) {
        this.#mode = 'stale';
        this.#staleRevision = this.#states.revisionBefore(lag);
      }
      this.#struck.resolve();
    };
    return { drop: kind === 'killed before' ? 'before' : 'after', onDrop };
  }

  #answerStale(request: SeenRequest): ReturnType<RequestRule> {
    if (request.verb !== 'list' && request.verb !== 'watch') return undefined;
    const [, name] = /^metadata\.name=(.+)$/.exec(request.query.get('fieldSelector') ?? '') ?? [];
    const stale = this.#states.show(request.resource, this.#staleRevision, name);
    if (stale === undefined) return undefined;
    if (isResume(request)) return refusal(410, 'Expired');
    this.#answered.resolve();
    return { stale };
  }
}

/** What stands between a program and the API server, from the program's first watch on: nothing until it is armed. */
export class Interference {
  #strike: Strike | undefined;

  readonly rule: RequestRule = (request) => {
    const fault = this.#strike?.rule(request);
    if (fault !== undefined || request.verb !== 'watch') return fault;
    return { lines: (line) => ({ send: this.#strike?.swallows(request.resource, line) === true ? [] : [line] }) };
  };

  arm(perturbation: Perturbation, states: EarlierStates): Strike {
    this.#strike = new Strike(perturbation, states);
    return this.#strike;
  }

  disarm(): void {
    this.#strike = undefined;
  }
}
