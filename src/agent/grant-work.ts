import { nodePartitions } from '../api/resources.ts';
import type { Grant } from '../api/types.ts';
import { planWish } from '../core/wish/plan-wish.ts';
import { isUnanswered } from '../core/node/observed-epoch.ts';
import { listHeldDevices } from '../core/pods/slice-holders.ts';
import type { DeviceState } from '../core/gpu/state/device-state.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Logger } from '../process/logger.ts';
import { confirmedMs, isRevocation } from '../core/node/revocation.ts';
import type { Clock } from '../process/clock.ts';
import type { Claim } from './claim.ts';
import { Confirmation } from './confirmation.ts';
import type { GpuWork } from '../core/wish/plan-gpu-wish.ts';
import type { Device, WorkOptions } from './device.ts';
import type { DeviceView } from './device-view.ts';
import { type Fault, faultOfWork, GrantRefused } from '../core/report/fault.ts';
import { nameMonitors } from '../core/report/name-monitors.ts';
import type { GrantClock } from './grant-clock.ts';
import type { Kubelet, KubeletWord } from './kubelet.ts';
import type { Partition } from './partition.ts';
import { askPatiently } from './patience.ts';
import type { Planner } from './planner.ts';

/** The outcome, and the reading that proves it, if there is one. */
export interface WorkOutcome {
  readonly fault?: Fault | undefined;
  readonly state?: DeviceState | undefined;
  /** Whether work on the device has begun. */
  readonly hasBegun?: boolean;
}

interface Parts {
  readonly client: KubeClient;
  readonly device: Device;
  readonly kubelet: Kubelet | undefined;
  readonly logger: Logger;
  readonly view: DeviceView;
  readonly claim: Claim;
  readonly planner: Planner;
  readonly grantClock: GrantClock;
  readonly clock: Clock;
}

/** What the work rests on. */
interface Permission {
  readonly granted: Grant;
  readonly confirmation: Confirmation;
  /** Why nothing may be started any more. */
  readonly isOver: () => string | undefined;
  /** Whether a kubelet that may be restarting is waited for. */
  readonly mayWait: () => boolean;
}

/** Between a look at who uses a GPU and its destroy, a question must not take long. */
const quickly = { timeoutMs: 5_000, attempts: 2 } as const;

/** Nothing was touched. */
function explainUse(holders: string): Fault {
  return { code: 'InUse', message: `${holders}. Nothing was touched; it is retried soon` };
}

/** Carries out grants on the device. */
export class GrantWork {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws GrantRefused, DeviceError, and the API server's errors: then nothing was destroyed */
  async carryOut(partition: Partition, granted: Grant, signal: AbortSignal): Promise<WorkOutcome> {
    const { logger, view, planner, grantClock } = this.#parts;
    // 1. Plan on the device as it is now, not as it was when the grant was written.
    const replanned = await this.#replan(partition, granted);
    if ('fault' in replanned) return replanned;
    const { plan } = replanned;
    const { refusal, refusalCode } = plan.report;
    if (plan.work.length > 0 && isRevocation(granted)) {
      throw new GrantRefused(
        'Stale',
        `grant ${granted.epoch} takes back the one before, which was not answered in time`,
      );
    }
    if (refusal !== undefined) {
      return { fault: refusalCode === 'InUse' ? explainUse(refusal) : { code: 'Refused', message: refusal } };
    }
    if (plan.work.length === 0) return { state: view.state };
    // 2. Only the granted plan may be carried out. A new plan is reported, and granted or not.
    if (plan.report.hash !== granted.planHash) {
      const message = 'the device changed after the plan was made; the new plan is in status.device.plan';
      return { fault: { code: 'PlanChanged', message } };
    }
    // 3. The plan assumes that its pods have gone. The kubelet and the driver know best whether they have.
    const inTheWay = planner.listInTheWay(plan.report);
    if (inTheWay.length > 0) return { fault: explainUse(inTheWay.join('; ')) };
    // 4. Carry it out. The grant is confirmed at the API server itself, before it begins and as long as anything is destroyed.
    const end = grantClock.explainEnd(granted);
    if (end !== undefined) throw new GrantRefused('Expired', `grant ${granted.epoch} is not acted on: ${end}`);
    const confirmation = this.#confirmation(partition, granted, true);
    await confirmation.renew();
    logger.info('applying', { epoch: granted.epoch, ...plan.report });
    // On the signal, it finishes the current GPU; once the grant has expired, it starts no operation at all.
    const isOver = (): string | undefined => grantClock.explainEnd(granted);
    const mayWait = (): boolean => isOver() === undefined;
    const options = this.#options(partition, signal, { granted, confirmation, isOver, mayWait });
    return this.#apply(granted, plan.work, options);
  }

