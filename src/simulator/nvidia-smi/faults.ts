import { type NvmlCall, nvmlCalls, NVML, describeNvmlCode } from './nvml-code.ts';
import { omitUndefined } from '../../core/text/json.ts';
import { existsSync, readFileSync } from 'node:fs';
import type { SimulatedGpu } from './device.ts';
import type { World } from './world.ts';

/** The effect of a fault when it strikes. */
export type FaultEffect =
  /** The call returns an NVML code; with `done` only after completing its work. */
  | { readonly kind: 'fail'; readonly code: number; readonly done: boolean }
  /** The call reports success and changes nothing. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'sleep'; readonly milliseconds: number }
  /** The call never returns; the process ignores SIGTERM unless it `dies`. With `done` it hangs after completing its work. */
  | { readonly kind: 'hang'; readonly dies: boolean; readonly done: boolean }
  /** A change of MIG mode stays pending with this NVML code. */
  | { readonly kind: 'pending'; readonly code: number }
  | { readonly kind: 'output'; readonly damage: OutputDamage; readonly bytes: number }
  /** The driver does not know this GPU instance profile. */
  | { readonly kind: 'hideProfile'; readonly profileId: number }
  /** The driver lists profiles and placements only while MIG mode is on. */
  | { readonly kind: 'tablesOff' }
  | { readonly kind: 'persistenceOff' }
  /** The GPU hosts virtual machines. */
  | { readonly kind: 'vgpuHost' }
  /** The driver reports the GPU as unhealthy, by this sign in its report. */
  | { readonly kind: 'unhealthy'; readonly sign: HealthSign }
  /** Below each answer a warning about the infoROM of this GPU, and exit code 14 in place of 0. */
  | { readonly kind: 'infoRom'; readonly gpu: number }
  | { readonly kind: 'reboot' };

/** Signs of an unhealthy GPU: fields of `-q`, and values of the recovery action of later drivers. */
const healthSigns = [
  'reset',
  'remap',
  'remapfailure',
  'ecc',
  'recoveryreset',
  'recoveryreboot',
  'recoverydrain',
  'recoverybus',
  'recoverysystem',
  'recoveryother',
] as const;
export type HealthSign = (typeof healthSigns)[number];

type OutputDamage = 'cut' | 'garbage' | 'flood' | 'empty';

/** A line of a fault file. */
export interface FaultRule {
  /** The line itself: the key of its count. */
  readonly line: string;
  readonly effect: FaultEffect;
  /** NVML call without `nvml`, `*` for every call, `Run` for the start of a command. A prefix is enough. */
  readonly call: string;
  readonly gpu?: number;
  readonly gi?: number;
  readonly ci?: number;
  /** An argument that restricts the rule to commands that have it: `-lgi`. */
  readonly argument?: string;
  /** Applies only from the `first` to the `last` match, counted from 1 over all processes that share the state file. */
  readonly nth?: { readonly first: number; readonly last: number };
}

/** What an NVML call acts on; GPU instance and compute instance if the call names one. */
export interface FaultTarget {
  readonly gpu?: number;
  readonly gi?: number;
  readonly ci?: number;
}

/** True if the rule matches this call on this target in this command, regardless of `nth`. */
function speaksOf(rule: FaultRule, call: NvmlCall, target: FaultTarget, argv: readonly string[]): boolean {
  const callFits = call === 'Run' ? rule.call === 'Run' : rule.call === '*' || call.startsWith(rule.call);
  return (
    callFits &&
    (rule.gpu === undefined || rule.gpu === target.gpu) &&
    (rule.gi === undefined || rule.gi === target.gi) &&
    (rule.ci === undefined || rule.ci === target.ci) &&
    (rule.argument === undefined || argv.includes(rule.argument))
  );
}

/** An invalid line of a fault file. */
export class FaultSyntaxError extends Error {
  override readonly name = 'FaultSyntaxError';

  constructor(line: number, text: string, problem: string) {
    super(`fault line ${line}: ${problem} in ${JSON.stringify(text)}`);
  }
}

/** Option words of a fault line, and the values allowed after `=`. */
const OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ...['rc', 'ms', 'profile', 'gpu', 'gi', 'ci', 'cut', 'garbage', 'flood'].map((name) => [name, /^\d+$/] as const),
  ['nth', /^\d+(-\d*)?$/],
  ['with', /^\S+$/],
]);

const FLAGS: ReadonlySet<string> = new Set(['done', 'dies', 'empty', 'off', ...healthSigns]);

