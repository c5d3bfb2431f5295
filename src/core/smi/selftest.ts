// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here which commands a self-test runs (checkCommands), and what all that was found says of the node (judgeSelftest).
import { isProfileNameError, parseProfile, compareTables } from '../gpu/profiles.ts';
import { DeviceError, type DeviceState, type GpuState } from '../gpu/device-state.ts';
import {
  readCapabilities,
  parseComputeInstances,
  parseInstances,
  type InstanceRow,
  hidesProfiles,
  type ListedProfile,
  parseComputeProfiles,
  parsePlacements,
  parseProfiles,
  type PlacementRow,
  parseGpuList,
  type GpuList,
} from './tables.ts';
import {
  dropNotices,
  explainFailure,
  type Execution,
  type SmiRun,
  describeCommand,
  type ReadCommand,
} from './command.ts';
import { parseReport, type Report, type ReportedGpu } from './report.ts';
import { countWords } from '../text/words.ts';
import { findModel, explainOldDriver } from '../gpu/geometry.ts';
import { holdersOnHost, type PodHolding } from '../device/kubelet.ts';
import { redactFault } from './selftest-bundle.ts';
import type { ChangeTest } from './selftest-change.ts';

/** The result of one command of a reading. */
interface CommandCheck {
  /** The command as a person would type it. */
  readonly command: string;
  readonly ms: number;
  /** A summary of what was read; undefined if it was not understood, or the command failed. */
  readonly summary: string | undefined;
  /** Parts of the answer that were skipped or missing: nothing is misread because of them, but less is known. */
  readonly losses: readonly string[];
  readonly error?: DeviceError;
}

/** The answer of a command, in a few words. */
interface CommandAnswer<Result> {
  readonly result: Result;
  readonly summary: string;
  readonly losses?: readonly string[];
}

type AnswerReader<Result> = (tried: string, execution: Execution) => CommandAnswer<Result>;

function readList(tried: string, execution: Execution): CommandAnswer<GpuList> {
  const list = parseGpuList(tried, execution);
  const devices = list.gpus.reduce((sum, { migDevices }) => sum + migDevices.size, 0);
  const losses = list.lost.map(({ pciBusId, fault }) => `GPU at ${pciBusId} cannot be opened: ${fault.message}`);
  return {
    result: list,
    summary: `${countWords(list.gpus.length, 'GPU')}, ${countWords(devices, 'MIG device')}`,
    losses,
  };
}

function readWholeReport(tried: string, execution: Execution): CommandAnswer<Report> {
  const report = parseReport(tried, execution);
  const { driverVersion, cudaVersion, gpus } = report;
  const summary = `driver ${driverVersion}, CUDA ${cudaVersion ?? 'unknown'}, ${countWords(gpus.length, 'GPU')}`;
  const losses = gpus.flatMap((gpu, index) => {
    const lacking = [
      ...(gpu.pciDeviceId === undefined ? ['its PCI id'] : []),
      ...(gpu.pciClass === undefined ? ['its PCI class'] : []),
      ...(gpu.isPersistent === undefined ? ['its persistence mode'] : []),
      ...(gpu.migDevices.some(({ usedMiB }) => usedMiB === undefined) ? ['memory in use of its MIG devices'] : []),
    ];
    return [
      ...(gpu.fault === undefined ? [] : [`GPU ${index} is not reported in full: ${gpu.fault.message}`]),
      ...(lacking.length > 0 ? [`GPU ${index} does not report ${lacking.join(', ')}`] : []),
    ];
  });
  return { result: report, summary, losses };
}

function readCapability(tried: string, execution: Execution): CommandAnswer<unknown> {
  const rows = readCapabilities(execution);
  if (rows === undefined) throw explainFailure(tried, execution);
  const known = rows.flatMap(({ capability }) => capability ?? []);
  const losses = known.length < rows.length ? ['not every GPU tells its compute capability: a label is missing'] : [];
  return { result: rows, summary: `compute capability ${[...new Set(known)].join(', ') || 'unknown'}`, losses };
}

