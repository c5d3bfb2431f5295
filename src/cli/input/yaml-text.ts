/**
 * The text with `\n` at every line end of go-yaml: also at CR and, unless the text is JSON, at the line separators of
 * Unicode. The length is unchanged, so that positions stay valid; a BOM at the beginning of a document is removed.
 */
export function normalizeLines(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').replaceAll(/\r(?!\n)/g, '\n');
  const source = lines.replaceAll(/^(---[^\n]*\n)\uFEFF/gm, '$1');
  return isJson(source) ? source : source.replaceAll(/[\u0085\u2028\u2029]/g, '\n');
}

/** The first character that go-yaml refuses to read, or a line that kubectl does not accept as a document separator. */
export function findForbidden(source: string): { readonly offset: number; readonly message: string } | undefined {
  const character = (isJson(source) ? FORBIDDEN_IN_JSON : FORBIDDEN).exec(source);
  if (character !== null) {
    const code = (character[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return {
      offset: character.index,
      message: `the character U+${code} may not stand in YAML; write it as an escape in quotes`,
    };
  }
  const separator = isJson(source) ? null : /^---[^\S\n]*[^\s#]/m.exec(source);
  if (separator === null) return undefined;
  return {
    offset: separator.index,
    message: 'a line that begins with --- parts documents: nothing may follow but a comment',
  };
}

/**
 * The objects of a JSON stream, as `jq` writes it, which YAML does not support; else the whole text. If it is
 * not such a stream after all, the parser reports what is wrong with the whole.
 */
export function splitJson(source: string): readonly { readonly offset: number; readonly text: string }[] {
  const whole = [{ offset: 0, text: source }];
  if (!isJson(source)) return whole;
  const parts: { offset: number; text: string }[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: mark, index } of source.matchAll(/"(?:[^"\\]|\\.)*"|[[{}\]]|[^\s[{}\]"]+/gs)) {
    const isOpening = mark === '{' || mark === '[';
    if (depth === 0 && mark !== '{') return whole;
    if (depth === 0) start = index;
    if (isOpening) depth += 1;
    if (mark === '}' || mark === ']') depth -= 1;
    if (depth === 0) parts.push({ offset: start, text: source.slice(start, index + 1) });
  }
  return depth === 0 && parts.length > 1 ? parts : whole;
}

const FORBIDDEN_IN_JSON = /(?![\t\n\r\u007F-\u009F])\p{Cc}/u;
const FORBIDDEN = /(?![\t\n\r\u0085])\p{Cc}|[\uFFFE\uFFFF]|\p{Surrogate}/u;

/** kubectl first tries to read as JSON what starts with a brace. */
function isJson(source: string): boolean {
  return /^\s*\{/.test(source);
}
