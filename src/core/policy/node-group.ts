/** Nodes, and what each has in common with others. */
export class NodeGroup {
  readonly #nodes = new Set<string>();
  readonly #nodesOf = new Map<string, Set<string>>();

  get nodes(): ReadonlySet<string> {
    return this.#nodes;
  }

  /** The cause of most nodes first. */
  get causes(): readonly { readonly cause: string; readonly nodes: ReadonlySet<string> }[] {
    const all = [...this.#nodesOf].map(([cause, nodes]) => ({ cause, nodes }));
    return all.toSorted((a, b) => b.nodes.size - a.nodes.size);
  }

  add(node: string, cause: string): void {
    const known = this.#nodesOf.get(cause);
    this.#nodes.add(node);
    if (known) known.add(node);
    else this.#nodesOf.set(cause, new Set([node]));
  }

  /** @param cause with which it was added */
  delete(node: string, cause: string): void {
    const nodes = this.#nodesOf.get(cause);
    this.#nodes.delete(node);
    nodes?.delete(node);
    if (nodes?.size === 0) this.#nodesOf.delete(cause);
  }
}
