/** Random numbers that are the same in every run with the same seed: xorshift32. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** A number from 0 to `sides` - 1. */
  roll(sides: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % sides;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.roll(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

type Damage = (text: string, dice: Dice) => string;

const warnings = [
  'WARNING: infoROM is corrupted at gpu 0000:07:00.0',
  'Warning: persistence mode is disabled on device 00000000:07:00.0.',
  'Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error',
  'NVRM: Xid (PCI:0000:07:00): 79, GPU has fallen off the bus.',
];

/** What a reading can suffer on its way: a full disk or pipe, two writers, a line that was read twice, a flipped digit. */
export const damages: Readonly<Record<string, Damage>> = {
  'cut at a byte': (text, dice) => text.slice(0, dice.roll(text.length)),
  'cut after a line': (text, dice) => {
    const lines = splitLines(text);
    return lines.slice(0, dice.roll(lines.length)).join('');
  },
  'its head lost': (text, dice) => {
    const lines = splitLines(text);
    return lines.slice(dice.roll(lines.length)).join('');
  },
  'a line lost': (text, dice) => replaceLines(text, dice, 1, () => []),
  'lines lost': (text, dice) => replaceLines(text, dice, 1 + dice.roll(40), () => []),
  'bytes lost': (text, dice) => {
    const at = placeIn(text, dice);
    return text.slice(0, at) + text.slice(at + 1 + dice.roll(dice.roll(2) === 0 ? 12 : 1500));
  },
  'a line doubled': (text, dice) => replaceLines(text, dice, 1, (lines) => [...lines, ...lines]),
  'lines doubled': (text, dice) => replaceLines(text, dice, 1 + dice.roll(40), (lines) => [...lines, ...lines]),
  'lines swapped': (text, dice) => {
    const lines = splitLines(text);
    const [one, other] = [lineIn(lines, dice), lineIn(lines, dice)];
    return lines.map((line, at) => (at === one ? lines[other] : at === other ? lines[one] : line)).join('');
  },
  'lines moved': (text, dice) => {
    const lines = splitLines(text);
    const moved = lines.splice(lineIn(lines, dice), 1 + dice.roll(dice.roll(2) === 0 ? 1 : 40));
    return lines.toSpliced(lines.length === 0 ? 0 : lineIn(lines, dice), 0, ...moved).join('');
  },
  'a warning between lines': (text, dice) =>
    replaceLines(text, dice, 1, (lines) => [`${dice.pick(warnings)}\n`, ...lines]),
  'a warning within a line': (text, dice) => {
    const at = placeIn(text, dice);
    return `${text.slice(0, at)}${dice.pick(warnings)}\n${text.slice(at)}`;
  },
  'another digit': (text, dice) => {
    const from = placeIn(text, dice);
    const at = from + Math.max(0, text.slice(from).search(/\d/));
    return /\d/.test(text[at] ?? '') ? `${text.slice(0, at)}${dice.roll(10)}${text.slice(at + 1)}` : text;
  },
};

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lines that say what instances there are and who uses them. A report has ten times as many others, which are hit less often. */
const telling = /<(?:gpu |\/gpu|uuid|attached|\/?mig|current_mig|pending_mig|index|gpu_inst|compute_inst|\/?proc|pid)/;

function lineIn(lines: readonly string[], dice: Dice): number {
  const spots = lines.flatMap((line, at) => (telling.test(line) ? [at] : []));
  return spots.length === 0 || dice.roll(3) === 0 ? dice.roll(lines.length) : dice.pick(spots);
}

function placeIn(text: string, dice: Dice): number {
  const lines = splitLines(text);
  if (lines.length === 0) return 0;
  const line = lineIn(lines, dice);
  return lines.slice(0, line).join('').length + dice.roll(lines[line]?.length ?? 1);
}

function replaceLines(
  text: string,
  dice: Dice,
  count: number,
  replace: (lines: readonly string[]) => readonly string[],
): string {
  const lines = splitLines(text);
  if (lines.length === 0) return text;
  const from = lineIn(lines, dice);
  return lines.toSpliced(from, count, ...replace(lines.slice(from, from + count))).join('');
}
