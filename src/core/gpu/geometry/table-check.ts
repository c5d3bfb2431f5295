import type { Geometry, Profile } from './geometry.ts';
import type { GpuModel, ModelProfile } from './model.ts';
import { listModelsOfSameBoard } from './model-lookup.ts';

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
