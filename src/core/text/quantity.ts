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
 * In whole units, rounded up away from zero, as the scheduler and the kubelet count extended resources (`Quantity.Value`). NaN,
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

/** Billionths as a quantity: `2`, `1500000000n`. */
export function writeNano(nano: bigint): string {
  return nano % nanoPerUnit === 0n ? String(nano / nanoPerUnit) : `${nano}n`;
}

/** What is unreadable is not zero. */
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
