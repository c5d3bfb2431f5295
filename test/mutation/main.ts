// Tries the tests of src/core: changes it in many small ways, and lists the changes that no test notices.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { Random } from '../model/random.ts';
import { type Mutant, nameOf } from './mutants.ts';
import { findSpecs, Programs, root } from './programs.ts';
import type { MutantTask, MutantFate, MutantNews } from './worker.ts';

type Trial = Pick<MutantTask, 'sources' | 'specs' | 'stories'>;
type Fate = MutantFate | 'Rejected by the compiler' | 'Accepted';
type Tell = (id: number, fate: MutantFate) => void;

const { env } = process;
const folders = (env['FILES'] ?? 'src/core/{node/rules,rollout,policy,gpu/plan}').trim();
const sample = Number(env['SAMPLE'] ?? Infinity);
const seed = Number(env['SEED'] ?? 1);
const stories = Number(env['STORIES'] ?? 5);
/** What an earlier run said, if only what survived it is tried again. */
const again = env['AGAIN'];
/** The only specs that are asked, if given: quick, and good enough while one writes those. */
const asked = env['SPECS'];
const isQuick = asked !== undefined;
/** A mutant for which nothing is heard for so long never ends. */
const silenceMs = Number(env['SILENCE'] ?? 300) * 1000;

/** Mutants that nothing notices, and need not: their names, under a comment that says why. */
function readAccepted(): ReadonlySet<string> {
  const lines = readFileSync(join(root, 'test/mutation/accepted.txt'), 'utf8').split('\n');
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
}

/** Tells which mutants an earlier run listed: wherever they stand by now. */
function readEarlier(path: string): (mutant: Mutant) => boolean {
  const names = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.replace(/^(?:\? )?line \d+ of /, ''))
    .filter((line) => line.startsWith('src/'));
  const listed = new Set(names);
  return (mutant) => listed.has(nameOf(mutant));
}

/** Tries some mutants in a process of their own, another one whenever one of them never ends. */
async function tryIn(trial: Trial, ids: readonly number[], tell: Tell): Promise<void> {
  let left = ids;
  while (left.length > 0) {
    const worker = fork(join(import.meta.dirname, 'worker.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let current: number | undefined;
    let watchdog = setTimeout(() => undefined, 0);
    const expect = (): void => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => worker.kill('SIGKILL'), silenceMs);
    };
    const finish = (id: number, fate: MutantFate): void => {
      left = left.filter((one) => one !== id);
      current = undefined;
      tell(id, fate);
    };
    worker.on('message', (progress: MutantNews) => {
      expect();
      if (progress.name === 'Started') current = progress.id;
      if (progress.name === 'Done') finish(progress.id, progress.fate);
      if (progress.name === 'Unfit') console.error(`fails without a mutant: ${progress.test}`);
    });
    expect();
    worker.send({ ...trial, ids: left, isAtLoad: false } satisfies MutantTask);
    await once(worker, 'exit');
    clearTimeout(watchdog);
    if (current !== undefined) finish(current, 'NeverEnds');
    else if (left.length === ids.length) throw new Error('the process that tries mutants died before the first');
  }
}

/** Tries mutants side by side. */
async function tryEach(trial: Trial, ids: readonly number[], tell: Tell): Promise<void> {
  const lanes = availableParallelism();
  const parts = Array.from({ length: lanes }, (_, lane) => ids.filter((_id, at) => at % lanes === lane));
  await Promise.all(parts.map((part) => tryIn(trial, part, tell)));
}

/** Every spec is run once in a process in which the program starts with the mutant. */
async function tryAtLoad(trial: Trial, id: number): Promise<MutantFate> {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let fate: MutantFate = 'KilledBySpec';
  worker.on('message', (progress: MutantNews) => {
    if (progress.name === 'Done') fate = progress.fate;
  });
  const watchdog = setTimeout(() => worker.kill('SIGKILL'), silenceMs);
  worker.send({ ...trial, ids: [id], isAtLoad: true } satisfies MutantTask);
  await once(worker, 'exit');
  clearTimeout(watchdog);
  return fate;
}

const files = globSync(
  folders.split(' ').map((one) => (one.endsWith('.ts') ? one : `${one}/*.ts`)),
  { cwd: root },
).sort();
if (files.length === 0) throw new Error(`${folders}: no file`);
const programs = new Programs();
const { sources, mutants } = programs.instrument(files);
const random = new Random(seed);
const chosen = mutants
  .filter(again === undefined ? () => true : readEarlier(again))
  .map((mutant) => ({ mutant, order: random.next() }))
  .sort((one, other) => one.order - other.order)
  .slice(0, sample)
  .map(({ mutant }) => mutant);
const ids = chosen.map(({ id }) => id);
const specs =
  asked === undefined
    ? findSpecs(files)
    : { own: globSync(asked.split(' '), { cwd: root }).map((spec) => join(root, spec)), others: [] };
console.log(`${chosen.length} of ${mutants.length} mutants of ${files.length} files`);

const accepted = readAccepted();
const fates = new Map<number, Fate>();
let news = 0;
const tell = (id: number, fate: MutantFate): void => {
  // The tests of other folders may notice in `make test` what those of its own leave to the rest.
  if (fate !== 'Survived' || fates.get(id) !== 'KilledByRest') fates.set(id, fate);
  const mutant = mutants[id];
  if (fates.get(id) === 'Survived' && mutant) console.log(`? line ${mutant.line} of ${nameOf(mutant)}`);
  news += 1;
  if (news % 100 === 0) console.log(`${news} tries, ${countOf('Survived')} survivors`);
};
const countOf = (fate: Fate): number => [...fates.values()].filter((one) => one === fate).length;
const withFate = (fate: Fate): readonly Mutant[] => chosen.filter(({ id }) => fates.get(id) === fate);

await tryEach({ sources, specs: specs.own, stories: 0 }, ids, tell);
// What no other test has to look at is sorted out first: those take long.
for (const mutant of [...withFate('Survived'), ...withFate('AtLoad')]) {
  if (!programs.accepts(mutant)) fates.set(mutant.id, 'Rejected by the compiler');
  else if (accepted.has(nameOf(mutant))) fates.set(mutant.id, 'Accepted');
}
programs.close();
if (!isQuick) console.log(`${countOf('Survived')} that no test of their folder notices are tried against all others`);
const survivors = [...withFate('Survived'), ...withFate('KilledByRest')].map(({ id }) => id);
if (!isQuick) await tryEach({ sources, specs: specs.others, stories }, survivors, tell);
const all = [...specs.own, ...specs.others];
for (const { id } of withFate('AtLoad')) fates.set(id, await tryAtLoad({ sources, specs: all, stories: 0 }, id));

for (const mutant of withFate('Survived')) console.log(`survived at line ${mutant.line}:\n${nameOf(mutant)}`);
for (const mutant of withFate('KilledByRest'))
  console.log(`left to test-all at line ${mutant.line}:\n${nameOf(mutant)}`);
for (const mutant of chosen)
  if (accepted.has(nameOf(mutant)) && fates.get(mutant.id) !== 'Accepted')
    console.log(`accepted, but ${fates.get(mutant.id) ?? 'not tried'}:\n${nameOf(mutant)}`);
for (const fate of new Set(fates.values())) console.log(`${fate}: ${countOf(fate)}`);
process.exitCode = countOf('Survived') > 0 ? 1 : 0;
