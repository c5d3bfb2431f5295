import { expect } from 'chai';
import fc from 'fast-check';
import { ApiError } from '../../src/kube/api-error.ts';
import { WorkQueue, type QueueOptions, type ReconcileResult } from '../../src/kube/queue.ts';
import { FakeClock, settle } from '../process/fake-clock.ts';
import { RecordedLog } from '../process/recorded-log.ts';

type Reconcile = QueueOptions['reconcile'];

function aQueue(
  reconcile: Reconcile,
  options: Partial<QueueOptions> = {},
): { queue: WorkQueue; clock: FakeClock; log: RecordedLog } {
  const clock = new FakeClock();
  const log = new RecordedLog();
  const backoff = { baseMs: 1_000, maxMs: 60_000 };
  const queue = new WorkQueue({ reconcile, logger: log, clock, backoff, random: () => 1, ...options });
  return { queue, clock, log };
}

/** A reconcile that a test ends by hand. */
class Gate {
  readonly started: string[] = [];
  readonly #open = new Map<string, () => void>();

  readonly reconcile = async (key: string): Promise<void> => {
    this.started.push(key);
    await new Promise<void>((resolve) => this.#open.set(key, resolve));
  };

  async end(key: string): Promise<void> {
    this.#open.get(key)?.();
    this.#open.delete(key);
    await settle();
  }
}

describe('WorkQueue', () => {
  it('runs a key once however often it was added before it started', async () => {
    const ran: string[] = [];
    const { queue } = aQueue(async (key) => {
      ran.push(key);
    });
    for (const key of ['a', 'b', 'a', 'a', 'b']) queue.add(key);
    await settle();
    expect(ran).to.deep.equal(['a', 'b']);
  });

  it('takes urgent keys first, also one that has waited since before it was urgent', async () => {
    const gate = new Gate();
    const urgent = new Set(['d']);
    const { queue } = aQueue(gate.reconcile, { isUrgent: (key) => urgent.has(key) });
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await settle();
    urgent.add('c');
    queue.add('c');
    queue.add('e');
    expect(queue.depth).to.equal(4);
    for (const key of ['d', 'c', 'a', 'b', 'e']) await gate.end(key);
    expect(gate.started).to.deep.equal(['d', 'c', 'a', 'b', 'e']);
  });

  it('processes fewer keys that are not urgent in parallel as long as it is told so', async () => {
    const gate = new Gate();
    let most = 1;
    const { queue } = aQueue(gate.reconcile, {
      concurrency: 3,
      isUrgent: (key) => key === 'u',
      patientConcurrency: () => most,
    });
    for (const key of ['a', 'b', 'c', 'd', 'u']) queue.add(key);
    await settle();
    expect(gate.started).to.deep.equal(['u', 'a']);
    most = 3;
    await gate.end('a');
    expect(gate.started).to.deep.equal(['u', 'a', 'b', 'c']);
    await gate.end('u');
    expect(gate.started).to.deep.equal(['u', 'a', 'b', 'c', 'd']);
  });

  it('says of a write that somebody else was faster with, and no more', async () => {
    const conflict = new ApiError({ request: 'PATCH x', code: 409, reason: 'Conflict', text: 'modified' });
    const { queue, log } = aQueue(() => Promise.reject(conflict));
    queue.add('a');
    await settle();
    expect(log.lines.map(({ level, message }) => [level, message])).to.deep.equal([
      ['info', 'written by others meanwhile; trying again'],
    ]);
  });

  it('tells how long a key has waited and worked, from when it was first added', async () => {
    const gate = new Gate();
    const told: string[] = [];
    const observer = {
      started: (waitedMs: number) => told.push(`waited ${waitedMs}`),
      ended: (result: string, tookMs: number) => told.push(`${result} after ${tookMs}`),
    };
    const { queue, clock } = aQueue(gate.reconcile, { observer });
    for (const key of ['a', 'b']) queue.add(key);
    await clock.advance(30);
    queue.add('b');
    await gate.end('a');
    expect(told).to.deep.equal(['waited 0', 'success after 30', 'waited 30']);
    await gate.end('b');
  });

  it('does not run on the stack of its caller', () => {
    const ran: string[] = [];
    const { queue } = aQueue(async (key) => {
      ran.push(key);
    });
    queue.add('a');
    expect(ran).to.deep.equal([]);
  });

  it('runs a key that comes while it is at work once more, after it', async () => {
    const gate = new Gate();
    const { queue } = aQueue(gate.reconcile, { concurrency: 5 });
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('a');
    await settle();
    expect(gate.started).to.deep.equal(['a']);
    await gate.end('a');
    expect(gate.started).to.deep.equal(['a', 'a']);
    await gate.end('a');
    expect(gate.started).to.deep.equal(['a', 'a']);
  });

  it('works on so many keys at once and no more, first come first served', async () => {
    const gate = new Gate();
    const { queue } = aQueue(gate.reconcile, { concurrency: 2 });
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await settle();
    expect(gate.started).to.deep.equal(['a', 'b']);
    expect(queue.depth).to.equal(2);
    await gate.end('b');
    expect(gate.started).to.deep.equal(['a', 'b', 'c']);
  });

  it('retries a failed key with a growing wait, and starts small again after a success', async () => {
    const times: number[] = [];
    let failures = 3;
    const results: string[] = [];
    const observer = { started: () => undefined, ended: (result: string) => results.push(result) };
    const reconcile = async (): Promise<void> => {
      times.push(clock.monotonicMs());
      failures -= 1;
      if (failures >= 0) throw new Error('not yet');
    };
    const { queue, clock, log } = aQueue(reconcile, { observer });
    queue.add('a');
    await clock.advance(60_000);
    expect(times).to.deep.equal([0, 1_000, 3_000, 7_000]);
    failures = 1;
    queue.add('a');
    await clock.advance(60_000);
    expect(times.slice(4)).to.deep.equal([60_000, 61_000]);
    expect(results).to.deep.equal(['error', 'error', 'error', 'success', 'error', 'success']);
    expect(log.lines[0]).to.deep.include({ level: 'error', message: 'reconcile failed' });
  });

  it('keeps a key that always fails from holding up the others', async () => {
    const ran: string[] = [];
    const { queue, clock } = aQueue(async (key) => {
      ran.push(key);
      if (key === 'poisoned') throw new Error('poison');
    });
    queue.add('poisoned');
    await clock.advance(500);
    queue.add('a');
    await clock.advance(100);
    expect(ran).to.deep.equal(['poisoned', 'a']);
  });

  it('runs a key again after the time that it asked for, or when it is added sooner', async () => {
    const times: number[] = [];
    const { queue, clock } = aQueue(async (): Promise<ReconcileResult> => {
      times.push(clock.monotonicMs());
      return { requeueAfterMs: 10_000 };
    });
    queue.add('a');
    await clock.advance(10_000);
    await clock.advance(4_000);
    queue.add('a');
    await clock.advance(10_000);
    // The earlier wish of 20 000 ended with the run at 14 000.
    expect(times).to.deep.equal([0, 10_000, 14_000, 24_000]);
    expect(clock.pending).to.equal(1);
  });

  it('keeps the earlier of two times', async () => {
    const times: number[] = [];
    const { queue, clock } = aQueue(async () => {
      times.push(clock.monotonicMs());
    });
    queue.addAfter('a', 5_000);
    queue.addAfter('a', 9_000);
    queue.addAfter('a', 2_000);
    await clock.advance(20_000);
    expect(times).to.deep.equal([2_000]);
  });

  it('forgets the wait of a key whose object is gone', async () => {
    let runs = 0;
    const { queue, clock } = aQueue(async () => {
      runs += 1;
    });
    queue.addAfter('a', 1_000);
    queue.forget('a');
    await clock.advance(5_000);
    expect(runs).to.equal(0);
  });

  it('stops: aborts what is at work, waits for it, and starts nothing more', async () => {
    const ran: string[] = [];
    let ended = false;
    const { queue, clock } = aQueue(async (key, signal) => {
      ran.push(key);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await settle();
      ended = true;
    });
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 1_000);
    await settle();
    await queue.stop();
    expect(ended).to.equal(true);
    queue.add('d');
    await clock.advance(5_000);
    expect(ran).to.deep.equal(['a']);
    expect(clock.pending).to.equal(0);
  });

  it('lets timers fire while it works off keys that wait for nothing', async () => {
    let left = 10_000;
    let ticks = 0;
    const done = Promise.withResolvers<void>();
    const timer = setInterval(() => (ticks += 1), 1);
    const queue = new WorkQueue({
      logger: new RecordedLog(),
      concurrency: 16,
      reconcile: async () => {
        const endsAt = performance.now() + 0.01;
        while (performance.now() < endsAt);
        left -= 1;
        if (left === 0) done.resolve();
      },
    });
    for (let at = 0; at < 10_000; at += 1) queue.add(`node-${at}`);
    await done.promise;
    clearInterval(timer);
    // 100 ms of work at least, in turns of about 10 ms.
    expect(ticks).to.be.at.least(4);
  });

  it('says for how long the oldest reconcile has been at work', async () => {
    const gate = new Gate();
    const { queue, clock } = aQueue(gate.reconcile, { concurrency: 2 });
    expect(queue.longestRunMs).to.equal(0);
    queue.add('a');
    await clock.advance(3_000);
    queue.add('b');
    await clock.advance(1_000);
    expect(queue.longestRunMs).to.equal(4_000);
    await gate.end('a');
    expect(queue.longestRunMs).to.equal(1_000);
  });

  it('never runs a key twice at a time and loses no change, whatever comes when', async () => {
    const command = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      delayMs: fc.nat({ max: 2_000 }),
      stepMs: fc.nat({ max: 1_500 }),
      outcome: fc.constantFrom('ok', 'fail', 'again'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { maxLength: 25 }),
        fc.integer({ min: 1, max: 3 }),
        async (commands, concurrency) => {
          const written = new Map<string, number>();
          const seen = new Map<string, number>();
          const working = new Set<string>();
          let calls = 0;
          const { queue, clock } = aQueue(
            async (key) => {
              expect(working.has(key), 'the key is at work already').to.equal(false);
              working.add(key);
              expect(working.size).to.be.at.most(concurrency);
              const state = written.get(key) ?? 0;
              const outcome = commands[calls % commands.length]?.outcome;
              calls += 1;
              await new Promise<void>((resolve) => clock.startTimer(100, resolve));
              working.delete(key);
              if (outcome === 'fail' && calls < 15) throw new Error('by plan');
              seen.set(key, state);
              return outcome === 'again' && calls < 15 ? { requeueAfterMs: 700 } : {};
            },
            { concurrency },
          );
          for (const { key, delayMs, stepMs } of commands) {
            written.set(key, (written.get(key) ?? 0) + 1);
            if (delayMs > 1_000) queue.addAfter(key, delayMs);
            else queue.add(key);
            await clock.advance(stepMs);
          }
          await clock.advance(60 * 60_000);
          expect(Object.fromEntries(seen)).to.deep.equal(Object.fromEntries(written));
          await queue.stop();
        },
      ),
      { numRuns: 50 },
    );
  });
});
