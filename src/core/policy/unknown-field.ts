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
 * Says that a policy has no such field, and which one may be meant: a similar one of the same object, or the one of that name elsewhere.
 *
 * @param known fields of the object; absent: those of the schema
 */
export function explainUnknownField(path: FieldPath, known = listFields(path.slice(0, -1))): string {
  const field = String(path.at(-1));
  const meant = findNearestWords(field, known, 1)[0] ?? findElsewhere(field);
  if (meant === undefined) return `unknown field ${field}; the API server would drop it`;
  return `unknown field ${field}, which the API server would drop; did you mean ${meant}?`;
}

function listFields(path: FieldPath): readonly string[] {
  const at = path.reduce<Shape>(
    ({ properties, items }, step) => (typeof step === 'number' ? items : properties?.[step]) ?? {},
    policy,
  );
  return Object.keys(at.properties ?? {});
}

/** The outermost one. */
function findElsewhere(field: string): string | undefined {
  let level: readonly (readonly [path: string, Shape])[] = [['spec', shape.spec]];
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
