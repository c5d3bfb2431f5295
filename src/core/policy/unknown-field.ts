import { shape } from '../../api/generated/gpu-partition-policy.shape.ts';
import type { FieldPath } from '../text/finding.ts';
import { findNearestWords } from '../text/nearest-word.ts';

/** The part of a JSON schema that tells which fields there are. */
interface Shape {
  readonly type?: string;
  readonly anyOf?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

const policy: Shape = { properties: { apiVersion: {}, kind: {}, metadata: {}, ...shape } };

/**
 * Says that a policy has no such field, and which one may be meant: a similar one of the same object, or the one of that name that is
 * closest: a schedule has layouts and a demand of its own.
 *
 * @param known fields of the object; absent: those of the schema
 */
export function explainUnknownField(path: FieldPath, known = listFields(path.slice(0, -1))): string {
  const field = String(path.at(-1));
  const meant = findNearestWords(field, known, 1)[0] ?? findAround(field, path.slice(0, -1));
  if (meant === undefined) return `unknown field ${field}; the API server would drop it`;
  return `unknown field ${field}, which the API server would drop; did you mean ${meant}?`;
}

function listFields(path: FieldPath): readonly string[] {
  return Object.keys(shapeAt(path).properties ?? {});
}

function shapeAt(path: FieldPath): Shape {
  return path.reduce<Shape>(
    ({ properties, items }, step) => (typeof step === 'number' ? items : properties?.[step]) ?? {},
    policy,
  );
}

/** As in the reference of the API: `spec.schedules[].layouts[]`. */
function nameField(path: FieldPath): string {
  return path.map((step, index) => (typeof step === 'number' ? '[]' : `${index === 0 ? '' : '.'}${step}`)).join('');
}

/** The one in the closest object around. */
function findAround(field: string, path: FieldPath): string | undefined {
  if (path.length === 0) return findBelow(field, 'spec', shape.spec);
  return findBelow(field, nameField(path), shapeAt(path)) ?? findAround(field, path.slice(0, -1));
}

/** The outermost one in an object of this shape. */
function findBelow(field: string, place: string, top: Shape): string | undefined {
  let level: readonly (readonly [path: string, Shape])[] = [[place, top]];
  while (level.length > 0) {
    const found = level.find(([, { properties = {} }]) => Object.hasOwn(properties, field));
    if (found) return `${found[0]}.${field}`;
    level = level.flatMap(([path, { properties = {} }]) =>
      Object.entries(properties).flatMap(([name, one]: [string, Shape]) => [
        [`${path}.${name}`, one] as const,
        ...(one.items ? [[`${path}.${name}[]`, one.items] as const] : []),
      ]),
    );
  }
  return undefined;
}
