import { Planner, reportState } from '../core/device/agent.ts';
import { deepEqual } from '../core/text/json.ts';
import type { Backoff } from '../core/text/syntax.ts';
import { followsDevice } from '../core/nvidia/predict.ts';
import { mayBeRestarting, Claim, judgeReboot, faultFields, faultOf, GrantRefused } from '../core/device/grants.ts';
import { DeviceError } from '../core/gpu/device-state.ts';
import type { DeviceReport, Grant, PlanReport } from '../api/types.ts';
import { type AgentClient, type Partition, OwnPartition, OwnWork, type RecordFile } from './own-partition.ts';
import { DeviceView, Orphans, type OrphansOptions } from './device-view.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import { type Clock, systemClock } from '../process/clock.ts';
import type { Logger } from '../process/log.ts';
import type { Device } from './open-device.ts';
import { GrantClock, GrantWork, type WorkOutcome, WorkEnd } from './grant-work.ts';
import type { Kubelet } from './open-kubelet.ts';

/**
 * Whether anybody should rely on an agent that has just started: an agent that cannot read GPUs which its predecessor could read
 * stops the rollout of the DaemonSet. If the driver was missing before too, the rollout continues, since it may be the fix.
 */
class Readiness {
  #unready: string | undefined = 'the GPUs have not been read yet';
  /** What was reported before this process started. */
  #before: DeviceReport['step'] | 'None' | undefined;

  /** Why nobody should rely on it; undefined if anybody may. */
  get unready(): string | undefined {
    return this.#unready;
  }

  /** Takes the first report that is seen; undefined if there is none. */
  see(step: DeviceReport['step']): void {
    this.#before ??= step ?? 'None';
  }

  judge({ hasFailed, hasReport }: { readonly hasFailed: boolean; readonly hasReport: boolean }): void {
    if (this.#unready === undefined || this.#before === undefined) return;
    if (this.#before === 'None' || this.#before === 'Unknown' || (hasReport && !hasFailed)) this.#unready = undefined;
    else if (hasFailed) this.#unready = 'the GPUs cannot be read, and could be read before this agent started';
  }
}

/** Waits between failed attempts of an agent. */
export const agentBackoff: Backoff = { baseMs: 250, maxMs: 30_000 };

/** A grant that waits for the kubelet is tried again after this many ms at the longest. */
const longestAwayMs = 5_000;

export interface AgentOptions {
  readonly client: AgentClient;
  readonly device: Device;
  /** Leaves a note on the host that it must be rebooted. */
  readonly askForReboot: () => Promise<void>;
  /** Reports who holds which slice, and what is advertised; absent if the kubelet cannot be asked. */
  readonly kubelet?: Kubelet | undefined;
  /** Makes the device plugin in these pods read the devices again. @returns uids of the pods that were reached */
  readonly signalPods: (uids: readonly string[]) => Promise<readonly string[]>;
  readonly endRegistration: OrphansOptions['endRegistration'];
  /** The agent's record of its own work on the host; absent: it is remembered as long as the agent runs. */
  readonly record?: Pick<RecordFile, 'read' | 'write'>;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly agentVersion: string;
  readonly bootID: string;
  /** Identifies one load of the driver; absent if the kernel does not tell. */
  readonly driverLoad?: () => string | undefined;
  readonly machine: string | undefined;
  /** How often the GPUs are read when nothing else requires it, in ms. */
  readonly readIntervalMs: number;
  readonly clock?: Clock;
}

/**
 * Brings one node's device to what is granted, and reports the device. It reads its GpuNodePartition and writes only its
 * `status.device`. What is not granted is planned, never done.
 */
export class NodeAgent {
  readonly #options: AgentOptions;
  readonly #own: OwnPartition;
  readonly #ownWork: OwnWork;
  readonly #view: DeviceView;
  readonly #claim: Claim;
  readonly #planner: Planner;
  readonly #work: GrantWork;
  readonly #end: WorkEnd;
  readonly #orphans: Orphans;
  readonly #grantClock: GrantClock;
  /** The load of the driver at the last look at the GPUs. */
  #driverLoad: string | undefined;
  #plannedWish: unknown;
  readonly #readiness = new Readiness();
  /** Whether a layout was made again in this load of the driver; a process never sees a second boot. */
  #hasTriedToRebuild = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    const { client, device, kubelet, logger, readIntervalMs, bootID, clock = systemClock } = options;
    this.#own = new OwnPartition(client, options.nodeName);
    this.#ownWork = new OwnWork(options.record, logger);
    this.#view = new DeviceView({
      read: (depth) => device.read(depth),
      kubelet,
      logger,
      intervalMs: readIntervalMs,
      clock,
    });
    this.#claim = new Claim(this.#view, bootID, () => this.#driverLoad);
    this.#orphans = new Orphans({ ...options, view: this.#view, kubelet, clock });
    this.#planner = new Planner(this.#view, this.#claim);
    this.#grantClock = new GrantClock(clock, () => client.config.serverClock.skewMs ?? 0);
    const known = { view: this.#view, claim: this.#claim, planner: this.#planner, grantClock: this.#grantClock };
    this.#work = new GrantWork({ client, device, kubelet, logger, clock, ...known });
    this.#end = new WorkEnd({ signalPods: options.signalPods, logger, clock, ...known });
  }

