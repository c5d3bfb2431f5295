import mocha from 'mocha';

/** mocha's own output, and as the very last line the summary for people and CI: `N passed, N failed`. */
export default class PlainEndReporter extends mocha.reporters.Spec {
  done(failures, exit) {
    const { passes, pending } = this.stats;
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    console.log(`${passes} passed, ${this.stats.failures} failed${skipped}`);
    exit(failures);
  }
}
