import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { makeExecute, type ChildOptions, type Execute, explainSpawnError, findTool } from '../../src/device/child.ts';
import { NvidiaSmi } from '../../src/device/nvidia-smi.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { eventually } from '../support/eventually.ts';
import { useScratchFolder, writeScript } from './scratch-folder.ts';
import { codeOf, InProcessNode } from './simulated-node.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function explain(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'nothing',
    (error: unknown) => (error instanceof DeviceError ? error.message : `not a DeviceError: ${String(error)}`),
  );
}

describe('a child of nvidia-smi', () => {
  const scratch = useScratchFolder();
  const make = (name: string, lines: readonly string[], options: ChildOptions = {}): Execute =>
    makeExecute({ file: writeScript(scratch.path(name), ...lines), prefix: [] }, options);

  it('was not run where chroot or the shell around it says so, and why: missing, blocked, no root, no memory', async () => {
    const run = (rc: number, why: string): Promise<string> =>
      explain(make(`rc-${rc}`, [`echo "chroot: failed to run command: ${why}" >&2`, `exit ${rc}`])([], 5_000));
    expect(await run(127, 'No such file or directory')).to.match(/^ToolMissing.*exit code 127: "chroot: failed/);
    expect(await run(126, 'Permission denied')).to.match(/^ToolBlocked.*exit code 126: "chroot: failed/);
    expect(await run(126, 'Exec format error')).to.match(/^ToolBlocked.*architecture/);
    expect(await run(126, 'Cannot allocate memory')).to.match(/^HostExhausted/);
    expect(await run(125, 'cannot change root directory: Operation not permitted')).to.match(/^NotPermitted/);
    expect(await run(125, 'cannot change root directory: No such file or directory')).to.match(/^ToolMissing/);
    const root = scratch.path('root');
    mkdirSync(root);
    const file = writeScript(scratch.path('chroot'), 'exit 127');
    expect(await codeOf(makeExecute({ file, prefix: [root, 'nvidia-smi'], root })([], 5_000))).to.equal(
      'DriverUnavailable',
    );
    mkdirSync(`${root}/usr`);
    expect(await codeOf(makeExecute({ file, prefix: [root, 'nvidia-smi'], root })([], 5_000))).to.equal('ToolMissing');
  });

  it('that somebody kills had no exit code, and may have been too large for the memory of the pod', async () => {
    const read = (signal: string): Promise<string> =>
      explain(new NvidiaSmi(make(signal, [`kill -${signal} $$`])).readDevice());
    expect(await read('KILL')).to.match(/^HostExhausted: .*; found ended by SIGKILL: ""; .*memory/);
    expect(await read('SEGV')).to.match(/^DriverFailed: .*; found ended by SIGSEGV: ""/);
  });

  it('gets its arguments as they are, and nothing of our environment', async () => {
    process.env['GPU_PARTITION_SECRET'] = 'x';
    const execute = make('env', ['for a in "$@"; do echo "<$a>"; done', 'env | sort']);
    const { stdout, rc, end } = await execute(['mig', '-i', '$(id);`id`'], 5_000);
    delete process.env['GPU_PARTITION_SECRET'];
    expect([rc, end]).to.deep.equal([0, 'Exited']);
    const names = stdout.split('\n').flatMap((line) => (line.includes('=') ? [line.split('=')[0]] : []));
    // PWD, _ and SHLVL are the shell's own.
    expect(names.filter((name) => name !== 'PWD' && name !== '_' && name !== 'SHLVL')).to.deep.equal([
      'LC_ALL',
      'PATH',
    ]);
    expect(stdout).to.include('<$(id);`id`>');
  });

  it('reports its exit code and what it wrote to either stream', async () => {
    const execute = make('both', ['echo one', 'echo two >&2', 'exit 19']);
    const { rc, stdout, stderr } = await execute([], 5_000);
    expect({ rc, stdout, stderr }).to.deep.equal({ rc: 19, stdout: 'one\n', stderr: 'two\n' });
  });

  const loader = "ERROR: ld.so: object '/opt/x.so' from LD_PRELOAD cannot be preloaded: ignored.";

  it('is understood by its standard output alone, whatever the dynamic linker writes beside it', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'T4'], 'gpu 0 mig 1 pending 1\n');
    const driver = node.openDriver();
    const whole = await driver.readDevice();
    const told = node.commands.map((args, at) => {
      const answer = scratch.path(`answer-${at}`);
      const { rc, stdout } = node.run(args);
      writeFileSync(answer, stdout);
      return `"${args.join(' ')}") cat ${answer}; exit ${rc} ;;`;
    });
    const read = make('loader', [`echo "${loader}" >&2`, 'case "$*" in', ...told, 'esac', 'exit 99']);
    const device = await new NvidiaSmi(read).readDevice();
    expect(device).to.deep.equal(whole);
  });

  it('is explained by both streams where it failed, and by nothing of the linker where it did not', async () => {
    const fail = make('mismatch', [
      `echo "${loader}" >&2`,
      'echo "Failed to initialize NVML: Driver/library version mismatch"',
      'exit 18',
    ]);
    const why = await explain(new NvidiaSmi(fail).readDevice());
    expect(why).to.match(/^DriverMismatch.*version mismatch.*LD_PRELOAD/);
    const silent = make('silent', ['echo "libcuda.so: version mismatch" >&2']);
    expect(await codeOf(new NvidiaSmi(silent).readDevice())).to.equal('ParseError');
  });

  it('is killed at its deadline with all that it started, even if it ignores SIGTERM', async () => {
    const pids = scratch.path('pids');
    const execute = make('hang', ['trap "" TERM', `sleep 60 & echo $$ $! > ${pids}`, 'wait']);
    const { end } = await execute([], 300);
    expect(end).to.equal('TimedOut');
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    expect(started).to.have.length(2);
    await eventually(() => expect(started.filter(isAlive)).to.deep.equal([]));
  });

  it('is killed when it writes without end', async () => {
    const execute = make('flood', ['while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done'], {
      maxOutputBytes: 100_000,
    });
    const { end, stdout } = await execute([], 10_000);
    expect(end).to.equal('TooLong');
    expect(stdout.length).to.be.at.most(100_000);
  });

  it('that survives SIGKILL is abandoned, and no other is started until it is gone', async () => {
    const gone: number[] = [];
    const fifo = scratch.path('pid');
    // A process in uninterruptible sleep cannot be made here: the kill is left out instead.
    const execute = make('stuck', [`echo $$ > ${fifo}`, 'exec sleep 60'], {
      kill: (group) => gone.push(group),
      killGraceMs: 50,
    });
    expect(await codeOf(execute([], 200))).to.equal('Unresponsive');
    const [pid = 0] = gone;
    try {
      expect(isAlive(pid)).to.equal(true);
      expect(await codeOf(execute([], 200))).to.equal('Unresponsive');
      expect(gone).to.have.length(1);
    } finally {
      process.kill(-pid, 'SIGKILL');
    }
    writeScript(scratch.path('stuck'), 'echo back');
    await eventually(async () => expect((await execute([], 5_000)).stdout).to.equal('back\n'));
  });

  it('is given no variable of ours but a library path that is asked for', async () => {
    const file = writeScript(scratch.path('env'), 'env');
    const bare = await makeExecute({ file, prefix: [] })([], 5_000);
    expect(bare.stdout).to.not.include('LD_LIBRARY_PATH');
    const told = await makeExecute({ file, prefix: [] }, { libraryPath: '/usr/local/nvidia/lib64' })([], 5_000);
    expect(told.stdout).to.include('LD_LIBRARY_PATH=/usr/local/nvidia/lib64');
  });

  it('that could not be started says why: it is missing, may not be run, or its arguments are refused', async () => {
    const nowhere = makeExecute({ file: scratch.path('nowhere'), prefix: [] });
    expect(await explain(nowhere([], 1_000))).to.match(/^ToolMissing.*ENOENT.*interpreter.*comes with the driver/);
    const file = scratch.path('plain');
    writeFileSync(file, 'exit 0', { mode: 0o644 });
    const plain = makeExecute({ file, prefix: [] });
    expect(await explain(plain([], 1_000)))
      .to.match(/^ToolBlocked.*EACCES.*noexec.*SELinux/)
      .and.not.to.contain('install it');
    // Node throws this one.
    const long = make('true', ['exit 0'])(['x'.repeat(3_000_000)], 1_000);
    expect(await explain(long)).to.match(/^ToolBlocked.*E2BIG/);
  });

  it('that could not be started for want of something on the host says of what', () => {
    for (const [code, what] of [
      ['EAGAIN', 'processes'],
      ['ENOMEM', 'memory'],
      ['EMFILE', 'open files of this program'],
      ['ENFILE', 'open files of the node'],
    ] as const) {
      const cause = Object.assign(new Error(`spawn nvidia-smi ${code}`), { code });
      const error = explainSpawnError('nvidia-smi -L', cause);
      expect([error.code, error.cause]).to.deep.equal(['HostExhausted', cause]);
      expect(error.message).to.contain(`${code}: `).and.to.contain(what).and.not.to.contain('install it');
    }
    expect(explainSpawnError('nvidia-smi -L', new Error('odd')).message).to.match(/^ToolBlocked.*odd/);
  });
});

