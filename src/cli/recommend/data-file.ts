import { CliError } from '../exit.ts';
import { parseManifests, readText } from '../input/manifest-file.ts';
import type { Terminal } from '../terminal.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** A pool of 10,000 GPUs takes some MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Small enough to be read a second time for keys that it has twice, which JSON.parse hides. */
const SMALL = 64 * 1024;

/** The one document of a JSON or YAML file, or of standard input (`-`). @throws CliError that names the place */
export async function readDataFile(
  path: string,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly value: unknown }> {
  const { name, text } = await readText(path, terminal, MOST_BYTES);
  if (text.length > SMALL && /^\s*[[{]/.test(text)) return { name, value: parseJson(name, text) };
  const [document, ...others] = parseManifests(name, text);
  if (document === undefined) throw new CliError(`${name}: it is empty`);
  if (others.length > 0) throw new CliError(`${name}: it has ${others.length + 1} documents; give one`);
  const [twice] = document.duplicates;
  if (twice !== undefined) {
    const { line, column } = document.locate(twice);
    throw new CliError(
      `${name}:${line}:${column}: the key ${String(twice.at(-1))} is given twice; add up what it stands for, and give it once`,
    );
  }
  return { name, value: document.value };
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name}: it is not JSON: ${messageOf(error)}`, 2, { cause: error });
  }
}
