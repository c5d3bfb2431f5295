import type { Grant } from '../api/types.ts';
import type { Clock } from '../process/clock.ts';
import type { Partition } from './partition.ts';

interface FirstSight {
  /** The object's uid and the epoch. */
  readonly key: string;
  readonly atMs: number;
}

/**
 * How long a grant is valid. The agent counts a grant's seconds itself, from when it first saw the grant. The deadline counts as well,
 * by the API server's clock and late by as many seconds: the controller's clock may be wrong by so much, the node's by any amount.
 */
export class GrantClock {
  readonly #clock: Clock;
  readonly #skewMs: () => number;
  #first: FirstSight | undefined;

  /** @param skewMs how far the node's clock is ahead of the API server's */
  constructor(clock: Clock, skewMs: () => number) {
    this.#clock = clock;
    this.#skewMs = skewMs;
  }

  /** Records a grant; called with every version of the object. */
  see({ metadata, spec: { granted } }: Partition): void {
    const key = `${metadata.uid}/${granted?.epoch}`;
    if (this.#first?.key !== key) this.#first = { key, atMs: this.#clock.monotonicMs() };
  }

  /** Why nothing may be started for the last seen grant; undefined while something may. */
  explainEnd({ seconds = 0, deadline }: Grant): string | undefined {
    const lateMs = this.#clock.wallMs() - this.#skewMs() - Date.parse(deadline);
    if (lateMs > seconds * 1000) {
      const late = Math.round(lateMs / 1000);
      return `its deadline ${deadline} passed ${late} s ago by the API server's clock; is the controller's clock right?`;
    }
    const sightMs = this.#clock.monotonicMs() - (this.#first?.atMs ?? -Infinity);
    return seconds > 0 && sightMs > seconds * 1000 ? `its ${seconds} s are over` : undefined;
  }
}
