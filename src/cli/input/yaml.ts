import {
  Composer,
  type CST,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type Tags,
  visit,
  type YAMLMap,
} from 'yaml';
import type { FieldPath } from '../../core/text/words.ts';

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

/** What is wrong with a document, and where. */
class PlacedFault extends Error {
  override readonly name = 'PlacedFault';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Types of YAML 1.1 that Kubernetes' objects do not have: what looks like a time is a text, also `22:30`, which would be a number. */
const unusedTags = new Set(['timestamp', 'binary', 'omap', 'pairs', 'set'].map((name) => `tag:yaml.org,2002:${name}`));

const reading = {
  version: '1.1',
  merge: true,
  // They are reported with their paths, where they matter.
  uniqueKeys: false,
  prettyErrors: false,
  customTags: (tags: Tags): Tags =>
    tags.filter((tag) => typeof tag === 'string' || (!unusedTags.has(tag.tag ?? '') && tag.format !== 'TIME')),
} as const;

/** How often anchors may be used by each other: a document whose aliases multiply it does so by thousands. */
const maxAliasCount = 1000;

type Targets = ReadonlyMap<unknown, Node>;

/** A document's value, and what its aliases stand for. @throws PlacedFault */
function readValue(document: Document): { readonly value: unknown; readonly targets: Targets } {
  const anchors = new Map<string, Node>();
  const targets = new Map<unknown, Node>();
  const merges: Pair[] = [];
  let last = 0;
  visit(document, {
    Value(_key, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (!isScalar(node) || typeof node.value !== 'number' || Number.isFinite(node.value)) return;
      throw new PlacedFault(`${node.source} is not a number that JSON can represent`, offsetOf(node));
    },
    Alias(_key, alias) {
      last = offsetOf(alias);
      const target = anchors.get(alias.source);
      if (target === undefined)
        throw new PlacedFault(`the alias *${alias.source} has no anchor &${alias.source} before it`, last);
      if ((target.range?.[1] ?? 0) > last)
        throw new PlacedFault(`the value of the anchor &${alias.source} contains itself`, last);
      targets.set(alias, target);
    },
    Pair(_key, pair) {
      if (!isScalar(pair.key) || pair.key.value === null)
        throw new PlacedFault('a key is one word, not a list, an object or null: put it in quotes', offsetOf(pair.key));
      if (isMerge(pair)) merges.push(pair);
    },
  });
  for (const pair of merges)
    if (!mergedInto(pair, targets).every(isMap))
      throw new PlacedFault(
        '<< wants an object, or a list of objects, whose fields it takes over',
        offsetOf(pair.value),
      );
  try {
    return { value: document.toJS({ maxAliasCount }), targets };
  } catch {
    // All else that it refuses has been refused; it does not say where.
    throw new PlacedFault('aliases (*) multiply the document beyond measure', last);
  }
}

/** Keys that an object has twice; the last one counts. */
function listDuplicates(node: unknown, path: FieldPath): readonly FieldPath[] {
  if (isSeq(node)) return node.items.flatMap((item, index) => listDuplicates(item, [...path, index]));
  if (!isMap(node)) return [];
  const names = node.items.map(nameOf);
  return node.items.flatMap((pair, index) => {
    const name = names[index] ?? '';
    const at = [...path, name];
    const isTwice = !isMerge(pair) && names.indexOf(name) < index;
    return [...(isTwice ? [at] : []), ...listDuplicates(pair.value, at)];
  });
}

const nameOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** `<<` that is not quoted: the library resolves it to a symbol. */
const isMerge = ({ key }: Pair): boolean => isScalar(key) && typeof key.value === 'symbol';

/** Where `<<` takes fields from; if several have one, the first counts. */
function mergedInto({ value }: Pair, targets: Targets): readonly unknown[] {
  const follow = (node: unknown): unknown => targets.get(node) ?? node;
  const source = follow(value);
  return isSeq(source) ? source.items.map(follow) : [source];
}

/** Position of a field or an item: its key or itself, and its scalar if it is one. */
interface Spot {
  readonly offset: number;
  readonly scalar: Scalar | undefined;
}

/** The value at a path, or the nearest that encloses it. */
function findSpot({ contents }: Document, targets: Targets, path: FieldPath): Spot {
  const findPair = (map: YAMLMap, name: string): Pair | undefined => {
    const own = map.items.findLast((pair) => !isMerge(pair) && nameOf(pair) === name);
    if (own) return own;
    const merged = map.items.filter(isMerge).flatMap((pair) => mergedInto(pair, targets));
    return merged.flatMap((source) => (isMap(source) ? (findPair(source, name) ?? []) : []))[0];
  };
  let node: unknown = contents;
  let spot = spotOf(node, node);
  for (const part of path) {
    const parent = targets.get(node) ?? node;
    const pair = isMap(parent) ? findPair(parent, String(part)) : undefined;
    const item = pair?.value ?? (isSeq(parent) ? parent.items[Number(part)] : undefined);
    if (pair === undefined && item === undefined) return spot;
    spot = spotOf(pair?.key ?? item, item);
    node = item;
  }
  return spot;
}

function spotOf(at: unknown, value: unknown): Spot {
  return { offset: offsetOf(at), scalar: isScalar(value) ? value : undefined };
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
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
 * times and dates are strings. A BOM and empty documents are skipped. docs/internal/yaml.md lists what kubectl reads differently.
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
  const composer = new Composer(reading);
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
  const { value, targets } = readValue(document);
  if (value === null) return [];
  const find = (path: FieldPath): Spot => findSpot(document, targets, path);
  return [
    {
      value,
      locate: (path) => toPosition(counter, find(path).offset),
      locateWithin: (path, inner) => locateWithin(source, counter, find(path), inner),
      duplicates: listDuplicates(document.contents, []),
    },
  ];
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
