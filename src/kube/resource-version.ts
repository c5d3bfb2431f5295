/**
 * Compares two resourceVersions of one resource: negative when `a` is older. They are decimal numbers of any length
 * (comparable by contract since Kubernetes 1.35, KEP-5504; in fact always). `undefined` when one is something else.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !isNumber(a) || !isNumber(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Whether `a` is certainly older than `b`. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  return (compareVersions(a, b) ?? 0) < 0;
}

function isNumber(version: string): boolean {
  return /^(0|[1-9]\d*)$/.test(version);
}
