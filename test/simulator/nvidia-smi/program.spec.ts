import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readStateFile, updateStateFile } from '../../../src/simulator/nvidia-smi/state.ts';
import { readSettings } from '../../../src/simulator/nvidia-smi/world.ts';
import { writeNvidiaSmiWrapper } from '../../../src/simulator/nvidia-smi/wrapper.ts';
import { eventually } from '../../support/eventually.ts';

const PROGRAM = fileURLToPath(new URL('../../../src/simulator/nvidia-smi/main.ts', import.meta.url));

interface Ended {
  readonly rc: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the program nvidia-smi-sim @all', () => {
  let dir: string;
  let stateFile: string;
  let logFile: string;
  let faultsFile: string;
  let nvidiaSmi: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "nvidia smi's "));
    stateFile = join(dir, 'state');
    logFile = join(dir, 'log');
    faultsFile = join(dir, 'faults');
    writeFileSync(stateFile, 'gpu 0 mig 1 pending 1\ngpu 1 mig 1 pending 1\n');
    writeFileSync(faultsFile, '');
    nvidiaSmi = writeNvidiaSmiWrapper(join(dir, 'bin'), {
      gpus: ['A100-SXM4-40GB', 'A100-SXM4-40GB'],
      stateFile,
      logFile,
      faultsFile,
      seed: 'n1',
      program: PROGRAM,
      node: process.execPath,
    });
  });

  afterEach(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  it('runs from its wrapper without any environment, in any directory', async () => {
    const { rc, stdout, stderr } = await run(nvidiaSmi, ['-L']);
    expect({ rc, stderr }).to.deep.equal({ rc: 0, stderr: '' });
    expect(stdout).to.match(/^GPU 0: NVIDIA A100-SXM4-40GB \(UUID: GPU-[\da-f-]{36}\)\nGPU 1: /);
  });

  it('loses no update of processes that change the device at the same time', async () => {
    const starts = [0, 1, 2, 3, 4, 5, 6];
    const ends = await Promise.all(
      starts.flatMap((start) => [0, 1].map((gpu) => run(nvidiaSmi, ['mig', '-i', `${gpu}`, '-cgi', `19:${start}`]))),
    );
    expect(ends.map(({ rc, stderr }) => `${rc}${stderr}`)).to.deep.equal(ends.map(() => '0'));
    const places = readStateFile(stateFile, 2).gpus.map(({ gpuInstances }) =>
      gpuInstances.map(({ start }) => start).toSorted((a, b) => a - b),
    );
    expect(places).to.deep.equal([starts, starts]);
  });

  it('logs every run from start to end and each change between', async () => {
    await run(nvidiaSmi, ['mig', '-i', '0', '-cgi', '19:6', '-C']);
    await run(nvidiaSmi, ['-L']);
    const entries = readLog(logFile);
    expect(entries.map(({ event }) => event)).to.deep.equal(['start', 'change', 'change', 'end', 'start', 'end']);
    expect(entries[1]).to.deep.include({
      argv: ['mig', '-i', '0', '-cgi', '19:6', '-C'],
      call: 'DeviceCreateGpuInstanceWithPlacement',
      removed: [],
      added: ['gi 0 13 profile 19 place 6:1'],
    });
    expect(entries[3]).to.include({ rc: 0 });
    expect(entries[0]?.['pid']).to.equal(entries[3]?.['pid']).and.to.be.a('number');
  });

  it('logs which processes there are where something is refused as in use', async () => {
    await run(nvidiaSmi, ['mig', '-i', '0', '-cgi', '19:6', '-C']);
    appendFileSync(stateFile, 'proc gpu 0 gi 13 ci 0 pid 7 mem 10 name ml/train/main\n');
    expect((await run(nvidiaSmi, ['mig', '-i', '0', '-dci'])).rc).to.equal(19);
    expect(readLog(logFile).at(-1)).to.deep.include({ event: 'end', rc: 19, processes: ['ml/train/main'] });
  });

  it('ignores SIGTERM while it hangs after its work, and dies of SIGKILL', async () => {
    writeFileSync(faultsFile, 'hang DeviceCreateGpuInstance done');
    const child = spawn(nvidiaSmi, ['mig', '-i', '0', '-cgi', '19:6'], { env: {}, stdio: 'ignore' });
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('exit', (_code, signal) => resolve(signal)));
    await eventually(
      () => readLog(logFile),
      (entries) => entries.some(({ event }) => event === 'change'),
    );
    await eventually(
      () => hasHandlers(child.pid),
      (areSet) => areSet,
      { what: 'the handlers of signals' },
    );
    child.kill('SIGTERM');
    // A second process answers: the lock is not held while hanging.
    writeFileSync(faultsFile, '');
    expect((await run(nvidiaSmi, ['mig', '-i', '0', '-cgi', '19:5'])).rc).to.equal(0);
    expect(child.exitCode ?? child.signalCode).to.equal(null);
    child.kill('SIGKILL');
    expect(await ended).to.equal('SIGKILL');
    expect(readStateFile(stateFile, 2).gpus[0]?.gpuInstances.map(({ start }) => start)).to.deep.equal([5, 6]);
    expect(readLog(logFile).filter(({ event }) => event === 'end')).to.have.length(1);
  });

  it('counts matches of a fault over processes', async () => {
    writeFileSync(faultsFile, 'fail Init rc=9 nth=2');
    const codes: (number | null)[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      codes.push((await run(nvidiaSmi, ['-L'])).rc);
    }
    expect(codes).to.deep.equal([0, 9, 0]);
  });

  it('takes over the lock of a process that was killed', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(`${stateFile}.lock`, String(dead));
    expect((await run(nvidiaSmi, ['mig', '-i', '0', '-cgi', '19'])).rc).to.equal(0);
    expect(existsSync(`${stateFile}.lock`)).to.equal(false);
  });

  it('leaves the state file as it was when a change fails half way', () => {
    const before = readFileSync(stateFile, 'utf8');
    const failing = (): unknown =>
      updateStateFile(stateFile, 2, () => {
        throw new Error('no');
      });
    expect(failing).to.throw('no');
    expect(readFileSync(stateFile, 'utf8')).to.equal(before);
    expect(existsSync(`${stateFile}.lock`)).to.equal(false);
  });

  it('writes to standard error only about itself, with exit code 70', async () => {
    writeFileSync(faultsFile, 'explode');
    const { rc, stdout, stderr } = await run(nvidiaSmi, ['-L']);
    expect({ rc, stdout }).to.deep.equal({ rc: 70, stdout: '' });
    expect(stderr).to.contain('nvidia-smi-sim: fault line 1: unknown fault');
    const bare = await run(process.execPath, [PROGRAM, '-L']);
    expect(bare.stderr).to.contain('NVIDIA_SMI_SIM_STATE is not set');
    expect(() => readSettings({ NVIDIA_SMI_SIM_STATE: stateFile, NVIDIA_SMI_SIM_DRIVER: '999' })).to.throw(
      'NVIDIA_SMI_SIM_DRIVER is "999", and these branches are simulated: 470, 525, 530, 535, 550, 555, 565, 580, 595',
    );
  });

  it('prints its help pages', async () => {
    expect((await run(nvidiaSmi, ['mig', '-h'])).stdout).to.contain('mig -- Multi Instance GPU management.');
    expect((await run(nvidiaSmi, ['-h'])).stdout).to.contain('NVIDIA System Management Interface');
  });
});

function run(program: string, argv: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { env: {}, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (rc, signal) => resolve({ rc, signal, stdout, stderr }));
  });
}

function readLog(path: string): readonly Readonly<Record<string, unknown>>[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Whether the last of the simulator's handlers, SIGHUP's, is set, by the kernel's mask: Node.js itself catches SIGTERM and SIGINT at its start. */
function hasHandlers(pid: number | undefined): boolean {
  const mask = /^SigCgt:\s*([\da-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${mask}`) & 1n) !== 0n;
}
