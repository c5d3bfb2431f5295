/** Policy names become label values on nodes; see the CRD's rule. */
const MOST_CHARACTERS = 63;

/**
 * Policy names for configs, in their order: the config's own name if Kubernetes allows it, else the nearest allowed one (lower case,
 * no `_`), with a number if two coincide.
 */
export function namePolicies(configs: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  // Valid names stay, even if an earlier name would be changed to the same.
  const fixed = new Set(configs.filter((config) => toObjectName(config) === config));
  return configs.map((config) => {
    const wanted = toObjectName(config);
    let name = wanted;
    for (let number = 2; taken.has(name) || (fixed.has(name) && name !== config); number += 1)
      name = appendNumber(wanted, number);
    taken.add(name);
    return name;
  });
}

function toObjectName(config: string): string {
  const name = config
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .slice(0, MOST_CHARACTERS)
    .split('.')
    .map((part) => part.replaceAll(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('.');
  return name === '' ? 'mig-config' : name;
}

function appendNumber(name: string, number: number): string {
  const suffix = `-${number}`;
  return `${name.slice(0, MOST_CHARACTERS - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
}
