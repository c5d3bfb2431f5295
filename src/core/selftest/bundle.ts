import { toProductLabel } from '../gpu/geometry/model-lookup.ts';
import type { SmiRun } from '../smi/output.ts';
import { timeText } from '../text/duration.ts';
import { describeStates } from './recorded-state.ts';
import { type HostFacts, redactFacts } from './host-facts.ts';
import { hideHost, redactOutput } from './redaction.ts';
import type { Selftest } from './selftest.ts';

/** Name of a bundle's file, by the time of its run: `gpu-partition-selftest-20260101T120000Z.jsonl`. */
export function bundleName(now: number): string {
  return `gpu-partition-selftest-${timeText(now).replaceAll(/[-:]/g, '')}.jsonl`;
}

/** First line of a bundle; the runs follow, one per line. */
export interface BundleHead {
  readonly bundle: 'gpu-partition node selftest';
  readonly format: 1;
  readonly time: string;
  readonly versions: Selftest['versions'] & { readonly gpuPartition: string; readonly node: string };
  readonly system: { readonly kernel: string; readonly distribution: string; readonly architecture: string };
  readonly state: Selftest['state'];
  readonly checks: Selftest['checks'];
  readonly change?: Selftest['change'];
  readonly host: HostFacts;
}

/** One run, in the format of the recordings that tests replay (test/fixtures/nvidia-smi), followed by extra fields. */
export interface BundleRun {
  readonly name: string;
  /** Products by index, comma-separated. */
  readonly gpus: string;
  readonly before: string | null;
  readonly argv: readonly string[];
  readonly uid: number;
  readonly fault: null;
  /** -1 if it was not run at all. */
  readonly rc: number;
  /** Its answer, as the parsers read it. */
  readonly stdout: string;
  readonly after: string | null;
  /** What was written beside it. */
  readonly stderr: string;
  readonly end: 'Exited' | 'TimedOut' | 'TooLong' | 'NotRun';
  /** When it began, RFC 3339 with milliseconds. */
  readonly time: string;
  readonly ms: number;
}

/** The machine and the programs of a self-test. */
export interface TestedMachine {
  readonly name: string;
  readonly uid: number;
  readonly versions: Pick<BundleHead['versions'], 'gpuPartition' | 'node'>;
  readonly system: BundleHead['system'];
}

export interface BundleSource {
  readonly selftest: Selftest;
  readonly runs: readonly SmiRun[];
  readonly machine: TestedMachine;
  readonly host: HostFacts;
  readonly now: number;
  /** Keeps serial numbers, and names of processes and of the machine. */
  readonly isUnredacted: boolean;
}

/** The lines of a bundle: JSON, one item per line. */
export function writeBundle({ selftest, runs, machine, host, now, isUnredacted }: BundleSource): string {
  const { versions, state, checks, change } = selftest;
  const { name, uid, system } = machine;
  const hide = (text: string): string => (isUnredacted ? text : hideHost(text, name));
  const head: BundleHead = {
    bundle: 'gpu-partition node selftest',
    format: 1,
    time: timeText(now),
    versions: { ...machine.versions, ...versions },
    system: { ...system, kernel: hide(system.kernel) },
    state,
    checks: checks.map(({ redacted, message, ...check }) => ({
      ...check,
      message: hide(isUnredacted ? message : (redacted ?? message)),
    })),
    ...(change && { change }),
    host: isUnredacted ? host : redactFacts(host, name),
  };
  const states = describeStates(runs);
  const gpus = selftest.products.map((product) => toProductLabel(product).replace(/^NVIDIA-/, '')).join();
  const lines = runs.map(({ args, result, begin, ms }, at): BundleRun => {
    const isRun = !(result instanceof Error);
    const clean = (text: string): string => (isUnredacted ? text : redactOutput(text, name));
    return {
      name: `${String(at + 1).padStart(3, '0')}-${args.join('_').replace(/^-+/, '').replaceAll(/\W+/g, '_').slice(0, 40)}`,
      gpus,
      before: states[at]?.before ?? null,
      argv: args,
      uid,
      fault: null,
      rc: isRun ? result.rc : -1,
      stdout: isRun ? clean(result.stdout) : '',
      after: states[at]?.after ?? null,
      stderr: isRun ? clean(result.stderr ?? '') : hide(result.message),
      end: isRun ? result.end : 'NotRun',
      time: new Date(begin).toISOString(),
      ms: Math.round(ms),
    };
  });
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
