/** Controls, format characters (among them those that turn the direction of a text), lone surrogates and line separators. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The value with a mark in place of each character of its texts that starts a line, steers a terminal, or is not shown. Every text
 * stays as long as it was: the API's bounds hold for it as before.
 */
export function printable<T>(value: T): T {
  return replaceTexts(value) as T;
}

function replaceTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(UNPRINTABLE, '\ufffd');
  if (Array.isArray(value)) return value.map(replaceTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceTexts(item)]));
}

/**
 * The text with an escape in place of each character that a terminal obeys or does not show: `\u001b`. Within a string of JSON that
 * is the same character, so that JSON stays what it was. Line ends and tabs stay.
 */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}
