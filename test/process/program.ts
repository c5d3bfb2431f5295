import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A small program of a test, in a process of its own. */
export class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #exit: Promise<readonly [code: number | null, signal: string | null]>;
  #output = '';
  #onOutput: (() => void) | undefined;

  /** @param source TypeScript without imports of its own; `src` stands for the folder of our sources. */
  constructor(source: string) {
    const folder = new URL('../../src/', import.meta.url).pathname;
    const code = source.replaceAll("'src/", `'${folder}`);
    this.child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const collect = (chunk: unknown): void => {
      this.#output += String(chunk);
      this.#onOutput?.();
    };
    this.child.stdout?.on('data', collect);
    this.child.stderr?.on('data', collect);
    this.#exit = once(this.child, 'close') as Promise<[number | null, string | null]>;
  }

  /** Waits until its output holds a text. @throws Error when it ended before. */
  async says(text: string): Promise<void> {
    const said = new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (this.#output.includes(text)) resolve();
      };
      this.#onOutput();
    });
    await Promise.race([said, this.#exit]);
    if (!this.#output.includes(text)) throw new Error(`the program ended before it said "${text}": ${this.#output}`);
  }

  /** Its exit code and all that it wrote. */
  async end(): Promise<{ readonly code: number | null; readonly output: string }> {
    const [code] = await this.#exit;
    return { code, output: this.#output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#exit;
  }
}
