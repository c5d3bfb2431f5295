import { nodePartitions } from '../api/resources.ts';
import type { DeviceReport, GpuNodePartition, Grant, PlanReport } from '../api/types.ts';
import { sameJson } from '../core/fingerprint.ts';
import { deviceMeets } from '../core/policy/wish.ts';
import { planWish } from '../core/policy/plan-wish.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { KubeObject } from '../kube/resource.ts';
import { isOlder } from '../kube/resource-version.ts';
import { DeviceError } from '../device/errors.ts';
import { describeError, type Logger } from '../process/logger.ts';
import type { Device } from './device.ts';
import { type Fault, faultOf, GrantRefused } from './fault.ts';
import { faultFields, keepOutcome, lastGoodOf, pickReading, retryMs } from './report-fields.ts';
import { reportDevice } from '../device/report-device.ts';

export type Partition = GpuNodePartition & KubeObject;

export interface AgentOptions {
  readonly client: KubeClient;
  readonly device: Device;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly agentVersion: string;
  readonly bootID: string;
  readonly machine: string | undefined;
  /** How often the GPUs are read when nothing else asks for it, in ms. */
  readonly readIntervalMs: number;
}

/** What the agent found when it read the device last. */
interface Reading {
  readonly report: ReturnType<typeof reportDevice>;
  readonly at: number;
}

/** How often the device is read while a process is in the way of the wish, in ms. */
const busyReadMs = 5_000;

/**
 * Makes one node's device equal to what is granted, and tells what the device is. It reads its GpuNodePartition, and
 * writes `status.device` of it and nothing else. What is not granted is planned, never done.
 */
export class NodeAgent {
  readonly #options: AgentOptions;
  #reading: Reading | undefined;
  #plannedWish: unknown;
  #isInUse = false;
  /** In a row. */
  #failures = 0;
  #readFailures = 0;
  /** The object as we wrote it last, until the watch brings it back. */
  #written: Partition | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** Does what the object asks for, if anything; called when it changes, and from time to time. */
  async reconcile(watched: Partition | undefined, signal: AbortSignal): Promise<ReconcileResult | void> {
    // 1. The controller makes the object; until it is there nobody is asked for anything. A missing wish is no wish.
    if (watched === undefined) return;
    const partition = this.#newest(watched);
    const { granted, wish } = partition.spec;
    const seen = partition.status?.device;
    const isDue = granted !== undefined && granted.epoch > (seen?.observedEpoch ?? 0);
    // 2. Act on a grant that is not done with; otherwise look at the device when there is a reason to.
    if (isDue) return this.#act(partition, granted, signal);
    if (this.#isStale() || !sameJson(wish, this.#plannedWish)) {
      const fault = await this.#read();
      if (fault) {
        await this.#report(partition, { ...this.#state(seen), ...faultFields(fault, 'Unknown') });
        return { requeueAfterMs: Math.min(this.#options.readIntervalMs, retryMs(this.#readFailures)) };
      }
    }
    const rebuilt = await this.#rebuildAfterBoot(partition, signal);
    // 3. Report.
    const outcome = rebuilt ?? keepOutcome(seen);
    return this.#report(partition, { ...this.#state(seen), ...outcome, ...this.#plan(partition) });
  }

  /** Makes the device equal to the grant, and remembers how it went whatever happens. */
  async #act(partition: Partition, granted: Grant, signal: AbortSignal): Promise<ReconcileResult | void> {
    const { logger } = this.#options;
    const epoch = granted.epoch;
    let fault: Fault | undefined;
    try {
      fault = await this.#apply(partition, granted, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      // No answer from the API server: nothing has been destroyed without it, and the grant still stands.
      if (!(error instanceof GrantRefused || error instanceof DeviceError)) throw error;
      fault = faultOf(error);
    }
    this.#failures = fault ? this.#failures + 1 : 0;
    const readFault = await this.#read();
    logger[fault ? 'warn' : 'info']('grant finished', {
      epoch,
      ...(fault ? { code: fault.code, error: fault.message } : {}),
    });
    const outcome = fault ?? readFault;
    const state = { ...this.#state(partition.status?.device), observedEpoch: epoch };
    if (outcome) {
      return this.#report(partition, {
        ...state,
        ...faultFields(outcome, readFault ? 'Unknown' : 'Failed', outcome.retryAtOnce ? 0 : retryMs(this.#failures)),
        ...this.#plan(partition),
      });
    }
    const lastGood = lastGoodOf(this.#latest(), this.#options.bootID);
    return this.#report(partition, {
      ...state,
      step: 'Idle',
      lastGood,
      ...this.#plan(partition),
    });
  }

  async #apply(partition: Partition, granted: Grant, signal: AbortSignal): Promise<Fault | undefined> {
    const { device, logger } = this.#options;
    // 1. Plan on the device as it is now, not as it was when the grant was written.
    const readFault = await this.#read();
    if (readFault) return readFault;
    const plan = planWish(this.#latest(), granted.gpus);
    if (plan.report.refusal !== undefined) return { code: 'Refused', message: plan.report.refusal };
    if (plan.work.length === 0) return undefined;
    // 2. Only the plan that was looked at may be carried out. The new one is reported, and granted or not.
    if (plan.report.hash !== granted.planHash) {
      return {
        code: 'PlanChanged',
        message: 'the device has changed since the plan was made; the new plan is in status.device.plan',
        retryAtOnce: true,
      };
    }
    // 3. Carry it out. The grant is confirmed at the API server itself before the first destroy.
    const deadline = Date.parse(granted.deadline);
    if (Date.now() > deadline) {
      throw new GrantRefused('Expired', `the deadline ${granted.deadline} of the grant has passed`);
    }
    logger.info('applying', { epoch: granted.epoch, ...plan.report });
    const [failure] = await device.apply(granted.gpus, plan.work, {
      signal,
      allowGpuReset: granted.allowGpuReset ?? false,
      allOrNothing: partition.spec.strategy === 'single',
      // Asked to stop, it finishes the GPU at hand (signal); after the deadline it starts no operation at all.
      mayStart: () => Date.now() <= deadline,
      confirm: () => this.#confirm(partition, granted),
    });
    return failure && faultOf(failure.error, failure.uuid);
  }

  /** Reads the object afresh: no answer, no destroy. */
  async #confirm(partition: Partition, granted: Grant): Promise<void> {
    const { name, uid } = partition.metadata;
    const fresh = await this.#options.client.get<Partition>({ resource: nodePartitions, name });
    if (fresh.metadata.uid !== uid || fresh.spec.granted?.epoch !== granted.epoch) {
      throw new GrantRefused('Stale', `grant ${granted.epoch} has been replaced meanwhile`);
    }
  }

