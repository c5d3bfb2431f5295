import { type Fields, isFields } from '../../core/text/fields.ts';
import { type FieldPath, writePath } from '../../core/text/finding.ts';
import { CliError } from '../exit.ts';

/** A place in a file, for errors: the file's name, and the path of a value in it. */
export interface InputPlace {
  readonly file: string;
  readonly path: FieldPath;
}

export function within({ file, path }: InputPlace, ...parts: FieldPath): InputPlace {
  return { file, path: [...path, ...parts] };
}

export function refuseInput({ file, path }: InputPlace, message: string): CliError {
  const at = path.length === 0 ? '' : `${writePath(path)}: `;
  return new CliError(`${file}: ${at}${message}`);
}

/**
 * The fields of an object.
 *
 * @param known the fields that it may have; absent: any
 * @throws CliError if it is not an object, or has others
 */
export function readFields(value: unknown, at: InputPlace, example: string, known?: readonly string[]): Fields {
  if (!isFields(value)) throw refuseInput(at, `${describe(value)} is not an object such as ${example}`);
  const other = known && Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined && known !== undefined)
    throw refuseInput(within(at, other), `there is no such field; the fields are ${known.join(', ')}`);
  return value;
}

/** @throws CliError if it is not a list; an absent one is empty */
export function readList(value: unknown, at: InputPlace, example: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refuseInput(at, `${describe(value)} is not a list such as ${example}`);
  return value;
}

/** @throws CliError if it is not a text of at least one character */
export function readWord(value: unknown, at: InputPlace, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw refuseInput(at, `${describe(value)} is not ${what}`);
}

/** @throws CliError if it is not a whole number within bounds */
export function readWhole(value: unknown, at: InputPlace, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw refuseInput(at, `${describe(value)} is not a whole number from ${least} to ${most}`);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
