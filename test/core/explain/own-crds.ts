import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { DoctorFacts } from '../../../src/core/explain/doctor.ts';

type Crd = NonNullable<DoctorFacts['crds']>[number];

/** The CRDs of this release, as an API server has them. */
export const ownCrds: readonly Crd[] = ['gpupartitionpolicies', 'gpunodepartitions'].map((plural) =>
  parse(readFileSync(`crds/gpupartition.dev_${plural}.yaml`, 'utf8')),
);

/** Part of the schema of a CRD. */
export interface FieldTree {
  properties?: Record<string, FieldTree>;
  items?: FieldTree;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** A CRD after a change of its schema. */
export function withSchema(crd: Crd, change: (schema: FieldTree) => void): Crd {
  // Parts of a schema are written once and are one object: the copy has each for itself.
  const copy = JSON.parse(JSON.stringify(crd)) as Crd;
  change(copy.spec?.versions?.[0]?.schema?.openAPIV3Schema as FieldTree);
  return copy;
}

/** @param path names of fields; `[]` is what is in a list */
export function fieldAt(schema: FieldTree, ...path: readonly string[]): FieldTree {
  return path.reduce<FieldTree>((at, step) => (step === '[]' ? at.items : at.properties?.[step]) ?? {}, schema);
}

export function dropField(schema: FieldTree, ...path: readonly string[]): void {
  delete fieldAt(schema, ...path.slice(0, -1)).properties?.[path.at(-1) ?? ''];
}

/** A CRD as an earlier release had it, without a field. */
export function withoutField(crd: Crd, ...path: readonly string[]): Crd {
  return withSchema(crd, (schema) => dropField(schema, ...path));
}
