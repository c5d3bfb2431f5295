// Rejects phrases that read badly, or that are a second word for a thing of docs/glossary.md: in documents, in the descriptions of
// the CRDs, in help and messages, in comments, and in the titles of tests. Code in documents is skipped.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { literalsOf } from './literals.mjs';

/** What not to write, and its replacement. */
export const phrases = [
  [/\bwrong use\b/i, 'usage error'],
  [/\bcould not find out\b/i, 'the state could not be determined'],
  [/\bknows? (?:nothing of )?MIG\b/, 'supports (does not support) MIG'],
  [/\bwhat has to be there\b/i, 'Prerequisites'],
  [/\bwhere to go on\b/i, 'Next steps'],
  [/\b(?:devices?|labels?|layouts?|slices?|value) of before\b/i, 'previous, stale'],
  [/\bas (?:it is |is )?wished\b/i, 'matches the layout'],
  [/\bnodes? says?\b/i, 'the node reports'],
  [/\bspeaks? the (?:policy|strategy)/i, 'is configured with the same MIG strategy'],
  [/\banew\b/i, 'again'],
  [/\bshall\b/i, 'must, should, will'],
  [/\bat the most\b/i, 'at most'],
  [/\bgoes? by (?:processes|memory|itself)\b/i, 'relies on'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\b(?:put|puts|putting) right\b/i, 'repair'],
  [
    /(?<!\b[Tt]here )\b(?:is|was|are) no (?!longer|more|less|fewer|later|earlier|sooner|better|worse|different|other|such)[a-z]/,
    'is not a',
  ],
  [/\bthat is none\b/i, 'that does not exist'],
  [/\bfor ever\b/i, 'always, forever'],
  [/\bnobody of ours\b|\bof nobody's\b/i, 'foreign'],
  [/\bthe (?:agents?'?|agent’s|kubelet's) word\b/i, 'the report of the agent'],
  [/\bevery so many\b|\bso many (?:of|more|GPUs|nodes|seconds)\b/i, 'this many'],
  [/\btakes? (?:it|them|that) (?:as|for) (?:an? )?(?:idle|empty|done)\b/i, 'treats as'],
  [/\b(?:goes|go) on\b(?! (?:a|an|the|its|it|that|this)\b)/i, 'continues, proceeds'],
  [/\ball the same\b/i, 'regardless, still'],
  [/\bharms? (?:nobody|no one)\b/i, 'never disrupts running work'],
  [/\bsees? to (?:the|it)\b/i, 'repair, inspect'],
  [/\bwill become of\b/i, 'the planned layout'],
  [/\btrusted to the\b/i, 'safe to manage'],
  [/\bstops? no other\b/i, 'the others proceed'],
  [/\ba person acts\b/i, 'fixed by hand'],
  [/\bstays? away as well\b/i, 'cannot be scheduled either'],
  [
    /\bby (?:itself|themselves)\b(?= (?:to|then|and then)\b)|\bfollow by (?:itself|themselves)\b/i,
    'unaided, on its own',
  ],
  [/\b(?:zero|number|count) keeps\b/i, 'say of what: zero allocatable keeps'],
  [/\b(?:closed|there|known|done|open|tainted) anyway\b/i, 'already'],
  [/\b(?:told|tells?) [^.]*\bwish(?:es)?\b/i, 'published every desired layout'],
  [/\balso (?:where|if|when)\b/i, 'even if'],
  [/\basks the same of\b/i, 'does not change that layout'],
  [/\bsame time again\b/i, 'twice'],
  [/\bany other is an error\b/i, 'otherwise an error'],
  [
    /\bnobody (?:can|says|could|will|would|knows|has|is|asks|creates|makes|owns|told|tells|waits|needs|reads|gets|looks|sees)\b/i,
    'use the passive, or name what',
  ],
  [/\bover all the times\b/i, 'since'],
  [/\bplayed through\b/i, 'simulated'],
  [/\bcould be tried again\b|\banother try\b/i, 'retry'],
  [/\bthe same has failed\b/i, 'identical failures'],
  [/\bno list of\b/i, 'cannot be seen'],
  [/\bslipped in\b/i, 'arrived late'],
  [/\b(?:its|their|whose|another|next|of) turns?\b/i, 'slot'],
  [/\b1 (?:pods|GPUs|nodes|instances|seconds|slices|policies)\b/, 'singular'],
  [/\bobviously\b|\bof course\b|\bplease\b|\beasily\b/i, '(leave it out)'],
  [/\b(the|a|an|of|to|is|in|and|that|for|with) \1\b/i, '(a doubled word)'],
];

/** Titles that say nothing after the subject that `describe` gives. */
const titlePhrases = [
  ...phrases,
  [/^(?:is|are) (?:none|another|others)\b/, 'does not exist, changes: name what is expected'],
];

/** Programs whose messages are checked. The simulator repeats what NVIDIA's programs print. */
const programs = [
  'src/agent/',
  'src/api/',
  'src/cli/',
  'src/controller/',
  'src/core/',
  'src/device/',
  'src/kube/',
  'src/kubelet/',
  'src/process/',
  'src/ui/',
];

/** Pages of figures, whose names of metrics have a number in them. */
const data = ['docs/internal/benchmark-rows.md'];

const root = new URL('../', import.meta.url);

async function listFiles(folder, suffix) {
  const names = await readdir(new URL(folder, root), { recursive: true });
  return names
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((name) => `${folder}${name}`);
}

/** Lines of a page without its code and quotations, each with its line number. */
function proseOf(text) {
  let isCode = false;
  return text.split('\n').map((line) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    return isCode ? '' : line.replaceAll(/`[^`]*`/g, '`…`').replaceAll(/\]\([^)]*\)/g, ']');
  });
}

/** Lines of a CRD without its rules. */
function descriptionsOf(text) {
  return text.split('\n').map((line) => (/^\s*(?:- )?rule:/.test(line) ? '' : line));
}

/** String literals of a program that are sentences: at least two words. */
function stringsOf(text) {
  return text.split('\n').map((line) =>
    literalsOf(line)
      .filter((body) => / /.test(body))
      .join(' | '),
  );
}

/** Comments of a program. One at the end of a line counts from a slash after a space, so that the slashes of an address do not. */
export function commentsOf(text) {
  let isBlock = false;
  return text.split('\n').map((line) => {
    const start = isBlock ? 0 : line.search(/(?:^|\s)\/[/*]/);
    if (start < 0) return '';
    isBlock = isBlock || /(?:^|\s)\/\*/.test(line);
    if (isBlock && line.includes('*/')) isBlock = false;
    return line
      .slice(start)
      .trimStart()
      .replaceAll(/`[^`]*`/g, '`…`');
  });
}

