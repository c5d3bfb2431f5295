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
    const wrapped = `error unmarshaling JSON: while decoding JSON: ${upstream}`;
    this.#findings.push({ severity: 'error', path, message, upstream: wrapped });
  }

  /** An error that the plugin raises after decoding. */
  refuseDecoded(path: string, upstream: string, message: string): void {
    this.#findings.push({ severity: 'error', path, message, upstream });
  }

  warn(path: string, message: string, upstream?: string): void {
    this.#findings.push({ severity: 'warning', path, message, ...(upstream === undefined ? {} : { upstream }) });
  }

  /** Upstream decodes leniently, so a misspelt field is silently dropped. */
  warnUnknown(body: Readonly<Record<string, unknown>>, known: readonly string[], path: string): void {
    for (const key of Object.keys(body).filter((name) => !known.includes(name))) {
      const at = path === '' ? key : `${path}.${key}`;
      this.warn(at, `is silently ignored by upstream; known fields: ${known.join(', ')}`);
    }
  }
}
