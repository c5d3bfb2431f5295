/** Controls, format characters (among them those that turn the direction of a text), lone surrogates and line separators. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

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
