import { readFileSync } from 'node:fs';

declare const GPU_PARTITION_PAGE: string | undefined;

/** The scripts of the page; each imports only those before it. */
const scripts = [
  'words',
  'dom',
  'state',
  'guide',
  'gpu',
  'freshness',
  'totals',
  'policies',
  'nodes',
  'detail',
  'questions',
  'main',
];

/** Tables of docs/errors.md that explain reasons on the page, by the start of their headings. */
const tables = { policy: 'Reasons of a policy', node: 'Reasons of a node' };

/** The page as one document: embedded by the bundler, or joined from its parts if the programs run from source. */
export const pageText: string = typeof GPU_PARTITION_PAGE === 'string' ? GPU_PARTITION_PAGE : joinPage();

function joinPage(): string {
  const parts = scripts.map((name) => wrapModule(name, readPart(`page/${name}.js`)));
  const script = ["'use strict';", 'const modules = {};', ...parts].join('\n');
  const guide = JSON.stringify(readGuide(readPart('../../docs/errors.md'))).replaceAll('<', String.raw`\u003c`);
  return readPart('page/index.html')
    .replace('__STYLE__', () => readPart('page/style.css'))
    .replace('__SCRIPT__;', () => script.replace('__GUIDE__', () => guide));
}

function readPart(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** A module as a part of one script, with a scope of its own. */
function wrapModule(name: string, text: string): string {
  const exported = [...text.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(([, one = '']) => one);
  const body = text
    .replaceAll(/^import (\{[^}]*\}) from '\.\/(\w+)\.js';$/gm, 'const $1 = modules.$2;')
    .replaceAll(/^export /gm, '');
  return `modules.${name} = (() => {\n${body}\nreturn { ${exported.join(', ')} };\n})();`;
}

interface GuideTable {
  /** Anchor of the heading in docs/errors.md. */
  readonly anchor: string;
  /** What a reason means and what to do, in Markdown. */
  readonly rows: Readonly<Record<string, string>>;
}

/** The runbooks of Failed and Waiting nodes, by reason: one row may be about several. */
function readCures(text: string): ReadonlyMap<string, string> {
  const runbooks = text.matchAll(/^### GpuPartitionNodes(?:Failed|Waiting)\n([^]*?)^### /gm);
  const rows = [...runbooks].flatMap(([, book = '']) => [...book.matchAll(/^\| (`[^|]+`) \| (.+) \|$/gm)]);
  return new Map(
    rows.flatMap(([, cell = '', cure = '']) => [...cell.matchAll(/\w+/g)].map(([reason]) => [reason, cure] as const)),
  );
}

function readGuide(text: string): Readonly<Record<string, GuideTable>> {
  const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const sections = plain.split(/^## /m);
  const cures = readCures(plain);
  return Object.fromEntries(
    Object.entries(tables).map(([name, start]) => {
      const section = sections.find((one) => one.startsWith(start)) ?? '';
      const [heading = ''] = section.split('\n');
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-');
      const rows = [...section.matchAll(/^\| `(\w+)` \|.*\| (.+) \|$/gm)].map(([, reason = '', what = '']) => [
        reason,
        what,
      ]);
      const explained = rows.map(([reason = '', what = '']) => {
        const cure = name === 'node' ? cures.get(reason) : undefined;
        return [reason, cure === undefined ? what : `${what}. What to do: ${cure}`];
      });
      return [name, { anchor, rows: Object.fromEntries(explained) as GuideTable['rows'] }];
    }),
  );
}
