// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here for what nvidia-smi printed and the host shows, written so that it can be sent to others.
import { type Execution, type SmiRun, wordsOf } from './command.ts';
import { DeviceError, explainFault, type GpuFault } from '../gpu/device-state.ts';
import { type ComputeInstanceRow, type InstanceRow, parseComputeInstances, parseInstances } from './tables.ts';
import { parseReport, type ReportedGpu } from './report.ts';
import { MODELS, toProductLabel } from '../gpu/geometry.ts';
import { mapTexts } from '../text/words.ts';
import { timeText } from '../text/syntax.ts';
import type { Selftest } from './selftest.ts';

/** The device's state, in the simulator's format; null if the surrounding commands do not show it. */
interface StateAround {
  readonly before: string | null;
  readonly after: string | null;
}

const changes: ReadonlySet<string> = new Set(['-mig', '--gpu-reset', '-pm', '-cgi', '-cci', '-dgi', '-dci']);

/**
 * The state before and after each run, from the output of the runs: between two changes there is one state, shown by the reads of
 * the whole node there (`-q -x`, `-lgi`, `-lci`).
 */
function describeStates(runs: readonly SmiRun[]): readonly StateAround[] {
  const epochs: SmiRun[][] = [[]];
  const places = runs.map((run): number => {
    if (!run.args.some((arg) => changes.has(arg))) epochs.at(-1)?.push(run);
    else epochs.push([]);
    return epochs.length - 1;
  });
  const states = epochs.map(describeEpoch);
  return runs.map(({ args }, at) => {
    const place = places[at] ?? 0;
    const after = states[place] ?? null;
    return { before: args.some((arg) => changes.has(arg)) ? (states[place - 1] ?? null) : after, after };
  });
}

function describeEpoch(reads: readonly SmiRun[]): string | null {
  const report = readLast(reads, '-q -x', parseReport);
  if (report === undefined) return null;
  const isOn = report.gpus.some(({ mig }) => mig?.current === 'Enabled');
  const instances = isOn ? readLast(reads, 'mig -lgi', parseInstances) : [];
  const isEmpty = instances?.length === 0;
  const parts = isEmpty ? [] : readLast(reads, 'mig -lci', parseComputeInstances);
  if (instances === undefined || parts === undefined) return null;
  return report.gpus.flatMap((gpu, index) => writeGpu(gpu, index, instances, parts)).join('');
}

function writeGpu(
  { mig, processes }: ReportedGpu,
  index: number,
  instances: readonly InstanceRow[],
  parts: readonly ComputeInstanceRow[],
): readonly string[] {
  const isOn = (mode: string): number => (mode === 'Enabled' ? 1 : 0);
  return [
    ...(mig === undefined ? [] : [`gpu ${index} mig ${isOn(mig.current)} pending ${isOn(mig.pending)}\n`]),
    ...instances
      .filter(({ gpuIndex }) => gpuIndex === index)
      .toSorted((a, b) => a.id - b.id)
      .flatMap(({ id, profileId, start, size }) => [
        `gi ${index} ${id} profile ${profileId} place ${start}:${size}\n`,
        ...parts
          .filter(({ gpuIndex, instance }) => gpuIndex === index && instance === id)
          .toSorted((a, b) => a.id - b.id)
          .map((part) => `ci ${index} ${id} ${part.id} profile ${part.profileId} place ${part.start}:${part.size}\n`),
      ]),
    ...processes.flatMap(({ pid, instance, computeInstance = 0 }) => {
      const where = instance === undefined ? '' : ` gi ${instance} ci ${computeInstance}`;
      return pid === undefined ? [] : [`proc gpu ${index}${where} pid ${pid} mem 0 name redacted\n`];
    }),
  ];
}

