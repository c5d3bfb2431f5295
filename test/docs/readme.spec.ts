import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { validate } from '../../src/api/generated/gpu-partition-policy.validate.js';
import { checkPolicy } from '../../src/core/policy/check.ts';

describe('documents', () => {
  const pages = async () => [
    'README.md',
    ...(await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ];

  it('link only to what is there', async () => {
    const broken: string[] = [];
    for (const page of await pages()) {
      for (const [, target = ''] of (await readFile(page, 'utf8')).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        if (!existsSync(join(dirname(page), target))) broken.push(`${page}: ${target}`);
      }
    }
    expect(broken).to.deep.equal([]);
  });

  it('show a first policy that is valid', async () => {
    const text = /```yaml\n([^`]+)```/.exec(await readFile('README.md', 'utf8'))?.[1] ?? '';
    const policy: unknown = parse(text);
    expect(validate(policy), JSON.stringify(validate.errors)).to.equal(true);
    if (validate(policy)) expect(checkPolicy(policy.spec)).to.equal(undefined);
  });

  it('name only make targets that exist', async () => {
    const targets = [...(await readFile('Makefile', 'utf8')).matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);
    for (const page of await pages()) {
      for (const [, target] of (await readFile(page, 'utf8')).matchAll(/^make ([a-z-]+)/gm)) {
        expect(targets, page).to.include(target);
      }
    }
  });
});
