import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';

/** What a process that tries mutants is told, once. */
export interface MutantTask {
  /** Programs with all their mutants, by absolute path. */
  readonly sources: Readonly<Record<string, string>>;
  readonly specs: readonly string[];
  readonly ids: readonly number[];
  /** Whether the mutant is active as programs are loaded already. */
  readonly isAtLoad: boolean;
  /** How many stories of each model are played with a mutant that no spec notices. */
  readonly stories: number;
}

/** `Started` comes first, so that whoever waits knows which mutant never ends. */
export type MutantNews =
  | { readonly name: 'Measuring' }
  | { readonly name: 'Started'; readonly id: number }
  | { readonly name: 'Done'; readonly id: number; readonly fate: MutantFate }
  | { readonly name: 'Unfit'; readonly test: string };

/** `AtLoad`: nothing but the start of the program reads it. `KilledByRest`: only by tests that `make test` leaves to `make test-all`. */
export type MutantFate = 'KilledBySpec' | 'KilledByRest' | 'KilledByModel' | 'NeverEnds' | 'AtLoad' | 'Survived';

declare global {
  var mutant: (id: number) => boolean;
}

/** A test that asks more often has no end. */
const mostQuestions = 200_000_000;
/** How many tests are tried first: those that have noticed a mutant last, and those that reach fewest mutants. */
const firstTests = 20;
/** A test that takes longer, or belongs to the rest, is tried after all others, alone. */
const slowMs = 100;

/** Tag of the tests that `make test` leaves out. */
const restTag = /@all\b/;

let active: number | undefined;
/** The mutants to be tried: which tests reach others does not matter. */
let tried: ReadonlySet<number> = new Set();
let reached = new Set<number>();
let questions = 0;

globalThis.mutant = (id) => {
  if (active === undefined && tried.has(id)) reached.add(id);
  questions += 1;
  if (questions > mostQuestions) throw new Error('never ends');
  return id === active;
};

process.once('message', (assignment: MutantTask) => {
  void tryAll(assignment).then(() => process.exit(0));
});

class Silent extends Mocha.reporters.Base {}

function report(progress: MutantNews): void {
  process.send?.(progress);
}

async function tryAll({ sources, specs, ids, isAtLoad, stories }: MutantTask): Promise<void> {
  tried = new Set(ids);
  registerHooks({
    load: (url, context, next) => {
      const source = url.startsWith('file:') ? sources[fileURLToPath(url)] : undefined;
      return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
    },
  });
  const suite = new TrialSuite(specs);
  if (isAtLoad) {
    active = ids[0];
    await suite.load();
    for (const id of ids) report({ name: 'Done', id, fate: (await suite.passes()) ? 'Survived' : 'KilledBySpec' });
    return;
  }
  await suite.measure();
  const tryOne = async (id: number): Promise<MutantFate> => {
    const batches = suite.batchesFor(id);
    const [rest, usual] = [batches.filter(isOfRest), batches.filter((batch) => !isOfRest(batch))];
    for (const batch of usual) if (!(await withMutant(id, () => suite.passes(batch)))) return 'KilledBySpec';
    if (await withMutant(id, () => breaksModel(stories))) return 'KilledByModel';
    for (const batch of rest) if (!(await withMutant(id, () => suite.passes(batch)))) return 'KilledByRest';
    return batches.length === 0 && suite.atLoad.has(id) ? 'AtLoad' : 'Survived';
  };
  for (const id of ids) {
    report({ name: 'Started', id });
    report({ name: 'Done', id, fate: await tryOne(id) });
  }
}

function isOfRest([title = '']: readonly string[]): boolean {
  return restTag.test(title);
}

async function withMutant<T>(id: number, act: () => Promise<T>): Promise<T> {
  active = id;
  try {
    return await act();
  } finally {
    active = undefined;
  }
}

/** Specs that are tried together. */
class TrialSuite {
  /** Mutants that the specs reach as they are loaded. */
  atLoad: ReadonlySet<number> = new Set();
  readonly #mocha = new Mocha({ reporter: Silent, timeout: 120_000 });
  readonly #files: readonly string[];
  #tests: readonly KnownTest[] = [];
  /** Tests that have noticed a mutant, the last one first. */
  #killers: readonly string[] = [];

  constructor(files: readonly string[]) {
    this.#files = files;
    this.#mocha.cleanReferencesAfterRun(false);
  }

