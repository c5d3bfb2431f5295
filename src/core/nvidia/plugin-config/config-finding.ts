import { isFields, type Fields } from '../../text/fields.ts';

/** Something in a device plugin config file that upstream refuses (error) or ignores (warning). */
export interface ConfigFinding {
  readonly severity: 'error' | 'warning';
  /** Where in the file: `sharing.timeSlicing.resources[0].replicas`. Empty for the file as a whole. */
  readonly path: string;
  /** What is wrong and what to write instead. */
  readonly message: string;
  /** Upstream's own text if it has one; it stops at its first error, we continue. */
  readonly upstream?: string;
}

/** Collects findings while a config is read. */
export class FindingList {
  readonly #findings: ConfigFinding[] = [];

  get all(): readonly ConfigFinding[] {
    return this.#findings;
  }

  /** An error that the plugin raises while it decodes the file. */
  refuse(path: string, upstream: string, message: string): void {
    this.refuseDecoded(path, `error unmarshaling JSON: while decoding JSON: ${upstream}`, message);
  }

  /** The same for a value of another type than the Go type that the plugin decodes it into. @param into what of Go has that type */
  refuseType(path: string, value: unknown, goType: string, message: string, into = 'value'): void {
    this.refuse(path, `json: cannot unmarshal ${nameKind(value, goType)} into Go ${into} of type ${goType}`, message);
  }

  /** An error that the plugin raises after decoding. */
  refuseDecoded(path: string, upstream: string, message: string): void {
    this.#findings.push({ severity: 'error', path, message, upstream });
  }

  warn(path: string, message: string, upstream?: string): void {
    this.#findings.push({ severity: 'warning', path, message, ...(upstream === undefined ? {} : { upstream }) });
  }

  /** Upstream decodes leniently, so a misspelt field is silently dropped. */
  warnUnknown(body: Fields, known: readonly string[], path: string): void {
    for (const key of Object.keys(body).filter((name) => !known.includes(name))) {
      const at = path === '' ? key : `${path}.${key}`;
      this.warn(at, `is silently ignored by upstream; known fields: ${known.join(', ')}`);
    }
  }

  /** The fields of an object; undefined if it is absent, which null is too, or refused. Parameters as in {@link refuseType}. */
  readObject(path: string, value: unknown, goType: string, message: string, into?: string): Fields | undefined {
    if (value === undefined || value === null) return undefined;
    if (isFields(value)) return value;
    this.refuseType(path, value, goType, message, into);
    return undefined;
  }
}

/** As Go's `encoding/json` names what it finds in a file. */
function nameKind(value: unknown, goType: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'boolean') return 'bool';
  // Go includes the number only if the type fits and the value does not.
  if (typeof value === 'number') return goType === 'int' ? `number ${value}` : 'number';
  return 'string';
}
