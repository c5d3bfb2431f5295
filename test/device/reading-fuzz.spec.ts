import { expect } from 'chai';
import { recordedNodes } from './recorded-readings.ts';
import { damageOne, fuzzReadings, lookAt, type Scope, type View } from './reading-fuzz.ts';

/** How many readings are damaged; `READING_MUTATIONS=120000` is the long run, `READING_SEED` another one. */
const count = Number(process.env['READING_MUTATIONS'] ?? 1_500);
const seed = Number(process.env['READING_SEED'] ?? 2024);

/** A fall that no other command of the same reading can contradict, and one damage that shows it. */
interface Fall {
  readonly scope: Scope;
  readonly kind: string;
  readonly why: string;
  readonly node: string;
  readonly look: View['look'];
  readonly command: string;
  readonly edit: readonly [RegExp, string];
}

const bare = {
  kind: '-lgi: fewer GPU instances, none with a compute instance',
  why: 'only -lgi lists a GPU instance without compute instances, and the line between two rows is the line at the end',
  node: 'an instance without a compute instance',
  edit: [/.*MIG 2g\.10gb.*\n.*\n/, ''],
} as const;
const falls: readonly Fall[] = [
  { scope: 'node', look: 'readDevice', command: 'mig -lgi', ...bare },
  { scope: 'GPU', look: 'readInstances', command: 'mig -i BUS -lgi', ...bare },
  {
    scope: 'GPU',
    kind: '-q -x: fewer GPU instances, a mig_device lost',
    why: 'a look at who uses a GPU is one command; what is destroyed after it is compared with the reading before',
    node: 'two processes',
    look: 'readUse',
    command: '-i BUS -q -x',
    edit: [/\s*<mig_device>\s*<index>1<[^]*?<\/mig_device>/, ''],
  },
  {
    scope: 'GPU',
    kind: '-q -x: fewer compute instances, a mig_device lost',
    why: 'as above',
    node: 'an A100 and an H100 in parts',
    look: 'readUse',
    command: '-i BUS -q -x',
    edit: [/\s*<mig_device>\s*<index>1<[^]*?<\/mig_device>/, ''],
  },
];

describe('a reading of which one command is damaged @all', () => {
  for (const scope of ['node', 'GPU'] as const) {
    it(`of a ${scope} shows no instance fewer, nothing idle and no MIG off without an error, but for what is listed`, async () => {
      const listed = new Set(falls.filter((fall) => fall.scope === scope).map(({ kind }) => kind));
      const found = await fuzzReadings(scope, count, seed);
      if (count > 10_000) console.log(scope, count, Object.fromEntries(found));
      expect([...found.keys()].filter((kind) => !listed.has(kind))).to.deep.equal([]);
    }).timeout(120_000 + count * 10);
  }

  for (const { scope, kind, why, node: name, look, command, edit } of falls) {
    it(`of a ${scope}, ${kind}: ${why}`, async () => {
      const node = recordedNodes.find((candidate) => candidate.name === name);
      const busId = node?.busIds.at(-1);
      if (node === undefined || busId === undefined) throw new Error(`no node ${name}`);
      const view = { node, look, busId, isKnown: false };
      const whole = await lookAt(view);
      const args = command.replace('BUS', busId).split(' ');
      const damaged = node.answer(args).stdout.replace(...edit);
      expect(await damageOne(view, whole, args, damaged)).to.deep.equal([kind]);
    });
  }
});
