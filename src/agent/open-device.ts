import { join } from 'node:path';
import type { GpuWish } from '../api/types.ts';
import type { GpuWork } from '../core/device/plan.ts';
import { applyNode, type DeviceApplyOptions, type NodeResult } from '../device/apply.ts';
import type { GpuTarget } from '../core/smi/change.ts';
import { type NvidiaSmi, awaitNvidiaSmi } from '../device/nvidia-smi.ts';
import { DeviceError, type DeviceState, type GpuFault } from '../core/gpu/device-state.ts';
import { type DeviceNodeReport, refreshDeviceNodes, listGpuOpeners } from '../device/host/openers.ts';
import { type HostLoans, openHostLoans } from '../device/host/loans.ts';
import { Journal, writeDurably, UnknownOutput } from '../device/host/journal.ts';
import { lockNode, type NodeLock } from '../device/host/node-lock.ts';
import type { Deadlines } from '../device/child.ts';
import { type Logger, describeError } from '../process/log.ts';
import { faultFields, GrantRefused } from '../core/device/grants.ts';
import { nodePartitions } from '../api/resources.ts';
import { deepEqual } from '../core/text/json.ts';
import type { KubeClient } from '../kube/client.ts';
import { isConflict } from '../kube/api-error.ts';
import { wait, type Partition } from './own-partition.ts';

/** The host's own files, as seen by a privileged pod in the host's process namespace. */
const hostRoot = '/proc/1/root';

interface DeviceOptions {
  readonly nodeName: string;
  readonly nvidiaSmi?: string;
  readonly driverRoot?: readonly string[];
  readonly libraryPath?: string;
  /** How many GPUs may change at the same time. */
  readonly gpusAtOnce: number;
  /** Folders in which nvidia-ctk may be; absent: the driver's roots. */
  readonly toolkitRoot?: readonly string[];
  /** Folder on the host for lock and journal. */
  readonly stateDir: string;
  readonly bootIdFile: string;
  /** Identifies one load of the driver; absent if the kernel does not tell. */
  readonly driverLoad?: () => string | undefined;
  readonly timeouts: Deadlines;
  /** Host services that may be stopped temporarily. */
  readonly hostUnits?: readonly string[];
  /** Reports that the lock is being waited for, until the signal aborts: then the lock is held. */
  readonly tellOfLock: (message: string, signal: AbortSignal) => Promise<void>;
}

export interface OpenDevice {
  readonly device: Device;
  /** Why another agent may work on it; undefined if none can. */
  readonly explainLoss: () => string | undefined;
}

/** Called with each operation that is done, as a command line. */
type OnOperation = (done: string) => void;

/** Opens the GPUs of this node, and waits until no other agent works on them. @returns undefined if the signal aborts before that */
export async function openDevice(
  options: DeviceOptions,
  logger: Logger,
  signal: AbortSignal,
  onOperation?: OnOperation,
): Promise<OpenDevice | undefined> {
  const { stateDir, nvidiaSmi, driverRoot, libraryPath, gpusAtOnce, driverLoad, tellOfLock } = options;
  const lock = await takeLock(stateDir, logger, signal, tellOfLock);
  if (lock === undefined) return undefined;
  const journal = new Journal({ path: join(stateDir, 'journal.json'), bootIdPath: options.bootIdFile });
  const cutOff = journal.read();
  if (cutOff) logger.warn('an apply was interrupted; the device shows its result', { gpus: cutOff.gpus });
  const unknown = new UnknownOutput({
    folder: stateDir,
    nodeName: options.nodeName,
    write: writeDurably,
    tell: (message, fields) => logger.warn(message, fields),
  });
  unknown.recall();
  const smi = awaitNvidiaSmi(
    { ...options.timeouts, driverLoad, atOnce: gpusAtOnce, path: nvidiaSmi, driverRoots: driverRoot, libraryPath },
    (run) => unknown.note(run),
  );
  const host = openHostLoans(smi, {
    folder: stateDir,
    bootIdPath: options.bootIdFile,
    units: options.hostUnits ?? [],
    roots: [hostRoot],
  });
  await host.giveBack();
  const { toolkitRoot: roots = driverRoot ?? [], timeouts } = options;
  const afterChange = async (): Promise<void> => {
    const report = await refreshDeviceNodes({ roots, driverRoots: driverRoot, timeoutMs: timeouts.changeMs });
    tellOfDeviceNodes(report, logger);
  };
  if (cutOff) await afterChange();
  return {
    device: deviceOf(smi, { gpusAtOnce, journal, lock, logger, onOperation, afterChange, host, unknown }),
    explainLoss: () => lock.explainLoss(),
  };
}

