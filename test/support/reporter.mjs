import { relative } from 'node:path';
import mocha from 'mocha';

const mostListed = 30;
const longestSaid = 400;

/**
 * mocha's own output; at the end where the time went in a run of many files, each failure in a line for those who see only the last lines
 * of a log, and as the very last line the summary for people and CI: `N passed, N failed`.
 */
export default class PlainEndReporter extends mocha.reporters.Spec {
  /** Milliseconds of tests and hooks by file. */
  #spent = new Map();
  /** A line each. */
  #failed = [];

  constructor(runner, options) {
    super(runner, options);
    const add = ({ file, duration = 0 }) =>
      file && this.#spent.set(relative('.', file), this.#spentIn(file) + duration);
    runner.on('test end', add);
    runner.on('hook end', add);
    runner.on('fail', (test, error) => this.#failed.push(`${relative('.', test.file ?? '')}: ${said(test, error)}`));
  }

  /** Not at mocha's end: files whose process died are reported after that. */
  epilogue() {}

  done(failures, exit) {
    if (this.#spent.size > mostListed) this.#listSlowest();
    super.epilogue();
    for (const line of this.#failed) console.log(`failed: ${line}`);
    const { passes, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    console.log(`${passes} passed, ${this.stats.failures} failed${skipped}`);
    exit(failures);
  }

  #spentIn(file) {
    return this.#spent.get(relative('.', file)) ?? 0;
  }

  #listSlowest() {
    const folders = Map.groupBy(this.#spent, ([file]) => file.split('/').slice(0, 2).join('/'));
    const sums = [...folders].map(([folder, files]) => [folder, files.reduce((sum, [, ms]) => sum + ms, 0)]);
    console.log('seconds by folder, and of the slowest files:');
    for (const [name, ms] of [...sorted(sums), ...sorted(this.#spent).slice(0, mostListed)])
      console.log(`${(ms / 1000).toFixed(1).padStart(8)} ${name}`);
    console.log();
  }
}

function said(test, error) {
  const title = test.fullTitle?.() ?? test.title;
  return `${cut(title)}: ${cut(String(error?.message ?? error).replaceAll(/\s+/g, ' '))}`;
}

function cut(text) {
  return text.length > longestSaid ? `${text.slice(0, longestSaid)}…` : text;
}

function sorted(spent) {
  return [...spent].sort(([, a], [, b]) => b - a);
}
