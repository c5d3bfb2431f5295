import { holding, type KueueReading } from '../core/supply/kueue.ts';
import type { Waiter } from '../core/supply/pod-demand.ts';
import type { KubeClient } from '../kube/client.ts';
import { readKueue } from '../kube/read-kueue.ts';
import { Turn } from '../process/turn.ts';

/** Reading a long queue takes at most this part of the time. */
const mostShare = 0.1;

/** What was read of Kueue, and the pods that it holds back. */
interface HeldReading {
  readonly reading: KueueReading;
  readonly waiters: readonly Waiter[];
}

/** What Kueue holds back, read when it is asked for, but not again within a while. */
export class HeldWorkloads {
  readonly #client: KubeClient;
  readonly #now: () => number;
  #read: { readonly untilMs: number; readonly atMs: number; readonly found: HeldReading } | undefined;

  constructor(client: KubeClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** @param longestMs how old the reading may be, unless reading takes long */
  async read(longestMs: number): Promise<HeldReading> {
    const startedMs = this.#now();
    const known = this.#read;
    if (known && startedMs < Math.max(known.untilMs, known.atMs + longestMs)) return known.found;
    const found = await takeIn(await readKueue(this.#client));
    const atMs = this.#now();
    this.#read = { atMs, untilMs: atMs + (atMs - startedMs) / mostShare, found };
    return found;
  }
}

async function takeIn(reading: KueueReading): Promise<HeldReading> {
  const turn = new Turn();
  const waiters: Waiter[] = [];
  for (const held of 'trouble' in reading ? [] : holding(reading)) {
    waiters.push(...held);
    await turn.pause();
  }
  return { reading, waiters };
}
