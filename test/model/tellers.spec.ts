import { expect } from 'chai';
import { Tellers } from './tellers.ts';

/** A thread that says of each story what its seed stands for. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ seed }) => {
      if (seed === 3) throw new Error('the thread ends');
      parentPort.postMessage({ found: seed === 1 ? 'S1: broken' : undefined, error: seed === 2 ? 'no such pod' : undefined });
    });
  `)}`,
);

describe('the threads that tell stories', () => {
  let tellers: Tellers;

  beforeEach(() => {
    tellers = new Tellers(script);
  });

  afterEach(() => tellers.stop());

  const failureOf = async (from: number): Promise<string> => {
    const error: unknown = await tellers.tell({ from, to: from + 1 }).catch((reason: unknown) => reason);
    return error instanceof Error ? error.message : 'told';
  };

  it('tell one that keeps every promise, and how another breaks one', async () => {
    expect(await failureOf(0)).to.equal('told');
    expect(await failureOf(1)).to.equal('S1: broken');
  });

  it('tell an error of the model itself by the story, and not as a broken promise', async () => {
    expect(await failureOf(2)).to.equal('story {"seed":2}: no such pod');
    const looked = await tellers.find({ from: 2, to: 3, bug: 'Planted' }).catch(String);
    expect(looked).to.include('no such pod');
  });

  it('fail from then on when one has ended, where they would wait without end', async () => {
    expect(await failureOf(3)).to.equal('the thread ends');
    expect(await failureOf(0)).to.equal('the thread ends');
  });
});
