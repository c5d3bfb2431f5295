import type { RequestFault, LineFault, RequestRule } from './fault.ts';
import type { SeenRequest, Verb } from './seen-request.ts';

/** Which requests a fault applies to; an absent field matches all. */
export interface Match {
  readonly verb?: Verb;
  /** `nodes`, `gpunodepartitions/status`. */
  readonly resource?: string;
  readonly name?: string;
  /** Lets this many pass first; default 0. */
  readonly after?: number;
  /** Maximum number of requests affected; default 1. */
  readonly times?: number;
}

/** A change to the events of watches that are open, now and later. */
export type EventFault = (event: WatchLine, line: string) => ReturnType<LineFault> | undefined;

export interface WatchLine {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string } };
}

/** Faults of one proxy, one at a time, counted. It must exist before the program opens its watches. */
export class Injector {
  #match: Match = {};
  #fault: RequestFault | undefined;
  #events: { readonly resource: string; readonly change: EventFault } | undefined;
  #seen = 0;
  /** How often the last injected fault has actually occurred. */
  count = 0;

  /** The rule for the proxy. */
  readonly rule: RequestRule = (request) => {
    if (this.#fault !== undefined && this.#meets(request)) return this.#fault;
    return request.verb === 'watch' ? { lines: (line) => this.#changeLine(request.resource, line) } : undefined;
  };

  /** Injects a fault into requests. */
  inject(match: Match, fault: RequestFault): void {
    this.clear();
    this.#match = match;
    this.#fault = fault;
  }

  /** Injects a fault into the events of a resource's watches; `change` returns undefined for a line that it leaves unchanged. */
  injectEvents(resource: string, change: EventFault): void {
    this.clear();
    this.#events = { resource, change };
  }

  /** Ends the fault and resets the count. */
  clear(): void {
    this.#fault = undefined;
    this.#events = undefined;
    this.#seen = 0;
    this.count = 0;
  }

  #meets(request: SeenRequest): boolean {
    const { verb = request.verb, resource = request.resource, name = request.name, after = 0, times = 1 } = this.#match;
    if (verb !== request.verb || resource !== request.resource || name !== request.name) return false;
    this.#seen += 1;
    if (this.#seen <= after || this.count >= times) return false;
    this.count += 1;
    return true;
  }

  #changeLine(resource: string, line: string): ReturnType<LineFault> {
    if (this.#events?.resource !== resource || line === '') return { send: [line] };
    const changed = this.#events.change(JSON.parse(line) as WatchLine, line);
    if (changed === undefined) return { send: [line] };
    this.count += 1;
    return changed;
  }
}
