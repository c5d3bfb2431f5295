/** One entry of a config, as a YAML parser gives it. */
export function spec(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { devices: 'all', 'mig-enabled': true, 'mig-devices': { '1g.5gb': 7 }, ...fields };
}

/** The entry without some of its fields. */
export function specWithout(...fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec()).filter(([key]) => !fields.includes(key)));
}

export function off(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { devices: 'all', 'mig-enabled': false, ...fields };
}

/** A file with one config. */
export function file(...specs: readonly unknown[]): Readonly<Record<string, unknown>> {
  return { version: 'v1', 'mig-configs': { mine: specs } };
}
