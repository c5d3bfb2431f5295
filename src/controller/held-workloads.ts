import type { KueueReading } from '../core/supply/kueue.ts';
import type { KubeClient } from '../kube/client.ts';
import { readKueue } from '../kube/read-kueue.ts';

/** Reading a long queue takes at most this part of the time. */
const mostShare = 0.1;

/** What Kueue holds back, read when it is asked for, but not again within a while. */
export class HeldWorkloads {
  readonly #client: KubeClient;
  readonly #now: () => number;
  #read: { readonly untilMs: number; readonly atMs: number; readonly found: KueueReading } | undefined;

  constructor(client: KubeClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** @param longestMs how old the reading may be, unless reading takes long */
  async read(longestMs: number): Promise<KueueReading> {
    const startedMs = this.#now();
    const known = this.#read;
    if (known && startedMs < Math.max(known.untilMs, known.atMs + longestMs)) return known.found;
    const found = await readKueue(this.#client);
    const atMs = this.#now();
    this.#read = { atMs, untilMs: atMs + (atMs - startedMs) / mostShare, found };
    return found;
  }
}
