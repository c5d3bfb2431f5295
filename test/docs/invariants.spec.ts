import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the page of invariants', () => {
  it('names only checks and steps that the models have', async () => {
    const page = await read('docs/internal/invariants.md');
    const models = ['model/checks', 'model/story', 'model/steps', 'model/fleet-checks', 'model/fleet-story'];
    const files = await Promise.all(
      [...models, 'model/fleet-steps', 'model/fleet-setup'].map((name) => read(`test/${name}.ts`)),
    );
    const source = files.join('\n');
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
    const names = rows
      .flatMap((row) => row.split('|').slice(2))
      .flatMap((cell) => cell.match(/(?<=`)#?[a-zA-Z]+(?=`)/g) ?? []);
    const own = names.filter((name) => name !== 'onDelete' && !name.endsWith('ts'));
    expect(own.length).to.be.greaterThan(50);
    const missing = own.filter((name) => !new RegExp(`${name.replace('#', '#')}\\b[ (?:]`).test(source));
    expect(missing).to.deep.equal([]);
  });
});