function readLast<Result>(
  reads: readonly SmiRun[],
  command: string,
  parse: (tried: string, execution: Execution) => Result,
): Result | undefined {
  const run = reads.findLast(({ args }) => args.join(' ') === command);
  if (run === undefined || run.result instanceof Error) return undefined;
  try {
    return parse(command, run.result);
  } catch (error) {
    if (error instanceof DeviceError) return undefined;
    throw error;
  }
}

/** Elements of the report whose value identifies a machine or a part of it: serial numbers, ids of racks and fabrics. */
const serial = /(<(\w*(?:serial|host_id|guid|hostname)\w*)>)(?!\s*(?:N\/A|\[N\/A\])\s*<)([^<]*)(?=<\/\2>)/gi;
/** A program chooses its own name, which may look like the end of the element: the parser decides where it ends. */
const processNameElement = /(<process_name>)[^]*?(?=<\/process_name>\n|$)/g;

/**
 * Removes from an output what is not needed to understand it: serial numbers, names of processes and the name of the machine.
 * What the parsers read is unchanged, except for the names of processes.
 */
export function redactOutput(output: string, hostName: string): string {
  return hideHost(output.replace(processNameElement, '$1redacted').replace(serial, '$1redacted'), hostName);
}

/** Words of nvidia-smi and of product names: parsers need them, and as the name of a machine they identify none. */
const common = new Set(
  [
    'gpu',
    'mig',
    'nvidia',
    'device',
    'uuid',
    ...MODELS.flatMap(({ products }) => products.flatMap(({ name }) => name.split(/[ -]/))),
  ].map((word) => word.toLowerCase()),
);

/** @param text anything; the machine's name in it, short or in full, becomes `host` */
function hideHost(text: string, hostName: string): string {
  const [short = ''] = hostName.split('.');
  return [hostName, short]
    .filter((name) => name.length > 1 && !common.has(name.toLowerCase()))
    .reduce(replaceWord, text);
}

function replaceWord(text: string, name: string): string {
  const plain = name.replaceAll(/[^\w]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(`(?<![\\w-]|</?)${plain}(?![\\w-])`, 'gi'), 'host');
}

/** A device error in one sentence, without process names: a bundle is shared with others. */
export function redactFault({ code, tried, found, gpu, instance, holders, cause }: DeviceError): string {
  const plain = new DeviceError(code, {
    tried,
    found,
    gpu,
    instance,
    holders: holders.map((holder) => holder.replace(/^(pid \d+) \(.*\)/s, '$1')),
    cause,
  });
  return explainFault(plain).message;
}

/** What a host shows of its driver beside nvidia-smi. Nothing of it is judged: it is for those who help. */
export interface HostFacts {
  /** The kernel's messages about the driver, with seconds since boot: `[12.345] NVRM: Xid (PCI:0000:07:00): 79, …`. */
  readonly kernelLog: readonly string[];
  /** Files of `/proc/driver/nvidia`, by their path in it. */
  readonly driver: Readonly<Record<string, string>>;
  /** Lines of `/proc/modules` and `/proc/devices` about the driver. */
  readonly modules: readonly string[];
  readonly deviceNodes: readonly DeviceNode[];
  readonly cdi: readonly CdiSpec[];
  /** Command lines of nvidia-ctk with what they printed; empty if there is none. */
  readonly toolkit: readonly { readonly command: string; readonly output: string }[];
  readonly podResources: readonly KubeletFact[];
  readonly cgroups: 'v1' | 'v2' | 'unknown';
  readonly services: readonly RunningService[];
  /** The last output of nvidia-smi that the agent did not understand: its file in the state folder. */
  readonly notUnderstood?: unknown;
  /** What could not be read, and why, a sentence each. */
  readonly notRead: readonly string[];
}

interface DeviceNode {
  readonly path: string;
  readonly major: number;
  readonly minor: number;
  /** Octal: `666`. */
  readonly mode: string;
}

/** The devices that a CDI spec names. Its mounts, hooks and environment are left out. */
interface CdiSpec {
  readonly file: string;
  readonly kind: string;
  readonly version: string;
  readonly devices: readonly { readonly name: string; readonly nodes: readonly string[] }[];
}

