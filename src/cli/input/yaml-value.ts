import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Scalar, visit, type YAMLMap } from 'yaml';

import type { FieldPath } from '../../core/text/finding.ts';
import { nameKey, resolveScalar, type YamlScalar, YamlFault } from './yaml-scalar.ts';

/** Position of a field or an item: its key or itself, and its scalar if it is one. */
export interface Spot {
  readonly offset: number;
  readonly scalar: Scalar | undefined;
}

/** A document's value, and the positions of its parts in the text. */
export interface PlacedValue {
  readonly value: unknown;
  readonly root: Spot;
  /** Keyed by the objects and lists of the value themselves, then by field or index. */
  readonly spots: ReadonlyMap<unknown, ReadonlyMap<string, Spot>>;
  /** Keys that a mapping has twice; the last one counts. */
  readonly duplicates: readonly FieldPath[];
}

/** What is wrong with a document beyond its syntax, and where. */
export class PlacedFault extends Error {
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
export function readDocumentValue(document: Document): PlacedValue {
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
