import { expect } from 'chai';
import * as fc from 'fast-check';
import { pods } from '../../src/api/resources.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { ListTooLarge, readList } from '../../src/kube/list-items.ts';
import { rejectionOf } from './failure.ts';
import { readKeptMemory } from '../support/kept-memory.ts';

const same = (item: unknown): unknown => item;
const most = 1 << 30;

/** The text in pieces of so many bytes. */
async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Bytes of objects and of buffers that are still in use. */
function keptBytes(): number {
  const { heapUsed, external } = readKeptMemory();
  return heapUsed + external;
}

describe('a list that is read item by item', () => {
  it('is the list, however it is cut', async () => {
    const item = fc.object({ maxDepth: 3 });
    const list = fc.record({ kind: fc.string(), metadata: fc.dictionary(fc.string(), fc.string()) });
    await fc.assert(
      fc.asyncProperty(list, fc.array(item), fc.integer({ min: 1, max: 40 }), async (head, items, size) => {
        const text = JSON.stringify({ ...head, items, after: ['x', { items: [1] }] });
        const whole: unknown = JSON.parse(text);
        expect(await readList(cut(text, size), same, most)).to.deep.equal(whole);
      }),
      { numRuns: 200 },
    );
  });

  it('is empty where the server writes null, and finds items behind spaces', async () => {
    expect(await readList(cut('{"items":null}', 3), same, most)).to.deep.equal({ items: [] });
    expect(await readList(cut('{ "items" : [ {"a" : "]}\\"{"} , {} ] }', 5), same, most)).to.deep.equal({
      items: [{ a: ']}"{' }, {}],
    });
  });

  it('stays without items where something else than a list was sent', async () => {
    for (const other of ['{"kind":"Status","metadata":{}}', '{"login":"required"}', 'null', '"text"'])
      expect(await readList(cut(other, 4), same, most)).to.deep.equal(JSON.parse(other));
  });

  it('keeps no item that was read: 200 items of 1 MB are kept as their names', async () => {
    const filler = 'x'.repeat(1 << 20);
    let alive = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"items":[');
      for (let index = 0; index < 200; index += 1) {
        // Each item was taken before the next one is made.
        expect(alive).to.equal(index);
        yield Buffer.from(`${index > 0 ? ',' : ''}${JSON.stringify({ name: `p${index}`, filler })}`);
      }
      yield Buffer.from(']}');
    }
    const project = (item: unknown): unknown => {
      alive += 1;
      return (item as { readonly name: string }).name;
    };
    const before = keptBytes();
    const read = (await readList(endless(), project, most * 4)) as { readonly items: readonly string[] };
    expect(read.items).to.have.length(200);
    // All of them would be 200 MB.
    expect((keptBytes() - before) / (1 << 20)).to.be.below(100);
  }).timeout(60_000);

  it('ends where it is longer than anybody may make it, cut or no JSON', async () => {
    const text = JSON.stringify({ items: [{ a: 1 }, { a: 2 }] });
    expect(await rejectionOf(readList(cut(text, 4), same, 10))).to.be.instanceOf(ListTooLarge);
    for (const wrong of [text.slice(0, -1), text.slice(0, -5), text.replace('1', '1,,'), '', 'nothing']) {
      expect(await rejectionOf(readList(cut(wrong, 4), same, most)), wrong).to.be.instanceOf(SyntaxError);
    }
  });

  it('may have more items than a call may have arguments', async () => {
    const items = Array.from({ length: 200_000 }, (_, index) => ({ metadata: { name: `p${index}` } }));
    class LongList extends KubeClient {
      override async request(): Promise<unknown> {
        return { metadata: { resourceVersion: '1' }, items };
      }
    }
    const client = new LongList(new PooledKubeConfig(), 'test');
    expect((await client.list(pods, {}, { paged: false })).items).to.have.length(items.length);
  });
});
