import type { DeviceReport, Grant, GpuWish } from '../api/types.ts';
import { findForeign, type ForeignInstances, lastGoodOf, settleClaims } from '../core/policy/ownership.ts';
import { isSameLoad } from '../core/policy/load-id.ts';
import { deviceMeets } from '../core/policy/wish.ts';
import type { DeviceView } from './device-view.ts';
import type { Partition } from './partition.ts';

type LastGood = NonNullable<DeviceReport['lastGood']>;

/** Which instances of the node are ours: what `lastGood` says, and what an unfinished grant made. */
export class Claim {
  readonly #view: DeviceView;
  readonly #loadId: () => string;

  /** @param loadId of the boot and the driver's load of now */
  constructor(view: DeviceView, loadId: () => string) {
    this.#view = view;
    this.#loadId = loadId;
  }

  /** @param unfinished a grant that is being acted on: what it made so far is not in the report yet */
  foreign({ status }: Partition, unfinished?: Grant): ForeignInstances {
    return findForeign(this.#view.report.gpus ?? [], this.#loadId(), status?.device?.lastGood, unfinished);
  }

  /** What to remember after a grant that failed: what it made before it did is ours all the same. */
  afterFailure(partition: Partition, granted: Grant): LastGood {
    return this.#lastGood(partition, this.foreign(partition, granted), granted);
  }

  /**
   * What to remember where the GPUs could not be read after a grant. The memory of an earlier boot stays as it is as long as
   * nothing was done in this one: the layout has yet to be made again.
   */
  afterUnread({ status }: Partition, granted: Grant, hasBegun: boolean): Pick<DeviceReport, 'lastGood'> {
    const { lastGood } = status?.device ?? {};
    if (!hasBegun && lastGood !== undefined && !isSameLoad(lastGood.bootID, this.#loadId())) return {};
    return { lastGood: lastGoodOf([], this.#loadId(), new Map(), { lastGood, unfinished: granted }) };
  }

  /** What to remember where these GPUs are as they were asked for: all of them is ours. */
  afterSuccess(partition: Partition, gpus: readonly GpuWish[]): LastGood {
    const rest = [...this.foreign(partition)].filter(([uuid]) => gpus.every((one) => one.uuid !== uuid));
    return this.#lastGood(partition, new Map(rest));
  }

  /**
   * What a reading changes in the memory. A device that is as wished already is taken as it is: from now on its instances are
   * ours, without any operation. A GPU that answers again tells which of its instances are.
   */
  review(partition: Partition): Pick<DeviceReport, 'lastGood'> {
    const { wish } = partition.spec;
    const { gpus = [] } = this.#view.report;
    const foreign = this.foreign(partition);
    const isAdopted = wish?.gpus.some(({ uuid }) => foreign.has(uuid)) === true && deviceMeets(gpus, wish.gpus);
    if (isAdopted) return { lastGood: this.afterSuccess(partition, wish.gpus) };
    const settled = settleClaims(gpus, this.#loadId(), partition.status?.device?.lastGood);
    return settled ? { lastGood: settled } : {};
  }

  #lastGood({ status }: Partition, foreign: ForeignInstances, unfinished?: Grant): LastGood {
    const { lastGood } = status?.device ?? {};
    return lastGoodOf(this.#view.report.gpus ?? [], this.#loadId(), foreign, { lastGood, unfinished });
  }
}