  /**
   * GPU instances never survive a reboot. What was granted and done before is made again without asking: nobody can
   * be using it, and pods bound to the node wait for it. Only creates; anything else goes the usual way.
   */
  async #rebuildAfterBoot(partition: Partition, signal: AbortSignal): Promise<Partial<DeviceReport> | undefined> {
    const { granted } = partition.spec;
    const { lastGood } = partition.status?.device ?? {};
    const { bootID, device, logger } = this.#options;
    if (!granted || !lastGood || lastGood.bootID === bootID) return undefined;
    if (deviceMeets(this.#latest().gpus ?? [], granted.gpus))
      return { step: 'Idle', lastGood: lastGoodOf(this.#latest(), this.#options.bootID) };
    const plan = planWish(this.#latest(), granted.gpus);
    const destroys = plan.work.some(
      ({ mode, steps }) => mode === 'Disable' || steps.some(({ action }) => action.startsWith('Destroy')),
    );
    if (plan.report.refusal !== undefined || destroys) return undefined;
    logger.info('the node has been restarted; making the granted layout again', { ...plan.report });
    const [failure] = await device.apply(granted.gpus, plan.work, {
      signal,
      allowGpuReset: granted.allowGpuReset ?? false,
      allOrNothing: partition.spec.strategy === 'single',
      mayStart: () => true,
      confirm: () => this.#confirm(partition, granted),
    });
    await this.#read();
    if (failure) return faultFields(faultOf(failure.error, failure.uuid), 'Failed', retryMs(this.#failures));
    return { step: 'Idle', lastGood: lastGoodOf(this.#latest(), this.#options.bootID) };
  }

  /** Reads the device; a fault leaves the last reading as it was: unknown is not empty. */
  async #read(): Promise<Fault | undefined> {
    try {
      const report = reportDevice(await this.#options.device.read());
      this.#reading = { report, at: performance.now() };
      this.#readFailures = 0;
      return undefined;
    } catch (error) {
      this.#readFailures += 1;
      this.#options.logger.warn('cannot read the GPUs', { error: describeError(error) });
      return faultOf(error);
    }
  }

  #isStale(): boolean {
    return !this.#reading || performance.now() - this.#reading.at > this.#paceMs();
  }

  #paceMs(): number {
    return this.#isInUse ? Math.min(busyReadMs, this.#options.readIntervalMs) : this.#options.readIntervalMs;
  }

  #latest(): DeviceReport {
    return this.#reading?.report ?? {};
  }

  /** What is always reported. */
  #state(seen: DeviceReport | undefined): DeviceReport {
    const { agentVersion, bootID, machine } = this.#options;
    return {
      agentVersion,
      bootID,
      ...(machine === undefined ? {} : { machine }),
      ...(seen?.observedEpoch === undefined ? {} : { observedEpoch: seen.observedEpoch }),
      ...(seen?.lastGood === undefined ? {} : { lastGood: seen.lastGood }),
      ...(this.#reading ? this.#reading.report : pickReading(seen)),
    };
  }

  #plan(partition: Partition): { readonly plan?: PlanReport } {
    const { wish } = partition.spec;
    this.#plannedWish = wish;
    const plan = wish && this.#reading ? planWish(this.#reading.report, wish.gpus).report : undefined;
    this.#isInUse = plan?.refusalCode === 'InUse';
    return plan ? { plan } : {};
  }

  /** Writes `status.device` if it differs. */
  async #report(partition: Partition, device: DeviceReport): Promise<ReconcileResult> {
    const again = { requeueAfterMs: this.#paceMs() + 50 };
    if (sameJson(device, partition.status?.device)) return again;
    const ref = { resource: nodePartitions, name: partition.metadata.name };
    this.#written = await this.#options.client.applyStatus<Partition>(ref, { device });
    return again;
  }

  #newest(watched: Partition): Partition {
    const written = this.#written;
    const isAhead =
      written?.metadata.uid === watched.metadata.uid &&
      isOlder(watched.metadata.resourceVersion, written?.metadata.resourceVersion);
    return isAhead && written ? written : watched;
  }
}
