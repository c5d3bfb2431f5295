import type { PolicySpec } from '../../api/types.ts';

type Labels = Readonly<Record<string, string>>;

/** Finds the policies that may select a node without checking all of them: each is filed under one label that it requires. */
export class SelectorIndex {
  readonly #drawers = new Map<string, Set<string>>();

  add(policy: string, selector: PolicySpec['nodeSelector']): void {
    const key = drawerOf(selector);
    const drawer = this.#drawers.get(key) ?? new Set();
    this.#drawers.set(key, drawer.add(policy));
  }

  remove(policy: string, selector: PolicySpec['nodeSelector']): void {
    const key = drawerOf(selector);
    const drawer = this.#drawers.get(key);
    drawer?.delete(policy);
    if (drawer?.size === 0) this.#drawers.delete(key);
  }

  /** Names of candidate policies; each must still be checked against the node. */
  list(labels: Labels): readonly string[] {
    const found = [...(this.#drawers.get(anyNode) ?? [])];
    for (const [key, value] of Object.entries(labels)) {
      found.push(...(this.#drawers.get(`${key}=${value}`) ?? []), ...(this.#drawers.get(key) ?? []));
    }
    return found;
  }
}

/** For selectors that only exclude labels. */
const anyNode = '';

function drawerOf({ matchLabels = {}, matchExpressions = [] }: PolicySpec['nodeSelector']): string {
  const [first] = Object.entries(matchLabels);
  if (first !== undefined) return first.join('=');
  const needed = matchExpressions.find(({ operator }) => operator === 'In' || operator === 'Exists');
  if (needed === undefined) return anyNode;
  const [value, ...others] = needed.values ?? [];
  return value !== undefined && others.length === 0 ? `${needed.key}=${value}` : needed.key;
}
