import { holding, type KueueReading } from '../core/supply/kueue.ts';
import type { Waiter } from '../core/supply/pod-demand.ts';
import type { KubeClient } from '../kube/client.ts';
import { readKueue } from '../kube/read-kueue.ts';
import { Turn } from '../process/turn.ts';
import { PacedReading } from './paced-reading.ts';

/** What was read of Kueue, and the pods that it holds back. */
interface HeldReading {
  readonly reading: KueueReading;
  readonly waiters: readonly Waiter[];
}

/** What Kueue holds back; a long queue takes long to read. */
export class HeldWorkloads {
  readonly #reading: PacedReading<HeldReading>;

  constructor(client: KubeClient) {
    this.#reading = new PacedReading(async () => takeIn(await readKueue(client)));
  }

  /** @param longestMs how old the reading may be, unless reading takes long */
  read(longestMs: number): Promise<HeldReading> {
    return this.#reading.get(longestMs);
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
