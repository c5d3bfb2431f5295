import type { DeviceReport } from '../api/types.ts';
import {
  describeProcess,
  type DeviceUsers,
  monitorKey,
  unidentifiedKey,
  userKey,
} from '../core/gpu/state/device-users.ts';
import { mayBeRestarting } from '../core/pods/kubelet-error.ts';
import { reportDevice } from '../core/report/report-device.ts';
import { type Clock, waitFor } from '../process/clock.ts';
import { describeError, type Logger } from '../process/logger.ts';
import type { DeviceState } from '../core/gpu/state/device-state.ts';
import { type Holders, listUnidentified } from '../core/pods/slice-holders.ts';
import { type Fault, faultOf } from '../core/report/fault.ts';
import type { AskedSpec, Kubelet } from './kubelet.ts';
import { withHolders } from '../core/report/held-devices.ts';
import { cutLostDevices, withoutLost } from '../core/pods/lost-devices.ts';
import { MissingDevices } from './missing-devices.ts';
import { mayBeBackSoon, type ReadNeed, readPaceMs } from './read-pace.ts';

type Monitors = NonNullable<Holders['monitorsOf']>;
type Report = ReturnType<typeof reportDevice> & Pick<DeviceReport, 'advertised' | 'lostDevices'>;

/** How often, and for how long, the kubelet is asked after a change whether it advertises the new devices, in ms. */
const settlingAskMs = 250;
const settlingMs = 10 * 60_000;
/** The same right after a signal to the device plugin. */
const soonAskMs = 25;
const soonMs = 1_000;
/** For how long a reading counts as the device as it is now, in ms: a grant often follows the plan of its wish at once. */
const freshMs = 2_000;

/** What the agent knows of its GPUs: the last reading, and the kubelet's report on them. */
export class DeviceView {
  readonly #read: () => Promise<DeviceState>;
  readonly #kubelet: Kubelet | undefined;
  readonly #logger: Logger;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #missing = new MissingDevices();
  #report: Report | undefined;
  #state: DeviceState | undefined;
  #monitorsOf: Monitors = new Map();
  #unidentified: readonly string[] = [];
  #began: { readonly atMs: number; readonly wallMs: number } | undefined;
  /** When the report was complete. */
  #readAt = -Infinity;
  /** When the last attempt to read was made. */
  #triedAt = -Infinity;
  #settleUntil = -Infinity;
  /** The GPUs as the API has them. */
  reported: DeviceReport['gpus'];
  /** What the kubelet is asked with. */
  asked: AskedSpec = {};
  /** Set while the plan waits for somebody who uses a GPU: the device is then read more often. */
  isInUse = false;
  /** Set while pods are told to go: the node is closed. */
  isDraining = false;
  /** Consecutive failed readings. */
  failures = 0;
  /** Whether the last of them failed for want of a kubelet, which may be restarting. */
  #isKubeletAway = false;

  constructor(parts: {
    readonly read: () => Promise<DeviceState>;
    readonly kubelet: Kubelet | undefined;
    readonly logger: Logger;
    readonly intervalMs: number;
    readonly clock: Clock;
  }) {
    this.#read = parts.read;
    this.#kubelet = parts.kubelet;
    this.#logger = parts.logger;
    this.#intervalMs = parts.intervalMs;
    this.#clock = parts.clock;
  }

  /** Empty before the first reading. */
  get report(): Report | Record<string, never> {
    return this.#report ?? {};
  }

  /** The state that the report was made from. */
  get state(): DeviceState | undefined {
    return this.#state;
  }

  /** True while the last reading is stale: unknown is not empty. */
  get hasFailed(): boolean {
    return this.failures > 0;
  }

