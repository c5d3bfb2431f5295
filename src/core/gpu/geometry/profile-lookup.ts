import { ENGINE_KINDS, type Engines, type Geometry, type Profile } from './geometry.ts';
import type { GpuModel } from './model.ts';
import { findModel, listModelsOfSameBoard } from './model-lookup.ts';
import { isProfileNameError, parseProfile } from './profile-name.ts';

/**
 * The profile of a GPU that a name denotes. Names change with the driver (A100-80GB `7g.79gb` and `7g.80gb`, early and late GB200,
 * GB300 on 59x and 61x), ids do not: a name that is not in the table is looked up in the built-in tables of the same board and
 * resolved by its id. The name of a compute instance (`1c.3g.20gb`) resolves to its GPU instance's profile.
 *
 * @param geometry the table that counts, live or built in
 * @param model the built-in model of the GPU, if known; without it only names in the table itself are found
 * @returns undefined if the GPU has no such profile
 */
export function resolveProfile(geometry: Geometry, name: string, model?: GpuModel): Profile | undefined {
  const parsed = parseProfile(name);
  const wanted = isProfileNameError(parsed) ? name : parsed.instanceProfile;
  const own = findNamed(geometry.profiles, wanted);
  if (own !== undefined || model === undefined) return own;
  const id = listModelsOfSameBoard(model)
    .map((other) => findNamed(other.profiles, wanted)?.id)
    .find((candidate) => candidate !== undefined);
  return id === undefined ? undefined : geometry.profiles.find((profile) => profile.id === id);
}

/**
 * Today's name of what an earlier driver branch calls otherwise, as DeviceClasses name it; any other name is returned as it is.
 *
 * @param product in any form that {@link findModel} knows
 */
export function todaysNameOf(product: string, profile: string): string {
  const model = findModel(product);
  const known = model ? listModelsOfSameBoard(model).flatMap(({ profiles }) => profiles) : [];
  return findNamed(known, profile)?.name ?? profile;
}

/** A profile by its name, or by one that other driver branches have for it. */
export function findNamed<Known extends Profile>(profiles: readonly Known[], name: string): Known | undefined {
  return (
    profiles.find((profile) => profile.name === name) ??
    profiles.find((profile) => profile.formerNames?.includes(name) === true)
  );
}

/**
 * Engines of the whole GPU, which `nvidia-smi` does not list: the most that any profile has. True for every model of the table,
 * since the largest profile takes all engines.
 */
export function deriveEngineTotals(profiles: readonly Profile[]): Engines {
  const most = (kind: keyof Engines): number => Math.max(0, ...profiles.map(({ engines }) => engines[kind]));
  return Object.fromEntries(ENGINE_KINDS.map((kind) => [kind, most(kind)])) as Engines;
}
