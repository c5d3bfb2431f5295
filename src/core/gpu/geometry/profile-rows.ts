import type { Engines } from './geometry.ts';
import { definedOnly } from '../../text/defined-fields.ts';
import type { ModelProfile, ProfileField } from './model.ts';

/** A profile as a row of a table, columns in the order of `nvidia-smi mig -lgip`; null if a value is unpublished. */
export type ProfileRow = readonly [
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
    return definedOnly({
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
export function toEngines(copy: number, decoder: number, encoder: number, jpeg: number, ofa: number): Engines {
  return { copy, decoder, encoder, jpeg, ofa };
}
