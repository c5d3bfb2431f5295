// Tries the tests of src/core: changes it in many small ways, and lists the changes that no test notices.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { Random } from '../model/random.ts';
import { nameOf } from './mutants.ts';
import { findSpecs, Programs, root } from './programs.ts';
import type { MutantTask, MutantFate, MutantNews } from './worker.ts';

type Sources = Pick<MutantTask, 'sources' | 'specs'>;

const { env } = process;
const folders = (env['FILES'] ?? 'src/core/{node/rules,rollout,policy,gpu/plan}').trim();
const sample = Number(env['SAMPLE'] ?? Infinity);
const seed = Number(env['SEED'] ?? 1);
const stories = Number(env['STORIES'] ?? 5);
/** A mutant for which nothing is heard for so long never ends. */
const silenceMs = Number(env['SILENCE'] ?? 300) * 1000;

/** Mutants that nothing notices, and need not: their names, under a comment that says why. */
function readAccepted(): ReadonlySet<string> {
  const lines = readFileSync(join(root, 'test/mutation/accepted.txt'), 'utf8').split('\n');
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
}

/** Tries some mutants in a process of their own, another one whenever one of them never ends. */
async function tryIn(
  sources: Sources,
  ids: readonly number[],
  tell: (id: number, fate: MutantFate) => void,
): Promise<void> {
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
    worker.send({ ...sources, ids: left, isAtLoad: false, stories } satisfies MutantTask);
    await once(worker, 'exit');
    clearTimeout(watchdog);
    if (current !== undefined) finish(current, 'NeverEnds');
    else if (left.length === ids.length) throw new Error('the process that tries mutants died before the first');
  }
}

/** Every spec is run once in a process in which the program starts with the mutant. */
async function tryAtLoad(sources: Sources, id: number): Promise<MutantFate> {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let fate: MutantFate = 'KilledBySpec';
  worker.on('message', (progress: MutantNews) => {
    if (progress.name === 'Done') fate = progress.fate;
  });
  const watchdog = setTimeout(() => worker.kill('SIGKILL'), silenceMs);
  worker.send({ ...sources, ids: [id], isAtLoad: true, stories: 0 } satisfies MutantTask);
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
  .map((mutant) => ({ mutant, order: random.next() }))
  .sort((one, other) => one.order - other.order)
  .slice(0, sample)
  .map(({ mutant }) => mutant);
const given: Sources = { sources, specs: findSpecs(files) };
console.log(
  `${chosen.length} of ${mutants.length} mutants of ${files.length} files, ${given.specs.flat().length} specs`,
);

const fates = new Map<number, MutantFate>();
const tell = (id: number, fate: MutantFate): void => {
  fates.set(id, fate);
  const mutant = mutants[id];
  if (fate === 'Survived' && mutant) console.log(`? line ${mutant.line} of ${nameOf(mutant)}`);
};
const lanes = availableParallelism();
await Promise.all(
  Array.from({ length: lanes }, (_, lane) =>
    tryIn(
      given,
      chosen.map(({ id }) => id).filter((_id, at) => at % lanes === lane),
      tell,
    ),
  ),
);
for (const [id, fate] of fates) if (fate === 'AtLoad') fates.set(id, await tryAtLoad(given, id));

const accepted = readAccepted();
const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
for (const mutant of chosen) {
  const fate = fates.get(mutant.id) ?? 'Survived';
  if (fate !== 'Survived') count(fate);
  else if (!programs.accepts(mutant)) count('Rejected by the compiler');
  else if (accepted.has(nameOf(mutant))) count('Accepted');
  else {
    count('Survived');
    console.log(`survived at line ${mutant.line}:\n${nameOf(mutant)}`);
  }
}
programs.close();
for (const [what, number] of counts) console.log(`${what}: ${number}`);
process.exitCode = counts.has('Survived') ? 1 : 0;
