import { readSettings, runOnFiles } from './world.ts';
import { messageOf } from '../../core/text/words.ts';

try {
  process.exitCode = runOnFiles(readSettings(process.env), process.argv.slice(2));
} catch (error) {
  // The real nvidia-smi never writes to standard error: output there is about the simulation itself.
  process.stderr.write(`nvidia-smi-sim: ${messageOf(error)}\n`);
  process.exitCode = 70;
}
