import { expect } from 'chai';
import { Registry } from 'prom-client';
import { registerQueues, registerReflectors } from '../../src/kube/metrics.ts';
import { WorkQueue } from '../../src/kube/queue.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { RecordedLog } from '../process/recorded-log.ts';

describe('metrics', () => {
  it('show what the reflectors have done by the time they are read', async () => {
    const counts = { lists: 1, reconnects: 2, events: 3, failures: 4, handlerErrors: 5 };
    const registry = new Registry();
    registerReflectors(registry, { nodes: { counts, silenceMs: 1_500, synced: true, store: { size: 7 } } });
    const text = await registry.metrics();
    expect(text).to.contain('gpu_partition_watch_objects{name="nodes"} 7');
    expect(text).to.contain('gpu_partition_watch_synced{name="nodes"} 1');
    expect(text).to.contain('gpu_partition_watch_silence_seconds{name="nodes"} 1.5');
    expect(text).to.contain('gpu_partition_watch_lists_total{name="nodes"} 1');
    expect(text).to.contain('gpu_partition_watch_reconnects_total{name="nodes"} 2');
    expect(await registry.metrics(), 'the second reading adds nothing').to.equal(text);
  });

  it('show what the queues do and have done', async () => {
    const clock = new FakeClock();
    const reconcile = async (key: string): Promise<void> => {
      if (key === 'bad') throw new Error('bad');
      if (key === 'slow') await new Promise<void>((resolve) => clock.startTimer(60_000, resolve));
    };
    const queue = new WorkQueue({ reconcile, clock, logger: new RecordedLog(), random: () => 1 });
    const registry = new Registry();
    registerQueues(registry, { policies: queue });
    for (const key of ['good', 'bad', 'slow', 'waiting']) queue.add(key);
    await clock.advance(100);
    const text = await registry.metrics();
    expect(text).to.contain('gpu_partition_queue_depth{name="policies"} 1');
    expect(text).to.contain('gpu_partition_queue_longest_run_seconds{name="policies"} 0.1');
    expect(text).to.contain('gpu_partition_reconciles_total{name="policies"} 1');
    expect(text).to.contain('gpu_partition_reconcile_failures_total{name="policies"} 1');
  });
});
