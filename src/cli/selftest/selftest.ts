import type { Execute } from '../../device/command/child.ts';
import { NvidiaSmi } from '../../device/command/nvidia-smi.ts';
import type { SmiRun } from '../../core/smi/output.ts';
import { Runner } from '../../device/command/runner.ts';
import { readTimeouts, type TimeoutOptions } from '../../device/command/timeout-options.ts';
import { countWords } from '../../core/text/cut-text.ts';
import type { PodOptions } from '../node/host-pods.ts';
import type { Terminal } from '../terminal.ts';
import { type ChangeOptions, type ChangeWatcher, runChangeTest } from './change-run.ts';
import { judgeSelftest, type Selftest, type SelftestCheck } from '../../core/selftest/selftest.ts';
import { checkHealth } from '../../core/selftest/health-checks.ts';
import type { HostView } from './host-view.ts';
import { checkIdleProof, checkOpeners } from './ask-host.ts';
import { checkReading } from './read-node.ts';

export interface SelftestOptions extends TimeoutOptions, PodOptions {
  /** Settings of `--change`. */
  readonly change?: ChangeOptions;
}

/** The nvidia-smi under test. */
export interface TestedTool {
  /** Its path. */
  readonly name: string;
  readonly execute: Execute;
}

/** A self-test with every nvidia-smi run that it made. */
export interface RecordedSelftest {
  readonly selftest: Selftest;
  readonly runs: readonly SmiRun[];
}

/** Default time limit of nvidia-smi; the same as the agent's. */
const usualReadMs = 15_000;

/**
 * Checks everything that the agent relies on; without `change` it only reads.
 *
 * @param onChecks the readings, before anything is changed
 * @throws CliError as {@link runChangeTest}
 */
export async function runSelftest(
  tool: TestedTool,
  options: SelftestOptions,
  host: HostView,
  watcher: ChangeWatcher & { readonly onChecks?: (checks: readonly SelftestCheck[]) => void },
  terminal: Terminal,
): Promise<Selftest> {
  const deadlines = readTimeouts(options);
  const [runner, driver] = [new Runner(tool.execute, deadlines), new NvidiaSmi(tool.execute, deadlines)];
  const { checks: read, report, device } = await checkReading(runner, driver, deadlines.readMs ?? usualReadMs);
  const gpus = report?.gpus ?? [];
  const version = report === undefined ? 'its driver does not answer' : `driver ${report.driverVersion}`;
  const checks: readonly SelftestCheck[] = [
    {
      area: 'Tool',
      verdict: report === undefined ? 'Unknown' : 'Good',
      message: `${tool.name}: ${version}, ${countWords(gpus.length, 'GPU')}`,
      redacted: `nvidia-smi: ${version}, ${countWords(gpus.length, 'GPU')}`,
    },
    ...read,
    ...(await checkIdleProof(gpus, device, options, host)),
    ...(device === undefined ? [] : checkHealth(device)),
    ...checkOpeners(gpus, host),
  ];
  watcher.onChecks?.(checks);
  const change = options.change && (await runChangeTest(driver, runner, options.change, watcher, terminal));
  return {
    state: judgeSelftest(checks, change),
    versions: { driver: report?.driverVersion ?? null, cuda: report?.cudaVersion ?? null },
    products: device?.gpus.map(({ product }) => product) ?? gpus.map(({ product }) => product),
    checks,
    ...(change && { change }),
  };
}
