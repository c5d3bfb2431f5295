import type { DeviceReport, Grant } from '../api/types.ts';
import { isRevocation } from '../core/node/revocation.ts';
import { mayBeRestarting } from '../core/pods/kubelet-error.ts';
import type { Fault } from '../core/report/fault.ts';
import { faultFields } from '../core/report/report-fields.ts';
import { type Clock, waitFor } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { Claim } from './claim.ts';
import type { DeviceView } from './device-view.ts';
import type { GrantClock } from './grant-clock.ts';
import type { WorkOutcome } from './grant-work.ts';
import type { Partition } from './partition.ts';

interface Parts {
  readonly view: DeviceView;
  readonly claim: Claim;
  readonly grantClock: GrantClock;
  /** Makes the device plugin in these pods read the devices again. @returns uids of the pods that were reached */
  readonly signalPods: (uids: readonly string[]) => Promise<readonly string[]>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What follows work on the device: whoever advertises it is told, and it is read again. */
export class WorkEnd {
  readonly #parts: Parts;
  /** What was signalled after the last work of this process; null: nothing. Undefined: it has not done any work yet. */
  #signalled: DeviceReport['signalled'] | null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get signalled(): DeviceReport['signalled'] | null {
    return this.#signalled;
  }

  /** Reads the device after work on it. @returns what to report about it */
  async conclude(
    partition: Partition,
    granted: Grant,
    outcome: WorkOutcome,
    signal: AbortSignal,
  ): Promise<Partial<DeviceReport>> {
    const { claim } = this.#parts;
    if (outcome.hasBegun === true) await this.#signal(granted);
    const readFault = await this.#updateViewAfter(outcome.state, granted, signal);
    const fault = outcome.fault ?? readFault;
    if (!fault) return { step: 'Idle', lastGood: claim.afterSuccess(partition, granted.gpus) };
    return {
      ...faultFields(fault, readFault ? 'Unknown' : 'Failed'),
      ...(readFault
        ? claim.afterUnread(partition, granted, outcome.hasBegun === true)
        : { lastGood: claim.afterFailure(partition, granted) }),
    };
  }

  /** Whether or not the work succeeded, whoever advertises the devices reads them again. */
  async #signal({ epoch, signalPods: uids = [] }: Grant): Promise<void> {
    const { signalPods, logger } = this.#parts;
    const reached = await signalPods(uids);
    this.#signalled = reached.length > 0 ? { epoch, uids: [...reached] } : null;
    if (uids.length > 0) logger.info('device plugin signalled', { asked: uids, reached });
  }

  /** @param state a reading from the end of the work; without it the device is read */
  async #updateViewAfter(state: WorkOutcome['state'], granted: Grant, signal: AbortSignal): Promise<Fault | undefined> {
    const { view, clock } = this.#parts;
    const update = (): Promise<Fault | undefined> => (state ? view.accept(state) : view.read());
    let fault = await update();
    while (fault && mayBeRestarting(fault) && this.mayWait(granted) && !signal.aborted) {
      await waitFor(clock, view.againMs, signal);
      fault = await update();
    }
    view.expectChange();
    return fault;
  }

  /** Whether there is time to wait for a kubelet; not where a grant is taken back, since its node is about to be opened. */
  mayWait(granted: Grant): boolean {
    return !isRevocation(granted) && this.#parts.grantClock.explainEnd(granted) === undefined;
  }
}