  /** Why nobody should rely on this agent yet; undefined once anybody may. */
  get unready(): string | undefined {
    return this.#readiness.unready;
  }

  /** Does what the object asks for, if anything; called when the object changes, and from time to time. */
  async reconcile(watched: Partition | undefined, signal: AbortSignal): Promise<ReconcileResult | void> {
    try {
      return await this.#reconcile(watched, signal);
    } finally {
      this.#readiness.judge(this.#view);
    }
  }

  async #reconcile(watched: Partition | undefined, signal: AbortSignal): Promise<ReconcileResult | void> {
    // 1. The controller creates the object; without it nothing is requested. A missing wish is not an empty wish.
    const found = await this.#own.newest(watched);
    this.#readiness.see(found?.status?.device?.step);
    if (found === undefined) return;
    const partition = this.#ownWork.correct(found);
    const { granted, wish } = partition.spec;
    const seen = partition.status?.device;
    const isToldOfMonitors = !deepEqual(partition.spec.monitors, this.#view.asked.monitors);
    this.#view.asked = partition.spec;
    this.#view.reported = seen?.gpus;
    this.#grantClock.see(partition);
    // 2. Act on a grant that is not finished; otherwise read the device if there is a reason to.
    const isReloaded = this.#noticeLoad();
    const isDue = granted !== undefined && granted.epoch > (seen?.observedEpoch ?? 0);
    if (isDue) return this.#act(partition, granted, signal);
    const isToPlan = isToldOfMonitors || !deepEqual(wish, this.#plannedWish);
    if (isReloaded || this.#view.isDue || (!this.#view.hasFailed && isToPlan)) {
      const fault = await this.#view.read(isReloaded || this.#view.isDue ? 'Everything' : 'Use');
      if (this.#view.mayBeBackSoon) return { requeueAfterMs: this.#view.againMs };
      if (fault) return this.#report(partition, { ...this.#state(partition), ...faultFields(fault, 'Unknown') });
    }
    // The last reading is stale: it is neither reported as new nor acted on.
    if (this.#view.hasFailed) return { requeueAfterMs: this.#view.againMs };
    const isOver = partition.status?.phase !== 'Updating';
    await this.#view.settle((advertised) => this.#isFollowed(partition, advertised), isOver);
    await this.#orphans.end(partition);
    const rebuilt = await this.#rebuildAfterBoot(partition, signal);
    // 3. Report.
    const outcome = rebuilt ?? this.#claim.review(partition);
    return this.#report(partition, { ...this.#state(partition), ...outcome, ...this.#plan(partition) });
  }

  /** @returns whether the driver was reloaded since the last look at the GPUs: the last reading is then useless */
  #noticeLoad(): boolean {
    const driverLoad = this.#options.driverLoad?.();
    if (driverLoad === this.#driverLoad) return false;
    const isNew = this.#driverLoad !== undefined;
    if (isNew) {
      this.#options.logger.warn('the driver was reloaded: no GPU instance survived');
      this.#view.forgetFailures();
      this.#view.expire();
    }
    this.#driverLoad = driverLoad;
    this.#hasTriedToRebuild &&= !isNew;
    return isNew;
  }

  /** Brings the device to the grant, and records the outcome whatever happens. */
  async #act(partition: Partition, granted: Grant, signal: AbortSignal): Promise<ReconcileResult | void> {
    const { logger } = this.#options;
    const epoch = granted.epoch;
    const { rebootAsked } = this.#ownWork;
    const outcome = await this.#carryOut(partition, granted, signal);
    const { fault, asked } = judgeReboot(granted, outcome.fault, this.#options.bootID, rebootAsked);
    // Nothing was touched: the grant stands, and is tried again as long as it does.
    const isForKubelet = fault !== undefined && outcome.hasBegun !== true && mayBeRestarting(fault);
    if (isForKubelet && this.#end.mayWait(granted)) {
      return { requeueAfterMs: Math.min(this.#view.againMs, longestAwayMs) };
    }
    const outcomeFields = await this.#end.conclude(partition, granted, { ...outcome, fault }, signal);
    if (this.#end.signalled?.epoch === epoch) {
      await this.#view.settleSoon((advertised) => this.#isFollowed(partition, advertised), signal);
    }
    logger[fault ? 'warn' : 'info']('grant finished', {
      epoch,
      ...(fault ? { code: fault.code, error: fault.message } : {}),
    });
    const known = { ...this.#state(partition), observedEpoch: epoch };
    const report = { ...known, ...outcomeFields, ...this.#plan(partition) };
    if (asked !== undefined) await this.#options.askForReboot();
    return this.#report(partition, report, asked);
  }

  async #carryOut(partition: Partition, granted: Grant, signal: AbortSignal): Promise<WorkOutcome> {
    try {
      return await this.#work.carryOut(partition, granted, signal);
    } catch (error) {
      // The API server did not answer: nothing is destroyed without its answer, and the grant still stands.
      if (signal.aborted || !(error instanceof GrantRefused || error instanceof DeviceError)) throw error;
      return { fault: faultOf(error) };
    }
  }

  /**
   * GPU instances never survive a reboot or a reload of the driver. What was granted and done before is recreated without asking:
   * it cannot be in use, and pods bound to the node wait for it. Tried once: a grant clears whatever is still in the way.
   */
  async #rebuildAfterBoot(partition: Partition, signal: AbortSignal): Promise<Partial<DeviceReport> | undefined> {
    const { granted } = partition.spec;
    if (!granted || this.#hasTriedToRebuild || !this.#claim.isToMakeAgain(partition)) return undefined;
    const outcome = await this.#work.makeAgain(partition, granted, signal);
    if (!outcome) return undefined;
    this.#hasTriedToRebuild = true;
    return this.#end.conclude(partition, granted, outcome, signal);
  }

  /** The kubelet hears of no device that is handed out by claims. */
  #isFollowed({ spec }: Partition, advertised: NonNullable<DeviceReport['advertised']>): boolean {
    return spec.backend === 'DRA' || followsDevice(advertised, this.#view.report, spec.strategy ?? 'mixed');
  }

  /** The fields that are always reported. */
  #state({ status }: Partition): DeviceReport {
    const { agentVersion, bootID, machine, device, client } = this.#options;
    const known = {
      agentVersion,
      bootID,
      machine,
      driverLoad: this.#driverLoad,
      hostProblems: device.hostProblems(),
      skewMs: client.config.serverClock.skewMs,
      signalled: this.#end.signalled,
      reading: this.#view.hasReport ? this.#view.report : undefined,
    };
    return reportState(known, status?.device);
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

  async #report(
    partition: Partition,
    device: DeviceReport,
    rebootAsked?: Parameters<OwnWork['keep']>[2],
  ): Promise<ReconcileResult> {
    await this.#ownWork.keep(partition, device, rebootAsked);
    const { skewMs = 0 } = this.#options.client.config.serverClock;
    await this.#own.report(device, this.#view.readMs === undefined ? undefined : this.#view.readMs - skewMs);
    return { requeueAfterMs: this.#view.againMs };
  }
}
