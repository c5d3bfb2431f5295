import { nodePartitions } from '../api/resources.ts';
import type { DeviceReport, Grant, PlanReport } from '../api/types.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { offersDevices } from '../core/nvidia/resources/advertised.ts';
import { describeReport } from '../core/nvidia/labels/describe-report.ts';
import { computeResources } from '../core/nvidia/resources/node-resources.ts';
import { planWish } from '../core/policy/plan-wish.ts';
import { DeviceError } from '../device/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { isOlder } from '../kube/resource-version.ts';
import type { Logger } from '../process/logger.ts';
import { Claim } from './claim.ts';
import type { Device } from './device.ts';
import { DeviceView } from './device-view.ts';
import { type Fault, faultOf, GrantRefused } from './fault.ts';
import { GrantWork, type Outcome } from './grant-work.ts';
import type { Kubelet } from './kubelet.ts';
import type { Partition } from './partition.ts';
import { faultFields, keepOutcome, pickReading, retryMs } from './report-fields.ts';

export interface AgentOptions {
  readonly client: KubeClient;
  readonly device: Device;
  /** Leaves word on the host that it has to be rebooted. */
  readonly askForReboot: () => Promise<void>;
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

/**
 * Makes one node's device equal to what is granted, and tells what the device is. It reads its GpuNodePartition, and
 * writes `status.device` of it and nothing else. What is not granted is planned, never done.
 */
export class NodeAgent {
  readonly #options: AgentOptions;
  readonly #view: DeviceView;
  readonly #claim: Claim;
  readonly #work: GrantWork;
  #plannedWish: unknown;
  /** Grants in a row that failed. */
  #failures = 0;
  /** In this boot, of which this process sees no other. */
  #hasTriedToRebuild = false;
  /** The object as we wrote it last, until the watch brings it back. */
  #written: Partition | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    const { client, device, kubelet, logger, readIntervalMs, bootID } = options;
    this.#view = new DeviceView({ read: () => device.read(), kubelet, logger, intervalMs: readIntervalMs });
    this.#claim = new Claim(this.#view, bootID);
    this.#work = new GrantWork({ client, device, kubelet, logger, view: this.#view, claim: this.#claim });
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
    const outcome = rebuilt ?? { ...keepOutcome(seen), ...this.#claim.adopt(partition) };
    return this.#report(partition, { ...this.#state(seen), ...outcome, ...this.#plan(partition) });
  }

  /** Makes the device equal to the grant, and remembers how it went whatever happens. */
  async #act(partition: Partition, granted: Grant, signal: AbortSignal): Promise<ReconcileResult | void> {
    const { logger } = this.#options;
    const epoch = granted.epoch;
    const { fault, state } = await this.#carryOut(partition, granted, signal);
    this.#failures = fault ? this.#failures + 1 : 0;
    const readFault = await this.#lookAfter(state);
    logger[fault ? 'warn' : 'info']('grant finished', {
      epoch,
      ...(fault ? { code: fault.code, error: fault.message } : {}),
    });
    if (fault?.code === 'RebootRequired' && granted.allowReboot === true) await this.#options.askForReboot();
    const outcome = fault ?? readFault;
    const known = { ...this.#state(partition.status?.device), observedEpoch: epoch };
    if (outcome) {
      return this.#report(partition, {
        ...known,
        ...faultFields(outcome, readFault ? 'Unknown' : 'Failed', outcome.retryAtOnce ? 0 : retryMs(this.#failures)),
        ...(readFault ? {} : { lastGood: this.#claim.afterFailure(partition, granted) }),
        ...this.#plan(partition),
      });
    }
    return this.#report(partition, {
      ...known,
      step: 'Idle',
      lastGood: this.#claim.afterSuccess(partition, granted.gpus),
      ...this.#plan(partition),
    });
  }

  async #carryOut(partition: Partition, granted: Grant, signal: AbortSignal): Promise<Outcome> {
    try {
      return await this.#work.carryOut(partition, granted, signal);
    } catch (error) {
      // No answer from the API server: nothing has been destroyed without it, and the grant still stands.
      if (signal.aborted || !(error instanceof GrantRefused || error instanceof DeviceError)) throw error;
      return { fault: faultOf(error) };
    }
  }

  /** @param state a reading that was made when the work was done; else the device is read */
  async #lookAfter(state: Outcome['state']): Promise<Fault | undefined> {
    const fault = await (state ? this.#view.take(state) : this.#view.read());
    this.#view.expectChange();
    return fault;
  }

  /**
   * GPU instances never survive a reboot. What was granted and done before is made again without asking: nobody can
   * be using it, and pods bound to the node wait for it. Once: what is in the way then, a grant gets out of it.
   */
  async #rebuildAfterBoot(partition: Partition, signal: AbortSignal): Promise<Partial<DeviceReport> | undefined> {
    const { granted } = partition.spec;
    const { lastGood } = partition.status?.device ?? {};
    if (!granted || !lastGood || lastGood.bootID === this.#options.bootID || this.#hasTriedToRebuild) return undefined;
    const outcome = await this.#work.makeAgain(partition, granted, signal);
    if (!outcome) return undefined;
    this.#hasTriedToRebuild = true;
    await this.#lookAfter(outcome.state);
    if (outcome.fault) return faultFields(outcome.fault, 'Failed', retryMs(this.#failures));
    return { step: 'Idle', lastGood: this.#claim.afterSuccess(partition, granted.gpus) };
  }

  #offersDevices(partition: Partition, advertised: NonNullable<DeviceReport['advertised']>): boolean {
    const { resources, errors } = computeResources(
      describeReport(this.#view.report),
      partition.spec.strategy ?? 'mixed',
    );
    return advertised.stale === 0 && errors.length === 0 && offersDevices(advertised.resources ?? {}, resources);
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
    const foreign = this.#claim.foreign(partition);
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