/** Reads a table that some drivers show only with MIG mode on: until then another one is used. */
function readTable<Row>(
  isOff: boolean,
  read: (tried: string, execution: Execution) => CommandAnswer<readonly Row[]>,
): AnswerReader<readonly Row[]> {
  return (tried, execution) => {
    const isHidden = isOff && hidesProfiles(execution);
    return isHidden ? { result: [], summary: 'shown only with MIG mode on' } : read(tried, execution);
  };
}

/** @param isOff whether a GPU that supports MIG has its mode off */
function readProfiles(isOff: boolean): AnswerReader<readonly ListedProfile[]> {
  return readTable(isOff, (tried, execution) => {
    const rows = parseProfiles(tried, execution);
    const strange = rows.filter(({ name }) => isProfileNameError(parseProfile(name))).map(({ name }) => name);
    const losses = [...new Set(strange)].map((name) => `profile ${name} is beyond what a policy can name`);
    return { result: rows, summary: countWords(rows.length, 'profile'), losses };
  });
}

/** @param isOff as above */
function readPlacements(isOff: boolean): AnswerReader<readonly PlacementRow[]> {
  return readTable(isOff, (tried, execution) => {
    const rows = parsePlacements(tried, execution);
    const none = rows.filter(({ starts }) => starts.length === 0).length;
    const losses = none > 0 ? [`${countWords(none, 'profile')} without a place`] : [];
    return { result: rows, summary: `placements of ${countWords(rows.length, 'profile')}`, losses };
  });
}

function askInstances(list: GpuList | undefined, report: Report): AnswerReader<readonly InstanceRow[]> {
  return (tried, execution) => {
    const rows = parseInstances(tried, execution);
    return { result: rows, summary: countWords(rows.length, 'GPU instance'), losses: compareNames(rows, list, report) };
  };
}

function askComputeInstances(tried: string, execution: Execution): CommandAnswer<unknown> {
  const rows = parseComputeInstances(tried, execution);
  return { result: rows, summary: countWords(rows.length, 'compute instance') };
}

function readComputeProfiles(tried: string, execution: Execution): CommandAnswer<unknown> {
  const rows = parseComputeProfiles(tried, execution);
  return { result: rows, summary: countWords(rows.length, 'compute instance profile') };
}

/** Lines beside an answer that are not part of it. */
function listNotices({ stdout, stderr = '' }: Execution): readonly string[] {
  const kept = new Set(dropNotices(stdout).split('\n'));
  return [...stdout.split('\n').filter((line) => !kept.has(line)), ...stderr.split('\n')]
    .filter((line) => line.trim() !== '')
    .map((line) => `passed over: ${line.trim()}`);
}

/** Compares the names of `-L` and `-lgi`: if they differ, a reading costs one more command. */
function compareNames(rows: readonly InstanceRow[], list: GpuList | undefined, { gpus }: Report): readonly string[] {
  return (list?.gpus ?? []).flatMap(({ index, migDevices }) => {
    const wholes = rows.filter(({ gpuIndex }) => gpuIndex === index).map(({ profile }) => profile);
    const strange = [...migDevices.values()]
      .map(({ profile }) => profile)
      .filter((profile) => !wholes.includes(profile.replace(/^\d+c\./, '')));
    const isSame = migDevices.size === (gpus[index]?.migDevices.length ?? 0);
    return [
      ...(strange.length > 0 ? [`nvidia-smi -L says ${strange.join(', ')} on GPU ${index}, which -lgi does not`] : []),
      ...(isSame ? [] : [`nvidia-smi -L and -q -x differ on GPU ${index}`]),
    ];
  });
}

/** Picks one GPU instance of each profile on each GPU: what it offers does not depend on its placement. */
function pickOneOfEach(rows: readonly InstanceRow[]): readonly InstanceRow[] {
  return rows.filter(
    ({ gpuIndex, profileId }, at) =>
      rows.findIndex((other) => other.gpuIndex === gpuIndex && other.profileId === profileId) === at,
  );
}

