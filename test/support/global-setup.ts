import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

import { spoilLent, stopIdle } from './cluster-pool.ts';
import { boundWaits, patience } from './eventually.ts';

// For this process and every Node.js that a test starts: most of a short program's time is spent on reading its code.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../node_modules/.cache/tests', import.meta.url));
enableCompileCache();

/** For `mocha --require`. */
export const mochaHooks = {
  /** Timeouts end what hangs: they are for an idle machine, and none is set within a hook or a test, where it would not be stretched. */
  beforeAll(this: Mocha.Context) {
    if (this.test?.parent) stretchTimeouts(this.test.parent);
  },
  beforeEach(this: Mocha.Context) {
    const test = this.currentTest;
    boundWaits(() => test?.timeout() ?? 0);
  },
  afterEach(this: Mocha.Context) {
    boundWaits(() => 0);
    if (this.currentTest?.state === 'failed') spoilLent();
  },
};

/** Ends the last cluster with the run, not with the process, so that failures are reported; those of workers end with their guards. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopIdle();
}

/** mocha's types lack its `getHooks`. */
type Suite = Mocha.Suite & { getHooks(kind: string): readonly Mocha.Runnable[] };

function stretchTimeouts(suite: Mocha.Suite): void {
  const hooks = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'].flatMap((kind) => (suite as Suite).getHooks(kind));
  for (const runnable of [...hooks, ...suite.tests]) runnable.timeout(runnable.timeout() * patience);
  for (const hook of hooks) boundItsWaits(hook);
  suite.suites.forEach(stretchTimeouts);
}

/** mocha has no hook before a hook. */
function boundItsWaits(hook: Mocha.Runnable): void {
  const { fn } = hook as { fn?: Mocha.AsyncFunc };
  if (!fn) return;
  (hook as { fn?: Mocha.AsyncFunc }).fn = function (this: Mocha.Context, ...done: []) {
    boundWaits(() => hook.timeout());
    return fn.apply(this, done);
  };
}
