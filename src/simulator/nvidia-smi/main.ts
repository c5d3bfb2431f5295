import { readSettings, runOnFiles } from './state/process-world.ts';
import { messageOf } from '../../core/text/message-of.ts';

try {
  process.exitCode = runOnFiles(readSettings(process.env), process.argv.slice(2));
} catch (error) {
  // The real nvidia-smi never writes to standard error: output there is about the simulation itself.
  process.stderr.write(`nvidia-smi-sim: ${messageOf(error)}\n`);
  process.exitCode = 70;
}
