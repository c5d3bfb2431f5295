import { type NvmlFailure, attempt, NVML } from './nvml-code.ts';
import type { SimulatedGpu } from './device.ts';
import type { Nvml } from './nvml.ts';

/** Ends a command early, with an exit code and the last that it prints. */
export class CommandExit extends Error {
  override readonly name = 'CommandExit';
  readonly exitCode: number;
  readonly output: string;

  constructor(exitCode: number, output: string) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
    this.output = output;
  }
}

/** Prints `output` unchanged and ends the command. */
export function exitWith(exitCode: number, output: string): never {
  throw new CommandExit(exitCode, output);
}

/** Prints two lines, the second with the same reason, and ends the command. */
export function endWith({ exitCode, message }: NvmlFailure, tried: string, summary: string): never {
  exitWith(exitCode, `${tried}: ${message}\n${summary}: ${message}\n`);
}

/** An option of nvidia-smi: its spellings and whether it takes a value. */
export interface OptionSpec<Name extends string> {
  readonly name: Name;
  /** `-i`, `--id`: equivalent. */
  readonly spellings: readonly string[];
  readonly value: 'none' | 'required' | 'optional';
}

/** The given options; `true` for no value. If given twice, the last wins. */
export type Options<Name extends string> = ReadonlyMap<Name, string | true>;

type ScanResult<Name extends string> =
  | { readonly kind: 'options'; readonly options: Options<Name> }
  /** `word` as typed, but for `-x=y` with a missing value only the part before the equals sign. */
  | { readonly kind: 'unknown' | 'missingValue'; readonly word: string };

/** Reads a command line as strictly as nvidia-smi does: `-x y`, `-x=y`, `--long=y`; no bundles, abbreviations or extra arguments. */
export function scanOptions<Name extends string>(
  argv: readonly string[],
  specs: readonly OptionSpec<Name>[],
): ScanResult<Name> {
  const options = new Map<Name, string | true>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const equals = word.indexOf('=');
    const spelling = equals < 0 ? word : word.slice(0, equals);
    const spec = specs.find(({ spellings }) => spellings.includes(spelling));
    if (spec === undefined || (spec.value === 'none' && equals >= 0)) {
      return { kind: 'unknown', word };
    }
    if (spec.value === 'none') {
      options.set(spec.name, true);
    } else if (equals >= 0) {
      options.set(spec.name, word.slice(equals + 1));
    } else {
      const next = argv[at + 1];
      const isValue = next !== undefined && !isOption(next, specs);
      if (!isValue && spec.value === 'required') {
        return { kind: 'missingValue', word };
      }
      options.set(spec.name, isValue ? next : true);
      at += isValue ? 1 : 0;
    }
  }
  return { kind: 'options', options };
}

function isOption(word: string, specs: readonly OptionSpec<string>[]): boolean {
  return specs.some(({ spellings }) =>
    spellings.some((spelling) => word === spelling || word.startsWith(`${spelling}=`)),
  );
}

/** The text given for an option, if any. */
export function textOf<Name extends string>(options: Options<Name>, name: Name): string | undefined {
  const value = options.get(name);
  return value === true ? undefined : value;
}

/** Values of options that switch something. */
export const switchWords: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['ENABLED', true],
  ['0', false],
  ['DISABLED', false],
]);

export function describeInvalid(option: string, value: string): string {
  return `ERROR: Option ${value} is invalid for ${option}. Please run 'nvidia-smi -h' for help.\n\n`;
}

/**
 * Opens the GPUs that `-i` names, or all. One lost GPU breaks every command that does not name healthy ones by index or bus id.
 * `selector` is a comma-separated list of index, UUID or PCI bus id; members that match nothing are ignored if another matches.
 */
export function selectGpus(nvml: Nvml, selector: string | undefined): readonly SimulatedGpu[] {
  if (selector === '') exitWith(255, 'Failed to parse device string on command line');
  const wanted = selector?.split(',').filter((member) => member !== '');
  if (wanted?.some((member) => /^GPU-/i.test(member)) === true) {
    nvml.gpus.forEach((gpu) => openForComparison(nvml, gpu));
  }
  const chosen = nvml.gpus.filter((gpu) => wanted === undefined || wanted.some((member) => names(member, gpu)));
  if (chosen.length === 0) exitWith(NVML.notFound, 'No devices were found\n');
  for (const gpu of chosen) {
    const failure = attempt(() => nvml.open(gpu));
    if (failure !== undefined)
      exitWith(failure.exitCode, describeBadHandle(nvml.driver.isAfter470 ? 'GPU' : 'GPU ', gpu, failure));
  }
  return chosen;
}

