import { adoptAnnotation } from '../api/names.ts';
import type { DeviceReport, Grant, GpuWish } from '../api/types.ts';
import { findForeign, type ForeignInstances, lastGoodOf, settleClaims } from '../core/wish/ownership.ts';
import { isSameLoad } from '../core/wish/load-id.ts';
import { deviceMeets } from '../core/wish/wish.ts';
import type { DeviceView } from './device-view.ts';
import type { Partition } from './partition.ts';

type LastGood = NonNullable<DeviceReport['lastGood']>;

/** Which instances of the node are ours: those in `lastGood`, and those that an unfinished grant made. */
export class Claim {
  readonly #view: DeviceView;
  readonly #bootID: string;
  readonly #loadId: () => string;

  /** @param loadId of the current boot and load of the driver */
  constructor(view: DeviceView, bootID: string, loadId: () => string) {
    this.#view = view;
    this.#bootID = bootID;
    this.#loadId = loadId;
  }

  /** @param unfinished a grant that is being acted on: what it has made so far is not in the report yet */
  foreign({ status }: Partition, unfinished?: Grant): ForeignInstances {
    return findForeign(this.#view.report.gpus ?? [], this.#loadId(), status?.device?.lastGood, unfinished);
  }

  /** What to remember after a failed grant: what it made before the failure is still ours. */
  afterFailure(partition: Partition, granted: Grant): LastGood {
    return this.#lastGood(partition, this.foreign(partition, granted), granted);
  }

  /**
   * What to remember if the GPUs could not be read after a grant. The memory of an earlier boot stays unchanged as long as nothing
   * was done in this one: the layout must still be recreated.
   */
  afterUnread({ status }: Partition, granted: Grant, hasBegun: boolean): Pick<DeviceReport, 'lastGood'> {
    const { lastGood } = status?.device ?? {};
    if (!hasBegun && lastGood !== undefined && !isSameLoad(lastGood.bootID, this.#loadId())) return {};
    return { lastGood: lastGoodOf([], this.#loadId(), new Map(), { lastGood, unfinished: granted }) };
  }

  /** What to remember when these GPUs match the request: everything on them is ours. */
  afterSuccess(partition: Partition, gpus: readonly GpuWish[]): LastGood {
    const rest = [...this.foreign(partition)].filter(([uuid]) => gpus.every((one) => one.uuid !== uuid));
    return this.#lastGood(partition, new Map(rest));
  }

  /**
   * What a reading changes in the memory. A device that already matches the wish is adopted: from now on its instances are ours,
   * without any operation; so is one that somebody adopts by annotation in this boot. A GPU that answers again shows which of its
   * instances are ours.
   */
  review(partition: Partition): Pick<DeviceReport, 'lastGood'> {
    const { wish } = partition.spec;
    const { gpus = [] } = this.#view.report;
    const foreign = this.foreign(partition);
    const isAdopted = wish?.gpus.some(({ uuid }) => foreign.has(uuid)) === true && deviceMeets(gpus, wish.gpus);
    if (isAdopted) return { lastGood: this.afterSuccess(partition, wish.gpus) };
    const isAsked = partition.metadata.annotations?.[adoptAnnotation] === this.#bootID;
    if (isAsked && foreign.size > 0) return { lastGood: this.#lastGood(partition, new Map()) };
    const settled = settleClaims(gpus, this.#loadId(), partition.status?.device?.lastGood);
    return settled ? { lastGood: settled } : {};
  }

  #lastGood({ status }: Partition, foreign: ForeignInstances, unfinished?: Grant): LastGood {
    const { lastGood } = status?.device ?? {};
    return lastGoodOf(this.#view.report.gpus ?? [], this.#loadId(), foreign, { lastGood, unfinished });
  }
}
