import { InvalidArgumentError } from 'commander';

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