interface DeviceParts extends Pick<DeviceApplyOptions, 'gpusAtOnce' | 'journal' | 'afterChange' | 'listOpeners'> {
  readonly lock: Pick<NodeLock, 'explainLoss'>;
  readonly logger: Logger;
  readonly onOperation?: OnOperation | undefined;
  readonly host?: HostLoans;
  readonly unknown?: Pick<UnknownOutput, 'watch'>;
}

/** The agent's view of a driver. */
export function deviceOf(
  driver: NvidiaSmi,
  { lock, logger, onOperation, host, unknown, ...parts }: DeviceParts,
): Device {
  return {
    async read(depth) {
      await host?.giveBack();
      const read = (): Promise<DeviceState> => (depth === 'Use' ? driver.glanceAtDevice() : driver.readDevice());
      return unknown ? unknown.watch(read, listFaults) : read();
    },
    hostProblems: () => host?.problems ?? [],
    async apply(wishes, work, options) {
      const apply = (): Promise<NodeResult> =>
        applyNode(driver, targetsOf(wishes, work), {
          listOpeners: listGpuOpeners,
          ...parts,
          ...options,
          explainStop: (disrupts) => lock.explainLoss() ?? options.explainStop(disrupts),
          listHeld: () => demandAnswer('to ask the kubelet who holds a GPU', options.listHeld),
          ...(host && { host }),
          confirm: () => demandAnswer('to confirm the grant', options.confirm),
          onProgress: ({ uuid, done }) => {
            logger.info('device operation', { gpu: uuid, done });
            onOperation?.(done);
          },
        });
      const failuresOf = ({ results }: NodeResult) => results.flatMap(({ error }) => error ?? []);
      return unknown ? unknown.watch(apply, failuresOf) : apply();
    },
  };
}

/** What a reading says of GPUs that could not be read. */
function listFaults({ gpus, lost }: DeviceState): readonly GpuFault[] {
  return [...gpus, ...lost].flatMap(({ fault }) => fault ?? []);
}

function tellOfDeviceNodes({ done, missing, problems }: DeviceNodeReport, logger: Logger): void {
  if (done.length > 0) logger.info('device nodes and CDI specs follow the layout', { done });
  if (missing !== undefined && problems.length === 0) logger.info('device nodes are left to the driver', { missing });
  for (const problem of problems) logger.warn('device nodes or a CDI spec do not follow the layout', { problem });
}

async function takeLock(
  folder: string,
  logger: Logger,
  signal: AbortSignal,
  tell: DeviceOptions['tellOfLock'],
): Promise<NodeLock | undefined> {
  try {
    return await lockNode({ folder, waitMs: 0 });
  } catch (error) {
    if (!(error instanceof DeviceError) || error.code !== 'Locked') throw error;
    logger.warn('another agent is working on this node; waiting for it', { error: error.message });
    const message =
      `another process holds the lock in ${folder}, and nothing changes until it ends: an nvidia-smi started by an agent that ` +
      'was killed (if ps shows that it hangs in the driver, drain and reboot the node), or gpu-partition node apply';
    const had = new AbortController();
    const told = tell(message, AbortSignal.any([signal, had.signal]));
    try {
      return await lockNode({ folder, signal });
    } catch (cause) {
      if (signal.aborted) return undefined;
      throw cause;
    } finally {
      had.abort();
      await told;
    }
  }
}

/** A grant that is no longer valid stops the work as the device's own errors do. */
async function demandAnswer<T>(tried: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const found = error instanceof GrantRefused ? error.message : `no answer: ${String(error)}`;
    throw new DeviceError('Stopped', { tried, found, cause: error });
  }
}

