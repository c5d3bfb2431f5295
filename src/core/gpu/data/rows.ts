import type { Engines, ModelProfile, ProfileField } from '../geometry.ts';
import { omitUndefined } from '../../text/json.ts';

/** A profile as a row of a table, columns in the order of `nvidia-smi mig -lgip`; null if a value is unpublished. */
type ProfileRow = readonly [
  name: string,
  id: number | null,
  computeSlices: number,
  memorySlices: number,
  starts: readonly number[],
  maxInstances: number,
  engines: readonly [copy: number, decoder: number, encoder: number, jpeg: number, ofa: number],
  memoryMiB?: number,
  multiprocessors?: number,
];

/** Profiles from rows. @param inferred fields that no source states for any of them */
export function buildProfiles(
  rows: readonly ProfileRow[],
  inferred: readonly ProfileField[] = [],
): readonly ModelProfile[] {
  return rows.map((row) => {
    const [name, id, computeSlices, memorySlices, starts, maxInstances, engines, memoryMiB, multiprocessors] = row;
    return omitUndefined({
      name,
      id: id ?? undefined,
      computeSlices,
      memorySlices,
      starts,
      maxInstances,
      engines: toEngines(...engines),
      memoryMiB,
      multiprocessors,
      inferred,
    });
  });
}

/** Engines in the order in which `nvidia-smi mig -lgip` prints them: CE, DEC, ENC, JPEG, OFA. */
function toEngines(copy: number, decoder: number, encoder: number, jpeg: number, ofa: number): Engines {
  return { copy, decoder, encoder, jpeg, ofa };
}

/** Engines of [1g, 1g+me, 1g with double memory, 2g, 3g, 4g, 7g] as copy, decoder, jpeg, ofa: none has an encoder. */
type EngineTable = readonly (readonly [copy: number, decoder: number, jpeg: number, ofa: number])[];

/** `nvidia-smi mig -lgip` of A100, A800 (NVIDIA MIG User Guide; go-nvml's A100 mock; captures). */
export const AMPERE_ENGINES: EngineTable = [
  [1, 0, 0, 0],
  [1, 1, 1, 1],
  [1, 1, 0, 0],
  [2, 1, 0, 0],
  [3, 2, 0, 0],
  [4, 2, 0, 0],
  [7, 5, 1, 1],
];

/** `nvidia-smi mig -lgip` of H100, GH200, H200 (captures). */
export const HOPPER_ENGINES: EngineTable = [
  [1, 1, 1, 0],
  [1, 1, 1, 1],
  [1, 1, 1, 0],
  [2, 2, 2, 0],
  [3, 3, 3, 0],
  [4, 4, 4, 0],
  [8, 7, 7, 1],
];

/** Engines of Blackwell: Hopper's with twice the copy engines; 3g, 4g and 7g have not been published. */
export const BLACKWELL_ENGINES: EngineTable = HOPPER_ENGINES.map(([copy, ...media]) => [copy * 2, ...media] as const);

/** The seven profiles in the order of `nvidia-smi mig -lgip`: sorted by the number of slices, variants after the plain one. */
const SHAPES = [
  { slices: 1, size: 0, suffix: '', id: 19, memorySlices: 1, starts: [0, 1, 2, 3, 4, 5, 6], max: 7 },
  { slices: 1, size: 0, suffix: '+me', id: 20, memorySlices: 1, starts: [0, 1, 2, 3, 4, 5, 6], max: 1 },
  { slices: 1, size: 1, suffix: '', id: 15, memorySlices: 2, starts: [0, 2, 4, 6], max: 4 },
  { slices: 2, size: 1, suffix: '', id: 14, memorySlices: 2, starts: [0, 2, 4], max: 3 },
  { slices: 3, size: 2, suffix: '', id: 9, memorySlices: 4, starts: [0, 4], max: 2 },
  { slices: 4, size: 2, suffix: '', id: 5, memorySlices: 4, starts: [0], max: 1 },
  { slices: 7, size: 3, suffix: '', id: 0, memorySlices: 8, starts: [0], max: 1 },
] as const;

/** What differs between two models of the 7-slice geometry. Lists follow {@link SHAPES}. */
interface SevenSliceFacts {
  /** Memory in the names, in GB: of one eighth, two eighths, half and the whole. */
  readonly gb: readonly [number, number, number, number];
  readonly engines: EngineTable;
  /** Usable memory per profile; undefined if unpublished. */
  readonly memoryMiB?: readonly (number | undefined)[];
  readonly multiprocessors?: readonly (number | undefined)[];
  /** Field to the profiles (names) for which no source states it, or to `all`. */
  readonly inferred?: Partial<Record<ProfileField, 'all' | readonly string[]>>;
  /** Name to its names in other driver branches. */
  readonly formerNames?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Profiles of a GPU with 7 compute and 8 memory slices: A100, A800, H100, H800, H20, GH200, H200, B200, GB200, B300, GB300
 * share ids, sizes and placements; only names, MiB, multiprocessors and engines differ (NVIDIA MIG User Guide, -lgipp captures).
 */
export function buildSevenSliceProfiles(facts: SevenSliceFacts): readonly ModelProfile[] {
  return SHAPES.map((shape, row) => {
    const name = `${shape.slices}g.${facts.gb[shape.size]}gb${shape.suffix}`;
    const [copy, decoder, jpeg, ofa] = facts.engines[row] ?? [0, 0, 0, 0];
    return omitUndefined({
      name,
      id: shape.id,
      computeSlices: shape.slices,
      memorySlices: shape.memorySlices,
      starts: shape.starts,
      maxInstances: shape.max,
      engines: toEngines(copy, decoder, 0, jpeg, ofa),
      memoryMiB: facts.memoryMiB?.[row],
      multiprocessors: facts.multiprocessors?.[row],
      formerNames: facts.formerNames?.[name],
      inferred: listInferredFields(facts.inferred ?? {}, name),
    });
  });
}

const FIELDS: readonly ProfileField[] = ['name', 'id', 'memorySlices', 'starts', 'maxInstances', 'engines'];

function listInferredFields(
  inferred: Partial<Record<ProfileField, 'all' | readonly string[]>>,
  name: string,
): readonly ProfileField[] {
  return FIELDS.filter((field) => inferred[field] === 'all' || inferred[field]?.includes(name) === true);
}

/** Confidence for unpublished boards: everything but the name follows from the family. */
export const ALL_BUT_NAME = {
  id: 'all',
  memorySlices: 'all',
  starts: 'all',
  maxInstances: 'all',
  engines: 'all',
} as const;
