import type { Grant } from '../api/types.ts';
import type { Clock } from '../process/clock.ts';
import type { Partition } from './partition.ts';

interface FirstSight {
  /** The object's uid and the epoch. */
  readonly key: string;
  readonly atMs: number;
  /** The grant existed when the agent started: nobody knows since when. */
  readonly isOld: boolean;
}

/**
 * How long a grant is valid. The clocks of two machines may differ by any amount, so the agent counts a grant's seconds itself,
 * from when it first saw the grant. For a grant that it finds at its start, counting begins again; the node's clock then only ends
 * a grant that is overdue by its full length.
 */
export class GrantClock {
  readonly #clock: Clock;
  #first: FirstSight | undefined;
  #isStarting = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a grant; called with every version of the object. */
  see({ metadata, spec: { granted } }: Partition): void {
    const key = `${metadata.uid}/${granted?.epoch}`;
    if (this.#first?.key !== key) this.#first = { key, atMs: this.#clock.monotonicMs(), isOld: this.#isStarting };
    this.#isStarting = false;
  }

  /** Why nothing may be started for the last seen grant; undefined while something may. */
  explainEnd({ seconds, deadline }: Grant): string | undefined {
    const lateMs = this.#clock.wallMs() - Date.parse(deadline);
    if (seconds === undefined) return lateMs <= 0 ? undefined : `its deadline ${deadline} has passed`;
    const { atMs, isOld } = this.#first ?? { atMs: -Infinity, isOld: true };
    if (this.#clock.monotonicMs() - atMs > seconds * 1000) return `its ${seconds} s are over`;
    return isOld && lateMs > seconds * 1000
      ? `the agent started after its deadline ${deadline}, by the clock of this node`
      : undefined;
  }
}
