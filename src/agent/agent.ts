import type { DeviceReport, Grant, PlanReport } from '../api/types.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import { observedEpochOf } from '../core/node/observed-epoch.ts';
import { offersDevices } from '../core/nvidia/resources/advertised.ts';
import { describeReport } from '../core/nvidia/labels/describe-report.ts';
import { computeResources } from '../core/nvidia/resources/node-resources.ts';
import { isSameLoad, loadIdOf } from '../core/policy/load-id.ts';
import { DeviceError } from '../device/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { type Clock, systemClock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import { Claim } from './claim.ts';
import type { Device } from './device.ts';
import { DeviceView } from './device-view.ts';
import { type Fault, faultOf, GrantRefused } from './fault.ts';
import { GrantClock } from './grant-clock.ts';
import { GrantWork, type WorkOutcome } from './grant-work.ts';
import { cutHolders, type Kubelet } from './kubelet.ts';
import { OwnPartition } from './own-partition.ts';
import type { Partition } from './partition.ts';
import { Planner } from './planner.ts';
import { Readiness } from './readiness.ts';
import { faultFields, keepOutcome, pickReading, retryMs, retrySoonMs } from './report-fields.ts';

export interface AgentOptions {
  readonly client: KubeClient;
  readonly device: Device;
  /** Leaves word on the host that it has to be rebooted. */
  readonly askForReboot: () => Promise<void>;
  /** Who holds which slice, and what is offered; absent where the kubelet cannot be asked. */
  readonly kubelet?: Kubelet | undefined;
  /** Has the device plugin in these pods look at the devices again. @returns uids of the pods that were reached */
  readonly signalPods: (uids: readonly string[]) => Promise<readonly string[]>;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly agentVersion: string;
  readonly bootID: string;
  /** Tells one load of the driver from the next; absent where the kernel does not tell. */
  readonly driverLoad?: () => string | undefined;
  readonly machine: string | undefined;
  /** How often the GPUs are read when nothing else asks for it, in ms. */
  readonly readIntervalMs: number;
  readonly clock?: Clock;
}

/**
 * Makes one node's device equal to what is granted, and tells what the device is. It reads its GpuNodePartition, and
 * writes `status.device` of it and nothing else. What is not granted is planned, never done.
 */
export class NodeAgent {
  readonly #options: AgentOptions;
  readonly #own: OwnPartition;
  readonly #view: DeviceView;
  readonly #claim: Claim;
  readonly #planner: Planner;
  readonly #work: GrantWork;
  readonly #grantClock: GrantClock;
  /** Of the driver, as it was when the GPUs were looked at last. */
  #load: Pick<DeviceReport, 'driverLoad'>;
  #plannedWish: unknown;
  /** What was signalled after the last work of this process; null: nothing. Undefined: it has done none yet. */
  #signalled: DeviceReport['signalled'] | null;
  /** Grants in a row that failed. */
  #failures = 0;
  readonly #readiness = new Readiness();
  /** In this load of the driver; of boots this process sees no other. */
  #hasTriedToRebuild = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#load = {};
    const { client, device, kubelet, logger, readIntervalMs, bootID, clock = systemClock } = options;
    this.#own = new OwnPartition(client, options.nodeName);
    this.#view = new DeviceView({ read: () => device.read(), kubelet, logger, intervalMs: readIntervalMs, clock });
    this.#claim = new Claim(this.#view, () => loadIdOf({ bootID, ...this.#load }));
    this.#planner = new Planner(this.#view, this.#claim);
    this.#grantClock = new GrantClock(clock);
    const known = { view: this.#view, claim: this.#claim, planner: this.#planner, clock: this.#grantClock };
    this.#work = new GrantWork({ client, device, kubelet, logger, ...known });
  }

  /** Why nobody should count on this agent yet; undefined where anybody may. */
  get unready(): string | undefined {
    return this.#readiness.unready;
  }

  /** Does what the object asks for, if anything; called when it changes, and from time to time. */
  async reconcile(watched: Partition | undefined, signal: AbortSignal): Promise<ReconcileResult | void> {
    try {
      return await this.#reconcile(watched, signal);
    } finally {
      this.#readiness.judge(this.#view);
    }
  }

