/** `1 node`, `3 nodes`. */
export function countWords(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
