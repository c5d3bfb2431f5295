import type { Geometry, Profile } from './geometry.ts';
import type { GpuModel } from './model.ts';
import { contradictsModel } from './table-check.ts';

/** How a driver's table differs from the built-in one of its model. */
export interface TableDifference {
  /** A sentence each; drivers name and count some things differently. */
  readonly differences: readonly string[];
  /** True if it would be a different chip: plans of `plan`, `fit` and `validate` do not apply to this GPU. */
  readonly isContradiction: boolean;
}

/** Compares profile by profile, by name. What no source has stated of a model is not compared. */
export function compareTables(live: Geometry, model: GpuModel): TableDifference {
  const missing = model.profiles
    .filter(({ name, formerNames = [] }) => ![name, ...formerNames].some((one) => find(live, one) !== undefined))
    .map(({ name }) => `this driver does not list ${name}`);
  const others = live.profiles.flatMap((profile) => {
    const known = model.profiles.find(
      ({ name, formerNames = [] }) => name === profile.name || formerNames.includes(profile.name),
    );
    if (known === undefined) return [`this driver lists ${profile.name}, which the built-in table does not have`];
    const states = (field: (typeof known.inferred)[number]): boolean => !known.inferred.includes(field);
    return [
      ...differ(profile.name, 'ID', profile.id, states('id') ? known.id : undefined),
      ...differ(
        profile.name,
        'memory slices',
        profile.memorySlices,
        states('memorySlices') ? known.memorySlices : undefined,
      ),
      ...differ(profile.name, 'starts', profile.starts.join(), states('starts') ? known.starts.join() : undefined),
      ...differ(profile.name, 'at most', profile.maxInstances, states('maxInstances') ? known.maxInstances : undefined),
      ...differ(profile.name, 'MiB', profile.memoryMiB, known.memoryMiB),
      ...differ(profile.name, 'multiprocessors', profile.multiprocessors, known.multiprocessors),
      ...differ(profile.name, 'engines', writeEngines(profile), states('engines') ? writeEngines(known) : undefined),
    ];
  });
  return { differences: [...missing, ...others], isContradiction: contradictsModel(live, model) };
}

function find({ profiles }: Geometry, name: string): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}

function differ<Value extends string | number>(
  name: string,
  what: string,
  live: Value | undefined,
  known: Value | undefined,
): readonly string[] {
  if (live === undefined || known === undefined || live === known) return [];
  return [`${name}: ${what} ${live} here, ${known} in the built-in table`];
}

function writeEngines({ engines: { copy, decoder, encoder, jpeg, ofa } }: Profile): string {
  return `CE ${copy} DEC ${decoder} ENC ${encoder} JPEG ${jpeg} OFA ${ofa}`;
}
