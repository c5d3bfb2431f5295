import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';

/** What a process that tries mutants is told, once. */
export interface MutantTask {
  /** Programs with all their mutants, by absolute path. */
  readonly sources: Readonly<Record<string, string>>;
  /** Those of the mutants' rooms, then all others. */
  readonly specs: readonly (readonly string[])[];
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

/** `AtLoad`: nothing but the start of the program reads it. */
export type MutantFate = 'KilledBySpec' | 'KilledByModel' | 'NeverEnds' | 'AtLoad' | 'Survived';

declare global {
  var mutant: (id: number) => boolean;
}

/** A test that asks more often has no end. */
const mostQuestions = 200_000_000;
/** How many tests are tried alone before all others: those that reach fewest mutants know most about each. */
const firstTests = 20;

let active: number | undefined;
let reached = new Set<number>();
let questions = 0;

globalThis.mutant = (id) => {
  if (active === undefined) reached.add(id);
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
  registerHooks({
    load: (url, context, next) => {
      const source = url.startsWith('file:') ? sources[fileURLToPath(url)] : undefined;
      return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
    },
  });
  if (isAtLoad) active = ids[0];
  const suites = specs.map((files) => new TrialSuite(files));
  if (isAtLoad) {
    for (const id of ids) report({ name: 'Done', id, fate: (await passAll(suites)) ? 'Survived' : 'KilledBySpec' });
    return;
  }
  const tryOne = async (id: number): Promise<MutantFate> => {
    let isRead = false;
    for (const suite of suites) {
      await suite.measure();
      const concerned = suite.concernedWith(id);
      isRead ||= concerned.length > 0;
      active = id;
      const firstPass = await suite.passes(concerned.slice(0, firstTests));
      const isKilled = !firstPass || !(await suite.passes(concerned.slice(firstTests)));
      active = undefined;
      if (isKilled) return 'KilledBySpec';
    }
    active = id;
    const isBroken = await breaksModel(stories);
    active = undefined;
    if (isBroken) return 'KilledByModel';
    return !isRead && suites.some(({ atLoad }) => atLoad.has(id)) ? 'AtLoad' : 'Survived';
  };
  for (const id of ids) {
    report({ name: 'Started', id });
    report({ name: 'Done', id, fate: await tryOne(id) });
  }
}

async function passAll(suites: readonly TrialSuite[]): Promise<boolean> {
  for (const suite of suites) {
    await suite.load();
    if (!(await suite.passes())) return false;
  }
  return true;
}

/** Specs that are tried together, loaded when they are first needed. */
class TrialSuite {
  /** Mutants that the specs reach as they are loaded. */
  atLoad: ReadonlySet<number> = new Set();
  readonly #mocha = new Mocha({ reporter: Silent, timeout: 20_000 });
  readonly #files: readonly string[];
  #tests: Awaited<ReturnType<typeof reachOf>> | undefined;

  constructor(files: readonly string[]) {
    this.#files = files;
    this.#mocha.cleanReferencesAfterRun(false);
  }

  async load(): Promise<void> {
    this.#files.forEach((spec) => this.#mocha.addFile(spec));
    reached = new Set();
    await this.#mocha.loadFilesAsync();
    this.atLoad = reached;
  }

  /** Finds out which mutants each test reaches. */
  async measure(): Promise<void> {
    if (this.#tests) return;
    await this.load();
    this.#tests = await reachOf(this.#mocha);
    this.#mocha.bail(true);
  }

  /** Titles of the tests that reach a mutant. */
  concernedWith(id: number): readonly string[] {
    return (this.#tests ?? []).filter((test) => test.ids.has(id)).map(({ title }) => title);
  }

  /** @param titles all tests unless given */
  async passes(titles?: readonly string[]): Promise<boolean> {
    return passes(this.#mocha, titles);
  }
}

/** Which mutants each test reaches, those that reach fewest first. */
async function reachOf(
  mocha: Mocha,
): Promise<readonly { readonly title: string; readonly ids: ReadonlySet<number> }[]> {
  const found = new Map<string, Set<number>>();
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
    });
    runner.on('test end', (test) => {
      add(test);
      report({ name: 'Measuring' });
    });
    runner.on('fail', (test) => failed.push(test.fullTitle()));
  });
  for (const test of failed) report({ name: 'Unfit', test });
  return [...found]
    .map(([title, ids]) => ({ title, ids }))
    .filter(({ title }) => !failed.includes(title))
    .sort((one, other) => one.ids.size - other.ids.size);
}

/** @param titles all tests if there are none */
async function passes(mocha: Mocha, titles?: readonly string[]): Promise<boolean> {
  if (titles?.length === 0) return true;
  questions = 0;
  if (titles) mocha.grep(new RegExp(`^(?:${titles.map((title) => title.replace(/[^\w ]/g, '\\$&')).join('|')})$`));
  return new Promise((resolve) => mocha.run((failures) => resolve(failures === 0)));
}

/** Models that stop for another reason than a broken promise have noticed, too. */
async function breaksModel(stories: number): Promise<boolean> {
  if (stories === 0) return false;
  const { drawStory, findViolation } = await import('../model/story.ts');
  const { drawFleetStory, findFleetViolation } = await import('../fleet-model/fleet-story.ts');
  questions = 0;
  try {
    for (let seed = 0; seed < stories; seed += 1)
      if (findViolation(drawStory(seed)) ?? findFleetViolation(drawFleetStory(seed))) return true;
    return false;
  } catch {
    return true;
  }
}
