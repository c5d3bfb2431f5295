import type { DeviceReport, NodePartitionSpec } from '../api/types.ts';
import { Readings } from '../core/device/kubelet.ts';
import { mayBeRestarting, type Fault, faultOf } from '../core/device/grants.ts';
import { reportDevice } from '../core/device/agent.ts';
import type { DeviceState } from '../core/gpu/device-state.ts';
import { type Clock, waitFor } from '../process/clock.ts';
import { describeError, type Logger } from '../process/log.ts';
import type { Kubelet } from './open-kubelet.ts';
import type { Device, ReadDepth } from './open-device.ts';
import { deepEqual } from '../core/text/json.ts';
import { type Partition, wait } from './own-partition.ts';
import { statSync } from 'node:fs';

type Report = ReturnType<Readings['complete']>;

/** How often, and for how long, the kubelet is asked after a change whether it advertises the new devices, in ms. */
const settlingAskMs = 250;
const settlingMs = 10 * 60_000;
/**
 * Milliseconds between questions to the kubelet right after a signal to the device plugin (`soonAskMs`), and for how long they are asked
 * (`soonMs`).
 */
const soonAskMs = 25;
const soonMs = 1_000;
/** Milliseconds for which a reading counts as the device as it is now: a grant often follows the plan of its wish at once. */
const freshMs = 2_000;

/** What the agent knows of its GPUs: the last reading, and the kubelet's report on them. */
export class DeviceView {
  readonly #read: Device['read'];
  readonly #kubelet: Kubelet | undefined;
  readonly #logger: Logger;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #readings = new Readings();
  #report: Report | undefined;
  #began: { readonly atMs: number; readonly wallMs: number } | undefined;
  /** The time at which the report was complete. */
  #readAt = -Infinity;
  /** The time at which everything was last read, and not only who uses what. */
  #readAllAt = -Infinity;
  /** The time of the last attempt to read. */
  #triedAt = -Infinity;
  #settleUntil = -Infinity;
  /** The GPUs as the API has them. */
  reported: DeviceReport['gpus'];
  /** The settings with which the kubelet is asked. */
  asked: Parameters<Kubelet['ask']>[1] = {};
  /** Set while the plan waits for somebody who uses a GPU: the device is then read more often. */
  isInUse = false;
  /** Set while pods are told to go: the node is closed. */
  isDraining = false;
  /** Consecutive failed readings. */
  failures = 0;
  /** Whether the last of them failed for want of a kubelet, which may be restarting. */
  #isKubeletAway = false;

