import { nodePartitions } from '../api/resources.ts';
import type { DeviceReport, GpuNodePartition, Grant, GpuWish, PlanReport } from '../api/types.ts';
import { sameJson } from '../core/fingerprint.ts';
import { offersDevices } from '../core/labels/advertised.ts';
import { describeReport } from '../core/labels/describe-report.ts';
import { computeResources } from '../core/labels/node-resources.ts';
import { findForeign, type ForeignInstances, lastGoodOf } from '../core/policy/ownership.ts';
import { planWish } from '../core/policy/plan-wish.ts';
import { deviceMeets } from '../core/policy/wish.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { KubeObject } from '../kube/resource.ts';
import { isOlder } from '../kube/resource-version.ts';
import { DeviceError } from '../device/errors.ts';
import type { DeviceState } from '../device/state.ts';
import type { Logger } from '../process/logger.ts';
import type { Device, WorkOptions } from './device.ts';
import { DeviceView } from './device-view.ts';
import { type Fault, faultOf, GrantRefused } from './fault.ts';
import type { Kubelet } from './kubelet.ts';
import { faultFields, keepOutcome, pickReading, retryMs } from './report-fields.ts';

export type Partition = GpuNodePartition & KubeObject;

export interface AgentOptions {
  readonly client: KubeClient;
  readonly device: Device;
  /** Who holds which slice, and what is offered; absent where the kubelet cannot be asked. */
  readonly kubelet?: Kubelet | undefined;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly agentVersion: string;
  readonly bootID: string;
  readonly machine: string | undefined;
  /** How often the GPUs are read when nothing else asks for it, in ms. */
  readonly readIntervalMs: number;
}

/** How a grant went, and the reading that proves it, where there is one. */
interface Outcome {
  readonly fault?: Fault | undefined;
  readonly state?: DeviceState | undefined;
}

/**
 * Makes one node's device equal to what is granted, and tells what the device is. It reads its GpuNodePartition, and
 * writes `status.device` of it and nothing else. What is not granted is planned, never done.
 */
