// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here what the name of a profile says, which profile of a GPU it means, and how two tables of profiles differ.
import {
  ENGINE_KINDS,
  type Engines,
  type Geometry,
  type Profile,
  type GpuModel,
  findModel,
  type ModelProfile,
  type ProfileField,
  MODELS,
} from './geometry.ts';
import { omitUndefined } from '../text/json.ts';

/** A parsed profile name. */
export interface ParsedProfile {
  /** Canonical spelling: `1g.5gb`, `1g.24gb+me.all`, `1c.3g.20gb`; `3c.3g.20gb` becomes `3g.20gb`. */
  readonly name: string;
  /** Profile of the GPU instance, which is the name without `Nc.`: `3g.20gb`. */
  readonly instanceProfile: string;
  /** Slices of the compute instance if it is smaller than its GPU instance: 1 of `1c.3g.20gb`. */
  readonly computeInstanceSlices?: number;
  /** Compute slices of the GPU instance: 3 of `3g.20gb`. */
  readonly gpuSlices: number;
  /** Memory in the name. A fraction of the board's nominal GB, not what an instance can use; 0 on Thor. */
  readonly gb: number;
  /** Suffixes after a plus: `me`, `me.all`, `gfx`. */
  readonly added: readonly string[];
  /** Suffixes after a minus: `me`. */
  readonly removed: readonly string[];
}

/** Why a text is not a profile name, and what one looks like. */
interface ProfileNameError {
  readonly code: 'InvalidProfileName';
  readonly message: string;
}

const GRAMMAR =
  /^(?:(?<c>[1-9]\d?)c\.)?(?<g>[1-9]\d?)g\.(?<gb>\d{1,4})gb(?:\+(?<plus>[a-z][a-z0-9.]*(?:,[a-z][a-z0-9.]*)*))?(?:-(?<minus>[a-z][a-z0-9.]*(?:,[a-z][a-z0-9.]*)*))?$/;

/**
 * Parses a profile name, by the grammar of go-nvlib's MigProfile: `[Nc.]Mg.XXgb[+attribute[,attribute]][-attribute]`. Only the form
 * is checked; {@link resolveProfile} tells whether a model has the profile.
 */
export function parseProfile(text: string): ParsedProfile | ProfileNameError {
  const groups = GRAMMAR.exec(text)?.groups;
  if (groups === undefined) return refuseName(text, hintSpelling(text));
  const gpuSlices = Number(groups['g']);
  const computeSlices = groups['c'] === undefined ? gpuSlices : Number(groups['c']);
  if (computeSlices > gpuSlices)
    return refuseName(
      text,
      `a compute instance of ${computeSlices} slices cannot be larger than its GPU instance of ${gpuSlices}`,
    );
  const instanceProfile = text.slice(groups['c'] === undefined ? 0 : groups['c'].length + 2);
  const split = computeSlices < gpuSlices;
  return {
    name: split ? text : instanceProfile,
    instanceProfile,
    ...(split ? { computeInstanceSlices: computeSlices } : {}),
    gpuSlices,
    gb: Number(groups['gb']),
    added: groups['plus']?.split(',') ?? [],
    removed: groups['minus']?.split(',') ?? [],
  };
}

export function isProfileNameError(result: ParsedProfile | ProfileNameError): result is ProfileNameError {
  return 'code' in result;
}

/** Name of a compute instance of `slices` on a GPU instance: `1c.3g.20gb`, or the plain name if it covers the whole. */
export function computeInstanceName(instanceProfile: string, slices: number, gpuSlices: number): string {
  return slices === gpuSlices ? instanceProfile : `${slices}c.${instanceProfile}`;
}

/**
 * Slices that a compute instance takes, by its name. The driver names the compute instance of a `1g.5gb+me` just `1g.5gb`
 * (`nvidia-smi -L`), so only the leading `Nc.` is read.
 */
export function computeInstanceSlices(name: string, gpuSlices: number): number {
  const digits = /^(\d+)c\./.exec(name)?.[1];
  return digits === undefined ? gpuSlices : Number(digits);
}

