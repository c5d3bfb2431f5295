// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here what `-L` lists: GPUs and MIG devices with their UUIDs.
import {
  classifyOutput,
  dropNotices,
  explainFailure,
  isCompleted,
  refuseOutput,
  saysOnly,
  type Execution,
} from './output.ts';
import { normalizeBusId, isComputeProfile, isGpuUuid, isMigUuid, isProduct } from './command.ts';
import type { GpuFault } from '../gpu/device-state.ts';

export interface ListedGpu {
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  /** MIG devices by the index that `-q -x` gives to the same device. */
  readonly migDevices: ReadonlyMap<number, ListedMigDevice>;
}

/** A compute instance; only `-L` has its UUID. */
export interface ListedMigDevice {
  readonly uuid: string;
  /** `3g.20gb`, or `1c.3g.20gb` if it is a part of its GPU instance. */
  readonly profile: string;
}

export interface GpuList {
  readonly gpus: readonly ListedGpu[];
  /** GPUs that the driver cannot open; -L is the only command that still lists the others. */
  readonly lost: readonly { readonly pciBusId: string; readonly fault: GpuFault }[];
}

/** Reads `nvidia-smi -L`. @throws DeviceError */
export function parseGpuList(tried: string, execution: Execution): GpuList {
  const lost = findLostGpus(execution);
  if (saysOnly(execution, /^No devices found\.$/)) return { gpus: [], lost };
  if (!isCompleted(execution) && (execution.end !== 'Exited' || lost.length === 0))
    throw explainFailure(tried, execution);
  const answer = dropNotices(execution.stdout);
  const gpus: (ListedGpu & { readonly migDevices: Map<number, ListedMigDevice> })[] = [];
  for (const line of answer.split('\n')) {
    if (line.trim() === '') continue;
    const gpu = readGpuLine(line);
    const last = gpus.at(-1);
    if (gpu !== undefined) {
      gpus.push(gpu);
      continue;
    }
    const [index, device] = (last && readDeviceLine(line, last.uuid)) ?? [];
    if (last === undefined || index === undefined || device === undefined)
      throw refuseOutput(tried, 'a line that is neither a GPU nor a MIG device', execution.stdout);
    if (last.migDevices.has(index)) throw refuseOutput(tried, `MIG device ${index} twice`, execution.stdout);
    last.migDevices.set(index, device);
  }
  const uuids = gpus.flatMap(({ uuid, migDevices }) => [
    uuid,
    ...[...migDevices.values()].map((device) => device.uuid),
  ]);
  if (new Set([...uuids, ...gpus.map(({ index }) => index)]).size !== uuids.length + gpus.length)
    throw refuseOutput(tried, 'an index or a UUID twice', execution.stdout);
  if (gpus.length === 0 && lost.length === 0) throw refuseOutput(tried, 'no GPU and no word of it', execution.stdout);
  return { gpus, lost };
}

function readGpuLine(line: string): (ListedGpu & { readonly migDevices: Map<number, ListedMigDevice> }) | undefined {
  const [, index, product = '', uuid = ''] = /^GPU (\d{1,3}): (.+) \(UUID: (\S+)\)\s*$/.exec(line) ?? [];
  if (index === undefined || !isProduct(product) || !isGpuUuid(uuid)) return undefined;
  return { index: Number(index), product, uuid, migDevices: new Map() };
}

function readDeviceLine(line: string, gpu: string): readonly [number, ListedMigDevice] | undefined {
  const match = /^\s+MIG (\S+)\s+Device\s+(\d{1,3}): \(UUID: (\S+)\)\s*$/.exec(line);
  const [, profile = '', index, uuid = ''] = match ?? [];
  return match === null || !isComputeProfile(profile) || !isMigUuid(uuid, gpu)
    ? undefined
    : [Number(index), { uuid, profile }];
}

/** `gpu 0000:0F:00.0: GPU is lost.`, `GPU0000:0F:00.0: ...`, and from 610 on `GPU1: 0000:34:00.0: Unknown Error`. */
const handlePattern =
  /^Unable to determine the device handle for gpu\s*(?:\d+: )?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (.*)/i;

/**
 * GPUs that a command could not open, according to its output. Only lines above a report count: below them any program may have
 * such a name.
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
