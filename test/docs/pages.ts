import { readdir, readFile } from 'node:fs/promises';

export interface Page {
  /** From the root of the repository: `docs/cli.md`. */
  readonly path: string;
  readonly text: string;
}

const atRoot = ['README.md', 'CONTRIBUTING.md', 'SCOPE.md', 'SECURITY.md', 'CHANGELOG.md'];

/** All pages that people read, design notes and the samples' own included. */
export async function readPages(): Promise<readonly Page[]> {
  const below = await Promise.all(
    ['docs', 'samples'].map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  );
  const paths = [...atRoot, ...below.flat().filter((path) => path.endsWith('.md'))].sort();
  if (paths.length < 25) throw new Error(`only ${paths.length} pages were found: ${paths.join(', ')}`);
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));
}

/** A block of code of a page. */
export interface Fence {
  readonly page: string;
  readonly line: number;
  /** `sh`: each line is a command; `console`: those after `$ ` are; `text`: none is. */
  readonly language: string;
  /** What this machine lacks to run it: `<!-- needs: GPU nodes -->` on the line before. */
  readonly needs?: string;
  readonly text: string;
}

const fence = /(?:<!-- needs: (?<needs>[^>]+) -->\n)?^(?<indent> *)```(?<language>\w*)\n(?<text>[^]*?)^ *```$/gm;

export function fencesOf({ path, text }: Page): readonly Fence[] {
  return [...text.matchAll(fence)].map((match) => {
    const { needs, indent = '', language = '', text: body = '' } = match.groups ?? {};
    return {
      page: path,
      line: text.slice(0, match.index).split('\n').length,
      language,
      ...(needs === undefined ? {} : { needs }),
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}

/** @throws Error where there are fewer than is known to be there: a check of none would be a good one */
export async function readFences(language: string, atLeast: number): Promise<readonly Fence[]> {
  const found = (await readPages()).flatMap(fencesOf).filter((one) => one.language === language);
  if (found.length < atLeast) throw new Error(`only ${found.length} blocks of ${language}; ${atLeast} are known`);
  return found;
}
