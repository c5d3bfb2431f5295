import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

async function anchorsOf(page: string): Promise<readonly string[]> {
  const text = (await readFile(page, 'utf8')).replace(/```[^]*?```/g, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

describe('links with an anchor', () => {
  it('lead to a heading that is there', async () => {
    const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));
    const broken: string[] = [];
    for (const page of ['README.md', ...names.map((name) => join('docs', name))]) {
      const links = (await readFile(page, 'utf8')).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g);
      for (const [, file = '', anchor = ''] of links) {
        const target = file === '' ? page : join(dirname(page), file);
        const isThere = existsSync(target) && (await anchorsOf(target)).includes(anchor);
        if (!isThere) broken.push(`${page}: ${file}#${anchor}`);
      }
    }
    expect(broken).to.deep.equal([]);
  });
});
