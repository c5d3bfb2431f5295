/** A YAML scalar: its text, whether it is plain (not quoted, not a block), and its tag if it has one. */
export interface YamlScalar {
  readonly text: string;
  readonly isPlain: boolean;
  readonly tag: string | undefined;
}

export type ScalarValue = string | number | boolean | null;

/** A rejected text, with a message for users. */
export class YamlFault extends Error {
  override readonly name = 'YamlFault';
}

const PREFIX = 'tag:yaml.org,2002:';
type Kind = 'str' | 'bool' | 'int' | 'float' | 'null';

const WORDS: Readonly<Record<string, ScalarValue>> = Object.fromEntries([
  ...spell(['y', 'yes', 'true', 'on'], true),
  ...spell(['n', 'no', 'false', 'off'], false),
  ...spell(['', '~', 'null'], null),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...spell(['.inf', '+.inf'], Number.POSITIVE_INFINITY),
  ...spell(['-.inf'], Number.NEGATIVE_INFINITY),
]);

/** `true`, `True` and `TRUE`; in `.inf` the first letter follows the dot. */
function spell(words: readonly string[], value: ScalarValue): readonly (readonly [string, ScalarValue])[] {
  return words.flatMap((word) =>
    [word, word.toUpperCase(), word.replace(/[a-z]/, (letter) => letter.toUpperCase())].map(
      (form) => [form, value] as const,
    ),
  );
}

/**
 * What a scalar means to kubectl: go-yaml v2 `resolve`, in which `yes` is true, `010` and `0o10` are 8, and times are strings.
 * @throws YamlFault if its tag and its text contradict each other
 */
export function resolveScalar({ text, isPlain, tag }: YamlScalar): ScalarValue {
  if (tag === undefined) return isPlain ? resolvePlain(text).value : text;
  const wanted = tag.startsWith(PREFIX) ? tag.slice(PREFIX.length) : undefined;
  switch (wanted) {
    case 'bool':
    case 'int':
    case 'float':
    case 'null':
      return resolveAs(text, wanted);
    case 'timestamp':
      if (TIME.test(text)) return text;
      throw new YamlFault(`the tag !!timestamp stands before ${JSON.stringify(text)}, which is none`);
    case 'binary':
      return decodeBase64(text);
    default:
      // With an unknown tag the text stays unchanged.
      return text;
  }
}

const TIME = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

function resolveAs(text: string, wanted: Kind): ScalarValue {
  const { kind, value } = resolvePlain(text);
  if (kind === wanted || (kind === 'int' && wanted === 'float')) return value;
  throw new YamlFault(`the tag !!${wanted} stands before ${JSON.stringify(text)}, which is none`);
}

interface Resolved {
  readonly kind: Kind;
  readonly value: ScalarValue;
  /** An exact integer, which a number above 2^53 is not. */
  readonly integer?: bigint;
}

function resolvePlain(text: string): Resolved {
  if (Object.hasOwn(WORDS, text)) {
    const value = WORDS[text] ?? null;
    return { kind: value === null ? 'null' : typeof value === 'boolean' ? 'bool' : 'float', value };
  }
  if (!/^[-+.0-9]/.test(text)) return { kind: 'str', value: text };
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '');
  const integer = readInteger(digits);
  if (integer !== undefined) return { kind: 'int', value: Number(integer), integer };
  const float = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(float) ? { kind: 'float', value: float } : { kind: 'str', value: text };
}

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;

/** Go's ParseInt with base 0: what does not fit into 64 bits is not an integer. */
function readInteger(text: string): bigint | undefined {
  const [, sign = '', digits = ''] = INTEGER.exec(text) ?? [];
  if (digits === '') return undefined;
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const most = sign === '-' ? 2n ** 63n : sign === '+' ? 2n ** 63n - 1n : 2n ** 64n - 1n;
  if (value > most) return undefined;
  return sign === '-' ? -value : value;
}

function decodeBase64(text: string): string {
  const packed = text.replaceAll(/[\r\n]/g, '');
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(packed) && packed.length % 4 === 0;
  if (!isBase64) throw new YamlFault('the tag !!binary stands before a text that is not base64');
  return Buffer.from(packed, 'base64').toString('utf8');
}

/** The field name that a scalar becomes when kubectl converts it to JSON. @throws YamlFault if JSON has no such name */
export function nameKey(scalar: YamlScalar): string {
  const value = resolveScalar(scalar);
  if (value === null) throw new YamlFault('a key is null; put it in quotes, or name the field');
  if (typeof value !== 'number') return String(value);
  const { integer } = scalar.tag?.endsWith(':float') === true ? {} : resolvePlain(scalar.text);
  if (integer === undefined) return writeFloat(value);
  // go-yaml uses another type for values above int64, which the conversion to JSON does not support as a key.
  if (integer < 2n ** 63n) return String(integer);
  throw new YamlFault(`the key ${scalar.text} is a number above 64 bits; put it in quotes`);
}

/** Go's FormatFloat(value, 'g', -1, 32), which sigs.k8s.io/yaml uses for keys. */
function writeFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  const precision = [1, 2, 3, 4, 5, 6, 7, 8].find(
    (digits) => Math.fround(Number(single.toPrecision(digits))) === single,
  );
  const [mantissa = '', power = '0'] = single.toExponential((precision ?? 9) - 1).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(Number(single.toPrecision(precision ?? 9)));
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
