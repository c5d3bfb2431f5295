import { expect } from 'chai';
import { KubeClient } from '../../src/kube/client.ts';
import { EventRecorder } from '../../src/kube/events.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { readKeptMemory } from '../support/kept-memory.ts';
import { configMaps } from './connection.ts';

describe('EventRecorder in a big fleet', () => {
  it('remembers which object an event is about, and not the object', () => {
    const client = new KubeClient(new PooledKubeConfig(), 'test');
    // Nothing is written: all of them wait.
    const recorder = new EventRecorder({
      client,
      logger: silentLogger,
      controller: 'test',
      instance: 'test',
      clock: new FakeClock(),
      burst: 0,
    });
    const before = readKeptMemory().heapUsed;
    for (let index = 0; index < 1_000; index += 1) {
      const parts = Array.from({ length: 2_000 }, (_, at) => at + index / 7);
      const object = { metadata: { name: `object-${index}`, uid: `uid-${index}` }, parts };
      recorder.record({
        resource: configMaps,
        object,
        type: 'Normal',
        reason: 'Ready',
        action: 'Partition',
        message: '',
      });
    }
    const kept = (readKeptMemory().heapUsed - before) / 1_000;
    expect(kept, 'bytes of each object of 16 kB').to.be.below(4_000);
    expect(recorder.dropped).to.equal(0);
  });
});
