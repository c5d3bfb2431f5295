import type { Planner } from '../core/device/agent.ts';
import { type KubeletWord, listHeldDevices } from '../core/device/kubelet.ts';
import {
  mayBeRestarting,
  type Claim,
  judgeWork,
  GrantRefused,
  type Fault,
  isUnanswered,
  confirmedMs,
  isRevocation,
} from '../core/device/grants.ts';
import { type Clock, waitFor } from '../process/clock.ts';
import { nodePartitions } from '../api/resources.ts';
import type { Grant, DeviceReport } from '../api/types.ts';
import type { GpuWork } from '../core/device/plan.ts';
import type { DeviceState } from '../core/gpu/device-state.ts';
import type { Logger } from '../process/log.ts';
import { type AgentClient, type Partition, askPatiently } from './own-partition.ts';
import type { Device, WorkOptions } from './open-device.ts';
import type { DeviceView } from './device-view.ts';
import type { Kubelet } from './open-kubelet.ts';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * The API server's word that a grant still stands. It is asked for again during the work: a controller that takes a grant back
 * opens the node once the last word is too old for anything to begin.
 */
class Confirmation {
  readonly #ask: () => Promise<void>;
  readonly #clock: Clock;
  readonly #validMs: number;
  #atMs = -Infinity;

  /** @param ask throws if the grant does not stand, or without an answer @param validMs how long an answer is valid */
  constructor(ask: () => Promise<void>, clock: Clock, validMs: number) {
    this.#ask = ask;
    this.#clock = clock;
    this.#validMs = validMs;
  }

