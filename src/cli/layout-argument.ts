import type { Layout } from '../core/gpu/geometry/geometry.ts';
import type { Instance } from '../core/gpu/search/instance.ts';
import { CliError } from './exit.ts';
import { parseYaml } from './input/yaml-document.ts';
import { definedOnly } from '../core/text/defined-fields.ts';
import { isFields } from '../core/text/fields.ts';
import { messageOf } from '../core/text/message-of.ts';

/** More instances of a profile than any GPU holds; a larger count is a typing error. */
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
  return definedOnly({ profile, start, busy, size, computeInstances });
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
