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
 * Whole parts, as many as there is room for, then how many more there are: `a; b; and 3 more`. The most important ones come first.
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
export interface Bounds {
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Bounds>>;
  readonly items?: Bounds;
  /** Of each value of a map. */
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
