import { expect } from 'chai';
import { KubeClient } from '../../src/kube/client.ts';
import { EventRecorder, type EventNote } from '../../src/kube/events.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { eventually } from '../support/eventually.ts';
import { readKeptMemory } from '../support/kept-memory.ts';
import { configMaps } from './connection.ts';

describe('EventRecorder in a big fleet @all', () => {
  /** Its client knows no cluster: no write arrives. */
  const aRecorder = (clock: FakeClock, burst: number): EventRecorder => {
    const client = new KubeClient(new PooledKubeConfig(), 'test');
    return new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test', clock, burst });
  };
  const aNote = (object: KubeObject, message = ''): EventNote => ({
    resource: configMaps,
    object,
    type: 'Normal',
    reason: 'Ready',
    action: 'Partition',
    message,
  });

  it('remembers which object an event is about, and not the object', () => {
    // Nothing is written: all of them wait.
    const recorder = aRecorder(new FakeClock(), 0);
    const before = readKeptMemory().heapUsed;
    for (let index = 0; index < 1_000; index += 1) {
      const parts = Array.from({ length: 2_000 }, (_, at) => at + index / 7);
      const object = { metadata: { name: `object-${index}`, uid: `uid-${index}` }, parts };
      recorder.record(aNote(object));
    }
    const kept = (readKeptMemory().heapUsed - before) / 1_000;
    expect(kept, 'bytes of each object of 16 kB').to.be.below(4_000);
    expect(recorder.dropped).to.equal(0);
  });

  it('forgets events that can no longer be repeated', async () => {
    const clock = new FakeClock();
    const recorder = aRecorder(clock, 5_000);
    const record = (index: number): void => recorder.record(aNote({ metadata: { name: `object-${index}` } }));
    const before = readKeptMemory().heapUsed;
    const readGrown = (): number => readKeptMemory().heapUsed - before;
    for (let index = 0; index < 5_000; index += 1) record(index);
    await eventually(
      () => recorder.dropped,
      (dropped) => dropped === 5_000,
    );
    const within = readGrown();
    await clock.advance(10 * 60_000 + 1);
    record(5_000);
    await recorder.stop();
    expect(readGrown(), 'bytes after ten minutes').to.be.below(within / 2);
  });
});