/** How a command of a reading ended. */
interface CommandRun {
  readonly ms: number;
  /** A DeviceError if it could not be run, or did not answer. */
  readonly answer: Execution | DeviceError;
}

/** The answers of the commands, for checks that compare several of them. */
interface CommandAnswers {
  readonly checks: readonly CommandCheck[];
  readonly report: Report | undefined;
  /** Whether the driver as a whole does not answer; then the remaining commands were not asked for, and a reading is in vain. */
  readonly isSilent: boolean;
}

type Asking<Result> = Generator<ReadCommand, Result, CommandRun>;
type Ask = <Result>(command: ReadCommand, read: AnswerReader<Result>) => Asking<Result | undefined>;

/**
 * Asks for every command that a reading consists of, even if this device does not need it now, and notes whether each answer is
 * understood. It ends early if the driver as a whole does not answer.
 */
export function* checkCommands(): Asking<CommandAnswers> {
  const checks: CommandCheck[] = [];
  let silence: DeviceError | undefined;
  const ask: Ask = function* (command, read) {
    if (silence !== undefined) return undefined;
    const name = describeCommand(command);
    const { ms, answer } = yield command;
    try {
      if (answer instanceof DeviceError) throw answer;
      const { result, summary, losses = [] } = read(name, answer);
      checks.push({ command: name, ms, summary, losses: [...listNotices(answer), ...losses] });
      return result;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      checks.push({ command: name, ms, summary: undefined, losses: [], error });
      if (error.stopsNode && error.code !== 'ParseError' && error.code !== 'NotPermitted') silence = error;
      return undefined;
    }
  };
  const list = yield* ask({ name: 'List' }, readList);
  const report = yield* ask({ name: 'Report' }, readWholeReport);
  yield* ask({ name: 'ComputeCapabilities' }, readCapability);
  if (report?.gpus.some(({ migCapable }) => migCapable) === true) yield* checkMig(ask, list, report);
  // One hanging command may affect only one GPU, and a reading continues GPU by GPU.
  return { checks, report, isSilent: silence !== undefined && silence.code !== 'TimedOut' };
}

function* checkMig(ask: Ask, list: GpuList | undefined, report: Report): Asking<void> {
  const isOff = report.gpus.some(({ mig }) => mig?.current === 'Disabled');
  yield* ask({ name: 'Profiles' }, readProfiles(isOff));
  yield* ask({ name: 'Placements' }, readPlacements(isOff));
  const instances = yield* ask({ name: 'Instances' }, askInstances(list, report));
  yield* ask({ name: 'ComputeInstances' }, askComputeInstances);
  for (const { gpuIndex, id } of pickOneOfEach(instances ?? [])) {
    const gpu = report.gpus[gpuIndex]?.pciBusId;
    if (gpu === undefined) continue;
    yield* ask({ name: 'ComputeProfiles', gpu, instance: id }, readComputeProfiles);
  }
}

/** Whether each GPU is healthy according to the driver. */
function checkHealth({ gpus, lost }: DeviceState): readonly SelftestCheck[] {
  const say = (verdict: CheckVerdict, message: string): SelftestCheck => ({ area: 'Health', verdict, message });
  return [
    ...gpus.map(({ index, product, mig, migCapable, health, fault }) => {
      const name = `GPU ${index} (${product.replace(/^NVIDIA /, '')})`;
      if (fault !== undefined) return say('Finding', `${name}: ${fault.code}: ${fault.message}`);
      if (health !== undefined) {
        const cure = `what helps: ${health.action}; it is not repartitioned before that`;
        return say('Finding', `${name}: ${health.message}; ${cure}`);
      }
      if (!migCapable) return say('Note', `${name} has no MIG and is left alone`);
      if (mig !== undefined && mig.current !== mig.pending) {
        const pending = `${mig.pending} is pending: a reset of the GPU or a reboot ends that`;
        return say('Finding', `${name}: MIG mode is ${mig.current} and ${pending}`);
      }
      return say('Good', `${name}: well, MIG mode ${mig?.current ?? 'unknown'}`);
    }),
    ...lost.map(({ pciBusId, fault }) => say('Finding', `GPU at ${pciBusId} does not answer: ${fault.message}`)),
  ];
}

