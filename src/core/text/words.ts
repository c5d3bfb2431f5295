// Room text: how values are compared, read and written: JSON, names, quantities, times and sentences. Nothing in it knows of GPUs.
// Ask here for sentences that fit: cut, joined, wrapped, counted, free of what a terminal would obey, and how a mistake in a user's file is told.

/**
 * A text of at most `most` characters: a longer one ends with `…`, after a whole word. A word counts as whole up to the next space, so
 * that no name, number or path is ever cut unless it is longer than half of the room by itself.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = text.slice(0, most - 1);
  const end = text[most - 1] === ' ' ? room.length : room.lastIndexOf(' ');
  const kept = end * 2 >= room.length ? room.slice(0, end) : room.replace(/[\uD800-\uDBFF]$/, '');
  return `${kept.replace(/[\s,;:.(]+$/, '')}…`;
}

/**
 * Joins whole parts, as many as there is room for, then how many more there are: `a; b; and 3 more`. The most important ones come first.
 *
 * @param sayRest what follows so many parts, if more than the others are left out; empty for nothing
 */
export function joinWithin(
  parts: readonly string[],
  most: number,
  separator = '; ',
  sayRest = (shown: number): string => (shown < parts.length ? `and ${parts.length - shown} more` : ''),
): string {
  const join = (first: readonly string[]): string =>
    [...first, sayRest(first.length)].filter((text, at) => at < first.length || text !== '').join(separator);
  for (let shown = parts.length; shown > 0; shown -= 1) {
    const text = join(parts.slice(0, shown));
    if (text.length <= most) return text;
  }
  const [first] = parts;
  if (first === undefined) return '';
  const rest = join(['']);
  return `${cutText(first, most - rest.length)}${rest}`;
}

/** What the API takes of a value: how long its texts may be, and how far its numbers may go. */
interface Bounds {
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Bounds>>;
  readonly items?: Bounds;
  /** Bounds of each value of a map. */
  readonly additionalProperties?: Bounds;
}

/**
 * The value with its texts cut and its numbers limited to what the API takes. Much of what is reported is copied: from pods, annotations,
 * drivers, other programs. One such number or text too many, and the server would refuse the whole report.
 */
export function fitWithin<T>(value: T, bounds: Bounds): T {
  return fit(value, bounds) as T;
}

function fit(value: unknown, bounds: Bounds): unknown {
  const { maxLength = Infinity, minimum = -Infinity, maximum = Infinity, properties, items } = bounds;
  if (typeof value === 'string') return cutText(value, maxLength);
  if (typeof value === 'number') return Math.min(maximum, Math.max(minimum, value));
  if (Array.isArray(value)) return items ? value.map((one) => fit(one, items)) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const inner = properties?.[key] ?? bounds.additionalProperties;
      return [key, inner ? fit(one, inner) : one];
    }),
  );
}

/** `1 node`, `3 nodes`. */
export function countWords(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/**
 * Known words that a mistyped one probably means, nearest first: those that contain all its parts, then those a few edits away. Case
 * is ignored.
 */
export function findNearestWords(word: string, known: readonly string[], most = 3): readonly string[] {
  const wanted = word.toLowerCase();
  const parts = splitParts(wanted);
  return [...new Set(known)]
    .map((candidate) => ({ candidate, distance: measure(wanted, parts, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, Math.floor(wanted.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || a.candidate.length - b.candidate.length)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

function measure(wanted: string, parts: readonly string[], candidate: string): number {
  const words = splitParts(candidate);
  // Part of a name (a100, 80gb) is not a typo: it counts less than one edit.
  if (parts.length > 0 && parts.every((part) => words.includes(part))) return 0.5;
  return countEdits(wanted, candidate);
}

function splitParts(text: string): readonly string[] {
  return text.split(/[^a-z0-9.]+/).filter((part) => part !== '');
}

/** Levenshtein distance. */
function countEdits(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** Control and format characters (including those that change the text direction), lone surrogates and line separators. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The text with an escape in place of each character that controls a terminal or is invisible: `\u001b`. Within a JSON string the
 * escape means the same character, so the JSON is equivalent. Line ends and tabs stay.
 */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}

/** The value with each text in it changed; keys stay. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  return map(value, change) as T;
}

function map(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => map(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, change)]));
}

/**
 * Lines of at most `width` characters, broken at spaces; a longer word stays whole. Leading spaces stay.
 *
 * @param indent of lines after the first
 */
export function wrapHanging(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  const [first = '', ...words] = text.trimStart().split(' ');
  let line = text.slice(0, text.length - text.trimStart().length) + first;
  for (const word of words) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = `${line} ${word}`;
  }
  return [...lines, line];
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The place of a value in a document: keys of objects and indices of lists, from the outside in. */
export type FieldPath = readonly (string | number)[];

type Severity = 'error' | 'warning';

/** A finding about something in a user's file that is wrong, or does something other than it seems to. */
export interface Finding {
  readonly severity: Severity;
  /** A word for programs. */
  readonly code: FindingCode;
  readonly path: FieldPath;
  /** A sentence for people: what was found and what to write instead. */
  readonly message: string;
  /** Ids of the GPU models that a warning is about. */
  readonly models?: readonly string[];
}

/** Every code that file checks report. */
export const findingCodes = [
  // The input as a whole.
  'Unreadable',
  'InvalidYaml',
  'DuplicateKey',
  'MoreFindings',
  // Policies.
  'UnknownKind',
  'InvalidName',
  'InvalidField',
  'RuleBroken',
  'SharingRefused',
  'BadWindow',
  'UnknownProfile',
  'UnknownPreset',
  'DoesNotFit',
  'SingleNeedsOneProfile',
  'NeverApplies',
  'NoSuchModel',
  'StrategyMismatch',
  'SameNodes',
  'DuplicatePolicy',
  // Files of mig-parted.
  'InvalidMigParted',
  'InvalidConfigName',
  'DuplicateConfig',
  'MatchesNoGpu',
  'UnknownGpu',
  'NarrowerFilter',
  'ZeroCount',
  'Overlap',
  'Contradiction',
  'NoInstances',
  'WipesGpu',
  'NothingToImport',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** A path as jq writes it: `spec.layouts[0].profiles["1g.5gb"]`; `$` for the whole document. */
export function writePath(path: FieldPath): string {
  const text = path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      return /^[A-Za-z_][\w-]*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join('');
  return text === '' ? '$' : text.replace(/^\./, '');
}

/** `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
