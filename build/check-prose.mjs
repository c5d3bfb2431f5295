// Rejects phrases that read badly, or that are a second word for a thing of docs/glossary.md: in documents, in the descriptions of
// the CRDs, in the command line's own help, and in messages. Code in documents is skipped.
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
  [/\bis no (?:success|file|finding|policy|directory|error|number|name|text|object|list|capacity)\b/i, 'is not a'],
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
  [/\bobviously\b|\bof course\b|\bplease\b|\beasily\b/i, '(leave it out)'],
  [/\b(the|a|an|of|to|is|in|and|that|for|with) \1\b/i, '(a doubled word)'],
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

/** String literals of a program that are sentences: at least two words. Comments are for readers of the code. */
function stringsOf(text) {
  return text.split('\n').map((line) =>
    literalsOf(line)
      .filter((body) => / /.test(body))
      .join(' | '),
  );
}

/** @returns for each phrase in a line of prose what it is and its replacement */
export function findPhrases(line) {
  return phrases.flatMap(([phrase, better]) => {
    const [found] = phrase.exec(line) ?? [];
    return found === undefined ? [] : [`"${found}": ${better}`];
  });
}

async function findIn(paths, linesOf) {
  if (paths.length === 0) throw new Error('nothing to check');
  const findings = await Promise.all(
    paths.map(async (path) =>
      linesOf(await readFile(new URL(path, root), 'utf8')).flatMap((line, index) =>
        findPhrases(line).map((finding) => `${path}:${index + 1}: ${finding}`),
      ),
    ),
  );
  return findings.flat();
}

/** @returns a line for each phrase found */
export async function checkProse() {
  const atRoot = ['README.md', 'CONTRIBUTING.md', 'SCOPE.md', 'SECURITY.md', 'CHANGELOG.md'];
  const pages = [...atRoot, ...(await listFiles('docs/', '.md')), ...(await listFiles('samples/', '.md'))];
  const sources = await Promise.all(programs.map((folder) => listFiles(folder, '.ts')));
  return [
    ...(await findIn(pages, proseOf)),
    ...(await findIn(await listFiles('crds/', '.yaml'), descriptionsOf)),
    ...(await findIn(sources.flat(), stringsOf)),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = await checkProse();
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}