/** NVIDIA's services, its module, and display servers: their names are not secret. */
const knownServices = /^(?:nv-|nvsm|nvidia-|dcgm|Xorg|gnome-shell|the module )/;

/** Why a GPU reset would be refused: persistence mode, modules, and programs of the host that are not GPU workloads. */
function checkResetClients(gpus: readonly ReportedGpu[], { openers }: HostProof): readonly SelftestCheck[] {
  const capable = gpus.filter(({ migCapable }) => migCapable);
  if (capable.length === 0) return [];
  const needsReset = capable.some(({ product }) => findModel(product)?.resetToChangeMode !== false);
  const persistent = gpus.flatMap(({ isPersistent }, index) => (isPersistent === true ? [index] : []));
  const workers = new Set(gpus.flatMap(({ processes }) => processes.map(({ pid }) => pid)));
  const notes: readonly Omit<SelftestCheck, 'area' | 'verdict'>[] = [
    ...(persistent.length > 0
      ? [
          {
            message: `GPU ${persistent.join(', ')}: persistence mode is on; it is switched off for a reset, and on again after it`,
          },
        ]
      : []),
    ...openers
      .filter((opener) => !workers.has(pidOf(opener)))
      .map((opener) => {
        const what = 'keeps a GPU open: stop it before a reset or a change of MIG mode';
        const isKnown = knownServices.test(opener);
        return {
          message: `${opener} ${what}`,
          ...(isKnown ? {} : { redacted: `a program (pid ${pidOf(opener)}) ${what}` }),
        };
      }),
  ];
  const why = needsReset
    ? 'a change of MIG mode needs a reset here'
    : 'a change of MIG mode needs no reset here, a sick GPU does';
  if (notes.length === 0)
    return [{ area: 'Reset', verdict: 'Good', message: `nothing of the host holds a GPU; ${why}` }];
  return [...notes, { message: why }].map((note) => ({ area: 'Reset', verdict: 'Note', ...note }));
}

