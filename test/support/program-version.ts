import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type ProgramName = 'agent' | 'controller';

/** One of our programs in another version: the same code under another number. */
export class ProgramVersion implements Disposable {
  readonly file: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'gpu-partition-version-'));
  readonly #bundle: string;

  constructor(program: ProgramName, version: string) {
    // As the rig does: the bundle if it exists, else the source.
    this.#bundle = join('dist', `${program}.mjs`);
    this.file = join(this.#folder, existsSync(this.#bundle) ? `${program}.mjs` : `src/${program}/main.ts`);
    this.become(version);
  }

  /** Programs started from now on have this version. */
  become(version: string): void {
    if (existsSync(this.#bundle)) {
      const text = readFileSync(this.#bundle, 'utf8');
      const changed = text.replace(/\b(programVersion ?= ?)"[^"]+"/, `$1"${version}"`);
      if (changed === text) throw new Error(`${this.#bundle} has no version to change, or is ${version} already`);
      writeFileSync(this.file, changed);
      return;
    }
    if (!existsSync(this.file)) {
      cpSync('src', join(this.#folder, 'src'), { recursive: true });
      symlinkSync(join(process.cwd(), 'node_modules'), join(this.#folder, 'node_modules'));
    }
    writeFileSync(join(this.#folder, 'package.json'), JSON.stringify({ type: 'module', version }));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
