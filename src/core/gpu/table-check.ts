// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here whether a table of profiles can be that of a model.
import {
  type Geometry,
  type Profile,
  type GpuModel,
  type ModelProfile,
  listModelsOfSameBoard,
  type ProfileField,
} from './geometry.ts';
import { findNamed } from './profiles.ts';

/**
 * Whether a reported profile table cannot belong to the model that its product names. Names, memory and new profiles may differ with
 * the driver; the slices of a chip, what a profile takes of them and where it may start may not. What no source has stated of a
 * model is not held against a driver.
 */
export function contradictsModel(table: Geometry, model: GpuModel): boolean {
  return !listModelsOfSameBoard(model).some((board) => agrees(table, board));
}

function agrees(table: Geometry, model: GpuModel): boolean {
  const isSameGrid = table.computeSlices === model.computeSlices && table.memorySlices === model.memorySlices;
  return (
    (isSameGrid || model.confidence === 'inferred') &&
    table.profiles.every((profile) => {
      const known = model.profiles.find(({ id }) => id !== undefined && id === profile.id);
      return known === undefined || agreesOnProfile(profile, known);
    })
  );
}

function agreesOnProfile(profile: Profile, known: ModelProfile): boolean {
  return (
    profile.computeSlices === known.computeSlices &&
    (known.inferred.includes('memorySlices') || profile.memorySlices === known.memorySlices) &&
    (known.inferred.includes('starts') || profile.starts.every((start) => known.starts.includes(start))) &&
    (known.inferred.includes('maxInstances') || profile.maxInstances <= known.maxInstances)
  );
}

/** How a driver's table differs from the built-in one of its model. */
interface TableDifference {
  /** A sentence each; drivers name and count some things differently. */
  readonly differences: readonly string[];
  /** True if it would be a different chip: plans of `plan`, `fit` and `validate` do not apply to this GPU. */
  readonly isContradiction: boolean;
}

/** Compares profile by profile, by name. What no source has stated of a model is not compared. */
export function compareTables(live: Geometry, model: GpuModel): TableDifference {
  const names = new Set(live.profiles.map(({ name }) => name));
  const missing = model.profiles
    .filter(({ name, formerNames = [] }) => ![name, ...formerNames].some((one) => names.has(one)))
    .map(({ name }) => `this driver does not list ${name}`);
  const others = live.profiles.flatMap((profile) => {
    const known = findNamed(model.profiles, profile.name);
    return known === undefined
      ? [`this driver lists ${profile.name}, which the built-in table does not have`]
      : compareProfiles(profile, known);
  });
  return { differences: [...missing, ...others], isContradiction: contradictsModel(live, model) };
}

function compareProfiles(live: Profile, known: ModelProfile): readonly string[] {
  const differ = <Value extends string | number>(
    what: string,
    here: Value | undefined,
    there: Value | undefined,
    field?: ProfileField,
  ): readonly string[] => {
    const isStated = field === undefined || !known.inferred.includes(field);
    if (here === undefined || there === undefined || here === there || !isStated) return [];
    return [`${live.name}: ${what} ${here} here, ${there} in the built-in table`];
  };
  return [
    ...differ('ID', live.id, known.id, 'id'),
    ...differ('memory slices', live.memorySlices, known.memorySlices, 'memorySlices'),
    ...differ('starts', live.starts.join(), known.starts.join(), 'starts'),
    ...differ('at most', live.maxInstances, known.maxInstances, 'maxInstances'),
    ...differ('MiB', live.memoryMiB, known.memoryMiB),
    ...differ('multiprocessors', live.multiprocessors, known.multiprocessors),
    ...differ('engines', writeEngines(live), writeEngines(known), 'engines'),
  ];
}

function writeEngines({ engines: { copy, decoder, encoder, jpeg, ofa } }: Profile): string {
  return `CE ${copy} DEC ${decoder} ENC ${encoder} JPEG ${jpeg} OFA ${ofa}`;
}
