import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { API } from 'typescript/unstable/sync';

import { type Instrumented, instrument, nameOf } from './mutants.ts';

describe('mutants of a program', () => {
  let folder: string;
  let api: API;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mutants-'));
    writeFileSync(join(folder, 'tsconfig.json'), '{"files":["program.ts"]}');
    api = new API({ cwd: folder });
  });

  after(() => {
    api.close();
    rmSync(folder, { recursive: true });
  });

  function read(text: string): Instrumented {
    const path = join(folder, 'program.ts');
    writeFileSync(path, text);
    const snapshot = api.updateSnapshot({
      openProjects: [join(folder, 'tsconfig.json')],
      fileChanges: { changed: [path] },
    });
    const file = snapshot.getProjects()[0]?.program.getSourceFile(path);
    if (!file) throw new Error('the program was not read');
    return instrument(file, 'program.ts', 0);
  }

  /** What the body of a function returns with each of its mutants, and without. */
  function resultsOf(body: string): Readonly<Record<string, unknown>> {
    const { source, mutants } = read(`function program() { ${body} }`);
    const program = `${stripTypeScriptTypes(source)}; program();`;
    const run = (active?: number): unknown => runInNewContext(program, { mutant: (id: number) => id === active });
    return Object.fromEntries([['original', run()], ...mutants.map((one) => [nameOf(one).slice(12), run(one.id)])]);
  }

  it('takes conditions for true and for false, and moves the boundaries of comparisons', () => {
    expect(resultsOf('const n = Number("3"); if (n < 3) return "less"; return "more";')).to.deep.equal({
      original: 'more',
      'n < 3 -> true': 'less',
      'n < 3 -> false': 'more',
      'n < 3 -> n <= 3': 'less',
      'n < 3 -> n < 3 + 1': 'less',
      '"less" -> undefined': 'more',
      '"more" -> undefined': undefined,
    });
  });

  it('leaves out operands, statements, fields and what is spread', () => {
    const results = resultsOf('const a = { x: 1 }; let y: number | undefined; y = 2; return { ...a, y, z: y ?? 5 };');
    expect(results['original']).to.deep.equal({ x: 1, y: 2, z: 2 });
    expect(results['y = 2; -> (nothing)']).to.deep.equal({ x: 1, y: undefined, z: 5 });
    expect(results['...a -> ...{}']).to.deep.equal({ y: 2, z: 2 });
    expect(results['y -> y: undefined']).to.deep.equal({ x: 1, y: undefined, z: 2 });
    expect(results['y ?? 5 -> 5']).to.deep.equal({ x: 1, y: 2, z: 5 });
  });

  it('keeps guards of a chain whole, and leaves types and wording alone', () => {
    const { mutants } = read(
      'type Two = 2; function describeIt(a?: { b: { c: () => boolean } }): string { return a?.b.c() ? "yes" : "no"; }' +
        'export const of = (a?: { b: { c(n: Two): boolean } }) => ({ message: a ? "a" : "b", is: a?.b.c(2) });',
    );
    expect(mutants.map(nameOf).map((name) => name.slice(12))).to.deep.equal([
      '({ message: a ? "a" : "b", is: a?.b.c(2) }) -> undefined',
      'a?.b.c(2) -> undefined',
      'a?.b.c(2) -> a?.b.c(2 + 1)',
    ]);
  });
});
