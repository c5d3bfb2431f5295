import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { messageOf } from '../core/text/message-of.ts';

/** Prefix of the options' environment variables. */
const prefix = 'GPU_PARTITION_';

interface Source {
  readonly text: string;
  /** For messages: `--lease-seconds`, `GPU_PARTITION_LEASE_SECONDS`, `config.yaml: leaseSeconds`. */
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
