import { type Finding, type FieldPath, writePath } from '../../core/text/finding.ts';
import { CliError } from '../exit.ts';
import { describeFinding, type LocatedFinding } from '../located-finding.ts';
import { parseYaml, type Position, type YamlDocument } from './yaml-document.ts';
import { definedOnly } from '../../core/text/defined-fields.ts';
import { type Fields, fieldsOf } from '../../core/text/fields.ts';

/** One object of a file: a document, an item of a List, or a file within a ConfigMap. */
export interface Manifest {
  readonly value: unknown;
  readonly file: string;
  /** Path of the object within its file. */
  readonly prefix: FieldPath;
  /** Position of a path within the object. */
  readonly locate: (path: FieldPath) => Position;
  /** Duplicate keys, as paths within the object. */
  readonly duplicates: readonly FieldPath[];
}

export type ReadManifests = { readonly manifests: readonly Manifest[] } | { readonly finding: LocatedFinding };

/**
 * Splits a file into its objects. Nested Lists are expanded, and so are ConfigMaps and Helm values of gpu-operator that contain a
 * mig-parted config file.
 */
export function readManifests(file: string, text: string): ReadManifests {
  const parsed = parseYaml(text);
  if ('error' in parsed) {
    const { line, column, message } = parsed.error;
    const what = `neither YAML nor JSON: ${message}`;
    return { finding: { severity: 'error', code: 'InvalidYaml', file, line, column, path: '$', message: what } };
  }
  const faults: LocatedFinding[] = [];
  const manifests = parsed.documents.flatMap((document) => open({ ...document, file, prefix: [] }, document, faults));
  const [finding] = faults;
  return finding === undefined ? { manifests } : { finding };
}

export function locateFinding(manifest: Manifest, finding: Finding): LocatedFinding {
  const { severity, code, path, message, models } = finding;
  const { file, prefix } = manifest;
  const { line, column } = manifest.locate(path);
  return definedOnly({ severity, code, file, line, column, path: writePath([...prefix, ...path]), message, models });
}

/** Everything that is wrong with a file, one line each: file, line, column, field, and what to write instead. */
export function refuseFile(manifest: Manifest, findings: readonly Finding[]): CliError {
  const lines = findings.map((finding) => {
    const located = locateFinding(manifest, finding);
    return `${located.file}:${located.line}:${located.column}: ${describeFinding(located)}`;
  });
  return new CliError([...new Set(lines)]);
}

/** `file.yaml:12:7: spec.strategy` */
export function locatePath({ file, prefix, locate }: Manifest, path: FieldPath): string {
  const { line, column } = locate(path);
  return `${file}:${line}:${column}: ${writePath([...prefix, ...path])}`;
}

/** @param faults takes what is wrong with a file within a ConfigMap */
function open(manifest: Manifest, document: YamlDocument, faults: LocatedFinding[]): readonly Manifest[] {
  const fields = fieldsOf(manifest.value);
  const kind = fields?.['kind'];
  const items: unknown = fields?.['items'];
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item: unknown, index) => open(within(manifest, ['items', index], item), document, faults));
  }
  const at = kind === 'ConfigMap' ? ['data'] : kind === undefined ? findValues(fields) : undefined;
  if (at === undefined) return [manifest];
  const data = Object.entries(fieldsAt(fields, at) ?? {});
  const files = data.flatMap(([key, text]) => openText(manifest, [...at, key], text, document, faults));
  return files.length > 0 ? files : [manifest];
}

/** Where gpu-operator's chart takes the file of mig-parted from; as a dependency of another chart its values are one level deeper. */
const helmPath: readonly string[] = ['migManager', 'config', 'data'];

function findValues(fields: Fields | undefined): readonly string[] | undefined {
  const places = [helmPath, ...Object.keys(fields ?? {}).map((chart) => [chart, ...helmPath])];
  return places.find((place) => fieldsAt(fields, place) !== undefined);
}

function fieldsAt(fields: Fields | undefined, path: readonly string[]): Fields | undefined {
  return path.reduce((found, key) => fieldsOf(found?.[key]), fields);
}

function within(manifest: Manifest, path: FieldPath, value: unknown): Manifest {
  return {
    value,
    file: manifest.file,
    prefix: [...manifest.prefix, ...path],
    locate: (inner) => manifest.locate([...path, ...inner]),
    duplicates: manifest.duplicates
      .filter((duplicate) => path.every((part, index) => duplicate[index] === part))
      .map((duplicate) => duplicate.slice(path.length)),
  };
}

/** A text that is a mig-parted file (its key is config.yaml for gpu-operator, but users choose others). */
function openText(
  manifest: Manifest,
  at: readonly string[],
  text: unknown,
  document: YamlDocument,
  faults: LocatedFinding[],
): readonly Manifest[] {
  if (typeof text !== 'string' || !/(^|[{,])\s*["']?mig-configs["']?\s*:/m.test(text)) return [];
  const parsed = parseYaml(text);
  const path = [...manifest.prefix, ...at];
  if ('error' in parsed) {
    // A script or a text may have a mig-parted file in it.
    if (!/\.(ya?ml|json)$/.test(at.at(-1) ?? '')) return [];
    const place = { file: manifest.file, ...document.locateWithin(path, parsed.error), path: writePath(path) };
    const message = `neither YAML nor JSON: ${parsed.error.message}`;
    faults.push({ severity: 'error', code: 'InvalidYaml', ...place, message });
    return [];
  }
  return parsed.documents.map((inner) => ({
    ...inner,
    file: manifest.file,
    prefix: path,
    locate: (place) => document.locateWithin(path, inner.locate(place)),
  }));
}