describe('the tool', () => {
  const scratch = useScratchFolder();

  it('is found on the path, by its own path, or inside a driver root', () => {
    const file = writeScript(scratch.path('nvidia-smi'), 'exit 0');
    expect(findTool({ searchPath: `/nowhere:${scratch.path()}` })).to.deep.equal({ file, prefix: [] });
    expect(findTool({ path: file })).to.deep.equal({ file, prefix: [] });
    const chroot = writeScript(scratch.path('chroot'), 'exit 0');
    // The driver's container is still coming: the host has none, and then it is in the second root.
    const [first, second] = [scratch.path('first'), scratch.path('second')];
    const find = (): unknown => findTool({ driverRoots: [first, second], searchPath: scratch.path() });
    expect(find).to.throw(DeviceError, /^ToolMissing.*is the driver installed and its container running/);
    mkdirSync(`${second}/usr/bin`, { recursive: true });
    symlinkSync('/opt/nvidia/nvidia-smi', `${second}/usr/bin/nvidia-smi`);
    expect(find()).to.deep.equal({ file: chroot, prefix: [second, 'nvidia-smi'], root: second });
    mkdirSync(`${first}/usr/local/bin`, { recursive: true });
    writeScript(`${first}/usr/local/bin/nvidia-smi`, 'exit 0');
    expect(find()).to.deep.equal({ file: chroot, prefix: [first, 'nvidia-smi'], root: first });
  });

  it('of a driver whose container is still coming is used by the first command after it has come, and left when it goes', async () => {
    const [containerised, onHost] = [scratch.path('containerised'), scratch.path('on-host')];
    writeScript(scratch.path('chroot'), 'echo "$1"');
    const options = { driverRoots: [containerised, onHost], searchPath: scratch.path() };
    const execute = makeExecute(() => findTool(options));
    expect(await codeOf(execute([], 5_000))).to.equal('ToolMissing');
    const install = (root: string): void => {
      mkdirSync(`${root}/usr/bin`, { recursive: true });
      writeScript(`${root}/usr/bin/nvidia-smi`, 'exit 0');
    };
    install(onHost);
    expect((await execute([], 5_000)).stdout.trim()).to.equal(onHost);
    install(containerised);
    expect((await execute([], 5_000)).stdout.trim()).to.equal(containerised);
    rmSync(containerised, { recursive: true });
    expect((await execute([], 5_000)).stdout.trim()).to.equal(onHost);
  });

  it('that is there and not executable is not said to be missing', () => {
    const path = scratch.path('not-executable');
    writeFileSync(path, '', { mode: 0o644 });
    expect(() => findTool({ path })).to.throw(DeviceError, /^ToolBlocked.*it is there, but not executable/);
  });

  it('that is not there is said to be missing, with the places looked at', () => {
    expect(existsSync('/nowhere')).to.equal(false);
    for (const options of [
      { searchPath: '/nowhere' },
      { path: '/nowhere/nvidia-smi' },
      { driverRoots: ['/nowhere'] },
    ]) {
      expect(() => findTool(options)).to.throw(DeviceError, /^ToolMissing.*nowhere/);
    }
  });
});
