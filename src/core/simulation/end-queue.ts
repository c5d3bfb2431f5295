/** Items by the time at which they end: a binary heap. */
export class EndQueue<Item extends { readonly end: number }> {
  readonly #heap: Item[] = [];

  /** The next one that ends. */
  peek(): Item | undefined {
    return this.#heap[0];
  }

  add(item: Item): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.end <= item.end) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = item;
  }

  /** Takes out the next one that ends by a time. */
  takeUntil(time: number): Item | undefined {
    const heap = this.#heap;
    const [first] = heap;
    if (first === undefined || first.end > time) return undefined;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) break;
      const next = b !== undefined && b.end < a.end ? left + 1 : left;
      const child = heap[next];
      if (child === undefined || child.end >= last.end) break;
      heap[at] = child;
      at = next;
    }
    heap[at] = last;
    return first;
  }
}
