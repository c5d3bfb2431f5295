interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Virtual time: scheduled events, in order, each with the promises that follow from it. Nothing here ever waits. */
export class VirtualTime {
  now = Date.parse('2026-01-01T00:00:00Z');
  #entries: Entry[] = [];
  #order = 0;
  /** Whether promises may have something to do. */
  #isAwake = false;

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

  /** Call this when something has happened that promises may wait for. */
  wake(): void {
    this.#isAwake = true;
  }

  /** Runs all events due by `until`. @param check called after each */
  async run(until: number, check: () => void): Promise<void> {
    await this.#settle();
    check();
    while (this.#step(until)) {
      await this.#settle();
      check();
    }
  }

  /** Lets all promises proceed that can: none waits for anything but an event. */
  async #settle(): Promise<void> {
    if (!this.#isAwake) return;
    this.#isAwake = false;
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Runs the next event due by `until`. @returns false if there is none; time then advances to `until` */
  #step(until: number): boolean {
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