  /** Asks, unless it has just been answered. @throws what asking throws; without an answer only when the last one is too old */
  async renew(): Promise<void> {
    const askedMs = this.#clock.monotonicMs();
    if (askedMs - this.#atMs < this.#validMs / 6) return;
    try {
      await this.#ask();
      // The answer may be as old as the question.
      this.#atMs = askedMs;
    } catch (error) {
      if (error instanceof GrantRefused || this.explainEnd() !== undefined) throw error;
    }
  }

  /** Why nothing may be destroyed; undefined while the last answer is valid. */
  explainEnd(): string | undefined {
    const ageMs = this.#clock.monotonicMs() - this.#atMs;
    if (ageMs <= this.#validMs) return undefined;
    return `the API server last confirmed the grant ${Math.round(ageMs / 1000)} s ago`;
  }
}

/** The outcome, and the reading that proves it, if there is one. */
export interface WorkOutcome {
  readonly fault?: Fault | undefined;
  readonly state?: DeviceState | undefined;
  /** Whether work on the device has begun. */
  readonly hasBegun?: boolean;
}

interface Parts {
  readonly client: AgentClient;
  readonly device: Device;
  readonly kubelet: Kubelet | undefined;
  readonly logger: Logger;
  readonly view: DeviceView;
  readonly planner: Planner;
  readonly grantClock: GrantClock;
  readonly clock: Clock;
}

/** The permission that the work rests on. */
interface Permission {
  readonly granted: Grant;
  readonly confirmation: Confirmation;
  /** Why nothing may be started any more. */
  readonly isOver: () => string | undefined;
  /** Whether a kubelet that may be restarting is waited for. */
  readonly mayWait: () => boolean;
}

/** Limits of a question between a look at who uses a GPU and its destroy: it must not take long. */
const quickly = { timeoutMs: 5_000, attempts: 2 } as const;

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
    // 2. Only the granted plan may be carried out, once its pods have gone.
    const refusal = planner.explainRefusal(granted, plan);
    if (refusal !== undefined) return refusal === 'Done' ? { state: view.state } : { fault: refusal };
    // 3. Carry it out. The grant is confirmed at the API server itself, before it begins and as long as anything is destroyed.
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
    const { logger, view, planner } = this.#parts;
    const plan = planner.planAgain(partition, granted);
    if (plan === undefined) return undefined;
    const { work, report } = plan;
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
    return { state, fault: judgeWork(results, view.report.gpus ?? [], view.users), hasBegun: true };
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

interface FirstSight {
  /** The object's uid and the epoch. */
  readonly key: string;
  readonly atMs: number;
}

/**
 * How long a grant is valid. The agent counts a grant's seconds itself, from when it first saw the grant. The deadline counts as well,
 * by the API server's clock and late by as many seconds: the controller's clock may be wrong by so much, the node's by any amount.
 */
export class GrantClock {
  readonly #clock: Clock;
  readonly #skewMs: () => number;
  #first: FirstSight | undefined;

  /** @param skewMs how far the node's clock is ahead of the API server's */
  constructor(clock: Clock, skewMs: () => number) {
    this.#clock = clock;
    this.#skewMs = skewMs;
  }

  /** Records a grant; called with every version of the object. */
  see({ metadata, spec: { granted } }: Partition): void {
    const key = `${metadata.uid}/${granted?.epoch}`;
    if (this.#first?.key !== key) this.#first = { key, atMs: this.#clock.monotonicMs() };
  }

  /** Why nothing may be started for the last seen grant; undefined while something may. */
  explainEnd({ seconds = 0, deadline }: Grant): string | undefined {
    const lateMs = this.#clock.wallMs() - this.#skewMs() - Date.parse(deadline);
    if (lateMs > seconds * 1000) {
      const late = Math.round(lateMs / 1000);
      return `its deadline ${deadline} passed ${late} s ago by the API server's clock; is the controller's clock right?`;
    }
    const sightMs = this.#clock.monotonicMs() - (this.#first?.atMs ?? -Infinity);
    return seconds > 0 && sightMs > seconds * 1000 ? `its ${seconds} s are over` : undefined;
  }
}

interface WorkEndParts {
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
  readonly #parts: WorkEndParts;
  /** What was signalled after the last work of this process; null: nothing. Undefined: it has not done any work yet. */
  #signalled: DeviceReport['signalled'] | null;

  constructor(parts: WorkEndParts) {
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
    if (outcome.hasBegun === true) await this.#signal(granted);
    const readFault = await this.#updateViewAfter(outcome.state, granted, signal);
    return this.#parts.claim.conclude(partition, granted, outcome, readFault);
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

/**
 * Programs that read the devices at start, by their file name. On SIGHUP the first two do so again (NVIDIA/k8s-device-plugin); the DRA
 * driver exits, and its container starts again (kubernetes-sigs/dra-driver-nvidia-gpu).
 */
const programs: readonly string[] = ['nvidia-device-plugin', 'gpu-feature-discovery', 'gpu-kubelet-plugin'];

interface ProcessTable {
  /** The host's `/proc`: the agent runs in the host's process namespace. */
  readonly proc: string;
  readonly kill: (pid: number) => void;
}

const hostProcesses: ProcessTable = { proc: '/proc', kill: (pid) => void process.kill(pid, 'SIGHUP') };

/**
 * Makes what hands out the devices in these pods read them again, as NVIDIA's own config-manager does: SIGHUP to its process. Its pod
 * stays. A process must match both the file name and the pod's uid in its cgroup: nothing else is ever signalled.
 *
 * @returns uids of the pods of which a process was signalled
 */
export async function signalPods(
  uids: readonly string[],
  { proc, kill }: ProcessTable = hostProcesses,
): Promise<readonly string[]> {
  if (uids.length === 0) return [];
  const signalled = new Set<string>();
  for (const name of await readdir(proc).catch((): string[] => [])) {
    if (!/^\d+$/.test(name)) continue;
    const [program = ''] = (await readText(proc, name, 'cmdline')).split('\0');
    if (!programs.includes(basename(program))) continue;
    const cgroup = await readText(proc, name, 'cgroup');
    const uid = uids.find((candidate) => isOfPod(cgroup, candidate));
    if (uid === undefined) continue;
    try {
      kill(Number(name));
      signalled.add(uid);
    } catch {
      // It has ended since; its successor reads the devices at its start.
    }
  }
  return uids.filter((uid) => signalled.has(uid));
}

/** `…/kubepods-burstable-pod1234_abcd.slice/…` (systemd) or `…/burstable/pod1234-abcd/…` (cgroupfs). */
function isOfPod(cgroup: string, uid: string): boolean {
  return [uid, uid.replaceAll('-', '_')].some((name) =>
    cgroup.split(/[/\n]/).some((part) => part.replace(/\.slice$/, '').endsWith(`pod${name}`)),
  );
}

async function readText(...path: readonly string[]): Promise<string> {
  return readFile(join(...path), 'utf8').catch(() => '');
}