  async #reconcile(watched: Partition | undefined, signal: AbortSignal): Promise<ReconcileResult | void> {
    // 1. The controller makes the object; until it is there nobody is asked for anything. A missing wish is no wish.
    const partition = await this.#own.newest(watched);
    this.#readiness.see(partition?.status?.device?.step);
    if (partition === undefined) return;
    const { granted, wish } = partition.spec;
    const seen = partition.status?.device;
    this.#view.strategy = partition.spec.strategy;
    this.#grantClock.see(partition);
    // 2. Act on a grant that is not done with; otherwise look at the device when there is a reason to.
    const isReloaded = this.#noticeLoad();
    const isDue = granted !== undefined && granted.epoch > observedEpochOf(seen, granted);
    if (isDue) return this.#act(partition, granted, signal);
    if (isReloaded || this.#view.isDue || (!this.#view.hasFailed && !sameJson(wish, this.#plannedWish))) {
      const fault = await this.#view.read();
      if (fault) return this.#report(partition, { ...this.#state(partition), ...faultFields(fault, 'Unknown') });
    }
    // What was read before is no news, and nothing is to be done on the strength of it.
    if (this.#view.hasFailed) return { requeueAfterMs: this.#view.againMs };
    await this.#view.settle((advertised) => this.#offersDevices(partition, advertised));
    const rebuilt = await this.#rebuildAfterBoot(partition, signal);
    // 3. Report.
    const outcome = rebuilt ?? { ...keepOutcome(seen), ...this.#claim.review(partition) };
    return this.#report(partition, { ...this.#state(partition), ...outcome, ...this.#plan(partition) });
  }

  /** @returns whether the driver has been loaded anew since the GPUs were looked at: what was read before is of no use */
  #noticeLoad(): boolean {
    const driverLoad = this.#options.driverLoad?.();
    if (driverLoad === this.#load.driverLoad) return false;
    const isNew = this.#load.driverLoad !== undefined;
    if (isNew) {
      this.#options.logger.warn('the driver was reloaded: no GPU instance survived');
      this.#view.forgetFailures();
    }
    this.#load = driverLoad === undefined ? {} : { driverLoad };
    this.#hasTriedToRebuild &&= !isNew;
    return isNew;
  }

  /** Makes the device equal to the grant, and remembers how it went whatever happens. */
  async #act(partition: Partition, granted: Grant, signal: AbortSignal): Promise<ReconcileResult | void> {
    const { logger } = this.#options;
    const epoch = granted.epoch;
    const outcome = await this.#carryOut(partition, granted, signal);
    const { fault } = outcome;
    const said = await this.#conclude(partition, granted, outcome);
    if (this.#signalled?.epoch === epoch) {
      await this.#view.settleSoon((advertised) => this.#offersDevices(partition, advertised), signal);
    }
    logger[fault ? 'warn' : 'info']('grant finished', {
      epoch,
      ...(fault ? { code: fault.code, error: fault.message } : {}),
    });
    if (fault?.code === 'RebootRequired' && granted.allowReboot === true) await this.#options.askForReboot();
    const known = { ...this.#state(partition), observedEpoch: epoch };
    return this.#report(partition, { ...known, ...said, ...this.#plan(partition) });
  }

  /** Looks at the device after work on it. @returns what is to be said of it */
  async #conclude(partition: Partition, granted: Grant, outcome: WorkOutcome): Promise<Partial<DeviceReport>> {
    this.#failures = outcome.fault ? this.#failures + 1 : 0;
    if (outcome.hasBegun === true) await this.#signal(granted);
    const readFault = await this.#lookAfter(outcome.state);
    const fault = outcome.fault ?? readFault;
    if (!fault) return { step: 'Idle', lastGood: this.#claim.afterSuccess(partition, granted.gpus) };
    return {
      ...faultFields(fault, readFault ? 'Unknown' : 'Failed', this.#restAfter(fault)),
      ...(readFault
        ? this.#claim.afterUnread(partition, granted, outcome.hasBegun === true)
        : { lastGood: this.#claim.afterFailure(partition, granted) }),
    };
  }

  #restAfter({ retryAtOnce = false, retrySoon = false }: Fault): number {
    if (retryAtOnce) return 0;
    return retrySoon ? retrySoonMs(this.#failures) : retryMs(this.#failures);
  }

  /** The device is what it is now, well or not: whoever offers it looks again. */
  async #signal({ epoch, signalPods: uids = [] }: Grant): Promise<void> {
    const reached = await this.#options.signalPods(uids);
    this.#signalled = reached.length > 0 ? { epoch, uids: [...reached] } : null;
    if (uids.length > 0) this.#options.logger.info('device plugin signalled', { asked: uids, reached });
  }

  async #carryOut(partition: Partition, granted: Grant, signal: AbortSignal): Promise<WorkOutcome> {
    try {
      return await this.#work.carryOut(partition, granted, signal);
    } catch (error) {
      // No answer from the API server: nothing has been destroyed without it, and the grant still stands.
      if (signal.aborted || !(error instanceof GrantRefused || error instanceof DeviceError)) throw error;
      return { fault: faultOf(error) };
    }
  }

  /** @param state a reading that was made when the work was done; else the device is read */
  async #lookAfter(state: WorkOutcome['state']): Promise<Fault | undefined> {
    const fault = await (state ? this.#view.take(state) : this.#view.read());
    this.#view.expectChange();
    return fault;
  }

  /**
   * GPU instances never survive a reboot, nor that the driver is loaded anew. What was granted and done before is made again without asking: nobody can
   * be using it, and pods bound to the node wait for it. Once: what is in the way then, a grant gets out of it.
   */
  async #rebuildAfterBoot(partition: Partition, signal: AbortSignal): Promise<Partial<DeviceReport> | undefined> {
    const { granted } = partition.spec;
    const { lastGood, step, ...seen } = partition.status?.device ?? {};
    const load = loadIdOf({ bootID: this.#options.bootID, ...this.#load });
    if (!granted || !lastGood || this.#hasTriedToRebuild || isSameLoad(lastGood.bootID, load)) return undefined;
    // What an earlier process failed at since then: the node may be open by now.
    if (step === 'Failed' && isSameLoad(loadIdOf(seen), load)) return undefined;
    const outcome = await this.#work.makeAgain(partition, granted, signal);
    if (!outcome) return undefined;
    this.#hasTriedToRebuild = true;
    return this.#conclude(partition, granted, outcome);
  }

  #offersDevices(partition: Partition, advertised: NonNullable<DeviceReport['advertised']>): boolean {
    const { resources, errors } = computeResources(
      describeReport(this.#view.report),
      partition.spec.strategy ?? 'mixed',
    );
    return advertised.stale === 0 && errors.length === 0 && offersDevices(advertised.resources ?? {}, resources);
  }

  /** What is always reported. */
  #state({ spec, status }: Partition): DeviceReport {
    const { agentVersion, bootID, machine } = this.#options;
    const seen = status?.device;
    const observedEpoch = observedEpochOf(seen, spec.granted);
    // A signal of an earlier boot reached a process that is no more.
    const before = seen?.bootID === bootID ? seen.signalled : undefined;
    const signalled = this.#signalled === undefined ? before : this.#signalled;
    return {
      agentVersion,
      ...(machine === undefined ? {} : { machine }),
      ...(observedEpoch === 0 ? {} : { observedEpoch }),
      ...(signalled ? { signalled } : {}),
      ...(seen?.lastGood === undefined ? {} : { lastGood: seen.lastGood }),
      ...(this.#view.hasReport ? { bootID, ...this.#load, ...this.#reading() } : pickReading(seen)),
    };
  }

  #reading(): Partial<DeviceReport> {
    const { report } = this.#view;
    return { ...report, ...(report.gpus && { gpus: cutHolders(report.gpus) }) };
  }

  #plan(partition: Partition): { readonly plan?: PlanReport } {
    const { wish, drain } = partition.spec;
    this.#plannedWish = wish;
    const isRead = this.#view.hasReport && !this.#view.hasFailed;
    const plan = wish && isRead ? this.#planner.plan(partition, wish).report : undefined;
    const isHeld = plan !== undefined && this.#planner.listInTheWay(plan).length > 0;
    this.#view.isInUse = isHeld || plan?.refusalCode === 'InUse';
    this.#view.isDraining = drain !== undefined;
    return plan ? { plan } : {};
  }

  async #report(partition: Partition, device: DeviceReport): Promise<ReconcileResult> {
    await this.#own.report(partition, device);
    return { requeueAfterMs: this.#view.againMs };
  }
}
