import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programPath } from '../../src/simulator/rig/process.ts';
import { eventually } from '../support/eventually.ts';

/** Counts the promises of programs that it started: those that a collection of garbage leaves. */
export class PromiseCounter implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(pathOf: (name: 'controller' | 'agent') => string = programPath): Promise<PromiseCounter> {
    const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-promises-'));
    for (const name of ['controller', 'agent'] as const)
      await writeFile(join(folder, `${name}.mjs`), wrap(folder, pathOf(name)));
    return new PromiseCounter(folder);
  }

  /** What to run in place of a program: it, and somebody who counts when told to by a signal. */
  fileOf(program: string): string {
    return join(this.#folder, program.startsWith('controller') ? 'controller.mjs' : 'agent.mjs');
  }

  async count(pid: number): Promise<number> {
    const file = join(this.#folder, String(pid));
    await rm(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const isWhole = (text: string): boolean => text.endsWith('\n');
    return Number(await eventually(() => readFile(file, 'utf8'), isWhole, { what: `the promises of process ${pid}` }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}

/** Plain JavaScript: Node’s reader of types takes memory of its own. */
function wrap(folder: string, program: string): string {
  return `import { writeFileSync } from 'node:fs';
import { queryObjects } from 'node:v8';

const count = () => queryObjects(Promise, { format: 'count' });
process.on('SIGUSR2', () => writeFileSync(${JSON.stringify(`${folder}/`)} + process.pid, count() + '\\n'));
await import(${JSON.stringify(pathToFileURL(program).href)});
`;
}
