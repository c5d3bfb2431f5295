import { classifyOutput, dropNotices, explainFailure, refuseOutput, type Execution } from '../command/output.ts';
import { normalizeBusId } from '../command/smi-command.ts';
import type { GpuFault } from './state.ts';

export interface ListedGpu {
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  /** By the index that `-q -x` gives the same MIG device. */
  readonly migDevices: ReadonlyMap<number, ListedMigDevice>;
}

/** A compute instance; `-L` alone has its UUID. */
export interface ListedMigDevice {
  readonly uuid: string;
  /** `3g.20gb`, or `1c.3g.20gb` where it is a part of its GPU instance. */
  readonly profile: string;
}

export interface GpuList {
  readonly gpus: readonly ListedGpu[];
  /** GPUs that the driver cannot open; -L alone of all commands lists the others beside them. */
  readonly lost: readonly { readonly pciBusId: string; readonly fault: GpuFault }[];
}

/** Reads `nvidia-smi -L`. @throws DeviceError */
export function parseGpuList(tried: string, execution: Execution): GpuList {
  const lost = findLostGpus(execution);
  if (execution.end !== 'Exited' || (execution.rc !== 0 && lost.length === 0)) throw explainFailure(tried, execution);
  const answer = dropNotices(execution.stdout);
  if (execution.rc === 0 && answer.trim() === 'No devices found.') return { gpus: [], lost };
  const gpus: (ListedGpu & { readonly migDevices: Map<number, ListedMigDevice> })[] = [];
  for (const line of answer.split('\n')) {
    if (line.trim() === '') continue;
    const gpu = /^GPU (\d+): (.+) \(UUID: (GPU-[0-9a-f-]+)\)\s*$/.exec(line);
    const device = /^\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: (MIG-[^\s)]+)\)\s*$/.exec(line);
    const last = gpus.at(-1);
    if (gpu !== null) {
      const [, index, product = '', uuid = ''] = gpu;
      gpus.push({ index: Number(index), product, uuid, migDevices: new Map() });
    } else if (device !== null && last !== undefined) {
      const [, profile = '', index, uuid = ''] = device;
      last.migDevices.set(Number(index), { uuid, profile });
    } else {
      throw refuseOutput(tried, 'a line that is neither a GPU nor a MIG device', execution.stdout);
    }
  }
  if (gpus.length === 0 && lost.length === 0) throw refuseOutput(tried, 'no GPU and no word of it', execution.stdout);
  return { gpus, lost };
}

/** `gpu 0000:0F:00.0: GPU is lost.`, `GPU0000:0F:00.0: ...`, and from 610 on `GPU1: 0000:34:00.0: Unknown Error`. */
const handlePattern =
  /^Unable to determine the device handle for gpu\s*(?:\d+: )?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (.*)/i;

/**
 * GPUs that a command could not open, by what it says of them. Only lines above a report count: below them any program may have
 * its name.
 */
export function findLostGpus({ stdout, rc, end }: Execution): GpuList['lost'] {
  const [head = ''] = stdout.split('<?xml', 1);
  return head.split('\n').flatMap((line) => {
    const [, busId, message] = handlePattern.exec(line) ?? [];
    if (busId === undefined || message === undefined) return [];
    const code = classifyOutput({ rc, end, stdout: line });
    return [{ pciBusId: normalizeBusId(busId), fault: { code, message: message.trim() } }];
  });
}
