import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Scalar,
  visit,
  type YAMLMap,
  Composer,
  type CST,
  Lexer,
  LineCounter,
  Parser,
} from 'yaml';
import type { FieldPath } from '../../core/text/findings.ts';

/**
 * The text with `\n` at every line end of go-yaml: also at CR and, unless the text is JSON, at the line separators of
 * Unicode. The length is unchanged, so that positions stay valid; a BOM at the beginning of a document is removed.
 */
function normalizeLines(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').replaceAll(/\r(?!\n)/g, '\n');
  const source = lines.replaceAll(/^(---[^\n]*\n)\uFEFF/gm, '$1');
  return isJson(source) ? source : source.replaceAll(/[\u0085\u2028\u2029]/g, '\n');
}

/** The first character that go-yaml refuses to read, or a line that kubectl does not accept as a document separator. */
function findForbidden(source: string): { readonly offset: number; readonly message: string } | undefined {
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
function splitJson(source: string): readonly { readonly offset: number; readonly text: string }[] {
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

/** A YAML scalar: its text, whether it is plain (not quoted, not a block), and its tag if it has one. */
interface YamlScalar {
  readonly text: string;
  readonly isPlain: boolean;
  readonly tag: string | undefined;
}

type ScalarValue = string | number | boolean | null;

/** A rejected text, with a message for users. */
class YamlFault extends Error {
  override readonly name = 'YamlFault';
}

const PREFIX = 'tag:yaml.org,2002:';
type Kind = 'str' | 'bool' | 'int' | 'float' | 'null';

const WORDS: Readonly<Record<string, ScalarValue>> = Object.fromEntries([
  ...spell(['y', 'yes', 'true', 'on'], true),
  ...spell(['n', 'no', 'false', 'off'], false),
  ...spell(['', '~', 'null'], null),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...spell(['.inf', '+.inf'], Number.POSITIVE_INFINITY),
  ...spell(['-.inf'], Number.NEGATIVE_INFINITY),
]);

/** `true`, `True` and `TRUE`; in `.inf` the first letter follows the dot. */
function spell(words: readonly string[], value: ScalarValue): readonly (readonly [string, ScalarValue])[] {
  return words.flatMap((word) =>
    [word, word.toUpperCase(), word.replace(/[a-z]/, (letter) => letter.toUpperCase())].map(
      (form) => [form, value] as const,
    ),
  );
}

/**
 * What a scalar means to kubectl: go-yaml v2 `resolve`, in which `yes` is true, `010` and `0o10` are 8, and times are strings.
 * @throws YamlFault if its tag and its text contradict each other
 */
function resolveScalar({ text, isPlain, tag }: YamlScalar): ScalarValue {
  if (tag === undefined) return isPlain ? resolvePlain(text).value : text;
  const wanted = tag.startsWith(PREFIX) ? tag.slice(PREFIX.length) : undefined;
  switch (wanted) {
    case 'bool':
    case 'int':
    case 'float':
    case 'null':
      return resolveAs(text, wanted);
    case 'timestamp':
      if (TIME.test(text)) return text;
      throw new YamlFault(`the tag !!timestamp stands before ${JSON.stringify(text)}, which is none`);
    case 'binary':
      return decodeBase64(text);
    default:
      // With an unknown tag the text stays unchanged.
      return text;
  }
}

const TIME = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

function resolveAs(text: string, wanted: Kind): ScalarValue {
  const { kind, value } = resolvePlain(text);
  if (kind === wanted || (kind === 'int' && wanted === 'float')) return value;
  throw new YamlFault(`the tag !!${wanted} stands before ${JSON.stringify(text)}, which is none`);
}

interface Resolved {
  readonly kind: Kind;
  readonly value: ScalarValue;
  /** An exact integer, which a number above 2^53 is not. */
  readonly integer?: bigint;
}

function resolvePlain(text: string): Resolved {
  if (Object.hasOwn(WORDS, text)) {
    const value = WORDS[text] ?? null;
    return { kind: value === null ? 'null' : typeof value === 'boolean' ? 'bool' : 'float', value };
  }
  if (!/^[-+.0-9]/.test(text)) return { kind: 'str', value: text };
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '');
  const integer = readInteger(digits);
  if (integer !== undefined) return { kind: 'int', value: Number(integer), integer };
  const float = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(float) ? { kind: 'float', value: float } : { kind: 'str', value: text };
}

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;

/** Go's ParseInt with base 0: what does not fit into 64 bits is not an integer. */
function readInteger(text: string): bigint | undefined {
  const [, sign = '', digits = ''] = INTEGER.exec(text) ?? [];
  if (digits === '') return undefined;
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const most = sign === '-' ? 2n ** 63n : sign === '+' ? 2n ** 63n - 1n : 2n ** 64n - 1n;
  if (value > most) return undefined;
  return sign === '-' ? -value : value;
}

function decodeBase64(text: string): string {
  const packed = text.replaceAll(/[\r\n]/g, '');
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(packed) && packed.length % 4 === 0;
  if (!isBase64) throw new YamlFault('the tag !!binary stands before a text that is not base64');
  return Buffer.from(packed, 'base64').toString('utf8');
}

/** The field name that a scalar becomes when kubectl converts it to JSON. @throws YamlFault if JSON has no such name */
function nameKey(scalar: YamlScalar): string {
  const value = resolveScalar(scalar);
  if (value === null) throw new YamlFault('a key is null; put it in quotes, or name the field');
  if (typeof value !== 'number') return String(value);
  const { integer } = scalar.tag?.endsWith(':float') === true ? {} : resolvePlain(scalar.text);
  if (integer === undefined) return writeFloat(value);
  // go-yaml uses another type for values above int64, which the conversion to JSON does not support as a key.
  if (integer < 2n ** 63n) return String(integer);
  throw new YamlFault(`the key ${scalar.text} is a number above 64 bits; put it in quotes`);
}

/** Go's FormatFloat(value, 'g', -1, 32), which sigs.k8s.io/yaml uses for keys. */
function writeFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  const precision = [1, 2, 3, 4, 5, 6, 7, 8].find(
    (digits) => Math.fround(Number(single.toPrecision(digits))) === single,
  );
  const [mantissa = '', power = '0'] = single.toExponential((precision ?? 9) - 1).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(Number(single.toPrecision(precision ?? 9)));
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Position of a field or an item: its key or itself, and its scalar if it is one. */
interface Spot {
  readonly offset: number;
  readonly scalar: Scalar | undefined;
}

/** A document's value, and the positions of its parts in the text. */
interface PlacedValue {
  readonly value: unknown;
  readonly root: Spot;
  /** Keyed by the objects and lists of the value themselves, then by field or index. */
  readonly spots: ReadonlyMap<unknown, ReadonlyMap<string, Spot>>;
  /** Keys that a mapping has twice; the last one counts. */
  readonly duplicates: readonly FieldPath[];
}

/** What is wrong with a document beyond its syntax, and where. */
class PlacedFault extends Error {
  override readonly name = 'PlacedFault';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Converts a document to a value as sigs.k8s.io/yaml does on go-yaml v2, which kubectl uses: merges overwrite what precedes
 * them, keys become strings, and aliases may expand a document only so far.
 * @throws PlacedFault
 */
function readDocumentValue(document: Document): PlacedValue {
  return new ValueReader(document).read();
}

class ValueReader {
  readonly #document: Document;
  readonly #targets: ReadonlyMap<Alias, unknown>;
  readonly #spots = new Map<unknown, ReadonlyMap<string, Spot>>();
  readonly #duplicates: FieldPath[] = [];
  readonly #open = new Set<Alias>();
  #nodes = 0;
  #expanded = 0;

  constructor(document: Document) {
    this.#document = document;
    this.#targets = findTargets(document);
  }

  read(): PlacedValue {
    const { contents } = this.#document;
    const value = this.#readNode(contents, []);
    return { value, root: spotOf(contents), spots: this.#spots, duplicates: this.#duplicates };
  }

  #readNode(node: unknown, path: FieldPath): unknown {
    this.#count(node);
    if (isAlias(node)) return this.#expand(node, (target) => this.#readNode(target, path));
    if (isScalar(node)) return readScalar(node);
    if (isSeq(node)) {
      const spots = node.items.map((item, index) => [String(index), spotOf(item)] as const);
      const list = node.items.map((item, index) => this.#readNode(item, [...path, index]));
      this.#spots.set(list, new Map(spots));
      return list;
    }
    if (!isMap(node)) return null;
    const fields = new Map<string, unknown>();
    const spots = new Map<string, Spot>();
    this.#readFields(node, path, fields, spots);
    const object: unknown = Object.fromEntries(fields);
    this.#spots.set(object, spots);
    return object;
  }

  #readFields(map: YAMLMap, path: FieldPath, fields: Map<string, unknown>, spots: Map<string, Spot>): void {
    const own = new Set<string>();
    for (const { key, value } of map.items) {
      if (isScalar(key) && isMerge(key)) {
        this.#merge(value, path, fields, spots);
        continue;
      }
      const name = this.#readKey(key, offsetOf(map));
      if (own.has(name) && this.#open.size === 0) this.#duplicates.push([...path, name]);
      own.add(name);
      fields.set(name, this.#readNode(value, [...path, name]));
      spots.set(name, { offset: offsetOf(key) ?? offsetOf(map) ?? 0, scalar: isScalar(value) ? value : undefined });
    }
  }

  #readKey(key: unknown, fallback: number | undefined): string {
    this.#count(key);
    const node = isAlias(key) ? this.#targets.get(key) : key;
    const offset = offsetOf(key) ?? fallback ?? 0;
    if (!isScalar(node) && node !== null)
      throw new PlacedFault('a key is a list or an object; a key is one word', offset);
    return place(offset, () => nameKey(isScalar(node) ? toScalar(node) : { text: '', isPlain: true, tag: undefined }));
  }

  #merge(node: unknown, path: FieldPath, fields: Map<string, unknown>, spots: Map<string, Spot>): void {
    // If there are several, the first wins: it is merged last.
    const sources = isSeq(node) ? node.items.toReversed() : [node];
    for (const source of sources) {
      this.#count(source);
      const target = isAlias(source) ? this.#targets.get(source) : source;
      if (!isMap(target)) {
        const offset = offsetOf(source) ?? offsetOf(node) ?? 0;
        throw new PlacedFault('<< wants an object, or a list of objects, whose fields it takes over', offset);
      }
      if (isAlias(source)) this.#expand(source, () => this.#readFields(target, path, fields, spots));
      else this.#readFields(target, path, fields, spots);
    }
  }

  #expand<Result>(alias: Alias, read: (target: unknown) => Result): Result {
    if (this.#open.has(alias)) {
      throw new PlacedFault(`the value of the anchor &${alias.source} contains itself`, offsetOf(alias) ?? 0);
    }
    this.#open.add(alias);
    const result = read(this.#targets.get(alias));
    this.#open.delete(alias);
    return result;
  }

  /** go-yaml's own limit, so that whatever kubectl accepts is accepted. */
  #count(node: unknown): void {
    this.#nodes += 1;
    if (this.#open.size > 0) this.#expanded += 1;
    if (this.#expanded <= 100 || this.#nodes <= 1000) return;
    if (this.#expanded / this.#nodes <= allowedShare(this.#nodes)) return;
    const [first] = this.#open;
    throw new PlacedFault('aliases (*) multiply the document beyond measure', offsetOf(first ?? node) ?? 0);
  }
}

/** The node of the nearest anchor before each alias. @throws PlacedFault for an alias without one */
function findTargets(document: Document): ReadonlyMap<Alias, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<Alias, unknown>();
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target === undefined) {
        throw new PlacedFault(`the alias *${node.source} has no anchor &${node.source} before it`, offsetOf(node) ?? 0);
      }
      targets.set(node, target);
    },
  });
  return targets;
}

