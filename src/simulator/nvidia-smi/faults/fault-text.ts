import { definedOnly } from '../../../core/text/defined-fields.ts';
import { healthSigns, type FaultEffect, type FaultRule } from './fault.ts';
import { nvmlCalls } from '../nvml/nvml-call.ts';
import { NVML } from '../nvml/nvml-code.ts';

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
  const [verb = '', ...rest] = line.split(/\s+#/, 1).join('').trim().split(/\s+/);
  const call = rest.find((word) => !word.includes('=') && !FLAGS.has(word));
  if (call !== undefined && call !== '*' && !nvmlCalls.some((known) => known.startsWith(call))) {
    throw new FaultSyntaxError(row, line, `no call ${call}`);
  }
  const options = new Map<string, string>();
  const flags = new Set(rest.filter((word) => FLAGS.has(word)));
  for (const word of rest.filter((candidate) => candidate.includes('='))) {
    const at = word.indexOf('=');
    const name = word.slice(0, at);
    const value = word.slice(at + 1);
    if (OPTIONS.get(name)?.test(value) !== true) {
      throw new FaultSyntaxError(row, line, `unknown or unreadable option ${word}`);
    }
    options.set(name, value);
  }
  const number = (name: string): number | undefined => (options.has(name) ? Number(options.get(name)) : undefined);
  const need = (name: string): number => {
    const value = number(name);
    if (value === undefined) {
      throw new FaultSyntaxError(row, line, `${verb} needs ${name}=`);
    }
    return value;
  };
  const meaning = interpret(verb, call, flags, number, need);
  if (meaning === undefined) throw new FaultSyntaxError(row, line, `unknown fault, or its NVML call is missing`);
  const rule = { line, ...meaning, ...selectors(options, number, meaning.effect) };
  if (rule.nth !== undefined && (rule.nth.first === 0 || rule.nth.last < rule.nth.first)) {
    throw new FaultSyntaxError(row, line, `no match in nth=${options.get('nth')}`);
  }
  const isNarrowed = rule.gpu !== undefined || rule.gi !== undefined || rule.ci !== undefined;
  if (isNarrowed && (rule.call === 'Run' || rule.call === 'Init')) {
    throw new FaultSyntaxError(row, line, `${rule.call} names no GPU`);
  }
  return rule;
}

type Meaning = Pick<FaultRule, 'effect' | 'call'>;

function interpret(
  verb: string,
  call: string | undefined,
  flags: ReadonlySet<string>,
  number: (name: string) => number | undefined,
  need: (name: string) => number,
): Meaning | undefined {
  const at = (effect: FaultEffect, where = call): Meaning | undefined =>
    where === undefined ? undefined : { effect, call: where };
  switch (verb) {
    case 'fail':
      return at({ kind: 'fail', code: need('rc'), done: flags.has('done') });
    case 'skip':
      return at({ kind: 'skip' });
    case 'sleep':
      return at({ kind: 'sleep', milliseconds: need('ms') });
    case 'hang':
      return at({ kind: 'hang', dies: flags.has('dies'), done: flags.has('done') });
    case 'migpending':
      return at({ kind: 'pending', code: need('rc') }, 'DeviceSetMigMode');
    case 'lost':
      need('gpu');
      return at({ kind: 'fail', code: NVML.gpuIsLost, done: false }, 'DeviceGetHandleByIndex_v2');
    case 'leak':
      need('gi');
      return at({ kind: 'fail', code: NVML.inUse, done: false }, 'GpuInstanceDestroy');
    case 'hide':
      return at({ kind: 'hideProfile', profileId: need('profile') }, 'DeviceGetGpuInstanceProfileInfo');
    case 'nodriver':
      return at({ kind: 'fail', code: NVML.driverNotLoaded, done: false }, 'Init');
    case 'nolibrary':
      return at({ kind: 'fail', code: NVML.libraryNotFound, done: false }, 'Init');
    case 'tables':
      return flags.has('off') ? at({ kind: 'tablesOff' }, 'DeviceGetGpuInstanceProfileInfo') : undefined;
    case 'vgpu':
      return at({ kind: 'vgpuHost' }, 'DeviceGetVirtualizationMode');
    case 'persistence':
      return flags.has('off') ? at({ kind: 'persistenceOff' }, 'DeviceGetPersistenceMode') : undefined;
    case 'sick': {
      const sign = healthSigns.find((word) => flags.has(word));
      return sign === undefined ? undefined : at({ kind: 'unhealthy', sign }, 'DeviceGetHealth');
    }
    case 'inforom':
      return at({ kind: 'infoRom', gpu: need('gpu') }, 'Run');
    case 'reboot':
      return at({ kind: 'reboot' }, 'Run');
    case 'output':
      return at(outputEffect(flags, number), 'Run');
    default:
      return undefined;
  }
}

function outputEffect(flags: ReadonlySet<string>, number: (name: string) => number | undefined): FaultEffect {
  for (const damage of ['cut', 'garbage', 'flood'] as const) {
    const bytes = number(damage);
    if (bytes !== undefined && !flags.has('empty')) {
      return { kind: 'output', damage, bytes };
    }
  }
  return { kind: 'output', damage: 'empty', bytes: 0 };
}

function selectors(
  options: ReadonlyMap<string, string>,
  number: (name: string) => number | undefined,
  effect: FaultEffect,
) {
  // A command as a whole has no GPU.
  const gpu = effect.kind === 'infoRom' ? undefined : number('gpu');
  // A reboot happens once unless the file says otherwise.
  const nth = options.get('nth') ?? (effect.kind === 'reboot' ? '1' : undefined);
  return definedOnly({
    gpu,
    gi: number('gi'),
    ci: number('ci'),
    argument: options.get('with'),
    nth: nth === undefined ? undefined : parseRange(nth),
  });
}

function parseRange(text: string): { readonly first: number; readonly last: number } {
  const [first = '1', last] = text.split('-');
  const open = last === '' ? Number.POSITIVE_INFINITY : Number(last ?? first);
  return { first: Number(first), last: open };
}