/** The message for a GPU that cannot be opened; `-L` words it differently from all other commands. */
export function describeBadHandle(word: 'GPU' | 'GPU ' | 'gpu ', gpu: SimulatedGpu, failure: NvmlFailure): string {
  const busId = gpu.busId.slice('0000'.length);
  return `Unable to determine the device handle for ${word}${busId}: ${describeLoss(failure)}\n`;
}

/** Opens a GPU for a comparison. To compare UUIDs nvidia-smi opens every GPU, and gives up at the first that it cannot open. */
function openForComparison(nvml: Nvml, gpu: SimulatedGpu): void {
  const failure = attempt(() => nvml.open(gpu));
  if (failure !== undefined) {
    exitWith(255, `Problem with GPU ${gpu.busId.slice('0000'.length)}: ${describeLoss(failure)}\n`);
  }
}

function describeLoss(failure: NvmlFailure): string {
  return failure.code === NVML.gpuIsLost
    ? `${failure.message}.  Reboot the system to recover this GPU\n\n`
    : failure.message;
}

function names(member: string, gpu: SimulatedGpu): boolean {
  const busId = gpu.busId.toLowerCase();
  const spellings = [busId, busId.slice('0000'.length), busId.slice('00000000:'.length)];
  return member === String(gpu.index) || member === gpu.uuid || spellings.includes(member.toLowerCase());
}

export const TOP_OPTIONS = [
  { name: 'help', spellings: ['-h', '--help'], value: 'none' },
  { name: 'helpQueryGpu', spellings: ['--help-query-gpu'], value: 'none' },
  { name: 'helpQueryComputeApps', spellings: ['--help-query-compute-apps'], value: 'none' },
  { name: 'version', spellings: ['--version'], value: 'none' },
  { name: 'list', spellings: ['-L', '--list-gpus'], value: 'none' },
  { name: 'query', spellings: ['-q', '--query'], value: 'none' },
  { name: 'xml', spellings: ['-x', '--xml-format'], value: 'none' },
  { name: 'id', spellings: ['-i', '--id'], value: 'required' },
  { name: 'queryGpu', spellings: ['--query-gpu'], value: 'required' },
  { name: 'queryComputeApps', spellings: ['--query-compute-apps'], value: 'required' },
  { name: 'format', spellings: ['--format'], value: 'required' },
  { name: 'mig', spellings: ['-mig', '--multi-instance-gpu'], value: 'required' },
  { name: 'persistence', spellings: ['-pm', '--persistence-mode'], value: 'required' },
  { name: 'reset', spellings: ['-r', '--gpu-reset'], value: 'none' },
] as const satisfies readonly OptionSpec<string>[];

export type TopOption = (typeof TOP_OPTIONS)[number]['name'];

/** First words that the real nvidia-smi accepts and the simulator rejects, rather than doing something half right. */
export const NOT_SIMULATED: readonly string[] = [
  '-B --list-excluded-gpus -f --filename -l --loop -lms --loop-ms -u --unit --dtd -d --display',
  '--query-supported-clocks --query-accounted-apps --query-retired-pages --query-remapped-rows',
  '-e --ecc-config -p --reset-ecc-errors -c --compute-mode --gom -vm --virt-mode',
  '-lgc --lock-gpu-clocks -rgc --reset-gpu-clocks -lmc --lock-memory-clocks -rmc --reset-memory-clocks',
  '-ac --applications-clocks -rac --reset-applications-clocks -pl --power-limit -cc --cuda-clocks -am',
  '--accounting-mode -caa --clear-accounted-apps -gtt --gpu-target-temp -t --toggle-led dmon daemon',
  'replay pmon topo drain nvlink c2c clocks encodersessions fbcsessions vgpu compute-policy',
  'boost-slider power-hint base-clocks conf-compute gpm pci',
].flatMap((line) => line.split(' '));