/** go-yaml v2 `allowedAliasRatio`: 99 % of a small document may come from aliases, 10 % of a large one. */
function allowedShare(nodes: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (nodes <= low) return 0.99;
  if (nodes >= high) return 0.1;
  return 0.99 - (0.89 * (nodes - low)) / (high - low);
}

function readScalar(node: Scalar): unknown {
  const value = place(offsetOf(node) ?? 0, () => resolveScalar(toScalar(node)));
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new PlacedFault(`${String(node.source)} is not a number that JSON can represent`, offsetOf(node) ?? 0);
}

/** An empty position has no type of its own: it is plain. */
function toScalar({ value, type = 'PLAIN', tag }: Scalar): YamlScalar {
  return { text: typeof value === 'string' ? value : '', isPlain: type === 'PLAIN', tag };
}

function isMerge({ value, type, tag }: Scalar): boolean {
  return value === '<<' && ((type === 'PLAIN' && tag === undefined) || tag === 'tag:yaml.org,2002:merge');
}

function place<Result>(offset: number, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof YamlFault ? new PlacedFault(error.message, offset) : error;
  }
}

function spotOf(node: unknown): Spot {
  return { offset: offsetOf(node) ?? 0, scalar: isScalar(node) ? node : undefined };
}

function offsetOf(node: unknown): number | undefined {
  const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

/** A position in a file; lines and columns from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A document of a YAML or JSON file. */
export interface YamlDocument {
  readonly value: unknown;
  /** Position of the value at a path; of its key if it has one, else of the nearest enclosing element that exists. */
  readonly locate: (path: FieldPath) => Position;
  /** Position in this file of a position in the text at a path, such as a file within a ConfigMap. */
  readonly locateWithin: (path: FieldPath, inner: Position) => Position;
  /** Keys that an object has twice; the last one counts. */
  readonly duplicates: readonly FieldPath[];
}

interface YamlError extends Position {
  readonly message: string;
}

type ParsedYaml = { readonly documents: readonly YamlDocument[] } | { readonly error: YamlError };

/** A Kubernetes manifest has about 30 levels; later code walks a value level by level. */
const MAX_LEVELS = 500;
/** A file of 4 MiB has about as many if its words have seven letters. Each takes 400 bytes until its document is read. */
const MAX_PARTS = 500_000;

/**
 * Reads YAML as kubectl and mig-parted do (sigs.k8s.io/yaml on go-yaml v2): YAML 1.1, in which `yes` is true and `010` is 8, but
 * times and dates are strings. A BOM and empty documents are skipped. The library only reads the syntax; the meaning of a text is
 * decided here.
 */
export function parseYaml(text: string): ParsedYaml {
  const source = normalizeLines(text);
  const counter = countLines(source);
  try {
    const documents: YamlDocument[] = [];
    // One at a time: the library's view of a document takes a hundred times its text.
    for (const document of composeDocuments(source)) documents.push(...readDocument(document, source, counter));
    return { documents };
  } catch (error) {
    if (!(error instanceof PlacedFault)) throw error;
    return { error: { ...toPosition(counter, error.offset), message: error.message } };
  }
}

function* composeDocuments(source: string): Generator<Document> {
  const forbidden = findForbidden(source);
  if (forbidden !== undefined) throw new PlacedFault(forbidden.message, forbidden.offset);
  // Every scalar stays a text: the library's interpretation of YAML 1.1 is not go-yaml's.
  const composer = new Composer({ version: '1.1', schema: 'failsafe', uniqueKeys: false, prettyErrors: false });
  for (const token of readTokens(source)) {
    if (token.type === 'directive') {
      throw new PlacedFault('kubectl reads no directives, lines that begin with %; remove it', token.offset);
    }
    yield* composer.next(token);
  }
  yield* composer.end();
}

function* readTokens(source: string): Generator<CST.Token> {
  let parts = 0;
  for (const { offset, text } of splitJson(source)) {
    const parser = new Parser();
    parser.offset = offset;
    for (const lexeme of new Lexer().lex(text)) {
      if (!isBlank(lexeme)) parts += 1;
      if (parts > MAX_PARTS) {
        const message = `more than ${MAX_PARTS} words and signs, which no manifest has; split the file`;
        throw new PlacedFault(message, parser.offset);
      }
      yield* parser.next(lexeme);
      if (parser.stack.length > MAX_LEVELS) {
        throw new PlacedFault(`nested too deeply: more than ${MAX_LEVELS} levels`, parser.offset);
      }
    }
    yield* parser.end();
  }
}

/** White space, or a mark of the lexer's own. */
function isBlank(lexeme: string): boolean {
  return /^[\s\p{Cc}\uFEFF]/u.test(lexeme);
}

function readDocument(document: Document, source: string, counter: LineCounter): readonly YamlDocument[] {
  const [error] = document.errors;
  if (error !== undefined) throw new PlacedFault(error.message, error.pos[0]);
  const read = readDocumentValue(document);
  if (read.value === null) return [];
  const locate = (path: FieldPath): Position => toPosition(counter, findSpot(read, path).offset);
  return [
    {
      value: read.value,
      locate,
      locateWithin: (path, inner) => locateWithin(source, counter, findSpot(read, path), inner),
      duplicates: read.duplicates,
    },
  ];
}

function findSpot({ value, root, spots }: PlacedValue, path: FieldPath): Spot {
  let [at, spot] = [value, root];
  for (const part of path) {
    const next = spots.get(at)?.get(String(part));
    if (next === undefined) return spot;
    [at, spot] = [(at as Readonly<Record<string | number, unknown>>)[part], next];
  }
  return spot;
}

/** Lines of a literal block are indented lines of the file; for other forms only the beginning is known. */
function locateWithin(source: string, counter: LineCounter, { offset, scalar }: Spot, inner: Position): Position {
  if (scalar?.type !== 'BLOCK_LITERAL') return toPosition(counter, scalar?.range?.[0] ?? offset);
  const start = toPosition(counter, scalar.range?.[0] ?? offset);
  const line = start.line + inner.line;
  const indent = /^ */.exec(source.split('\n')[line - 1] ?? '')?.[0].length ?? 0;
  const innerIndent = /^ */.exec(String(scalar.value).split('\n')[inner.line - 1] ?? '')?.[0].length ?? 0;
  return { line, column: inner.column + indent - innerIndent };
}

function countLines(source: string): LineCounter {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) counter.addNewLine(at + 1);
  return counter;
}

function toPosition(counter: LineCounter, offset: number): Position {
  const { line, col } = counter.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