  async load(): Promise<void> {
    this.#files.forEach((spec) => this.#mocha.addFile(spec));
    reached = new Set();
    await this.#mocha.loadFilesAsync();
    this.atLoad = reached;
    this.#mocha.bail(true);
  }

  /** Finds out which mutants each test reaches. */
  async measure(): Promise<void> {
    await this.load();
    this.#mocha.bail(false);
    this.#tests = await reachOf(this.#mocha);
    this.#mocha.bail(true);
  }

  /** Titles of the tests that reach a mutant, the likeliest to notice it first, the slow ones last. */
  batchesFor(id: number): readonly (readonly string[])[] {
    const concerned = this.#tests.filter((test) => test.ids.has(id));
    const isSlow = ({ title, ms }: KnownTest): boolean => ms > slowMs || restTag.test(title);
    const slow = concerned.filter(isSlow).sort((one, other) => one.ms - other.ms);
    const quick = concerned.filter((test) => !isSlow(test)).map(({ title }) => title);
    const known = this.#killers.filter((title) => quick.includes(title)).slice(0, firstTests);
    const others = quick.filter((title) => !known.includes(title));
    const batches = [known, others.slice(0, firstTests), others.slice(firstTests), ...slow.map(({ title }) => [title])];
    return batches.filter((batch) => batch.length > 0);
  }

  /** @param titles all tests unless given */
  async passes(titles?: readonly string[]): Promise<boolean> {
    const failed = await findFailure(this.#mocha, titles);
    if (failed === undefined) return true;
    this.#killers = [failed, ...this.#killers.filter((one) => one !== failed)];
    return false;
  }
}

interface KnownTest {
  readonly title: string;
  readonly ids: ReadonlySet<number>;
  /** How long it takes without a mutant. */
  readonly ms: number;
}

/** Which mutants each test reaches, those that reach fewest first. */
async function reachOf(mocha: Mocha): Promise<readonly KnownTest[]> {
  const found = new Map<string, Set<number>>();
  const durations = new Map<string, number>();
  const add = (test: Mocha.Runnable): void => {
    const all = found.get(test.fullTitle()) ?? new Set();
    reached.forEach((id) => all.add(id));
    found.set(test.fullTitle(), all);
  };
  const failed: string[] = [];
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    // What a hook reaches before all tests of a suite, each of them reaches.
    runner.on('hook', () => {
      reached = new Set();
    });
    runner.on('hook end', (hook) => {
      hook.parent?.eachTest(add);
      reached = new Set();
    });
    runner.on('test', () => {
      reached = new Set();
      // Each test may ask so often: those of a whole folder together ask more.
      questions = 0;
    });
    runner.on('test end', (test) => {
      add(test);
      durations.set(test.fullTitle(), test.duration ?? 0);
      report({ name: 'Measuring' });
    });
    runner.on('fail', (test) => failed.push(test.fullTitle()));
  });
  for (const test of failed) report({ name: 'Unfit', test });
  return [...found]
    .map(([title, ids]) => ({ title, ids, ms: durations.get(title) ?? 0 }))
    .filter(({ title }) => !failed.includes(title))
    .sort((one, other) => one.ids.size - other.ids.size);
}

/** @param titles all tests if there are none */
async function findFailure(mocha: Mocha, titles?: readonly string[]): Promise<string | undefined> {
  questions = 0;
  if (titles) mocha.grep(new RegExp(`^(?:${titles.map((title) => title.replace(/[^\w ]/g, '\\$&')).join('|')})$`));
  let failed: string | undefined;
  return new Promise((resolve) => {
    mocha.run(() => resolve(failed)).on('fail', (test) => (failed ??= test.fullTitle()));
  });
}

/** Models that stop for another reason than a broken promise have noticed, too. */
async function breaksModel(stories: number): Promise<boolean> {
  if (stories === 0) return false;
  const { drawStory, findViolation } = await import('../model/story.ts');
  const { drawFleetStory, findFleetViolation } = await import('../model/fleet-story.ts');
  questions = 0;
  try {
    for (let seed = 0; seed < stories; seed += 1)
      if ((await findViolation(drawStory(seed))) ?? (await findFleetViolation(drawFleetStory(seed)))) return true;
    return false;
  } catch {
    return true;
  }
}
