import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { validate } from '../../src/api/generated/gpu-partition-policy.validate.js';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';

/** An object of `samples/`, with the file that it stands in. */
export interface SampleObject {
  readonly file: string;
  readonly value: unknown;
}

/** Files of `samples/` with Kubernetes objects in them, and those objects; kustomizations, Helm values and rules of others' gates are left out. */
export async function readSampleObjects(): Promise<readonly SampleObject[]> {
  const names = await readdir('samples', { recursive: true });
  const files = names
    .filter((name) => name.endsWith('.yaml') && !/^(host|gates)\b/.test(name))
    .map((name) => join('samples', name));
  const objects = await Promise.all(
    files.sort().map(async (file) =>
      parseAllDocuments(await readFile(file, 'utf8')).map((document): SampleObject => ({
        file,
        value: document.toJS(),
      })),
    ),
  );
  return objects.flat().filter(({ value }) => kindOf(value) !== undefined && kindOf(value) !== 'Kustomization');
}

export function kindOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  return typeof value.kind === 'string' ? value.kind : undefined;
}

/** @throws Error where the schema refuses one */
export function policiesOf(objects: readonly SampleObject[]): readonly GpuPartitionPolicy[] {
  return objects
    .filter(({ value }) => kindOf(value) === 'GpuPartitionPolicy')
    .map(({ file, value }) => {
      if (!validate(value)) throw new Error(`${file}: ${JSON.stringify(validate.errors)}`);
      return value;
    });
}
