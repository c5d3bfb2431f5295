import { relative } from 'node:path';
import mocha from 'mocha';

/** A run of more files is one of a tier. */
const fewFiles = 30;
const slowestListed = 10;
const longestSaid = 400;
/** Characters of what two values have in common, before the first that differs. */
const saidBefore = 60;

/**
 * mocha's own output; at the end where the time went in a run of many files, each failure for those who see only the last lines of a log,
 * with the command that runs it alone, and as the very last line the summary for people and CI: `N passed, N failed`.
 */
export default class PlainEndReporter extends mocha.reporters.Spec {
  /** Milliseconds of tests and hooks by file. */
  #spent = new Map();
  /** Title and milliseconds of each test. */
  #tests = [];
  /** A few lines each. */
  #failed = [];

  constructor(runner, options) {
    super(runner, options);
    const add = ({ file, duration = 0 }) => file && this.#spent.set(pathOf(file), this.#spentIn(file) + duration);
    runner.on('test end', (test) => {
      add(test);
      this.#tests.push([`${pathOf(test.file)}: ${cut(titleOf(test))}`, test.duration ?? 0]);
    });
    runner.on('hook end', add);
    runner.on('fail', (test, error) => this.#failed.push(...describeFailure(test, error)));
  }

  /** Not at mocha's end: files whose process died are reported after that. */
  epilogue() {}

  done(failures, exit) {
    if (this.#spent.size > fewFiles) this.#listSlowest();
    super.epilogue();
    for (const line of this.#failed) console.log(line);
    const { passes, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    console.log(`${passes} passed, ${this.stats.failures} failed${skipped}`);
    exit(failures);
  }

  #spentIn(file) {
    return this.#spent.get(pathOf(file)) ?? 0;
  }

  #listSlowest() {
    const folders = Map.groupBy(this.#spent, ([file]) => file.split('/').slice(0, 2).join('/'));
    const sums = [...folders].map(([folder, files]) => [folder, files.reduce((sum, [, ms]) => sum + ms, 0)]);
    list('seconds by folder, of all lanes:', sums);
    list('the slowest files:', slowest(this.#spent));
    list('the slowest tests:', slowest(this.#tests));
    console.log();
  }
}

/** What was expected, what was there, and the command that runs it alone: a hook runs with its file. */
function describeFailure(test, error) {
  const path = pathOf(test.file);
  const title = titleOf(test);
  const lines = [`failed: ${path}: ${cut(title)}: ${cut(error?.message ?? error)}`];
  if (error?.expected !== undefined || error?.actual !== undefined) {
    const [expected, actual] = fromTheirDifference(written(error.expected), written(error.actual));
    lines.push(`  expected: ${cut(expected)}`, `  was:      ${cut(actual)}`);
  }
  if (path === '') return lines;
  const only = test.type === 'hook' ? '' : ` -f '${title.replaceAll("'", `'\\''`)}'`;
  return [...lines, `  alone:    npx mocha ${path}${only}`];
}

/** Two values as text, without most of what both begin with: what differs is seen although long values are cut. */
function fromTheirDifference(expected, actual) {
  let same = 0;
  while (same < expected.length && expected[same] === actual[same]) same += 1;
  const from = same - saidBefore;
  return from > saidBefore ? [`…${expected.slice(from)}`, `…${actual.slice(from)}`] : [expected, actual];
}

/** A worker process sends what it has written already. */
function written(value) {
  const text = typeof value === 'string' ? value : mocha.utils.stringify(value);
  return text.replaceAll(/\s+/g, ' ');
}

function pathOf(file) {
  return relative('.', file ?? '');
}

function titleOf(test) {
  return test.fullTitle?.() ?? test.title;
}

/** On one line. */
function cut(said) {
  const text = String(said).replaceAll(/\s+/g, ' ');
  return text.length > longestSaid ? `${text.slice(0, longestSaid)}…` : text;
}

function list(title, spent) {
  console.log(title);
  for (const [name, ms] of sorted(spent)) console.log(`${(ms / 1000).toFixed(1).padStart(8)} ${name}`);
}

function sorted(spent) {
  return [...spent].sort(([, a], [, b]) => b - a);
}

function slowest(spent) {
  return sorted(spent).slice(0, slowestListed);
}
