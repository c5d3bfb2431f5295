import { createHash } from 'node:crypto';
import type { Board } from './board.ts';
import { findBoard } from './board.ts';

/** One GPU of the simulated node: its board and its individual values. */
export interface SimulatedGpu {
  readonly index: number;
  readonly board: Board;
  readonly uuid: string;
  /** With an eight-digit domain, as nvidia-smi prints it: `00000000:07:00.0`. */
  readonly busId: string;
  readonly serial: string;
}

/** Bus numbers of the eight GPUs of a DGX A100, then free numbers. */
const BUSES: readonly string[] = '07 0F 47 4E 87 90 B7 BD C1 C9 D1 D9 E1 E9 F1 F9'.split(' ');

export const MAX_GPUS = BUSES.length;

/** A seed that gives the UUIDs of the recorded runs. */
export const RECORDED_SEED = 'recorded';

/** UUIDs of the recorded runs, by product and index; how they are derived is not known. */
const RECORDED_UUIDS: ReadonlyMap<string, string> = new Map([
  ['NVIDIA A100-SXM4-40GB 0', 'GPU-c64f3bd4-742c-54d4-a411-9a2a2bcd42a3'],
  ['NVIDIA A30 0', 'GPU-a11732da-b500-5c53-be02-c1dbeed25aa5'],
  ['NVIDIA A30 1', 'GPU-777a1892-9ba6-535a-b7d4-72964b814d40'],
  ['NVIDIA H100 80GB HBM3 0', 'GPU-6061f587-b841-598e-b4db-2fff3661456f'],
]);

/**
 * The GPUs of a node in index order. The same list and seed always give the same UUIDs and serials; another seed gives others.
 * @throws UnknownGpuError for an unknown name
 * @throws RangeError for more than {@link MAX_GPUS}
 */
export function assembleGpus(names: readonly string[], seed: string = RECORDED_SEED): readonly SimulatedGpu[] {
  if (names.length > MAX_GPUS) {
    throw new RangeError(`NVIDIA_SMI_SIM_GPUS names ${names.length} GPUs; a simulated node has at most ${MAX_GPUS}`);
  }
  return names.map((name, index) => {
    const board = findBoard(name);
    return {
      index,
      board,
      uuid: gpuUuid(seed, board.productName, index),
      busId: `00000000:${BUSES[index]}:00.0`,
      serial: serialOf(seed, index),
    };
  });
}

function gpuUuid(seed: string, productName: string, index: number): string {
  const recorded = seed === RECORDED_SEED ? RECORDED_UUIDS.get(`${productName} ${index}`) : undefined;
  return recorded ?? `GPU-${deriveUuid(`gpu/${seed}/${productName}/${index}`)}`;
}

function serialOf(seed: string, index: number): string {
  const recorded = 1563020910000;
  const offset = seed === RECORDED_SEED ? 0 : createHash('sha1').update(`serial/${seed}`).digest().readUInt32BE(0) * 16;
  return String(recorded + offset + index);
}

/**
 * The UUID of a MIG device depends only on GPU, GI id and CI id, as in the driver (nvGenerateSmcUuid): an instance that is
 * destroyed and recreated at the same placement keeps its UUID.
 */
export function migUuid(gpu: SimulatedGpu, giId: number, ciId: number): string {
  return `MIG-${deriveUuid(`mig/${gpu.uuid}/${giId}/${ciId}`)}`;
}

/** A name-based UUID (version 5 in form). */
function deriveUuid(name: string): string {
  const hash = createHash('sha1').update(`nvidia-smi-sim/${name}`).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
