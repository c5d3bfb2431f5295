import { classifyOutput, explainFailure, refuseOutput, type Execution } from './output.ts';
import { normalizeBusId } from './smi-command.ts';
import type { GpuFault } from './state.ts';

export interface ListedGpu {
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  /** UUID by the index that `-q -x` gives the same MIG device. */
  readonly migDevices: ReadonlyMap<number, string>;
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
  if (execution.rc === 0 && execution.stdout.trim() === 'No devices found.') return { gpus: [], lost };
  const gpus: (ListedGpu & { readonly migDevices: Map<number, string> })[] = [];
  for (const line of execution.stdout.split('\n')) {
    if (line.trim() === '' || handlePattern.test(line)) continue;
    const gpu = /^GPU (\d+): (.+) \(UUID: (GPU-[0-9a-f-]+)\)\s*$/.exec(line);
    const device = /^\s+MIG \S+\s+Device\s+(\d+): \(UUID: (MIG-[^\s)]+)\)\s*$/.exec(line);
    const last = gpus.at(-1);
    if (gpu !== null) {
      const [, index, product = '', uuid = ''] = gpu;
      gpus.push({ index: Number(index), product, uuid, migDevices: new Map() });
    } else if (device !== null && last !== undefined) {
      last.migDevices.set(Number(device[1]), device[2] ?? '');
    } else {
      throw refuseOutput(tried, 'a line that is neither a GPU nor a MIG device', execution.stdout);
    }
  }
  if (gpus.length === 0 && lost.length === 0) throw refuseOutput(tried, 'no GPU and no word of it', execution.stdout);
  return { gpus, lost };
}

const handlePattern = /Unable to determine the device handle for gpu\s*([0-9a-f:.]+): (.*)/i;

/** GPUs that a command could not open, by what it says of them. */
export function findLostGpus({ stdout, rc, end }: Execution): GpuList['lost'] {
  return stdout.split('\n').flatMap((line) => {
    const [, busId, message] = handlePattern.exec(line) ?? [];
    if (busId === undefined || message === undefined) return [];
    const code = classifyOutput({ rc, end, stdout: line });
    return [{ pciBusId: normalizeBusId(busId), fault: { code, message: message.trim() } }];
  });
}
