import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';

/** Inside the checkout: mocha is found from there. */
async function runSpec(text: string): Promise<string> {
  const folder = await mkdtemp(join('test', 'support', 'reported-'));
  try {
    const spec = join(folder, 'red.spec.mjs');
    await writeFile(spec, text);
    const options = ['--no-config', '--reporter', './test/support/reporter.mjs', spec];
    return await new Promise((resolve) => {
      execFile('mocha', options, (_, stdout) => resolve(stdout.replaceAll(folder, 'FOLDER')));
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the end of a run', () => {
  it('says of a red test what was expected, what was there, and how to run it alone', async () => {
    const output = await runSpec(`import { expect } from 'chai';
      describe('it', () => it("isn't so", () => expect({ a: 1 }).to.deep.equal({ a: 2 })));`);
    expect(output.trimEnd().split('\n').slice(-5)).to.deep.equal([
      `failed: FOLDER/red.spec.mjs: it isn't so: expected { a: 1 } to deeply equal { a: 2 }`,
      '  expected: { "a": 2 }',
      '  was:      { "a": 1 }',
      `  alone:    npx mocha FOLDER/red.spec.mjs -f 'it isn'\\''t so'`,
      '0 passed, 1 failed',
    ]);
  });

  it('shows two long texts from shortly before the first character that differs', async () => {
    const output = await runSpec(`import { expect } from 'chai';
      it('is long', () => expect('x'.repeat(900) + 'was').to.equal('x'.repeat(900) + 'wanted'));`);
    const same = 'x'.repeat(60 - 'wa'.length);
    expect(output).to.contain(`\n  expected: …${same}wanted\n  was:      …${same}was\n`);
  });
});
