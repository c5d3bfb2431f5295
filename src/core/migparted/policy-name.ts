/** Policies' names become label values on nodes, see the CRD's rule. */
const MOST_CHARACTERS = 63;

/**
 * Names of policies for configs, in their order: the config's own name where Kubernetes allows it, else as near to it as it allows
 * (lower case, no `_`), with a number where two become one.
 */
export function namePolicies(configs: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  // Names that need no change keep theirs, even if a name before them would be changed to the same.
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
