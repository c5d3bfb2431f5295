import { Option, InvalidArgumentError } from 'commander';
import { findModel, type GpuModel, hasNoMig, listModelsOfName, MODELS, type Layout } from '../core/gpu/geometry.ts';
import { findNearestWords, messageOf } from '../core/text/words.ts';
import { CliError, type Terminal } from './terminal.ts';
import type { Instance } from '../core/gpu/grid.ts';
import { parseYaml } from './input/yaml.ts';
import { omitUndefined, isFields } from '../core/text/json.ts';
import { constants, lstatSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export type OutputFormat = 'json' | 'text';

/** `-o json|text`, which every command has. */
export function outputOption(preset: OutputFormat = 'text'): Option {
  return new Option('-o, --output <format>', 'json for programs, text for people')
    .choices(['json', 'text'])
    .default(preset);
}

/** Parser of an option that names a file or a folder. An empty value would mean the current folder. */
export function readPath(text: string): string {
  if (text === '') throw new InvalidArgumentError('the path is empty.');
  return text;
}

/** The model that a user names. @throws CliError that lists the models that may be meant */
export function readModel(name: string): GpuModel {
  const model = findModel(name);
  if (model !== undefined) return model;
  throw new CliError(explainUnknownModel(name));
}

/** Why a name is not a model, and which ones may be meant. */
export function explainUnknownModel(name: string): string {
  const named = JSON.stringify(name);
  const ids = MODELS.map(({ id }) => id);
  const bearers = listModelsOfName(name).map(({ id }) => id);
  if (bearers.length > 0)
    return `no GPU model ${named}: several boards have that name, and differ; write ${bearers.join(' or ')}`;
  if (hasNoMig(name))
    return `${named} has no MIG: it cannot be partitioned. Several pods can share it by time-slicing: mig: Disabled and spec.sharing in a policy`;
  const names = MODELS.flatMap(({ products }) => products.map((product) => product.name.replace(/^NVIDIA /, '')));
  const near = findNearestWords(name, [...ids, ...names], 6);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `known models are ${ids.join(', ')}`;
  return `no GPU model ${named} with MIG is known; ${hint}`;
}

/** A number of instances of a profile that no GPU holds; a larger count is a typing error. */
const MOST = 1000;

/** A layout as JSON: profile to count. @throws CliError that names the entry */
export function readWant(text: string): Layout {
  const value = readJson('--want', text);
  if (!isFields(value)) throw new CliError('--want must be an object of profile and count, such as {"1g.5gb": 2}');
  const layout: Record<string, number> = {};
  for (const [profile, count] of Object.entries(value)) {
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MOST) {
      throw new CliError(
        `--want: ${profile}: ${JSON.stringify(count)} is not a number of slices; use a whole number of at least 1`,
      );
    }
    layout[profile] = count;
  }
  return layout;
}

/** The instances on a GPU, as JSON: a list of `{profile, start, busy, size, computeInstances}`; the last three are optional. */
export function readHave(text: string): readonly Instance[] {
  const value = readJson('--have', text);
  if (!Array.isArray(value)) throw new CliError('--have must be a list, such as [{"profile": "1g.5gb", "start": 0}]');
  return value.map((item: unknown, index) => readInstance(item, `--have[${index}]`));
}

function readInstance(item: unknown, at: string): Instance {
  if (!isFields(item)) throw new CliError(`${at} must be an object, such as {"profile": "1g.5gb", "start": 0}`);
  const { profile, start, busy = false, size, computeInstances, ...others } = item;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new CliError(`${at}.${unknown} is not a known field; known: profile, start, busy, size, computeInstances`);
  if (typeof profile !== 'string' || profile === '')
    throw new CliError(`${at}.profile must be a profile's name, such as "1g.5gb"`);
  if (!isUnit(start))
    throw new CliError(`${at}.start must be a whole number from 0: the first memory slice of the instance`);
  if (typeof busy !== 'boolean') throw new CliError(`${at}.busy must be true or false`);
  if (size !== undefined && !isUnit(size)) throw new CliError(`${at}.size must be a whole number from 0`);
  if (computeInstances !== undefined && !isNames(computeInstances)) {
    throw new CliError(`${at}.computeInstances must be a list of names, such as ["1c.3g.20gb"]`);
  }
  return omitUndefined({ profile, start, busy, size, computeInstances });
}

function readJson(option: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    refuseTwice(option, text);
    return value;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${option} is not valid JSON: ${messageOf(error)}`, 2, { cause: error });
  }
}

/** JSON.parse takes the last of two equal keys: the answer would be about another layout. */
function refuseTwice(option: string, text: string): void {
  const read = parseYaml(text);
  const key = 'documents' in read ? read.documents[0]?.duplicates[0]?.at(-1) : undefined;
  if (key !== undefined) throw new CliError(`${option}: the key ${String(key)} is given twice`);
}

function isUnit(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** The file that is meant by a path: in a folder, one of this name. */
export function nameNewFile(path: string, name: string, { cwd }: Pick<Terminal, 'cwd'>): string {
  const isFolder = path !== '-' && statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(path, name) : path;
}

/** Demands, before long work, that its result can be written. @throws CliError if the file already exists */
export function demandNewFile(path: string, { cwd }: Pick<Terminal, 'cwd'>): void {
  if (path === '-' || lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) === undefined) return;
  throw new CliError(`${path} is there already; name a new file`);
}

/** Writes a file that only its user can read. @throws CliError if it already exists, or cannot be written; nothing is left of it then */
export async function saveNewFile(path: string, text: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<void> {
  // If root runs this in somebody else's folder, a link there could point to a system file.
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const name = resolve(cwd, path);
  let isMade = false;
  try {
    await using file = await open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    isMade = true;
    await file.writeFile(text);
  } catch (cause) {
    if (isMade) await rm(name, { force: true });
    throw new CliError(`cannot write ${path}: ${messageOf(cause)}`, isMade ? 3 : 2, { cause });
  }
}
