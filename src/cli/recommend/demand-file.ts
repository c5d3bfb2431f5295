import { type DemandSlice } from '../../core/demand/pool.ts';
import type { GpuModel } from '../../core/gpu/geometry/model.ts';
import { MODELS } from '../../core/gpu/geometry/models.ts';
import { resolveProfile } from '../../core/gpu/geometry/profile-lookup.ts';
import { isProfileNameError, parseProfile, WHOLE } from '../../core/gpu/geometry/profile-name.ts';
import { listByMemory } from '../../core/gpu/plan/memory-fit.ts';
import { profilesServingAll } from '../../core/policy/demand-profiles.ts';
import { type InputPlace, readFields, readList, readWhole, readWord, refuseInput, within } from './json-fields.ts';
import { listNames } from './pool-file.ts';

const COUNTS = '{"1g.5gb": 40, "3g.20gb": 4, "whole": 2}';
const SLICE = '{"name": "small", "profiles": ["1g.5gb", "1g.10gb"], "count": 40}';
/** More than a pool of the largest size holds. */
const MOST_COUNT = 1_000_000;
const MOST_WEIGHT = 1_000_000;

/**
 * What is wanted: counts by profile, `whole` for whole GPUs; or a list of slices that any of several profiles serves, or any with so
 * much memory.
 *
 * @param models those of the pool
 * @throws CliError that names the entry
 */
export function readDemandFile(value: unknown, file: string, models: readonly GpuModel[]): readonly DemandSlice[] {
  const top = { file, path: [] };
  if (Array.isArray(value)) return readSlices(value, top, models);
  const counts = new Map<string, { count: number; weight: number }>();
  for (const [name, each] of Object.entries(readFields(value, top, COUNTS))) {
    const at = within(top, name);
    const profile = readProfile(name, at, models);
    const count = readWhole(each, at, 0, MOST_COUNT);
    // A former name of a profile is the same profile.
    counts.set(profile, { count: (counts.get(profile)?.count ?? 0) + count, weight: weightOf([profile], models) });
  }
  return [...counts].map(([profile, { count, weight }]) => ({ name: profile, profiles: [profile], count, weight }));
}

function readSlices(list: readonly unknown[], top: InputPlace, models: readonly GpuModel[]): readonly DemandSlice[] {
  const names = new Set<string>();
  return list.map((item, index) => {
    const at = within(top, index);
    const fields = readFields(item, at, SLICE, ['name', 'profiles', 'memory', 'count', 'weight']);
    const profiles = fields['memory'] === undefined ? readProfiles(fields, at, models) : readMemory(fields, at, models);
    const { name: given, memory, weight } = fields;
    const usual = typeof memory === 'string' ? memory : (profiles[0] ?? '');
    const name = given === undefined ? usual : readWord(given, within(at, 'name'), 'a name');
    if (names.has(name))
      throw refuseInput(
        within(at, 'name'),
        `${JSON.stringify(name)} is the name of an earlier entry; give each its own`,
      );
    names.add(name);
    return {
      name,
      profiles,
      count: readWhole(fields['count'], within(at, 'count'), 0, MOST_COUNT),
      weight:
        weight === undefined ? weightOf(profiles, models) : readWhole(weight, within(at, 'weight'), 1, MOST_WEIGHT),
    };
  });
}

function readProfiles(
  fields: Readonly<Record<string, unknown>>,
  at: InputPlace,
  models: readonly GpuModel[],
): readonly string[] {
  const from = within(at, 'profiles');
  const profiles = readList(fields['profiles'], from, '["1g.5gb"]').map((profile, position) => {
    const place = within(from, position);
    return readProfile(readWord(profile, place, 'a profile, such as "1g.5gb"'), place, models);
  });
  if (profiles.length === 0) throw refuseInput(from, 'it is empty; name at least one profile that serves');
  return profiles;
}

/** The profiles with at least so much usable memory. */
function readMemory(
  fields: Readonly<Record<string, unknown>>,
  at: InputPlace,
  models: readonly GpuModel[],
): readonly string[] {
  const place = within(at, 'memory');
  if (fields['profiles'] !== undefined) throw refuseInput(place, 'give profiles or memory, not both');
  const memory = readWord(fields['memory'], place, 'a size of memory, such as "4Gi"');
  if (!/^[1-9][0-9]*([.][0-9]+)?[MGT]i?$/.test(memory))
    throw refuseInput(place, `${JSON.stringify(memory)} is not a size of memory, such as "4Gi" or "5G"`);
  const all = models.length > 0 ? models : MODELS;
  const profiles = profilesServingAll({ memory }, new Map(all.map((model) => [model, model.id])));
  if (profiles.length > 0) return profiles;
  const largest = models.flatMap((model) => listByMemory(model).slice(-1));
  const most = Math.max(0, ...largest.map(({ memoryMiB }) => memoryMiB)).toLocaleString('en-US');
  throw refuseInput(place, `no GPU of the pool has a plain profile with ${memory}; the largest has ${most} MiB`);
}

/** The name under which the models of the pool have a profile. */
function readProfile(name: string, at: InputPlace, models: readonly GpuModel[]): string {
  if (name === WHOLE) return name;
  const parsed = parseProfile(name);
  if (isProfileNameError(parsed)) throw refuseInput(at, parsed.message);
  if (parsed.computeInstanceSlices !== undefined)
    throw refuseInput(at, `${name} is a compute instance; ask for its GPU instance, ${parsed.instanceProfile}`);
  // Of an empty pool every profile may be asked for.
  const all = models.length > 0 ? models : MODELS;
  if (all.some(({ profiles }) => profiles.some((profile) => profile.name === name))) return name;
  for (const model of all) {
    const profile = resolveProfile(model, name, model);
    if (profile !== undefined) return profile.name;
  }
  const known = models.map((model) => `${model.id} has ${listNames(model)}`).join('; ');
  throw refuseInput(at, `no GPU of the pool has a profile ${name}${known === '' ? '' : `; ${known}`}`);
}

/** Memory slices of the smallest profile, on the model on which it takes the fewest. */
function weightOf(profiles: readonly string[], models: readonly GpuModel[]): number {
  const sizes = (models.length > 0 ? models : MODELS).flatMap((model) =>
    profiles.flatMap((name) =>
      name === WHOLE ? model.memorySlices : (resolveProfile(model, name)?.memorySlices ?? []),
    ),
  );
  return Math.max(1, Math.min(...sizes));
}
