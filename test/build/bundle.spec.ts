import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

describe('the bundles', () => {
  const programs: [name: string, text: string][] = [];
  before(async function () {
    // `make test` builds them; one file alone may be run without.
    if (!existsSync('dist')) return this.skip();
    const names = (await readdir('dist')).filter((name) => name.endsWith('.mjs'));
    expect(names).to.include('controller.mjs');
    for (const name of names) programs.push([name, await readFile(`dist/${name}`, 'utf8')]);
    return undefined;
  });

  it('load nothing of which Node warns at every start', () => {
    for (const [name, text] of programs) {
      expect(text, name).not.to.match(/require\d*\("punycode"\)|from "punycode"/);
    }
  });

  it('have no character beyond Latin-1, for which V8 would keep the whole text at two bytes a character', () => {
    for (const [name, text] of programs) expect(/[\u0100-\uffff]/.exec(text)?.[0], name).to.equal(undefined);
  });
});
