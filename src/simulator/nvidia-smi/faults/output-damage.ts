import type { FaultEffect } from './fault.ts';

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
