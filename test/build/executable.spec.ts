import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runProgram } from '../../src/simulator/control-plane/run.ts';

const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const executable = resolve(`dist/gpu-partition-linux-${architecture}`);
const emptyEnvironment = {};

/** 1,000 GPUs, which are planned in the solver's process. */
async function writePool(folder: string): Promise<readonly string[]> {
  const states = ['1g.5gb', '1g.5gb+me', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb'];
  const gpus = Array.from({ length: 1000 }, (_, index) => ({
    id: `gpu-${index}`,
    model: 'a100-40gb',
    instances: [
      { profile: states[index % 6], start: 0, busy: index % 4 === 0 },
      { profile: states[2 + ((index >> 2) % 3)], start: 4, busy: index % 3 === 0 },
    ],
  }));
  await writeFile(join(folder, 'pool.json'), JSON.stringify({ gpus }));
  await writeFile(join(folder, 'demand.json'), JSON.stringify({ '1g.5gb': 2000, '2g.10gb': 500, '3g.20gb': 250 }));
  return ['recommend', '--pool', join(folder, 'pool.json'), '--demand', join(folder, 'demand.json'), '-o', 'json'];
}

describe('the executable @all', function () {
  this.timeout(60_000);
  let folder: string;

  before(async function () {
    if (!existsSync(executable)) {
      console.log('    skipped: make executable builds it');
      return this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), 'executable-'));
    return undefined;
  });

  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  it('starts with an empty environment, and is kubectl’s plugin where a link names it', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
    const run = await runProgram(executable, ['--version'], { env: emptyEnvironment });
    expect(run).to.deep.include({ code: 0, stdout: `${version}\n`, stderr: '' });
    const plugin = join(folder, 'kubectl-gpu_partition');
    await symlink(executable, plugin);
    expect((await runProgram(plugin, ['--help'], { env: emptyEnvironment })).stdout).to.match(
      /^Usage: kubectl gpu-partition /,
    );
  });

  it('plans 1,000 GPUs in a process of its own, without another file, exactly as the bundle does', async () => {
    const args = await writePool(folder);
    const alone = join(folder, 'alone');
    await copyFile(executable, alone);
    const run = await runProgram(alone, args, { env: emptyEnvironment });
    expect(run).to.deep.include({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).to.include({ optimal: true });
    expect(run.stdout).to.equal((await runProgram(process.execPath, ['dist/gpu-partition.mjs', ...args])).stdout);
  });

  it('needs of a machine nothing but the C and C++ libraries', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const machine = join(folder, 'machine');
    const { stdout } = await runProgram('ldd', [executable]);
    const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
    expect(libraries.join(' ')).to.match(/libc\.so\.6/);
    for (const path of [...libraries, executable]) {
      await mkdir(dirname(join(machine, path)), { recursive: true });
      await copyFile(path, join(machine, path));
    }
    await mkdir(join(machine, 'input'));
    await writePool(join(machine, 'input'));
    const input = ['--pool', '/input/pool.json', '--demand', '/input/demand.json'];
    // A program whose standard input is ignored gets this one.
    await mkdir(join(machine, 'dev'));
    await writeFile(join(machine, 'dev/null'), '');
    const args = [machine, executable, 'recommend', ...input];
    const run = await runProgram('chroot', args, { env: { PATH: process.env['PATH'] } });
    expect(run.stderr).to.equal('');
    expect(run.stdout).to.contain('the demand is served');
    return undefined;
  });
});
