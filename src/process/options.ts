import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { messageOf } from '../core/text/words.ts';
import { type LogFormat, logFormats, type LogLevel, logLevels } from './log.ts';

/** Prefix of the options' environment variables. */
const prefix = 'GPU_PARTITION_';

interface Source {
  readonly text: string;
  /** The source's name for messages: `--lease-seconds`, `GPU_PARTITION_LEASE_SECONDS`, `config.yaml: leaseSeconds`. */
  readonly name: string;
}

/**
 * Makes a program take its options from its command line, else from the environment, else from a file (`--config`). Errors
 * stop the start, all reported at once.
 */
export function makeConfigurable(command: Command): Command {
  const settings = listSettings(command);
  const parsers = new Map(settings.map((option) => [option, option.parseArg]));
  const demanded = settings.filter(({ mandatory }) => mandatory);
  // Commander's own findings, such as an unknown option, would end with 1.
  command.error = (text, options) => Command.prototype.error.call(command, text, { ...options, exitCode: 2 });
  // Commander would stop at the first error, and before the file is read.
  for (const option of settings) {
    if (option.parseArg) option.argParser((text: string) => text);
    option.mandatory = false;
  }
  command.addOption(
    new Option('--config <file>', 'YAML with these options by their names in the file').env(`${prefix}CONFIG`),
  );
  return command.hook('preAction', () => {
    const findings: string[] = [];
    const file = readFile(command.getOptionValue('config'), settings, findings);
    for (const option of settings) {
      const source = findSource(command, option, file);
      if (source === undefined) {
        if (demanded.includes(option)) findings.push(`${option.long}: requires a value`);
        continue;
      }
      try {
        const parser = parsers.get(option);
        const value = option.isBoolean() || option.negate ? readSwitch(source.text) : source.text;
        const parsed: unknown = parser && typeof value === 'string' ? parser(value, undefined) : value;
        command.setOptionValueWithSource(option.attributeName(), parsed, 'config');
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        findings.push(`${source.name}: ${JSON.stringify(source.text)} ${error.message}`);
      }
    }
    if (findings.length > 0) command.error(`error: ${findings.join('\nerror: ')}`);
  });
}

/** The options of a program that are settings: not its help, nor its version. */
export function listSettings(command: Command): readonly Option[] {
  return command.options.filter(({ long }) => long !== '--version' && long !== '--config');
}

/** Name of an option's environment variable. */
function variableOf(option: Option): string {
  return (
    prefix +
    option
      .attributeName()
      .replaceAll(/(?=[A-Z])/g, '_')
      .toUpperCase()
  );
}

function findSource(command: Command, option: Option, file: ReadonlyMap<string, Source>): Source | undefined {
  const key = option.attributeName();
  const value: unknown = command.getOptionValue(key);
  const from = command.getOptionValueSource(key);
  if (from === 'cli') return { text: String(value), name: option.long ?? key };
  const variable = process.env[variableOf(option)];
  if (variable !== undefined && variable !== '') return { text: variable, name: variableOf(option) };
  const given = file.get(key);
  if (given) return given;
  return from === 'env' && value !== '' ? { text: String(value), name: option.envVar ?? key } : undefined;
}

function readFile(path: unknown, settings: readonly Option[], findings: string[]): ReadonlyMap<string, Source> {
  if (typeof path !== 'string') return new Map();
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'), { logLevel: 'error' }) ?? {};
  } catch (error) {
    findings.push(`--config: ${path} cannot be read: ${messageOf(error)}`);
    return new Map();
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    findings.push(`${path}: must be an object of option to value`);
    return new Map();
  }
  const known = settings.map((option) => option.attributeName());
  const entries = Object.entries(content).flatMap(([key, value]): readonly (readonly [string, Source])[] => {
    const name = `${path}: ${key}`;
    if (!known.includes(key)) {
      findings.push(`${name}: unknown option; known: ${known.join(', ')}`);
      return [];
    }
    const text = textOf(value);
    if (text === undefined) findings.push(`${name}: must be a text, a number, true, false, or a list of texts`);
    return text === undefined ? [] : [[key, { text, name }]];
  });
  return new Map(entries);
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.join(',') : undefined;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

function readSwitch(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('must be true or false.');
}

/** Parser of a command line option that takes a whole number. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

/** Parser of a command line option that takes a number, or a percentage. */
export function limit(text: string): string {
  if (!/^([1-9][0-9]{0,4}|([1-9][0-9]?|100)%)$/.test(text)) {
    throw new InvalidArgumentError('must be a whole number from 1, or a percentage such as 10%.');
  }
  return text;
}

/** Parser of a command line option that takes one of a few words. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw new InvalidArgumentError(`must be one of ${words.join(', ')}.`);
    return word;
  };
}

/** Parser of a command line option that takes a comma-separated list. */
export function list(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new InvalidArgumentError('must be a comma-separated list.');
  return items;
}

/** Parser of a command line option that takes a reason: `freeze: false` in a file would be taken for one. */
export function reason(text: string): string {
  if (!/^\s*(true|false|yes|no|on|off|[01])?\s*$/i.test(text)) return text;
  throw new InvalidArgumentError('must be a reason in words, for people who read it; leave the option out to say no.');
}

interface ConfigMapName {
  readonly namespace: string;
  readonly name: string;
}

/** Parser of an option that takes labels of a device plugin: `a=b,c=d` as kubectl writes it, equality only. */
export function equalitySelector(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((part) => /^\s*([\w./-]+)\s*==?\s*([\w.-]*)\s*$/.exec(part));
  const entries = pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''] as const);
  if (entries.every(([key]) => key !== '')) return Object.fromEntries(entries);
  throw new InvalidArgumentError('must be labels as in app=my-plugin,tier=gpu.');
}

/** Parser of an option that names a ConfigMap. */
export function configMapName(text: string): ConfigMapName {
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) throw new InvalidArgumentError('must be NAMESPACE/NAME.');
  return { namespace, name };
}

/** What programs that run until a signal share: where they answer probes, and how they log. */
export interface ServiceOptions {
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export function addServiceOptions(command: Command): Command {
  return command
    .option('--health-port <port>', 'port that serves /healthz, /readyz and /metrics; absent: none', integer(0, 65535))
    .addOption(
      new Option('--health-host <address>', 'address for --health-port').default(
        process.env['POD_IP'] ?? '127.0.0.1',
        '$POD_IP, else 127.0.0.1',
      ),
    )
    .option('--log-level <level>', `one of ${logLevels.join(', ')}`, oneOf(logLevels), 'info')
    .option('--log-format <format>', 'json, text for people, or auto: text on a terminal', oneOf(logFormats), 'auto');
}

declare const GPU_PARTITION_VERSION: string | undefined;

/** Version of the programs: inserted by the bundler, or read from package.json when run from source. */
export const programVersion: string =
  typeof GPU_PARTITION_VERSION === 'string' ? GPU_PARTITION_VERSION : readPackageVersion();

function readPackageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
