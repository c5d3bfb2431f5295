import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { validate } from '../../src/api/generated/gpu-partition-policy.validate.js';
import { checkPolicy } from '../../src/core/policy/check.ts';
import { readFences, readPages } from './pages.ts';

describe('README.md', () => {
  it('shows a first policy that is valid', async () => {
    const [first] = (await readFences('yaml', 10)).filter(({ page }) => page === 'README.md');
    const policy: unknown = parse(first?.text ?? '');
    expect(validate(policy), JSON.stringify(validate.errors)).to.equal(true);
    if (validate(policy)) expect(checkPolicy(policy.spec)).to.equal(undefined);
  });
});

describe('make targets that documents name', () => {
  it('exist', async () => {
    const targets = [...(await readFile('Makefile', 'utf8')).matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);
    // A list of messages has sentences that begin with the word.
    const pages = (await readPages()).filter(({ path }) => path !== 'docs/internal/messages.md');
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:^|`)make ([a-z-]+)/gm)].map(([, target]) => ({ path, target })),
    );
    expect(named.length).to.be.above(10);
    for (const { path, target } of named) expect(targets, path).to.include(target);
  });
});
