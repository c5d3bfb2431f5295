import { InvalidArgumentError } from 'commander';

/** Parser of an option that names a file or a folder. An empty value would mean the current folder. */
export function readPath(text: string): string {
  if (text === '') throw new InvalidArgumentError('the path is empty.');
  return text;
}
