import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** The most files that a new colleague opens on each journey, in the order of the page. */
const mostFiles = [38, 15, 14];
const mostWords = 600;

/** A file to open, or what is handed over where no file is imported. */
interface Stop {
  readonly line: string;
  readonly depth: number;
  readonly file?: string;
  readonly handsOver?: { readonly to: string; readonly what: string };
}

interface Journey {
  readonly title: string;
  readonly stops: readonly Stop[];
}

const fileLine = /^(?<indent> *)- `(?<file>src\/[\w./-]+)` \S/;
const markerLine = /^- → (?<to>API server|process): `(?<what>[\w.-]+)`$/;

/** @throws Error for a line of a list that is neither a file nor a hand-over */
function readStop(line: string): Stop {
  const file = fileLine.exec(line)?.groups;
  if (file) return { line, depth: (file['indent'] ?? '').length / 2, file: file['file'] ?? '' };
  const { to = '', what = '' } = markerLine.exec(line)?.groups ?? {};
  if (what === '') throw new Error(`neither a file nor a hand-over: ${line}`);
  return { line, depth: 0, handsOver: { to, what } };
}

function readJourneys(page: string): readonly Journey[] {
  const [, ...sections] = page.split(/^## /m);
  return sections.map((section) => {
    const [title = '', ...lines] = section.split('\n');
    return { title, stops: lines.filter((line) => /^ *- /.test(line)).map(readStop) };
  });
}

function countFiles({ stops }: Journey): number {
  return new Set(stops.flatMap(({ file }) => file ?? [])).size;
}

/** Whether a file imports another one, at its start or when it needs it. */
async function imports(file: string, other: string): Promise<boolean> {
  const text = await readFile(file, 'utf8');
  return [...text.matchAll(/\b(?:from |import\()'(\.[^']+)'/g)].some(
    ([, path = '']) => join(dirname(file), path) === other,
  );
}

/** Where a journey is broken at a stop: nothing leads to its file. */
async function explainBreak(stops: readonly Stop[], at: number): Promise<string | undefined> {
  const { file, depth, line } = stops[at] ?? {};
  const before = stops.slice(0, at);
  if (file === undefined || depth === undefined || before.length === 0) return undefined;
  if (depth === 0) {
    const isLed = before.at(-1)?.handsOver !== undefined || before.some((one) => one.file === file);
    return isLed ? undefined : `nothing leads to ${line}`;
  }
  const above = before.findLast((one) => one.depth < depth);
  if (above?.depth !== depth - 1 || above.file === undefined) return `no file is above ${line}`;
  return (await imports(above.file, file)) ? undefined : `${above.file} does not import ${file}`;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The schemas of our kinds, by name. */
async function readKinds(): Promise<ReadonlyMap<string, Schema | undefined>> {
  const names = (await readdir('crds')).filter((name) => name.startsWith('gpupartition.dev_'));
  const definitions = await Promise.all(
    names.map(async (name) => parse(await readFile(join('crds', name), 'utf8')) as Definition),
  );
  return new Map(definitions.map(({ spec }) => [spec.names.kind, spec.versions[0]?.schema.openAPIV3Schema]));
}

describe('the tour of the code', () => {
  const tour = 'docs/internal/tour.md';
  let page = '';
  let journeys: readonly Journey[] = [];

  before(async () => {
    page = await readFile(tour, 'utf8');
    journeys = readJourneys(page);
  });

  it('names files that exist', () => {
    const named = [...page.matchAll(/`(src\/[^`]+)`/g)].map(([, file = '']) => file);
    expect(named.length).to.be.above(60);
    expect(named.filter((file) => !existsSync(file))).to.deep.equal([]);
  });

  it('leads from file to file by imports, or says what is handed over', async () => {
    const breaks = await Promise.all(journeys.flatMap(({ stops }) => stops.map((_, at) => explainBreak(stops, at))));
    expect(breaks.flatMap((one) => one ?? [])).to.deep.equal([]);
  });

  it('hands over fields that our objects have', async () => {
    const kinds = await readKinds();
    const fields = journeys.flatMap(({ stops }) =>
      stops.flatMap(({ handsOver }) => (handsOver?.to === 'API server' ? [handsOver.what] : [])),
    );
    expect(fields.length).to.be.above(3);
    const unknown = fields.filter((one) => {
      const [kind = '', ...path] = one.split('.');
      return path.reduce<Schema | undefined>((at, field) => at?.properties?.[field], kinds.get(kind)) === undefined;
    });
    expect(unknown).to.deep.equal([]);
  });

  it('hands over to processes what both sides name', async () => {
    for (const { stops } of journeys)
      for (const [at, { handsOver }] of stops.entries()) {
        const sides = handsOver?.to === 'process' ? [stops[at - 1]?.file, stops[at + 1]?.file] : [];
        for (const file of sides.flatMap((one) => one ?? []))
          expect(await readFile(file, 'utf8'), file).to.contain(handsOver?.what);
      }
  });

  it('is short: three journeys of few files, in few words', () => {
    expect(journeys.map(countFiles).map((count, at) => count <= (mostFiles[at] ?? 0))).to.deep.equal([
      true,
      true,
      true,
    ]);
    const words = page.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
    expect(words.length).to.be.at.most(mostWords);
  });
});
