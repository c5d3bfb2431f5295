import type { ClusterFacts } from '../core/explain/cluster-facts.ts';
import { reportWaste, type WasteReport } from '../core/waste/waste-report.ts';

/** A fleet of thousands of nodes takes megabytes each time. */
const mostSamples = 12;

/** Reads a cluster whenever somebody asks for its waste, and keeps what it saw: the longer a page is open, the more it can tell. */
export class WasteSamples {
  readonly #read: () => Promise<ClusterFacts>;
  #seen: readonly ClusterFacts[] = [];

  constructor(read: () => Promise<ClusterFacts>) {
    this.#read = read;
  }

  async report(): Promise<WasteReport> {
    const facts = await this.#read();
    this.#seen = [...this.#seen, facts].slice(-mostSamples);
    return reportWaste(this.#seen);
  }
}
