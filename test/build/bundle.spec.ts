import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { writePool } from './parts.ts';

describe('the bundles', () => {
  const programs: [name: string, text: string][] = [];
  before(async function () {
    // `make test` builds them; one file alone may be run without.
    if (!existsSync('dist')) return this.skip();
    const names = (await readdir('dist')).filter((name) => name.endsWith('.mjs'));
    expect(names).to.include('controller.mjs');
    for (const name of names) programs.push([name, await readFile(`dist/${name}`, 'utf8')]);
    return undefined;
  });

  it('load nothing of which Node warns at every start', () => {
    for (const [name, text] of programs) {
      expect(text, name).not.to.match(/require\d*\("punycode"\)|from "punycode"/);
    }
  });

  it('have no character beyond Latin-1, for which V8 would keep the whole text at two bytes a character', () => {
    for (const [name, text] of programs) expect(/[\u0100-\uffff]/.exec(text)?.[0], name).to.equal(undefined);
  });

  it('have one that kubectl runs as its plugin where a link in PATH names it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
    await symlink(resolve('dist/gpu-partition.mjs'), join(folder, 'kubectl-gpu_partition'));
    const { code, stdout } = await runProgram(join(folder, 'kubectl-gpu_partition'), ['--help']);
    await rm(folder, { recursive: true });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^Usage: kubectl gpu-partition /);
  });

  it('plan a pool that is too large to do without the solver, which one of them brings', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
    const args = await writePool(folder);
    const run = await runProgram(process.execPath, ['dist/gpu-partition.mjs', ...args]);
    expect(run.stderr).to.equal('');
    expect(JSON.parse(run.stdout)).to.include({ optimal: true });
    await cp('dist/gpu-partition.mjs', join(folder, 'alone.mjs'));
    const alone = await runProgram(process.execPath, [join(folder, 'alone.mjs'), ...args]);
    expect(alone).to.include({ code: 3, stdout: '' });
    expect(alone.stderr).to.match(/^error: no plan: .*Cannot find module .*demand-solver\.mjs.*\n$/);
    await rm(folder, { recursive: true });
  });
});
