/** Go's type of an object whose fields are decoded later, one by one. */
export const RAW_MAP = 'map[string]json.RawMessage';

/**
 * The message with which Go's `encoding/json`, and so the device plugin, rejects a value of the wrong type: `json: cannot unmarshal
 * string into Go value of type int`.
 */
export function describeTypeMismatch(value: unknown, goType: string): string {
  return `json: cannot unmarshal ${nameKind(value, goType)} into Go value of type ${goType}`;
}

/** The same for a field of a Go struct: `… into Go struct field Config.sharing of type v1.Sharing`. */
export function describeFieldMismatch(value: unknown, field: string, goType: string): string {
  return `json: cannot unmarshal ${nameKind(value, goType)} into Go struct field ${field} of type ${goType}`;
}

function nameKind(value: unknown, goType: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'boolean') return 'bool';
  // Go includes the number only if the type fits and the value does not.
  if (typeof value === 'number') return goType === 'int' ? `number ${value}` : 'number';
  return 'string';
}
