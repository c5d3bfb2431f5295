// Room text: how values are compared, read and written: JSON, names, quantities, times and sentences. Nothing in it knows of GPUs.
// Ask here for what Kubernetes takes as a name, label, quantity or time, and how it is read and written; durations in ms.

/** Kubernetes' limits: apimachinery `pkg/util/validation`, IsQualifiedName, IsDNS1123Subdomain and IsValidLabelValue. */
const MAX_NAME = 63;
const MAX_SUBDOMAIN = 253;
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:[.][a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Whether a text can be the name of most kinds of objects; some limit the length further. */
export function isSubdomain(text: string): boolean {
  return text.length <= MAX_SUBDOMAIN && SUBDOMAIN.test(text);
}

/** Why no object can have a label, an annotation or a finalizer with this key; undefined for a valid one. */
export function explainKey(key: string): string | undefined {
  const [first = '', second, third] = key.split('/');
  if (third !== undefined) return 'the key has more than one slash';
  if (second !== undefined && !isSubdomain(first)) {
    return "what stands before the slash of the key must be a DNS name of lower-case letters, digits, '-' and '.'";
  }
  const name = second ?? first;
  if (name.length > MAX_NAME) return `the key's name has ${name.length} characters, Kubernetes allows ${MAX_NAME}`;
  return NAME.test(name)
    ? undefined
    : "the key's name must be letters, digits, '-', '_' or '.', and start and end with a letter or digit";
}

/** Why no label can have this value; undefined for a valid one. */
export function explainLabelValue(value: string): string | undefined {
  if (value.length > MAX_NAME) return `the value has ${value.length} characters, Kubernetes allows ${MAX_NAME}`;
  if (value === '' || NAME.test(value)) return undefined;
  return "the value must be letters, digits, '-', '_' or '.', and start and end with a letter or digit";
}

/** What the API server keeps of a `generateName`, before it adds five characters (apiserver `storage/names`). */
export function cutGenerateName(generateName: string): string {
  return generateName.slice(0, 58);
}

/** `NAMESPACE/NAME` */
export function namespacedName({
  namespace = 'default',
  name,
}: {
  readonly namespace?: string;
  readonly name: string;
}): string {
  return `${namespace}/${name}`;
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3600_000 };

/** Milliseconds of a duration as written in policies, such as `90s`, `10m` or `1h30m`; the schema has checked it. */
export function durationMs(text: string): number {
  return [...text.matchAll(/([0-9]+)([smh])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0),
    0,
  );
}

/** Waits that double with each failure in a row, in ms: the first, and the longest. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** @param failures in a row, from 1 */
export function doubledMs({ baseMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
}

/** Approximate duration for people: `45 s`, `4 min`, `2 h 10 min`; from two days on `2 d 1 h`, from eight on `9 d`, as kubectl does. */
export function describeDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return twoUnits([hours, 'h'], [minutes % 60, 'min']);
  const days = Math.floor(hours / 24);
  return twoUnits([days, 'd'], [days < 8 ? hours % 24 : 0, 'h']);
}

function twoUnits(large: readonly [number, string], small: readonly [number, string]): string {
  return [large, small].flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}

/** RFC 3339 in whole seconds, as Kubernetes' metav1.Time writes it: `2026-01-01T12:00:00Z`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `<sign><digits><suffix>`; the suffix is binary, decimal, or an exponent of ten (apimachinery `pkg/api/resource/quantity.go`). */
const pattern = /^([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?[0-9]+))?$/;

const binaryPowers = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n } as const;
const decimalPowers = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 } as const;

const nanoPerUnit = 10n ** 9n;
const most = (2n ** 63n - 1n) * nanoPerUnit;
/** No larger exponent makes a difference: the least and the most are 28 digits apart. */
const mostDigits = 64;

/**
 * A quantity in billionths, exactly as Kubernetes reads it: less than a billionth is rounded up, away from zero, and more than 2⁶³-1
 * is capped. Undefined if it is not a quantity.
 */
export function parseQuantity(quantity: string | number): bigint | undefined {
  const parts = pattern.exec(String(quantity));
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', binary, decimal, exponent] = parts;
  const digits = BigInt(`${whole}${fraction}`);
  const power = 9 - fraction.length + (isDecimal(decimal) ? decimalPowers[decimal] : Number(exponent ?? 0));
  const factor = isBinary(binary) ? 2n ** binaryPowers[binary] : 1n;
  const amount = scale(digits * factor, power);
  return sign === '-' ? -amount : amount;
}

/**
 * A quantity in whole units, rounded up away from zero, as the scheduler and the kubelet count extended resources (`Quantity.Value`). NaN,
 * which equals no count, if it is not a quantity.
 */
export function wholeUnits(quantity: string | number): number {
  // As a node counts devices.
  if (typeof quantity === 'string' && /^[0-9]{1,15}$/.test(quantity)) return Number(quantity);
  const nano = parseQuantity(quantity);
  return nano === undefined ? NaN : roundUp(nano);
}

/** An amount of memory in MiB, rounded up; NaN if it is not a quantity. */
export function mebibytes(quantity: string): number {
  return Math.ceil(wholeUnits(quantity) / 2 ** 20);
}

/** Billionths in whole units, rounded up away from zero. */
export function roundUp(nano: bigint): number {
  const size = nano < 0n ? -nano : nano;
  const units = Number((size + nanoPerUnit - 1n) / nanoPerUnit);
  return nano < 0n ? -units : units;
}

/** Whether a quantity is zero; an unreadable one is not. */
export function isZeroQuantity(quantity: string | number): boolean {
  return wholeUnits(quantity) === 0;
}

function scale(digits: bigint, power: number): bigint {
  if (digits === 0n) return 0n;
  if (power >= 0) return atMost(power > mostDigits ? most : digits * 10n ** BigInt(power));
  const length = digits.toString().length;
  if (-power > length + mostDigits) return 1n;
  const divisor = 10n ** BigInt(-power);
  return atMost((digits + divisor - 1n) / divisor);
}

function atMost(amount: bigint): bigint {
  return amount > most ? most : amount;
}

function isBinary(suffix: string | undefined): suffix is keyof typeof binaryPowers {
  return suffix !== undefined && Object.hasOwn(binaryPowers, suffix);
}

function isDecimal(suffix: string | undefined): suffix is keyof typeof decimalPowers {
  return suffix !== undefined && Object.hasOwn(decimalPowers, suffix);
}
