import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
// @ts-expect-error -- the build scripts are plain JavaScript
import { writeArchive } from '../../build/archives.mjs';
// @ts-expect-error -- as above
import { readPackages } from '../../build/debian-packages.mjs';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { writePool } from './parts.ts';

const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const executable = resolve(`dist/gpu-partition-linux-${architecture}`);
const emptyEnvironment = {};

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

  it('names no folder of the machine that wrote it: elsewhere it has the same bytes', async () => {
    for (const other of ['amd64', 'arm64']) {
      const bytes = await readFile(`dist/gpu-partition-linux-${other}`);
      expect([other, bytes.includes(resolve('build'))]).to.deep.equal([other, false]);
    }
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

  it('runs on a machine that has Debian’s base and no Node.js, with an empty PATH', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const machine = join(folder, 'machine');
    await mkdir(machine);
    const lack = await unpackDebian(machine).catch(String);
    if (lack !== undefined) {
      console.log(`      skipped: no Debian packages: ${lack.split('\n')[0]}`);
      return this.skip();
    }
    expect(existsSync(join(machine, 'etc/os-release'))).to.equal(true);
    await copyFile(executable, join(machine, 'usr/bin/gpu-partition'));
    await mkdir(join(machine, 'input'));
    await copyFile('samples/inference-mixed.yaml', join(machine, 'input/policy.yaml'));
    await writePool(join(machine, 'input'));
    // A program whose standard input is ignored gets this one.
    await mkdir(join(machine, 'dev'), { recursive: true });
    await writeFile(join(machine, 'dev/null'), '');
    const start = async (...args: readonly string[]) =>
      runProgram('/usr/sbin/chroot', [machine, '/usr/bin/gpu-partition', ...args], { env: emptyEnvironment });
    expect(await start('--version')).to.deep.include({ code: 0, stderr: '' });
    const validated = await start('validate', '-f', '/input/policy.yaml');
    expect(validated).to.deep.include({ code: 0, stderr: '' });
    const planned = await start('recommend', '--pool', '/input/pool.json', '--demand', '/input/demand.json');
    expect(planned.stderr).to.equal('');
    expect(planned.stdout).to.contain('the demand is served');
    return undefined;
  });
});

/** Unpacks what the image takes a part of, at its pinned versions: all of these packages, with the C and C++ libraries. */
async function unpackDebian(machine: string): Promise<undefined> {
  const packages = (await readPackages(architecture)) as readonly { readonly files: readonly object[] }[];
  for (const { files } of packages) {
    const archive = join(machine, '..', 'package.tar');
    await writeFile(archive, (await writeArchive(files)) as Buffer);
    const { code, stderr } = await runProgram('tar', ['-xf', archive, '-C', machine, '--no-same-owner']);
    if (code !== 0) throw new Error(stderr);
  }
  return undefined;
}
