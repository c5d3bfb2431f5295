import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
} from 'yaml';

import type { FieldPath } from '../../core/text/finding.ts';

/** A place in a file; lines and columns from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One document of a YAML or JSON file. */
export interface YamlDocument {
  readonly value: unknown;
  /** Place of the value at a path; of its key where it has one, else of the nearest thing around it that is there. */
  readonly locate: (path: FieldPath) => Position;
  /** Place in this file of a place in the text that stands at a path, such as a file within a ConfigMap. */
  readonly locateWithin: (path: FieldPath, inner: Position) => Position;
  /** Keys that an object has twice, the last of which counts. */
  readonly duplicates: readonly FieldPath[];
}

export interface YamlError extends Position {
  readonly message: string;
}

export type ParsedYaml = { readonly documents: readonly YamlDocument[] } | { readonly error: YamlError };

/**
 * Reads YAML as kubectl and mig-parted do (sigs.k8s.io/yaml on go-yaml v2): YAML 1.1, in which `yes` is true and `010` is 8, but
 * times and dates are strings. A BOM and empty documents are skipped.
 */
export function parseYaml(text: string): ParsedYaml {
  try {
    return parseText(text);
  } catch (error) {
    // A document nested thousands deep overflows the parser's stack.
    if (!(error instanceof RangeError)) throw error;
    return { error: { line: 1, column: 1, message: 'nested too deeply' } };
  }
}

function parseText(text: string): ParsedYaml {
  const counter = new LineCounter();
  const source = text.replace(/^\uFEFF/, '');
  const parsed = parseAllDocuments(source, {
    lineCounter: counter,
    version: '1.1',
    uniqueKeys: false,
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isTime(tag)),
  });
  const documents: YamlDocument[] = [];
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const [error] = document.errors;
    if (error !== undefined)
      return { error: { ...toPosition(counter, error.pos[0]), message: firstLine(error.message) } };
    const value = readValue(document);
    if ('error' in value) return { error: { ...toPosition(counter, document.range?.[0] ?? 0), message: value.error } };
    if (value.value === null || value.value === undefined) continue;
    documents.push({
      value: value.value,
      locate: (path) => toPosition(counter, offsetOf(document, path)),
      locateWithin: (path, inner) => locateWithin(source, counter, nodeAt(document, path), inner),
      duplicates: listDuplicates(document),
    });
  }
  return { documents };
}

function isTime(tag: { readonly tag?: string; readonly format?: string }): boolean {
  return tag.format === 'TIME' || tag.tag === 'tag:yaml.org,2002:timestamp';
}

function readValue(document: Document): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: document.toJS() as unknown };
  } catch (error) {
    // An alias without its anchor, or aliases that multiply beyond measure.
    return { error: error instanceof Error ? firstLine(error.message) : String(error) };
  }
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? text).replace(/ at line \d+, column \d+:?$/, '');
}

function toPosition(counter: LineCounter, offset: number): Position {
  const { line, col } = counter.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function offsetOf(document: Document, path: FieldPath): number {
  return follow(document, path).offset;
}

function nodeAt(document: Document, path: FieldPath): Node | undefined {
  return follow(document, path).node;
}

function follow(document: Document, path: FieldPath): { readonly node: Node | undefined; readonly offset: number } {
  let node = resolve(document, document.contents);
  let offset = node?.range?.[0] ?? 0;
  for (const part of path) {
    const step = stepInto(document, node, part);
    if (step === undefined) return { node, offset };
    [node, offset] = [step.node, step.offset ?? offset];
  }
  return { node, offset };
}

/** Lines of a literal block are lines of the file, indented; of other forms only the beginning is known. */
function locateWithin(source: string, counter: LineCounter, node: Node | undefined, inner: Position): Position {
  const start = toPosition(counter, node?.range?.[0] ?? 0);
  if (!isScalar(node) || node.type !== 'BLOCK_LITERAL') return start;
  const line = start.line + inner.line;
  const indent = /^ */.exec(source.split('\n')[line - 1] ?? '')?.[0].length ?? 0;
  const innerIndent = /^ */.exec(String(node.value).split('\n')[inner.line - 1] ?? '')?.[0].length ?? 0;
  return { line, column: inner.column + indent - innerIndent };
}

interface Step {
  readonly node: Node | undefined;
  readonly offset: number | undefined;
}

function stepInto(document: Document, node: Node | undefined, part: string | number): Step | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)];
    return isNode(item) ? { node: resolve(document, item), offset: item.range?.[0] } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.findLast(({ key }) => keyOf(key) === String(part));
  if (pair === undefined) return undefined;
  const key = isNode(pair.key) ? pair.key.range?.[0] : undefined;
  return { node: isNode(pair.value) ? resolve(document, pair.value) : undefined, offset: key };
}

function resolve(document: Document, node: unknown): Node | undefined {
  if (isAlias(node)) return node.resolve(document);
  return isNode(node) ? node : undefined;
}

function keyOf(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  // `<<` may stand several times, as many merges.
  return key.source === '<<' ? undefined : String(key.value);
}

function listDuplicates(document: Document): readonly FieldPath[] {
  const found: FieldPath[] = [];
  visit(document, {
    Map: (_key, map, ancestors) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = keyOf(key);
        if (name === undefined) continue;
        if (seen.has(name)) found.push([...pathOf(document, [...ancestors, map]), name]);
        seen.add(name);
      }
    },
  });
  return found;
}

/** Path of the last of a chain of nodes, as `visit` gives them: document, map, pair, map, … */
function pathOf(document: Document, chain: readonly unknown[]): FieldPath {
  return chain.flatMap((node, index): FieldPath => {
    const parent = chain[index - 1];
    if (isSeq(parent)) return [parent.items.indexOf(node)];
    const name =
      typeof node === 'object' && node !== null && 'key' in node && isMap(parent) ? keyOf(node.key) : undefined;
    return name === undefined || node === document ? [] : [name];
  });
}
