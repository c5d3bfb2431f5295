/** Orders texts by their UTF-16 units. Not localeCompare: the order must not depend on the machine's language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
