import { expect } from 'chai';
import { readFileSync } from 'node:fs';

/** `| threat | what holds | \`FILE\`: TITLE |` */
const row = /^\| (?<threat>[^|]+) \| [^|]+ \| `(?<file>test\/[^`]+)`: (?<title>[^|]+) \|$/;

describe('the threats of docs/internal/threats.md', () => {
  const rows = readFileSync('docs/internal/threats.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| threat |'));

  it('are more than a few', () => expect(rows).to.have.length.above(30));

  for (const line of rows) {
    const { threat = line, file = '', title = '' } = row.exec(line)?.groups ?? {};
    it(`name a test that is there: ${threat}`, () => {
      expect(row.test(line), line).to.equal(true);
      const source = readFileSync(file, 'utf8');
      const titles = [...source.matchAll(/\b(?:it|describe)\(\s*(['"`])(.*?)\1/gs)].map(([, , found = '']) => found);
      // A title may hold values that the test fills in: what is between them counts.
      const parts = titles.flatMap((found) => found.split(/\$\{[^}]*\}/)).filter((part) => part.length > 8);
      const isThere = title === '*' || parts.some((part) => part.includes(title) || title.startsWith(part));
      expect(isThere, `${title} in ${file}`).to.equal(true);
    });
  }
});
