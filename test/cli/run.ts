import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { runCli } from '../../src/cli/program.ts';

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in this process. */
export async function run(
  argv: readonly string[],
  options: { readonly stdin?: string; readonly cwd?: string } = {},
): Promise<CliRun> {
  const { stdin = '', cwd = process.cwd() } = options;
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 1 << 24 }), new PassThrough({ highWaterMark: 1 << 24 })];
  const code = await runCli(argv, { stdin: Readable.from([stdin]), stdout, stderr, cwd });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

export interface JsonRun<Answer> {
  readonly code: number;
  readonly answer: Answer;
  readonly stderr: string;
}

/** A runner of commands with `-o json`, whose answers have the shape that the test states. */
export function jsonRunner<Answer>() {
  return async (argv: readonly string[], options?: Parameters<typeof run>[1]): Promise<JsonRun<Answer>> => {
    const { code, stdout, stderr } = await run([...argv, '-o', 'json'], options);
    return { code, answer: JSON.parse(stdout) as Answer, stderr };
  };
}

export const fixtures = new URL('../fixtures/', import.meta.url).pathname;