  /**
   * Recreates a granted layout of which a reboot has left nothing. It only creates; anything else needs a grant.
   *
   * @returns undefined if creating is not enough
   */
  async makeAgain(partition: Partition, granted: Grant, signal: AbortSignal): Promise<WorkOutcome | undefined> {
    const { logger, view, claim } = this.#parts;
    const { work, report } = planWish(view.report, granted, claim.foreign(partition));
    const destroys = work.some(
      ({ mode, resets, steps }) =>
        mode === 'Disable' || resets === true || steps.some(({ action }) => action.startsWith('Destroy')),
    );
    if (report.refusal !== undefined || report.drains !== undefined || destroys) return undefined;
    if (work.length === 0) return { state: view.state };
    logger.info('the node restarted; recreating the granted layout', { ...report });
    const confirmation = this.#confirmation(partition, granted, false);
    const options = this.#options(partition, signal, {
      granted,
      confirmation,
      isOver: () => undefined,
      // Nothing limits this work, and it is tried again.
      mayWait: () => false,
    });
    return this.#apply(granted, work, options);
  }

  async #apply(granted: Grant, work: readonly GpuWork[], options: WorkOptions): Promise<WorkOutcome> {
    const { device, view } = this.#parts;
    view.expire();
    const { results, device: state } = await device.apply(granted.gpus, work, options);
    const fault = faultOfWork(results);
    return { state, fault: fault && nameMonitors(fault, view.report.gpus ?? [], view.users), hasBegun: true };
  }

  /** A reading that was just made will do, with new answers of the kubelet, if it shows nothing but the work that is granted. */
  async #replan(
    partition: Partition,
    granted: Grant,
  ): Promise<{ readonly fault: Fault } | { readonly plan: ReturnType<Planner['plan']> }> {
    const { view, planner } = this.#parts;
    if (view.isFresh) {
      const fault = await view.askAgain();
      if (fault) return { fault };
      const plan = planner.plan(partition, granted, granted);
      const { hash, refusal } = plan.report;
      const isAsGranted = plan.work.length > 0 && refusal === undefined && hash === granted.planHash;
      if (isAsGranted && planner.listInTheWay(plan.report).length === 0) return { plan };
    }
    const fault = await view.read();
    return fault ? { fault } : { plan: planner.plan(partition, granted, granted) };
  }

  #options(
    partition: Partition,
    signal: AbortSignal,
    { granted, confirmation, isOver, mayWait }: Permission,
  ): WorkOptions {
    const { kubelet, view, clock } = this.#parts;
    return {
      signal,
      device: view.state,
      allowReset: granted.allowGpuReset ?? false,
      undo: granted.rollback !== 'Never',
      allOrNothing: partition.spec.strategy === 'single',
      explainStop: (disrupts) => isOver() ?? (disrupts ? confirmation.explainEnd() : undefined),
      confirm: () => confirmation.renew(),
      listHeld: async () => {
        const ask = async (): Promise<KubeletWord | undefined> => kubelet?.ask(view.report, partition.spec);
        const word = await askPatiently(ask, { clock, signal, mayWait });
        return word ? listHeldDevices(word.holders, view.report) : new Set();
      },
    };
  }

  #confirmation(partition: Partition, granted: Grant, mustBeOpen: boolean): Confirmation {
    const ask = (): Promise<void> => this.#confirm(partition, granted, mustBeOpen);
    return new Confirmation(ask, this.#parts.clock, confirmedMs(granted));
  }

  /**
   * Reads the object again: no answer, no destroy. If our report that a grant is finished was written, but the API server's answer
   * was lost, the controller may have opened the node by now.
   */
  async #confirm(partition: Partition, granted: Grant, mustBeOpen: boolean): Promise<void> {
    const { name, uid } = partition.metadata;
    const fresh = await this.#parts.client.get<Partition>({ resource: nodePartitions, name }, quickly);
    if (fresh.metadata.uid !== uid || fresh.spec.granted?.epoch !== granted.epoch) {
      throw new GrantRefused('Stale', `grant ${granted.epoch} was replaced`);
    }
    if (mustBeOpen && !isUnanswered(fresh)) {
      throw new GrantRefused('Stale', `grant ${granted.epoch} was already answered`);
    }
  }
}
