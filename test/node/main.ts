/**
 * `main.ts COMMAND…`: runs a command that starts a real kubelet, for `make test-node`. Where this machine does not allow it, one line
 * says so, and does not fail.
 */
import { runOnOwnMachine } from './own-machine.ts';

const run = await runOnOwnMachine(process.argv.slice(2));
if ('skipped' in run) console.log(`real kubelet: skipped: ${run.skipped}`);
else process.exitCode = run.code;