/**
 * A compute instance in the planner's terms: one that covers the whole has the name of its GPU instance. The driver lists that of a
 * `1g.5gb+me` as `1g.5gb`.
 */
export function nameWhole(computeInstance: string, instance: string): string {
  return computeInstanceSlices(computeInstance, 0) === 0 ? instance : computeInstance;
}

function refuseName(text: string, why: string): ProfileNameError {
  return { code: 'InvalidProfileName', message: `"${text}" is not a MIG profile name: ${why}` };
}

function hintSpelling(text: string): string {
  const bare = text
    .trim()
    .replace(/^mig[ -]/i, '')
    .toLowerCase();
  if (bare !== text && GRAMMAR.test(bare)) return `write ${bare}`;
  const dotted = /^(.*gb)\.([a-z].*)$/.exec(bare);
  if (dotted !== null && GRAMMAR.test(`${dotted[1]}+${dotted[2]}`)) return `write ${dotted[1]}+${dotted[2]}`;
  return 'write it as 1g.5gb, 1g.5gb+me, 1g.24gb-me or 1c.3g.20gb';
}

/** The kind of slice that a GPU with MIG mode off is: it has one instance of this "profile", at 0. No profile has this name. */
export const WHOLE = 'whole';

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
function findNamed<Known extends Profile>(profiles: readonly Known[], name: string): Known | undefined {
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

/**
 * Whether a reported profile table cannot belong to the model that its product names. Names, memory and new profiles may differ with
 * the driver; the slices of a chip, what a profile takes of them and where it may start may not. What no source has stated of a
 * model is not held against a driver.
 */
function contradictsModel(table: Geometry, model: GpuModel): boolean {
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

/**
 * A driver's table as it was reported, completed with what no nvidia-smi command tells: the engines of the whole GPU, former names, which
 * profiles exclude each other. One that contradicts the known data of the model is not used: it is a mistake of the agent, or of whoever
 * has its token, and would decide what fits and how long the planner searches.
 */
export function completeTable(
  product: string,
  { computeSlices, memorySlices, profiles }: Pick<Geometry, 'computeSlices' | 'memorySlices' | 'profiles'>,
): Geometry {
  const builtIn = findModel(product);
  const table: Geometry = {
    computeSlices,
    memorySlices,
    engines: builtIn?.engines ?? deriveEngineTotals(profiles),
    ...(builtIn?.exclusive === undefined ? {} : { exclusive: builtIn.exclusive }),
    profiles: profiles.map((profile) => {
      const known = builtIn?.profiles.find(({ id }) => id !== undefined && id === profile.id);
      return omitUndefined({ ...profile, formerNames: known?.formerNames });
    }),
  };
  return builtIn !== undefined && contradictsModel(table, builtIn) ? builtIn : table;
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

/**
 * The plain profile of each number of compute slices: of those without attributes the one with the most instances, which
 * distinguishes the normal 1g from the one with double memory (the rule of mig-parted's generated configuration).
 */
export function listBaseProfiles(geometry: Geometry): readonly Geometry['profiles'][number][] {
  const best = new Map<number, Geometry['profiles'][number]>();
  for (const profile of geometry.profiles) {
    const known = best.get(profile.computeSlices);
    if (/[+-]/.test(profile.name) || (known !== undefined && known.maxInstances >= profile.maxInstances)) continue;
    best.set(profile.computeSlices, profile);
  }
  return geometry.profiles.filter((profile) => best.get(profile.computeSlices) === profile);
}

/** All models that share a PCI device id with this one: the same board under other driver branches, itself included. */
function listModelsOfSameBoard(model: GpuModel): readonly GpuModel[] {
  const devices = new Set(model.products.map((product) => product.pciDeviceId));
  return MODELS.filter(
    (other) =>
      other === model ||
      other.products.some((product) => product.pciDeviceId !== undefined && devices.has(product.pciDeviceId)),
  );
}
