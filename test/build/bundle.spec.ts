import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

describe('the bundles', () => {
  it('load nothing of which Node warns at every start', async function () {
    // `make test` builds them; one file alone may be run without.
    if (!existsSync('dist')) return this.skip();
    const programs = (await readdir('dist')).filter((name) => name.endsWith('.mjs'));
    expect(programs).to.include('controller.mjs');
    for (const name of programs) {
      expect(await readFile(`dist/${name}`, 'utf8'), name).not.to.match(/require\d*\("punycode"\)|from "punycode"/);
    }
    return undefined;
  });
});
