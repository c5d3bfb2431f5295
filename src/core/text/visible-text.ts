/** Control and format characters (including those that change the text direction), lone surrogates and line separators. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The value with a mark in place of each character in its texts that starts a line, controls a terminal, or is invisible. Every text
 * keeps its length: the API's bounds still hold for it.
 */
export function printable<T>(value: T): T {
  return mapTexts(value, (text) => text.replaceAll(UNPRINTABLE, '\ufffd'));
}

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
