import type { Grant } from '../api/types.ts';
import type { Clock } from '../process/clock.ts';
import type { Partition } from './partition.ts';

interface Sight {
  /** Of the object's uid and the epoch. */
  readonly key: string;
  readonly atMs: number;
  /** It was there already when the agent started: nobody knows since when. */
  readonly isOld: boolean;
}

/**
 * How long a grant stands. The clocks of two machines may differ by any amount, so the agent counts the seconds of a grant by
 * itself, from when it first saw it. One that it finds when it starts it counts anew; the node's clock then only ends what
 * should have been over for as long again.
 */
export class GrantClock {
  readonly #clock: Clock;
  #sight: Sight | undefined;
  #isStarting = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of a grant; called with every object that comes. */
  see({ metadata, spec: { granted } }: Partition): void {
    const key = `${metadata.uid}/${granted?.epoch}`;
    if (this.#sight?.key !== key) this.#sight = { key, atMs: this.#clock.monotonicMs(), isOld: this.#isStarting };
    this.#isStarting = false;
  }

  /** Why nothing may be started for the grant that was seen last; undefined while something may. */
  explainEnd({ seconds, deadline }: Grant): string | undefined {
    const lateMs = this.#clock.wallMs() - Date.parse(deadline);
    if (seconds === undefined) return lateMs <= 0 ? undefined : `its deadline ${deadline} has passed`;
    const { atMs, isOld } = this.#sight ?? { atMs: -Infinity, isOld: true };
    if (this.#clock.monotonicMs() - atMs > seconds * 1000) return `its ${seconds} s are over`;
    return isOld && lateMs > seconds * 1000
      ? `the agent started after its deadline ${deadline}, by the clock of this node`
      : undefined;
  }
}
