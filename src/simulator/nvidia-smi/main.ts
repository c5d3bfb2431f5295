import { loadHelpTexts, mayPrintHelp } from './help/help-texts.ts';
import { readSettings, runAsProcess } from './state/process-world.ts';

/** The pages are long: they are loaded only if the command line may print one. */
const NO_HELP = (): string => '';

const argv = process.argv.slice(2);
try {
  const help = mayPrintHelp(argv) ? await loadHelpTexts() : NO_HELP;
  process.exitCode = runAsProcess(readSettings(process.env), argv, help);
} catch (error) {
  // The real nvidia-smi never writes to standard error: output there is about the simulation itself.
  process.stderr.write(`nvidia-smi-sim: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 70;
}