function pidOf(opener: string): number | undefined {
  const [, pid] = / \(pid (\d+)/.exec(opener) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** What the node's kubelet tells of who holds a GPU. `NoSocket`: there is no kubelet. */
type KubeletAnswer =
  | { readonly state: 'Ignored' }
  | { readonly state: 'NoSocket'; readonly socket: string }
  | { readonly state: 'Silent'; readonly why: string }
  | { readonly state: 'Told'; readonly holdings: readonly PodHolding[] };

/** What a host shows of who uses its GPUs. */
interface HostProof {
  /** Why this program may not see the processes of the host; undefined if it does. */
  readonly hidden: string | undefined;
  readonly isPod: boolean;
  /** Pids of the report that are not in /proc. */
  readonly ended: ReadonlySet<number>;
  readonly kubelet: KubeletAnswer;
  /** Who has a GPU open: `nv-hostengine (pid 1811, nvidia-dcgm.service)`. */
  readonly openers: readonly string[];
}

const check =
  (verdict: CheckVerdict) =>
  (message: string): SelftestCheck => ({ area: 'Idle', verdict, message });

const good = check('Good');
const note = check('Note');
const finding = check('Finding');
const unknown = check('Unknown');

function checkNamespace({ hidden, isPod }: HostProof): readonly SelftestCheck[] {
  if (hidden !== undefined) return [finding(hidden)];
  const message = isPod
    ? 'this pod sees the processes of the host (hostPID)'
    : 'this is not a pod: nvidia-smi and this program see the processes of the machine';
  return [good(message)];
}

function checkProcesses(gpus: readonly ReportedGpu[], { ended }: HostProof): readonly SelftestCheck[] {
  const checks = gpus.flatMap(({ processes, mig }, index): readonly SelftestCheck[] => {
    const listed = processes.flatMap(({ pid }) => pid ?? []);
    const unlisted = processes.filter(({ pid }) => pid === undefined);
    const absent = listed.filter((pid) => ended.has(pid));
    const untold = processes.filter(({ pid, instance }) => pid !== undefined && instance === undefined);
    return [
      ...(listed.length > absent.length
        ? [good(`GPU ${index}: ${countProcesses(listed.length - absent.length)} seen, in /proc too`)]
        : []),
      ...(absent.length > 0
        ? [
            unknown(
              `GPU ${index}: pid ${absent.join(', ')} of nvidia-smi is not in /proc: it has ended just now, or this program is in ` +
                'another process namespace; run this again',
            ),
          ]
        : []),
      ...unlisted.map(({ name, instance = '?' }) => finding(`GPU ${index}, GPU instance ${instance}: ${name}`)),
      ...(mig?.current === 'Enabled' && untold.length > 0
        ? [
            note(
              `GPU ${index}: of ${countProcesses(untold.length)} the instance is not told: every instance counts as busy`,
            ),
          ]
        : []),
    ];
  });
  if (checks.length > 0) return checks;
  const message =
    'no process runs on a GPU now, so it is untested whether one would be seen: start one (nvidia-smi -L names the devices) and run this again';
  return [note(message)];
}

function checkKubelet(device: DeviceState | undefined, { kubelet: answer }: HostProof): readonly SelftestCheck[] {
  switch (answer.state) {
    case 'Ignored':
      return [note('--ignore-pods: the kubelet was not asked who holds a GPU')];
    case 'NoSocket':
      return [
        note(
          `no socket ${answer.socket}: without a kubelet processes alone tell who uses a GPU; an agent there destroys nothing`,
        ),
      ];
    case 'Silent':
      return [unknown(`the kubelet does not tell who holds a GPU: ${answer.why}`)];
    case 'Told':
      return checkHoldings(device, answer.holdings);
  }
}

function checkHoldings(device: DeviceState | undefined, holdings: readonly PodHolding[]): readonly SelftestCheck[] {
  const { held, unresolved, unidentified, ofAny } = holdersOnHost(device, holdings);
  const pods = countWords(holdings.length, 'pod');
  return [
    good(`the kubelet answers: ${pods}, GPUs and slices that they hold: ${held}`),
    ...unresolved.map((pod) =>
      finding(`pod ${pod} holds a slice that no GPU has: nothing is destroyed on this node until it has gone`),
    ),
    ...unidentified.map((claim) =>
      finding(
        `${claim}, which this node does not have and which may be any device: nothing is destroyed until the pod has gone`,
      ),
    ),
    ...ofAny.map((pod) =>
      note(`pod ${pod} holds a device by claim, and which one is unknown: every GPU counts as held`),
    ),
  ];
}

function countProcesses(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}

/** The fraction of a command's time limit above which it is too close. */
const nearLimit = 1 / 3;

/** A reading as the agent makes it. */
interface AgentReading {
  readonly device: DeviceState | DeviceError;
  readonly ms: number;
  /** The time that each of its commands may take. */
  readonly limitMs: number;
}

/** What a reading says of the node. @param slowestMs the slowest of its commands */
function judgeReading({ device, ms, limitMs }: AgentReading, slowestMs: number): readonly SelftestCheck[] {
  if (device instanceof DeviceError) {
    const message = `the agent could not read this node: ${redactFault(device)}`;
    return [{ area: 'Commands', verdict: 'Unknown', message, ms }];
  }
  const instances = device.gpus.reduce((sum, gpu) => sum + gpu.instances.length, 0);
  const found = `${countWords(device.gpus.length, 'GPU')}, ${countWords(instances, 'GPU instance')}`;
  return [
    { area: 'Commands', verdict: 'Good', message: `read as the agent does: ${found}`, ms },
    ...judgeSpeed(slowestMs, limitMs),
    ...judgeDriver(device),
    ...compareModels(device.gpus),
  ];
}

function judgeCommand({ command, ms, summary, losses, error }: CommandCheck): readonly SelftestCheck[] {
  if (summary === undefined) {
    const why = error === undefined ? 'no answer' : redactFault(error);
    const verdict = error?.code === 'ParseError' || error?.code === 'Unstable' ? 'Finding' : 'Unknown';
    return [{ area: 'Commands', verdict, message: `${command}: ${why}`, ms }];
  }
  return [
    { area: 'Commands', verdict: 'Good', message: `${command}: ${summary}`, ms },
    ...losses.map((loss): SelftestCheck => ({ area: 'Commands', verdict: 'Note', message: `${command}: ${loss}` })),
  ];
}

function judgeSpeed(slowestMs: number, limitMs: number): readonly SelftestCheck[] {
  if (slowestMs < limitMs * nearLimit) return [];
  const seconds = Math.ceil((slowestMs * 3) / 1_000);
  const message =
    `one command took ${(slowestMs / 1_000).toFixed(1)} s of the ${limitMs / 1_000} s that it may: give the agent ` +
    `--read-timeout-seconds=${Math.min(600, Math.max(seconds, (limitMs / 1_000) * 2))}, or switch persistence mode on`;
  return [{ area: 'Commands', verdict: 'Finding', message }];
}

function judgeDriver({ driverVersion, gpus }: DeviceState): readonly SelftestCheck[] {
  return gpus.flatMap(({ index, product }): readonly SelftestCheck[] => {
    const old = explainOldDriver(product, driverVersion);
    return old === undefined ? [] : [{ area: 'Tables', verdict: 'Finding', message: `GPU ${index}: ${old}` }];
  });
}

/** The driver's table takes precedence wherever it exists; plans made without the node use the built-in one. */
function compareModels(gpus: readonly GpuState[]): readonly SelftestCheck[] {
  const tables = new Map(
    gpus.flatMap(({ product, geometry, tableSource }) =>
      geometry && tableSource === 'Own' ? [[product, geometry] as const] : [],
    ),
  );
  const untold = gpus
    .filter(({ tableSource }) => tableSource !== 'Own')
    .map(({ index, tableSource }): SelftestCheck => {
      const which = tableSource === 'SameModel' ? 'that of a GPU of the same model' : 'the built-in table';
      const message = `GPU ${index}: the driver shows its profiles only with MIG mode on; ${which} serves until then`;
      return { area: 'Tables', verdict: 'Note', message };
    });
  const compared = [...tables].flatMap(([product, geometry]): readonly SelftestCheck[] => {
    const name = product.replace(/^NVIDIA /, '');
    const model = findModel(product);
    if (model === undefined) {
      const message = `${name} is not in the built-in table; the driver’s own serves, and validate and fit do not know it`;
      return [{ area: 'Tables', verdict: 'Note', message }];
    }
    const { differences, isContradiction } = compareTables(geometry, model);
    if (differences.length === 0) {
      const message = `${name}: ${countWords(geometry.profiles.length, 'profile')}, as in the built-in table (${model.id})`;
      return [{ area: 'Tables', verdict: 'Good', message }];
    }
    return differences.map((difference) => ({
      area: 'Tables',
      verdict: isContradiction ? 'Finding' : 'Note',
      message: `${name}: ${difference}`,
    }));
  });
  return [...untold, ...compared];
}

/** The result of a self-test; the shape of `selftest -o json`. */
export interface Selftest {
  /** `Unknown` if something could not be determined, and nothing else is wrong. */
  readonly state: 'Good' | 'Findings' | 'Unknown';
  readonly versions: { readonly driver: string | null; readonly cuda: string | null };
  /** Products by index, as nvidia-smi names them. */
  readonly products: readonly string[];
  /** Checks area by area. */
  readonly checks: readonly SelftestCheck[];
  readonly change?: ChangeTest;
  /** How long each kind of command took here, in the order in which they were first run. */
  readonly commands?: readonly CommandTime[];
}

interface CommandTime {
  /** Without the GPUs and instances that it named: `mig -cgi -C`. */
  readonly command: string;
  readonly runs: number;
  readonly meanMs: number;
  readonly longestMs: number;
}

/** Runs of nvidia-smi by what they did, whatever they did it to. */
function timeCommands(runs: readonly SmiRun[]): readonly CommandTime[] {
  const times = new Map<string, number[]>();
  for (const { args, ms } of runs) {
    const words = args
      .filter((word) => word === 'mig' || /^--?[a-z]/i.test(word))
      .map((word) => word.replace(/=.*/, ''));
    const command = words.filter((word) => !['-i', '-gi', '-ci', '--format'].includes(word)).join(' ');
    times.set(command, [...(times.get(command) ?? []), ms]);
  }
  return [...times].map(([command, all]) => ({
    command,
    runs: all.length,
    meanMs: Math.round(all.reduce((sum, ms) => sum + ms, 0) / all.length),
    longestMs: Math.round(Math.max(...all)),
  }));
}

/** Everything that a self-test found, before it is judged. */
interface SelftestFindings {
  /** The nvidia-smi under test, as its user knows it. */
  readonly tool: string;
  readonly commands: CommandAnswers;
  /** Undefined if the driver as a whole does not answer. */
  readonly reading: AgentReading | undefined;
  readonly host: HostProof;
  /** Runs of nvidia-smi so far. */
  readonly runs: readonly SmiRun[];
  /** The test of changes; absent before it, or if none was asked for. */
  readonly change?: ChangeTest | undefined;
}

/** Judges a node by all that was found: whether the agent can rely on it. */
export function judgeSelftest({ tool, commands, reading, host, runs, change }: SelftestFindings): Selftest {
  const { report } = commands;
  const gpus = report?.gpus ?? [];
  const device = reading?.device instanceof DeviceError ? undefined : reading?.device;
  const version = report === undefined ? 'its driver does not answer' : `driver ${report.driverVersion}`;
  const slowestMs = Math.max(0, ...commands.checks.map(({ ms }) => ms));
  const checks: readonly SelftestCheck[] = [
    {
      area: 'Tool',
      verdict: report === undefined ? 'Unknown' : 'Good',
      message: `${tool}: ${version}, ${countWords(gpus.length, 'GPU')}`,
      redacted: `nvidia-smi: ${version}, ${countWords(gpus.length, 'GPU')}`,
    },
    ...commands.checks.flatMap(judgeCommand),
    ...(reading === undefined ? [] : judgeReading(reading, slowestMs)),
    ...checkNamespace(host),
    ...checkProcesses(gpus, host),
    ...checkKubelet(device, host),
    ...(device === undefined ? [] : checkHealth(device)),
    ...checkResetClients(gpus, host),
  ];
  return {
    state: judgeState(checks, change),
    versions: { driver: report?.driverVersion ?? null, cuda: report?.cudaVersion ?? null },
    products: device?.gpus.map(({ product }) => product) ?? gpus.map(({ product }) => product),
    checks,
    ...(change && { change }),
    commands: timeCommands(runs),
  };
}

function judgeState(checks: readonly SelftestCheck[], change: ChangeTest | undefined): Selftest['state'] {
  const has = (verdict: CheckVerdict): boolean => checks.some((check) => check.verdict === verdict);
  if (has('Finding') || (change !== undefined && change.state !== 'Passed')) return 'Findings';
  return has('Unknown') ? 'Unknown' : 'Good';
}

/**
 * `Note`: good, and worth knowing. `Unknown`: could not be determined, or cannot be shown on this node in its current state, and
 * prevents trust in it.
 */
type CheckVerdict = 'Good' | 'Note' | 'Finding' | 'Unknown';

/** A check, and its finding. */
interface SelftestCheck {
  readonly area: 'Tool' | 'Commands' | 'Tables' | 'Idle' | 'Health' | 'Reset';
  readonly verdict: CheckVerdict;
  /** A sentence for people. */
  readonly message: string;
  /** What a bundle says instead if the message names a program of this host. */
  readonly redacted?: string;
  /** How long nvidia-smi took, in ms, if it was one command. */
  readonly ms?: number;
}
