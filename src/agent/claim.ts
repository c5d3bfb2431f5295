import type { DeviceReport, Grant, GpuWish } from '../api/types.ts';
import { findForeign, type ForeignInstances, lastGoodOf } from '../core/policy/ownership.ts';
import { deviceMeets } from '../core/policy/wish.ts';
import type { DeviceView } from './device-view.ts';
import type { Partition } from './partition.ts';

type LastGood = NonNullable<DeviceReport['lastGood']>;

/** Which instances of the node are ours: what `lastGood` says, and what an unfinished grant made. */
export class Claim {
  readonly #view: DeviceView;
  readonly #bootID: string;

  constructor(view: DeviceView, bootID: string) {
    this.#view = view;
    this.#bootID = bootID;
  }

  /** @param unfinished a grant that is being acted on: what it made so far is not in the report yet */
  foreign({ status }: Partition, unfinished?: Grant): ForeignInstances {
    return findForeign(this.#view.report.gpus ?? [], this.#bootID, status?.device?.lastGood, unfinished);
  }

  /** What to remember after a grant that failed: what it made before it did is ours all the same. */
  afterFailure(partition: Partition, granted: Grant): LastGood {
    return this.#lastGood(this.foreign(partition, granted));
  }

  /** What to remember where these GPUs are as they were asked for: all of them is ours. */
  afterSuccess(partition: Partition, gpus: readonly GpuWish[]): LastGood {
    const rest = [...this.foreign(partition)].filter(([uuid]) => gpus.every((one) => one.uuid !== uuid));
    return this.#lastGood(new Map(rest));
  }

  /** A device that is as wished already is taken as it is: from now on its instances are ours, without any operation. */
  adopt(partition: Partition): Pick<DeviceReport, 'lastGood'> {
    const { wish } = partition.spec;
    if (!wish || !deviceMeets(this.#view.report.gpus ?? [], wish.gpus)) return {};
    const foreign = this.foreign(partition);
    const isKnown = wish.gpus.every(({ uuid }) => !foreign.has(uuid));
    return isKnown ? {} : { lastGood: this.afterSuccess(partition, wish.gpus) };
  }

  #lastGood(foreign: ForeignInstances): LastGood {
    return lastGoodOf(this.#view.report.gpus ?? [], this.#bootID, foreign);
  }
}