/** An answer of the kubelet. */
interface KubeletFact {
  readonly method: string;
  readonly bytes: number;
  /** Decoded, of pods with a GPU. */
  readonly answer: unknown;
  /** The whole answer as it came. It names every pod of the node: absent in a redacted bundle. */
  readonly base64?: string;
}

interface RunningService {
  readonly name: string;
  readonly pid: number;
  /** The unit of systemd; absent for a container. */
  readonly unit?: string;
}

/** Names of processes in the driver's messages: `pid=4242, name=python3`. */
const processNameInMessage = /(\bname=)[^,]*/g;

/** The facts without names of processes and of the machine, and without pods that have no GPU. */
export function redactFacts(facts: HostFacts, hostName: string): HostFacts {
  const { kernelLog, podResources, ...rest } = facts;
  const known = {
    ...rest,
    kernelLog: kernelLog.map((line) => line.replace(processNameInMessage, '$1redacted')),
    podResources: podResources.map(({ base64: _whole, ...fact }) => fact),
  };
  return mapTexts(known, (text) => redactOutput(text, hostName));
}

/** The first line of a bundle; the runs follow, one per line. */
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

/** A run, in the format of the recordings that tests replay (test/fixtures/nvidia-smi), followed by extra fields. */
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
  /** Standard output of the command, as the parsers read it. */
  readonly stdout: string;
  readonly after: string | null;
  /** Standard error of the command. */
  readonly stderr: string;
  readonly end: 'Exited' | 'TimedOut' | 'TooLong' | 'NotRun';
  /** The time at which it began, RFC 3339 with milliseconds. */
  readonly time: string;
  readonly ms: number;
}

/** The machine and the programs of a self-test. */
interface TestedMachine {
  readonly name: string;
  readonly uid: number;
  readonly versions: Pick<BundleHead['versions'], 'gpuPartition' | 'node'>;
  readonly system: BundleHead['system'];
}

interface BundleSource {
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

/** An output of nvidia-smi that no parser understood, as it is kept on the node: without serial numbers and names of processes. */
interface NotUnderstood {
  /** RFC 3339 */
  readonly time: string;
  /** `nvidia-smi mig -lgip` */
  readonly command: string;
  readonly rc: number;
  readonly end: Execution['end'];
  readonly why: string;
  readonly output: string;
  /** Whether more was printed than is kept. */
  readonly isCut: boolean;
}

/** Eight GPUs with many instances print a quarter of that. */
const mostCharacters = 1024 * 1024;

/**
 * The output of a reading that was not understood.
 *
 * @param runs of the reading, in order
 * @param faults that it ended with, the reading's own or a GPU's
 * @returns undefined if all of them were understood
 */
export function findNotUnderstood(
  runs: readonly SmiRun[],
  faults: readonly Pick<GpuFault, 'code' | 'message'>[],
  hostName: string,
): NotUnderstood | undefined {
  const fault = faults.find(({ code }) => code === 'ParseError');
  if (fault === undefined) return undefined;
  const ended = runs.flatMap(({ args, begin, result }) =>
    result instanceof Error ? [] : [{ command: ['nvidia-smi', ...args].join(' '), begin, ...result }],
  );
  // A command for one GPU begins like the one for all: the longest that the message names is the one. GPU by GPU, the last counts.
  const named = ended
    .filter(({ command }) => fault.message.includes(command))
    .toSorted((a, b) => a.command.length - b.command.length);
  const run = named.at(-1) ?? ended.at(-1);
  if (run === undefined) return undefined;
  const { command, begin, rc, end } = run;
  const output = wordsOf(run);
  return {
    time: new Date(begin).toISOString(),
    command,
    rc,
    end,
    why: redactOutput(fault.message, hostName),
    output: redactOutput(output.slice(0, mostCharacters), hostName),
    isCut: output.length > mostCharacters,
  };
}
