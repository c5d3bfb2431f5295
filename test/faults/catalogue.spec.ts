import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';

interface CataloguedFault {
  readonly row: string;
  readonly fault: string;
  /** `file: title`, the title as it stands in the file. */
  readonly tests?: readonly string[];
  /** What no test shows, and why. */
  readonly gap?: string;
}

const root = new URL('../../', import.meta.url);
const faults: readonly CataloguedFault[] = readFileSync(new URL('catalogue.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

describe('the catalogue of faults', () => {
  it('names tests that exist', () => {
    const missing = faults.flatMap(({ row, tests = [] }) =>
      tests.filter((test) => !exists(test)).map((test) => `${row}: ${test}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('has for every fault a test, or says why not', () => {
    expect(faults.filter(({ tests, gap }) => tests === undefined && gap === undefined)).to.deep.equal([]);
  });

  it('has each fault once', () => {
    expect(new Set(faults.map(({ row }) => row)).size).to.equal(faults.length);
  });
});

function exists(test: string): boolean {
  const [, path = '', title = ''] = /^([^:]+): (.+)$/.exec(test) ?? [];
  const file = new URL(path, root);
  return existsSync(file) && ["'", '"', '`', '  '].some((quote) => readFileSync(file, 'utf8').includes(quote + title));
}