export class NodeAgent {
  readonly #options: AgentOptions;
  readonly #view: DeviceView;
  #plannedWish: unknown;
  /** Grants in a row that failed. */
  #failures = 0;
  /** The object as we wrote it last, until the watch brings it back. */
  #written: Partition | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    const { device, kubelet, logger, readIntervalMs } = options;
    this.#view = new DeviceView({ read: () => device.read(), kubelet, logger, intervalMs: readIntervalMs });
  }

  /** Does what the object asks for, if anything; called when it changes, and from time to time. */
  async reconcile(watched: Partition | undefined, signal: AbortSignal): Promise<ReconcileResult | void> {
    // 1. The controller makes the object; until it is there nobody is asked for anything. A missing wish is no wish.
    if (watched === undefined) return;
    const partition = this.#newest(watched);
    const { granted, wish } = partition.spec;
    const seen = partition.status?.device;
    this.#view.strategy = partition.spec.strategy;
    const isDue = granted !== undefined && granted.epoch > (seen?.observedEpoch ?? 0);
    // 2. Act on a grant that is not done with; otherwise look at the device when there is a reason to.
    if (isDue) return this.#act(partition, granted, signal);
    if (this.#view.isStale || !sameJson(wish, this.#plannedWish)) {
      const fault = await this.#view.read();
      if (fault) {
        await this.#report(partition, { ...this.#state(seen), ...faultFields(fault, 'Unknown') });
        return { requeueAfterMs: Math.min(this.#options.readIntervalMs, retryMs(this.#view.failures)) };
      }
    }
    await this.#view.settle((advertised) => this.#offersDevices(partition, advertised));
    const rebuilt = await this.#rebuildAfterBoot(partition, signal);
    // 3. Report.
    const outcome = rebuilt ?? { ...keepOutcome(seen), ...this.#adopt(partition) };
    return this.#report(partition, { ...this.#state(seen), ...outcome, ...this.#plan(partition) });
  }

  /** Makes the device equal to the grant, and remembers how it went whatever happens. */
  async #act(partition: Partition, granted: Grant, signal: AbortSignal): Promise<ReconcileResult | void> {
    const { logger } = this.#options;
    const epoch = granted.epoch;
    let fault: Fault | undefined;
    let state: DeviceState | undefined;
    try {
      ({ fault, state } = await this.#apply(partition, granted, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      // No answer from the API server: nothing has been destroyed without it, and the grant still stands.
      if (!(error instanceof GrantRefused || error instanceof DeviceError)) throw error;
      fault = faultOf(error);
    }
    this.#failures = fault ? this.#failures + 1 : 0;
    const readFault = await (state ? this.#view.take(state) : this.#view.read());
    this.#view.expectChange();
    logger[fault ? 'warn' : 'info']('grant finished', {
      epoch,
      ...(fault ? { code: fault.code, error: fault.message } : {}),
    });
    const outcome = fault ?? readFault;
    const known = { ...this.#state(partition.status?.device), observedEpoch: epoch };
    if (outcome) {
      return this.#report(partition, {
        ...known,
        ...faultFields(outcome, readFault ? 'Unknown' : 'Failed', outcome.retryAtOnce ? 0 : retryMs(this.#failures)),
        // What it made before it failed is ours all the same.
        ...(readFault ? {} : { lastGood: this.#lastGood(this.#foreign(partition, granted)) }),
        ...this.#plan(partition),
      });
    }
    return this.#report(partition, {
      ...known,
      step: 'Idle',
      lastGood: this.#lastGood(this.#foreignBeside(partition, granted.gpus)),
      ...this.#plan(partition),
    });
  }

  async #apply(partition: Partition, granted: Grant, signal: AbortSignal): Promise<Outcome> {
    const { device, logger } = this.#options;
    // 1. Plan on the device as it is now, not as it was when the grant was written.
    const readFault = await this.#view.read();
    if (readFault) return { fault: readFault };
    const plan = planWish(this.#view.report, granted, this.#foreign(partition, granted));
    if (plan.report.refusal !== undefined) return { fault: { code: 'Refused', message: plan.report.refusal } };
    if (plan.work.length === 0) return { state: this.#view.state };
    // 2. Only the plan that was looked at may be carried out. The new one is reported, and granted or not.
    if (plan.report.hash !== granted.planHash) {
      const message = 'the device has changed since the plan was made; the new plan is in status.device.plan';
      return { fault: { code: 'PlanChanged', message, retryAtOnce: true } };
    }
    // 3. Carry it out. The grant is confirmed at the API server itself before the first destroy.
    const deadline = Date.parse(granted.deadline);
    if (Date.now() > deadline) {
      throw new GrantRefused('Expired', `the deadline ${granted.deadline} of the grant has passed`);
    }
    logger.info('applying', { epoch: granted.epoch, ...plan.report });
    const { failures, state } = await device.apply(granted.gpus, plan.work, {
      ...this.#workOptions(partition, granted, signal),
      // Asked to stop, it finishes the GPU at hand (signal); after the deadline it starts no operation at all.
      mayStart: () => Date.now() <= deadline,
    });
    const [failure] = failures;
    return { state, fault: failure && faultOf(failure.error, failure.uuid) };
  }

  #workOptions(partition: Partition, granted: Grant, signal: AbortSignal): WorkOptions {
    return {
      signal,
      state: this.#view.state,
      allowGpuReset: granted.allowGpuReset ?? false,
      undo: granted.rollback !== 'Never',
      allOrNothing: partition.spec.strategy === 'single',
      mayStart: () => true,
      confirm: () => this.#confirm(partition, granted),
      listHeld: async () =>
        new Set((await this.#options.kubelet?.ask(this.#view.report, partition.spec.strategy))?.holders.keys()),
    };
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
    const gpus = this.#view.report.gpus ?? [];
    if (deviceMeets(gpus, granted.gpus))
      return { step: 'Idle', lastGood: this.#lastGood(this.#foreignBeside(partition, granted.gpus)) };
    const plan = planWish(this.#view.report, granted, this.#foreign(partition, undefined));
    const destroys = plan.work.some(
      ({ mode, steps }) => mode === 'Disable' || steps.some(({ action }) => action.startsWith('Destroy')),
    );
    if (plan.report.refusal !== undefined || destroys) return undefined;
    logger.info('the node has been restarted; making the granted layout again', { ...plan.report });
    const options = this.#workOptions(partition, granted, signal);
    const { failures, state } = await device.apply(granted.gpus, plan.work, options);
    const [failure] = failures;
    await (state ? this.#view.take(state) : this.#view.read());
    this.#view.expectChange();
    if (failure) return faultFields(faultOf(failure.error, failure.uuid), 'Failed', retryMs(this.#failures));
    return { step: 'Idle', lastGood: this.#lastGood(this.#foreignBeside(partition, granted.gpus)) };
  }

  /** A device that is as wished already is taken as it is: from now on its instances are ours, without any operation. */
  #adopt(partition: Partition): Partial<DeviceReport> {
    const { wish } = partition.spec;
    if (!wish || !deviceMeets(this.#view.report.gpus ?? [], wish.gpus)) return {};
    const isKnown = wish.gpus.every(({ uuid }) => !this.#foreign(partition, undefined).has(uuid));
    return isKnown ? {} : { lastGood: this.#lastGood(this.#foreignBeside(partition, wish.gpus)) };
  }

  /** @param unfinished a grant that is being acted on: what it made so far is not in the report yet */
  #foreign(partition: Partition, unfinished: Grant | undefined): ForeignInstances {
    const { lastGood } = partition.status?.device ?? {};
    return findForeign(this.#view.report.gpus ?? [], this.#options.bootID, lastGood, unfinished);
  }

  /** What is foreign where these GPUs are as they were asked for, and so ours. */
  #foreignBeside(partition: Partition, gpus: readonly GpuWish[]): ForeignInstances {
    const rest = [...this.#foreign(partition, undefined)].filter(([uuid]) => gpus.every((one) => one.uuid !== uuid));
    return new Map(rest);
  }

  #lastGood(foreign: ForeignInstances): NonNullable<DeviceReport['lastGood']> {
    return lastGoodOf(this.#view.report.gpus ?? [], this.#options.bootID, foreign);
  }

  #offersDevices(partition: Partition, advertised: NonNullable<DeviceReport['advertised']>): boolean {
    const { resources, errors } = computeResources(
      describeReport(this.#view.report),
      partition.spec.strategy ?? 'mixed',
    );
    return (advertised.stale ?? 0) === 0 && errors.length === 0 && offersDevices(advertised.resources, resources);
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
      ...(this.#view.hasReport ? this.#view.report : pickReading(seen)),
    };
  }

  #plan(partition: Partition): { readonly plan?: PlanReport } {
    const { wish } = partition.spec;
    this.#plannedWish = wish;
    const foreign = this.#foreign(partition, undefined);
    const plan = wish && this.#view.hasReport ? planWish(this.#view.report, wish, foreign).report : undefined;
    this.#view.isInUse = plan?.refusalCode === 'InUse';
    return plan ? { plan } : {};
  }

  /** Writes `status.device` if it differs. */
  async #report(partition: Partition, device: DeviceReport): Promise<ReconcileResult> {
    const again = { requeueAfterMs: this.#view.againMs };
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
