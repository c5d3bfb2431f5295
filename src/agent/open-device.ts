import { join } from 'node:path';
import type { GpuWish } from '../api/types.ts';
import type { GpuWork } from '../core/wish/plan-gpu-wish.ts';
import { applyNode } from '../device/apply/apply.ts';
import type { DeviceApplyOptions, NodeResult } from '../device/apply/apply-options.ts';
import type { GpuTarget } from '../core/gpu/target/plan-target.ts';
import type { NvidiaSmi } from '../device/command/nvidia-smi.ts';
import { DeviceError } from '../core/gpu/state/device-error.ts';
import { type DeviceNodeReport, refreshDeviceNodes } from '../device/host/device-nodes.ts';
import { listGpuOpeners } from '../device/host/gpu-openers.ts';
import { type HostLoans, openHostLoans } from '../device/host/host-loans.ts';
import { Journal } from '../device/host/journal.ts';
import type { DeviceState, GpuFault } from '../core/gpu/state/device-state.ts';
import { writeDurably } from '../device/host/durable-file.ts';
import { UnknownOutput } from '../device/host/not-understood.ts';
import { lockNode, type NodeLock } from '../device/host/node-lock.ts';
import type { Deadlines } from '../device/command/runner.ts';
import { awaitNvidiaSmi } from '../device/command/nvidia-smi.ts';
import { disrupts } from '../core/smi/smi-command.ts';
import type { Logger } from '../process/logger.ts';
import type { Device } from './device.ts';
import { GrantRefused } from '../core/report/fault.ts';

/** The host's own files, as seen by a privileged pod in the host's process namespace. */
const hostRoot = '/proc/1/root';

export interface DeviceOptions {
  readonly nodeName: string;
  readonly nvidiaSmi?: string;
  readonly driverRoot?: readonly string[];
  readonly libraryPath?: string;
  /** How many GPUs may change at the same time. */
  readonly gpusAtOnce: number;
  /** Where nvidia-ctk may be; absent: in the driver's roots. */
  readonly toolkitRoot?: readonly string[];
  /** Folder on the host for lock and journal. */
  readonly stateDir: string;
  readonly bootIdFile: string;
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
  const { stateDir, nvidiaSmi, driverRoot, libraryPath, gpusAtOnce, tellOfLock } = options;
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
    { ...options.timeouts, atOnce: gpusAtOnce, path: nvidiaSmi, driverRoots: driverRoot, libraryPath },
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

interface DeviceParts extends Pick<DeviceApplyOptions, 'gpusAtOnce' | 'journal' | 'afterChange'> {
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
    async read() {
      await host?.giveBack();
      const read = (): Promise<DeviceState> => driver.readDevice();
      return unknown ? unknown.watch(read, listFaults) : read();
    },
    hostProblems: () => host?.problems ?? [],
    async apply(wishes, work, options) {
      const apply = (): Promise<NodeResult> =>
        applyNode(driver, targetsOf(wishes, work), {
          ...parts,
          ...options,
          explainStop: (command) => lock.explainLoss() ?? options.explainStop(disrupts(command)),
          listHeld: () => demandAnswer('to ask the kubelet who holds a GPU', options.listHeld),
          listOpeners: (minor) => listGpuOpeners(minor),
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