function targetsOf(wishes: readonly GpuWish[], work: readonly GpuWork[]): readonly GpuTarget[] {
  return work.flatMap(({ uuid, steps, resets }) => {
    const wish = wishes.find((one) => one.uuid === uuid);
    if (!wish) return [];
    return [
      {
        uuid,
        want: wish.mig === 'Disabled' ? ('Disabled' as const) : (wish.profiles ?? {}),
        steps,
        resets: resets === true,
      },
    ];
  });
}

/** An agent that is being replaced finishes its current GPU: this is not worth reporting. */
const silentMs = 30_000;

interface LockWait {
  readonly client: Pick<KubeClient, 'find' | 'merge'>;
  readonly nodeName: string;
  readonly logger: Logger;
  /** The message about what was found. */
  readonly message: string;
  readonly silentMs?: number;
}

/**
 * Reports on the node's object that its GPUs are not changed and why, until the lock is held. All other fields stay: the holder of
 * the lock may still be reporting, and wins.
 */
export async function tellOfLock(parts: LockWait, signal: AbortSignal): Promise<void> {
  while (await wait(parts.silentMs ?? silentMs, signal)) {
    try {
      await tellOnce(parts);
    } catch (error) {
      if (!isConflict(error))
        parts.logger.warn('cannot report that the agent waits for the lock', { error: describeError(error) });
    }
  }
}

async function tellOnce({ client, nodeName: name, message }: LockWait): Promise<void> {
  const ref = { resource: nodePartitions, name };
  const partition = await client.find<Partition>(ref);
  if (partition === undefined) return;
  const seen = partition.status?.device;
  const device = { ...seen, ...faultFields({ code: 'WaitingForLock', message }, 'Unknown') };
  const { resourceVersion } = partition.metadata;
  if (deepEqual(device, seen)) return;
  const status = { ...ref, subresource: 'status' } as const;
  await client.merge(status, { metadata: { resourceVersion }, status: { device } });
}

/**
 * Aborts when the lock of this node is lost (somebody emptied or restored its folder), with the reason as an Error: the process must
 * end, so that the one that is started in its place takes the lock again. A check costs one system call.
 *
 * @param explainLoss why the lock is lost; undefined as long as it is not
 * @param signal ends the watch
 */
export function watchLock(explainLoss: () => string | undefined, signal: AbortSignal, everyMs = 1_000): AbortSignal {
  const lost = new AbortController();
  const follow = async (): Promise<void> => {
    while (await wait(everyMs, signal)) {
      const loss = explainLoss();
      if (loss !== undefined)
        return lost.abort(new Error(`${loss}. The agent ends, to take the lock again when it is restarted`));
    }
  };
  void follow();
  return lost.signal;
}

type Limits = Pick<DeviceApplyOptions, 'allowReset' | 'undo' | 'allOrNothing' | 'confirm' | 'listHeld' | 'signal'>;

/** @see DeviceApplyOptions; where `confirm` or `listHeld` throws, the work stops */
export interface WorkOptions extends Required<Limits> {
  /** The device, just read, that the work was planned on. */
  readonly device: DeviceState | undefined;
  /** Asked before every operation: why it may not start. None starts any more then. @param disrupts whether it destroys, resets, or changes the mode */
  readonly explainStop: (disrupts: boolean) => string | undefined;
}

/** How much is read: everything; or who uses what, which is enough as long as the instances are those of the last reading. */
export type ReadDepth = 'Everything' | 'Use';

/** The node's GPUs, as the agent uses them. */
export interface Device {
  /** Reads the device. Before it does, it gives back to the host what work still owes it. */
  read(depth?: ReadDepth): Promise<DeviceState>;
  /** What could not be given back to the host so far, a sentence each. */
  hostProblems(): readonly string[];
  /** Brings GPUs to their wishes through the steps of `work`; destroys only what these name. */
  apply(wishes: readonly GpuWish[], work: readonly GpuWork[], options: WorkOptions): Promise<NodeResult>;
}
