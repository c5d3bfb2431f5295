import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Our programs as another version of them would run: the same source under another number. */
export class ProgramVersion implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gpu-partition-version-'));

  constructor(version: string) {
    cpSync('src', join(this.#folder, 'src'), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.#folder, 'node_modules'));
    this.become(version);
  }

  file(program: 'agent' | 'controller'): string {
    return join(this.#folder, 'src', program, 'main.ts');
  }

  /** What is started from now on is of this version. */
  become(version: string): void {
    writeFileSync(join(this.#folder, 'package.json'), JSON.stringify({ type: 'module', version }));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
