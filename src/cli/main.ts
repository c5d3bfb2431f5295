import { basename } from 'node:path';
import { runCli } from './program.ts';
import { Output } from './terminal.ts';

// `gpu-partition … | head`: a reader that stops early is not an error of ours. Later writes are discarded.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') reportLoss(error);
  });
}

let isLossReported = false;

/** The disk is full, for example: the command ends its work, but not all of its answer has arrived. */
function reportLoss({ message }: Error): void {
  if (isLossReported) return;
  isLossReported = true;
  process.once('exit', () => (process.exitCode = 3));
  new Output(process.stderr).write(`error: the output is incomplete: ${message}\n`);
}

const isPlugin = basename(process.argv[1] ?? '').startsWith('kubectl-');

/** A function, because an executable of Node.js 24 starts with CommonJS, which awaits nothing at its top. */
async function main(): Promise<void> {
  try {
    process.exitCode = await runCli(
      process.argv.slice(2),
      { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, cwd: process.cwd() },
      isPlugin ? 'kubectl gpu-partition' : 'gpu-partition',
    );
  } catch (error) {
    // Our mistake, not the user's: no answer was found, which is neither good nor a finding.
    new Output(process.stderr).write(
      `internal error, report it with this output: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 3;
  }
}

void main();
