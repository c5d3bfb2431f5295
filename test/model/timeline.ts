interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Virtual time: scheduled events, in order. Nothing here ever waits. */
export class VirtualTime {
  now = Date.parse('2026-01-01T00:00:00Z');
  #entries: Entry[] = [];
  #order = 0;

  /** @returns a function that cancels it */
  after(ms: number, run: () => void): () => void {
    const entry = { at: this.now + Math.max(0, ms), order: (this.#order += 1), run };
    // Few are pending at a time, and most go to the end.
    let index = this.#entries.length;
    while (index > 0 && (this.#entries[index - 1]?.at ?? 0) > entry.at) index -= 1;
    this.#entries.splice(index, 0, entry);
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  /** Runs the next event due by `until`. @returns false if there is none; time then advances to `until` */
  step(until: number): boolean {
    const [next] = this.#entries;
    if (next === undefined || next.at > until) {
      this.now = Math.max(this.now, until);
      return false;
    }
    this.#entries.shift();
    this.now = Math.max(this.now, next.at);
    next.run();
    return true;
  }
}
