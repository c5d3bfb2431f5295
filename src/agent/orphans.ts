import type { NodePartitionSpec } from '../api/types.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { Clock } from '../process/clock.ts';
import { describeError, type Logger } from '../process/logger.ts';
import type { DeviceView } from './device-view.ts';
import type { Kubelet } from './kubelet.ts';
import type { Partition } from './partition.ts';

/** After this many ms a kubelet that rejected it is asked again, and a plugin that served a resource is looked for. */
const againMs = 5_000;

export interface OrphansOptions {
  readonly view: DeviceView;
  readonly kubelet: Pick<Kubelet, 'ask'> | undefined;
  /** Makes the kubelet forget this resource. @returns false if a plugin serves it @throws Error if the kubelet still offers it */
  readonly endRegistration: (resource: string) => Promise<boolean>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Registrations with the kubelet that no device plugin serves: see the step `Unregister` of the fence. */
export class Orphans {
  readonly #options: OrphansOptions;
  #ended: NodePartitionSpec['unregister'];
  #notBeforeMs = -Infinity;

  constructor(options: OrphansOptions) {
    this.#options = options;
  }

  /** Ends those that the controller has seen after the last grant, once for each request. */
  async end({ spec: { unregister, granted }, status }: Partition): Promise<void> {
    const { kubelet, clock, logger } = this.#options;
    // The node was open, or its object is another one: the same words are another request then.
    if (unregister === undefined) this.#ended = undefined;
    if (!kubelet || unregister === undefined || sameJson(unregister, this.#ended)) return;
    if (unregister.epoch !== granted?.epoch || unregister.epoch !== status?.device?.observedEpoch) return;
    if (clock.monotonicMs() < this.#notBeforeMs) return;
    try {
      if (await this.#endAll(unregister, kubelet)) this.#ended = unregister;
      else this.#notBeforeMs = clock.monotonicMs() + againMs;
    } catch (error) {
      this.#notBeforeMs = clock.monotonicMs() + againMs;
      logger.warn('the kubelet still offers devices of a plugin that is gone', { error: describeError(error) });
    }
  }

  /** @returns whether none is left */
  async #endAll(
    { resources, leftBehind }: NonNullable<NodePartitionSpec['unregister']>,
    kubelet: Pick<Kubelet, 'ask'>,
  ): Promise<boolean> {
    const { view, endRegistration, logger } = this.#options;
    const { unserved = [], advertised } = (await kubelet.ask(view.report, view.asked)) ?? {};
    // A plugin may have come back since, unless our taint keeps it away.
    const left = leftBehind === true ? Object.keys(advertised?.resources ?? {}) : unserved;
    const offered = resources.filter((name) => left.includes(name));
    const ended: string[] = [];
    for (const name of offered) if (await endRegistration(name)) ended.push(name);
    if (ended.length > 0) {
      logger.warn('the kubelet offered devices of a plugin that is gone: taken off', { resources: ended });
      await view.askAgain();
    }
    return ended.length === offered.length;
  }
}