  constructor(parts: {
    readonly read: Device['read'];
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
    return this.#readings.state;
  }

  /** True while the last reading is stale: unknown is not empty. */
  get hasFailed(): boolean {
    return this.failures > 0;
  }

  /** True while the kubelet, which may be restarting, has not been asked for long: the last reading is worth keeping. */
  get mayBeBackSoon(): boolean {
    return this.#pace.mayBeBackSoon;
  }

  /**
   * The time at which its reading began to ask for pods, by this machine's clock as it is now: never too late, though it was set back, or
   * suspended.
   */
  get readMs(): number | undefined {
    if (this.#began === undefined) return undefined;
    const { atMs, wallMs } = this.#began;
    return Math.min(wallMs, this.#clock.wallMs() - (this.#clock.monotonicMs() - atMs));
  }

  /** The processes on the devices, and the monitors, for messages. */
  get users(): Readings['users'] {
    return this.#readings.users;
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
    return this.#clock.monotonicMs() - this.#triedAt >= this.#pace.ms;
  }

  /** Whether the device need not be read once more before a plan is carried out; its users are, right before they are disturbed. */
  get isFresh(): boolean {
    return (
      this.hasReport &&
      !this.hasFailed &&
      this.#clock.monotonicMs() - this.#readAt < Math.min(freshMs, this.#intervalMs)
    );
  }

  /** Milliseconds until the device is looked at again. */
  get againMs(): number {
    const leftMs = Math.max(1, Math.ceil(this.#triedAt + this.#pace.ms - this.#clock.monotonicMs()));
    return this.isSettling && !this.hasFailed ? Math.min(settlingAskMs, leftMs) : leftMs;
  }

  /** True after a change until the kubelet offers the new devices and the node is open again. */
  get isSettling(): boolean {
    return this.#clock.monotonicMs() < this.#settleUntil;
  }

  /**
   * Reads the device; a fault leaves the last reading unchanged: unknown is not empty.
   *
   * @param depth `Use` has everything read if that has not been done for an interval
   */
  async read(depth: ReadDepth = 'Everything'): Promise<Fault | undefined> {
    const isOld = this.#clock.monotonicMs() - this.#readAllAt >= this.#intervalMs;
    try {
      const state = await this.#read(isOld ? 'Everything' : depth);
      if (isOld || depth === 'Everything') this.#readAllAt = this.#clock.monotonicMs();
      const fault = await this.accept(state);
      // The next plan must know whether a pod has lost its device.
      return fault ?? (this.#readings.isUnsure ? await this.accept(await this.#read()) : undefined);
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Accepts a reading that was just made, and asks the kubelet about it. */
  async accept(state: DeviceState): Promise<Fault | undefined> {
    this.#triedAt = this.#clock.monotonicMs();
    const report = reportDevice(state, this.reported);
    const began = { atMs: this.#triedAt, wallMs: this.#clock.wallMs() };
    try {
      const word = await this.#kubelet?.ask(report, this.asked);
      this.#report = this.#readings.complete(state, report, word);
    } catch (error) {
      return this.#fail(error);
    }
    this.#began = began;
    this.#readAt = this.#clock.monotonicMs();
    this.failures = 0;
    return undefined;
  }

  /** Asks the kubelet again who holds what of the last reading, which is no longer fresh then. */
  async askAgain(): Promise<Fault | undefined> {
    const fault = this.state ? await this.accept(this.state) : await this.read();
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

  /** Settles like {@link settle}, for a moment: a signalled plugin usually follows at once, and then one report covers both. */
  async settleSoon(isFollowed: Parameters<DeviceView['settle']>[0], signal: AbortSignal): Promise<void> {
    const endsAt = this.#clock.monotonicMs() + soonMs;
    for (;;) {
      const hasFollowed = await this.settle(isFollowed, false);
      if (hasFollowed || this.#clock.monotonicMs() >= endsAt || signal.aborted) return;
      await waitFor(this.#clock, soonAskMs, signal);
    }
  }

  get #pace() {
    const { failures, isInUse, isDraining, hasReport } = this;
    const isKubeletAway = hasReport && this.#isKubeletAway;
    return this.#readings.pace({ intervalMs: this.#intervalMs, failures, isKubeletAway, isInUse, isDraining });
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

/** Milliseconds after which a kubelet that rejected it is asked again, and a plugin that served a resource is looked for. */
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
    if (!kubelet || unregister === undefined || deepEqual(unregister, this.#ended)) return;
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

/**
 * Distinguishes one load of the driver from the next: the kernel gives a module's folder a new inode on each load.
 *
 * @param folder `/sys/module/nvidia`
 * @returns the current inode of {@link folder}; the previous one if it is missing: without a loaded driver there are no instances to report
 */
export function watchDriverLoad(folder: string): () => string | undefined {
  let known: string | undefined;
  return () => {
    const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
    known = found === undefined ? known : String(found.ino);
    return known;
  };
}

/**
 * Reports each new load immediately, not at the next reading: the layout must be recreated before the node is opened.
 * A check costs one system call.
 */
export async function followDriverLoad(
  load: () => string | undefined,
  { onLoad, everyMs = 1_000 }: { readonly onLoad: () => void; readonly everyMs?: number },
  signal: AbortSignal,
): Promise<void> {
  let known = load();
  while (await wait(everyMs, signal)) {
    const now = load();
    if (now !== known) onLoad();
    known = now;
  }
}
