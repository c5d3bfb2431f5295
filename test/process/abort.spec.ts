import { expect } from 'chai';
import { untilAborted } from '../../src/process/abort.ts';

describe('untilAborted', () => {
  it('leaves no failure unhandled that comes after an abort: it would end the process', async () => {
    const unhandled: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (error) => unhandled.push(error));
    try {
      const work = Promise.withResolvers<void>();
      const error = await untilAborted(work.promise, AbortSignal.abort('stopped')).catch((reason: unknown) => reason);
      expect(error).to.equal('stopped');
      work.reject(new Error('the operator was stopped'));
      await new Promise((done) => setImmediate(done));
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
  });
});