/** What a test says of its subject, `describe('a node', () => it('is closed', …))`, at the line of its first word. */
export function titlesOf(text) {
  const lines = text.split('\n').map(() => '');
  for (const { index, 0: call, 2: title = '' } of text.matchAll(/\b(?:describe|it)\(\s*(['"`])(.*?)\1/g)) {
    lines[text.slice(0, index + call.length).split('\n').length - 1] = title;
  }
  return lines;
}

/** @returns for each phrase in a line of prose what it is and its replacement */
export function findPhrases(line, list = phrases) {
  return list.flatMap(([phrase, better]) => {
    const [found] = phrase.exec(line) ?? [];
    return found === undefined ? [] : [`"${found}": ${better}`];
  });
}

async function findIn(paths, linesOf, list = phrases) {
  if (paths.length === 0) throw new Error('nothing to check');
  const findings = await Promise.all(
    paths.map(async (path) =>
      linesOf(await readFile(new URL(path, root), 'utf8')).flatMap((line, index) =>
        findPhrases(line, list).map((finding) => `${path}:${index + 1}: ${finding}`),
      ),
    ),
  );
  return findings.flat();
}

/** @returns a line for each phrase found */
export async function checkProse() {
  const atRoot = ['README.md', 'CONTRIBUTING.md', 'SCOPE.md', 'SECURITY.md', 'CHANGELOG.md'];
  const docs = (await listFiles('docs/', '.md')).filter((path) => !data.includes(path));
  const pages = [...atRoot, ...docs, ...(await listFiles('samples/', '.md'))];
  const sources = await Promise.all(programs.map((folder) => listFiles(folder, '.ts')));
  const code = [
    ...(await listFiles('src/', '.ts')),
    ...(await listFiles('test/', '.ts')),
    ...(await listFiles('build/', '.mjs')),
  ].filter((path) => !path.startsWith('src/api/generated/') && !path.startsWith('src/core/demand/solver/'));
  return [
    ...(await findIn(pages, proseOf)),
    ...(await findIn(await listFiles('crds/', '.yaml'), descriptionsOf)),
    ...(await findIn(sources.flat(), stringsOf)),
    ...(await findIn(code, commentsOf)),
    ...(await findIn(code, titlesOf, titlePhrases)),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = await checkProse();
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}