  /** True while the kubelet, which may be restarting, has not been asked for long: the last reading is worth keeping. */
  get mayBeBackSoon(): boolean {
    return mayBeBackSoon(this.#need);
  }

  /** When its reading began to ask for pods, by this machine's clock as it is now: never too late, though it was set back, or suspended. */
  get readMs(): number | undefined {
    if (this.#began === undefined) return undefined;
    const { atMs, wallMs } = this.#began;
    return Math.min(wallMs, this.#clock.wallMs() - (this.#clock.monotonicMs() - atMs));
  }

  /** The processes on the devices, and the monitors, for messages. */
  get users(): DeviceUsers {
    const gpus = this.#state?.gpus ?? [];
    const monitorsOf = (uuid = ''): readonly string[] => this.#monitorsOf.get(uuid) ?? [];
    return new Map([
      [unidentifiedKey, this.#unidentified] as const,
      ...gpus.flatMap(({ uuid, processes, instances }) => [
        [userKey(uuid), processes.map(describeProcess)] as const,
        [monitorKey(uuid), monitorsOf(uuid)] as const,
        ...instances.flatMap((one) => [
          [userKey(uuid, one), one.processes.map(describeProcess)] as const,
          [monitorKey(uuid, one), one.computeInstances.flatMap((part) => monitorsOf(part.uuid))] as const,
        ]),
      ]),
    ]);
  }

  /** The earlier failures belong to the previous driver: the next retries follow each other closely again. */
  forgetFailures(): void {
    this.failures = 0;
  }

  get hasReport(): boolean {
    return this.#report !== undefined;
  }

  /** Whether it is time to read. Other activity does not postpone it. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#triedAt >= readPaceMs(this.#need);
  }

  /** Whether the device need not be read once more before a plan is carried out; its users are, right before they are disturbed. */
  get isFresh(): boolean {
    return (
      this.hasReport &&
      !this.hasFailed &&
      this.#clock.monotonicMs() - this.#readAt < Math.min(freshMs, this.#intervalMs)
    );
  }

  /** When to look again, in ms. */
  get againMs(): number {
    const leftMs = Math.max(1, Math.ceil(this.#triedAt + readPaceMs(this.#need) - this.#clock.monotonicMs()));
    return this.isSettling && !this.hasFailed ? Math.min(settlingAskMs, leftMs) : leftMs;
  }

  /** True after a change until the kubelet offers the new devices and the node is open again. */
  get isSettling(): boolean {
    return this.#clock.monotonicMs() < this.#settleUntil;
  }

  /** Reads the device; a fault leaves the last reading unchanged: unknown is not empty. */
  async read(): Promise<Fault | undefined> {
    try {
      const fault = await this.accept(await this.#read());
      // The next plan must know whether a pod has lost its device.
      return fault ?? (this.#missing.isUnsure ? await this.accept(await this.#read()) : undefined);
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Accepts a reading that was just made, and asks the kubelet about it. */
  async accept(state: DeviceState): Promise<Fault | undefined> {
    this.#triedAt = this.#clock.monotonicMs();
    const report = reportDevice(state, this.reported);
    const began = { atMs: this.#triedAt, wallMs: this.#clock.wallMs() };
    let monitorsOf: Monitors;
    let unidentified: readonly string[];
    try {
      const word = await this.#kubelet?.ask(report, this.asked);
      monitorsOf = word?.holders.monitorsOf ?? new Map();
      unidentified = word === undefined ? [] : listUnidentified(word.holders);
      const lost = this.#missing.note(state, report, word?.holders);
      this.#report = word
        ? {
            ...report,
            gpus: [...withHolders(report.gpus ?? [], withoutLost(word.holders, lost))],
            ...(lost.length > 0 && { lostDevices: cutLostDevices(lost) }),
            ...(word.advertised && { advertised: word.advertised }),
          }
        : report;
    } catch (error) {
      return this.#fail(error);
    }
    this.#state = state;
    this.#monitorsOf = monitorsOf;
    this.#unidentified = unidentified;
    this.#began = began;
    this.#readAt = this.#clock.monotonicMs();
    this.failures = 0;
    return undefined;
  }

  /** Asks the kubelet again who holds what of the last reading, which is no longer fresh then. */
  async askAgain(): Promise<Fault | undefined> {
    const fault = this.#state ? await this.accept(this.#state) : await this.read();
    this.expire();
    return fault;
  }

  /** The device is about to be changed: whatever comes of it, the last reading is no longer fresh. */
  expire(): void {
    this.#readAt = -Infinity;
  }

  /** The devices have changed: what the kubelet advertises must follow. */
  expectChange(): void {
    if (this.#report?.advertised) this.#settleUntil = this.#clock.monotonicMs() + settlingMs;
  }

  /**
   * Asks the kubelet again until it has followed a change. Answers in between are ignored, except that it offers nothing: then the old
   * device plugin is gone.
   *
   * @param isFollowed whether this matches the current devices
   * @param isOver whether the node is open again: until then its plugin may still be replaced, and its devices go and come back
   * @returns whether the kubelet has followed
   */
  async settle(
    isFollowed: (advertised: NonNullable<DeviceReport['advertised']>) => boolean,
    isOver: boolean,
  ): Promise<boolean> {
    if (!this.isSettling || !this.#report) return true;
    const word = await this.#kubelet?.ask(this.#report, this.asked).catch(() => undefined);
    if (!word?.advertised) return false;
    const hasFollowed = isFollowed(word.advertised);
    if (hasFollowed && isOver) this.#settleUntil = -Infinity;
    const isNothing = Object.keys(word.advertised.resources ?? {}).length === 0;
    if (hasFollowed || isNothing) this.#report = { ...this.#report, advertised: word.advertised };
    return hasFollowed;
  }

  /** Like {@link settle}, for a moment: a signalled plugin usually follows at once, and then one report covers both. */
  async settleSoon(isFollowed: Parameters<DeviceView['settle']>[0], signal: AbortSignal): Promise<void> {
    const endsAt = this.#clock.monotonicMs() + soonMs;
    for (;;) {
      const hasFollowed = await this.settle(isFollowed, false);
      if (hasFollowed || this.#clock.monotonicMs() >= endsAt || signal.aborted) return;
      await waitFor(this.#clock, soonAskMs, signal);
    }
  }

  get #need(): ReadNeed {
    const { failures, isInUse, isDraining, hasReport } = this;
    const isKubeletAway = hasReport && this.#isKubeletAway;
    return { intervalMs: this.#intervalMs, failures, isKubeletAway, isInUse, isDraining };
  }

  #fail(error: unknown): Fault {
    this.#triedAt = this.#clock.monotonicMs();
    this.failures += 1;
    const fault = faultOf(error);
    this.#isKubeletAway = mayBeRestarting(fault);
    this.#logger.warn('cannot read the GPUs', { error: describeError(error) });
    return fault;
  }
}
