import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from 'yaml';

import type { FieldPath } from '../../core/text/finding.ts';
import { findForbidden, normalizeLines, splitJson } from './yaml-text.ts';
import { PlacedFault, type PlacedValue, readDocumentValue, type Spot } from './yaml-value.ts';

/** A position in a file; lines and columns from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One document of a YAML or JSON file. */
export interface YamlDocument {
  readonly value: unknown;
  /** Position of the value at a path; of its key if it has one, else of the nearest enclosing element that exists. */
  readonly locate: (path: FieldPath) => Position;
  /** Position in this file of a position in the text at a path, such as a file within a ConfigMap. */
  readonly locateWithin: (path: FieldPath, inner: Position) => Position;
  /** Keys that an object has twice; the last one counts. */
  readonly duplicates: readonly FieldPath[];
}

export interface YamlError extends Position {
  readonly message: string;
}

export type ParsedYaml = { readonly documents: readonly YamlDocument[] } | { readonly error: YamlError };

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
