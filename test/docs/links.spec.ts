import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readPages } from './pages.ts';

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function anchorsOf(text: string): readonly string[] {
  const prose = text.replace(/```[^]*?```/g, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

interface Link {
  readonly page: string;
  /** From the root; the page itself where the link names an anchor only. */
  readonly target: string;
  readonly anchor: string;
}

async function readLinks(): Promise<readonly Link[]> {
  return (await readPages()).flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, file = '', anchor = '']) => ({
      page: path,
      target: file === '' ? path : join(dirname(path), file),
      anchor,
    })),
  );
}

describe('links of the documents', () => {
  it('lead to files and headings that are there', async () => {
    const links = await readLinks();
    expect(links.length).to.be.above(120);
    expect(links.filter(({ anchor }) => anchor !== '').length).to.be.above(30);
    const broken: string[] = [];
    for (const { page, target, anchor } of links) {
      const isThere =
        existsSync(target) && (anchor === '' || anchorsOf(await readFile(target, 'utf8')).includes(anchor));
      if (!isThere) broken.push(`${page}: ${target}#${anchor}`);
    }
    expect(broken).to.deep.equal([]);
  });

  it('reach every page from README', async () => {
    const links = await readLinks();
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const { target } of links.filter((link) => link.page === page)) reached.add(target);
    }
    // A folder that is linked shows its pages.
    const unreached = (await readPages()).filter(({ path }) => !reached.has(path) && !reached.has(dirname(path)));
    expect(unreached.map(({ path }) => path)).to.deep.equal([]);
  });
});

/** Folders whose files may send a reader to a page: `docs/errors.md#gpupartitionnoleader`. */
const folders = ['src', 'test', 'build', 'config', 'charts', 'crds', 'samples', '.github'];

describe('pages that code, manifests and descriptions name', () => {
  it('are there, with the heading', async () => {
    const listed = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(folder, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile() && /\.(?:m?[jt]s|ya?ml|md|tpl)$/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name)),
      ),
    );
    // What was installed by 0.1.0 names the pages of 0.1.0.
    const files = ['Makefile', ...listed.flat()].filter((file) => !file.startsWith('test/fixtures/'));
    const named = (
      await Promise.all(
        files.map(async (file) =>
          [...(await readFile(file, 'utf8')).matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(
            ([, page = '', anchor = '']) => ({ file, page, anchor }),
          ),
        ),
      )
    ).flat();
    expect(named.length).to.be.above(40);
    expect(named.filter(({ anchor }) => anchor !== '').length).to.be.above(10);
    const broken: string[] = [];
    for (const { file, page, anchor } of named) {
      const isThere = existsSync(page) && (anchor === '' || anchorsOf(await readFile(page, 'utf8')).includes(anchor));
      if (!isThere) broken.push(`${file}: ${page}#${anchor}`);
    }
    expect(broken).to.deep.equal([]);
  });
});

describe('files that documents name', () => {
  it('are there', async () => {
    const named = (await readPages())
      .filter(({ path }) => path !== 'CHANGELOG.md')
      .flatMap(({ path, text }) =>
        [...text.matchAll(/`((?:src|test|docs|config|build|samples|charts|crds)\/[\w./-]+)`/g)].map(
          ([, file = '']) => [path, file] as const,
        ),
      );
    expect(named.length).to.be.above(60);
    const missing = named.filter(([, file]) => !existsSync(file) && !existsSync(`${file}.md`));
    expect(missing.map(([path, file]) => `${path}: ${file}`)).to.deep.equal([]);
  });
});