/**
 * Reads a fault file: one rule per line, `#` starts a comment line.
 * @throws FaultSyntaxError
 */
export function parseFaults(text: string): readonly FaultRule[] {
  return text.split('\n').flatMap((raw, row) => {
    const line = raw.trim();
    return line === '' || line.startsWith('#') ? [] : [parseRule(line, row + 1)];
  });
}

function parseRule(line: string, row: number): FaultRule {
  const [verb = '', ...words] = line.split(/\s+#/, 1).join('').trim().split(/\s+/);
  const fail = (problem: string): never => {
    throw new FaultSyntaxError(row, line, problem);
  };
  const rest = new RestOfLine(verb, words, fail);
  const meaning = interpret(verb, rest) ?? fail('unknown fault, or its NVML call is missing');
  const rule = { line, ...meaning, ...selectors(rest, meaning.effect) };
  if (rule.nth !== undefined && (rule.nth.first === 0 || rule.nth.last < rule.nth.first)) {
    fail(`no match in nth=${rest.text('nth')}`);
  }
  if (rest.unread.size > 0) fail(`means nothing here: ${[...rest.unread].join(' ')}`);
  const isNarrowed = rule.gpu !== undefined || rule.gi !== undefined || rule.ci !== undefined;
  if (isNarrowed && (rule.call === 'Run' || rule.call === 'Init')) fail(`${rule.call} names no GPU`);
  const isResult = rule.effect.kind === 'fail' || rule.effect.kind === 'skip';
  if (isResult && rule.call === 'Run') fail('Run has no result of its own: name the NVML call');
  return rule;
}

/** The words after the verb. What is not read means nothing, and is refused. */
class RestOfLine {
  readonly unread: Set<string>;
  readonly #verb: string;
  readonly #fail: (problem: string) => never;
  readonly #options = new Map<string, string>();

  constructor(verb: string, words: readonly string[], fail: (problem: string) => never) {
    this.#verb = verb;
    this.#fail = fail;
    this.unread = new Set(words);
    for (const word of words.filter((one) => one.includes('='))) {
      const at = word.indexOf('=');
      const [name, value] = [word.slice(0, at), word.slice(at + 1)];
      if (OPTIONS.get(name)?.test(value) !== true) fail(`unknown or unreadable option ${word}`);
      this.#options.set(name, value);
    }
  }

  flag(name: string): boolean {
    return this.unread.delete(name);
  }

  text(name: string): string | undefined {
    const value = this.#options.get(name);
    this.unread.delete(`${name}=${value}`);
    return value;
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : Number(value);
  }

  need(name: string): number {
    return this.number(name) ?? this.#fail(`${this.#verb} needs ${name}=`);
  }

  /** The NVML call. */
  call(): string | undefined {
    const call = [...this.unread].find((word) => !word.includes('=') && !FLAGS.has(word));
    if (call === undefined) return undefined;
    if (call !== '*' && !nvmlCalls.some((known) => known.startsWith(call))) this.#fail(`no call ${call}`);
    this.unread.delete(call);
    return call;
  }
}

type Meaning = Pick<FaultRule, 'effect' | 'call'>;

function interpret(verb: string, rest: RestOfLine): Meaning | undefined {
  const at = (effect: FaultEffect, call = rest.call()): Meaning | undefined =>
    call === undefined ? undefined : { effect, call };
  switch (verb) {
    case 'fail':
      return at({ kind: 'fail', code: rest.need('rc'), done: rest.flag('done') });
    case 'skip':
      return at({ kind: 'skip' });
    case 'sleep':
      return at({ kind: 'sleep', milliseconds: rest.need('ms') });
    case 'hang':
      return at({ kind: 'hang', dies: rest.flag('dies'), done: rest.flag('done') });
    case 'migpending':
      return at({ kind: 'pending', code: rest.need('rc') }, 'DeviceSetMigMode');
    case 'lost':
      rest.need('gpu');
      return at({ kind: 'fail', code: NVML.gpuIsLost, done: false }, 'DeviceGetHandleByIndex_v2');
    case 'leak':
      rest.need('gi');
      return at({ kind: 'fail', code: NVML.inUse, done: false }, 'GpuInstanceDestroy');
    case 'hide':
      return at({ kind: 'hideProfile', profileId: rest.need('profile') }, 'DeviceGetGpuInstanceProfileInfo');
    case 'nodriver':
      return at({ kind: 'fail', code: NVML.driverNotLoaded, done: false }, 'Init');
    case 'nolibrary':
      return at({ kind: 'fail', code: NVML.libraryNotFound, done: false }, 'Init');
    case 'tables':
      return rest.flag('off') ? at({ kind: 'tablesOff' }, 'DeviceGetGpuInstanceProfileInfo') : undefined;
    case 'vgpu':
      return at({ kind: 'vgpuHost' }, 'DeviceGetVirtualizationMode');
    case 'persistence':
      return rest.flag('off') ? at({ kind: 'persistenceOff' }, 'DeviceGetPersistenceMode') : undefined;
    case 'sick': {
      const sign = healthSigns.find((word) => rest.flag(word));
      return sign === undefined ? undefined : at({ kind: 'unhealthy', sign }, 'DeviceGetHealth');
    }
    case 'inforom':
      return at({ kind: 'infoRom', gpu: rest.need('gpu') }, 'Run');
    case 'reboot':
      return at({ kind: 'reboot' }, 'Run');
    case 'output': {
      const effect = outputEffect(rest);
      return effect && at(effect, 'Run');
    }
    default:
      return undefined;
  }
}

function outputEffect(rest: RestOfLine): FaultEffect | undefined {
  if (rest.flag('empty')) return { kind: 'output', damage: 'empty', bytes: 0 };
  for (const damage of ['cut', 'garbage', 'flood'] as const) {
    const bytes = rest.number(damage);
    if (bytes !== undefined) return { kind: 'output', damage, bytes };
  }
  return undefined;
}

function selectors(rest: RestOfLine, effect: FaultEffect) {
  // A command as a whole has no GPU.
  const gpu = effect.kind === 'infoRom' ? undefined : rest.number('gpu');
  // A reboot happens once unless the file says otherwise.
  const nth = rest.text('nth') ?? (effect.kind === 'reboot' ? '1' : undefined);
  return omitUndefined({
    gpu,
    gi: rest.number('gi'),
    ci: rest.number('ci'),
    argument: rest.text('with'),
    nth: nth === undefined ? undefined : parseRange(nth),
  });
}

function parseRange(text: string): { readonly first: number; readonly last: number } {
  const [first = '1', last] = text.split('-');
  const open = last === '' ? Number.POSITIVE_INFINITY : Number(last ?? first);
  return { first: Number(first), last: open };
}

/**
 * Why a program that opens every GPU of the node fails, in the words of go-nvlib (NVIDIA/k8s-device-plugin#338): one GPU that is lost
 * is enough. Undefined if all open. Lines with `nth` count commands of nvidia-smi, and are left out.
 */
export function failureToOpen(gpus: readonly SimulatedGpu[], faultsFile: string | undefined): string | undefined {
  if (faultsFile === undefined || !existsSync(faultsFile)) return undefined;
  const rules = parseFaults(readFileSync(faultsFile, 'utf8')).filter(({ nth }) => nth === undefined);
  for (const { index } of gpus)
    for (const rule of rules)
      if (rule.effect.kind === 'fail' && speaksOf(rule, 'DeviceGetHandleByIndex_v2', { gpu: index }, []))
        return `error getting device handle for index '${index}': ${describeNvmlCode(rule.effect.code)}`;
  return undefined;
}

/** What an `output` fault leaves of the output; other effects leave it unchanged. Counts are bytes of ASCII. */
export function damageOutput(output: string, effect: FaultEffect): string {
  if (effect.kind !== 'output') return output;
  switch (effect.damage) {
    case 'empty':
      return '';
    case 'cut':
      return output.slice(0, effect.bytes);
    case 'garbage':
      return output.slice(0, Math.floor(output.length / 2)) + noise(effect.bytes);
    case 'flood':
      return output + 'x'.repeat(effect.bytes);
  }
}

/** The same noise every time: NUL bytes, control characters, brackets, no line structure. */
function noise(length: number): string {
  const characters = ['\0', '\u001b', '<', '>', '|', ',', ' ', 'Z', '\n', '\u007f', '0', ':'];
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (seed * 48271) % 2147483647;
    return characters[seed % characters.length] ?? '\0';
  }).join('');
}

/** What strikes a call now; counts the matches of rules with `nth`. */
export function strike(world: World, call: NvmlCall, target: FaultTarget): readonly FaultEffect[] {
  const rules = world.faults.filter((rule) => {
    if (!speaksOf(rule, call, target, world.argv)) return false;
    if (rule.nth === undefined) return true;
    const count = world.countMatch(rule);
    return count >= rule.nth.first && count <= rule.nth.last;
  });
  return rules.map(({ effect }) => effect);
}
