import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { recordedBranch } from '../../../src/simulator/nvidia-smi/board.ts';
import { assembleGpus } from '../../../src/simulator/nvidia-smi/device.ts';
import { NvidiaSmiServer, writeNvidiaSmiWrapper } from '../../../src/simulator/nvidia-smi/wrapper.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';

const program = fileURLToPath(new URL('../../../src/simulator/nvidia-smi/main.ts', import.meta.url));
const gpus = ['A100-SXM4-40GB', 'A30'];

interface Ended {
  readonly status: number;
  readonly stdout: string;
}

describe('a server that runs the commands of nvidia-smi', () => {
  const scratch = useScratchFolder();
  let server: NvidiaSmiServer | undefined;
  let served: string;
  let own: string;

  beforeEach(async () => {
    const files = { stateFile: scratch.path('state'), logFile: scratch.path('log') };
    writeFileSync(scratch.path('faults'), '');
    const settings = { gpus, ...files, faultsFile: scratch.path('faults'), seed: 'n', program, node: process.execPath };
    server = await NvidiaSmiServer.start({
      gpus: assembleGpus(gpus, 'n'),
      driver: recordedBranch,
      pace: 0,
      uid: 0,
      ...files,
    });
    served = writeNvidiaSmiWrapper(scratch.path('served'), { ...settings, port: server.port });
    own = writeNvidiaSmiWrapper(scratch.path('own'), settings);
  });
  afterEach(() => server?.[Symbol.asyncDispose]());

  /** The pid of the process that ran the last command. */
  function lastRunner(): number {
    const lines = readFileSync(scratch.path('log'), 'utf8').trimEnd().split('\n');
    return (JSON.parse(lines.at(-1) ?? '') as { readonly pid: number }).pid;
  }

  for (const argv of [
    ['-L'],
    ['-i', '0', '-mig', '1'],
    ['mig', '-i', '0', '-cgi', '19,9', '-C'],
    ['mig', '-lgi'],
    ['mig', '-lgip'],
    ['--query-gpu=index,name,mig.mode.current', '--format=csv,noheader'],
    ['mig', '-i', '7', '-lgip'],
    ['--no-such-option', 'with a space', ''],
    ['--help'],
  ]) {
    it(`answers ${JSON.stringify(argv)} as the program does`, async () => {
      await run(served, ['-i', '0', '-mig', '1']);
      const state = readFileSync(scratch.path('state'), 'utf8');
      const answers = [await run(served, argv)];
      expect(lastRunner()).to.equal(process.pid);
      const after = readFileSync(scratch.path('state'), 'utf8');
      writeFileSync(scratch.path('state'), state);
      answers.push(await run(own, argv));
      expect(lastRunner()).to.not.equal(process.pid);
      expect(answers[0]).to.deep.equal(answers[1]);
      expect(after).to.equal(readFileSync(scratch.path('state'), 'utf8'));
    });
  }

  it('leaves commands that suffer faults to processes of their own', async () => {
    writeFileSync(scratch.path('faults'), 'fail DeviceCreateGpuInstance rc=3\n');
    await run(served, ['-L']);
    expect(lastRunner()).to.not.equal(process.pid);
    writeFileSync(scratch.path('faults'), '');
    await run(served, ['-L']);
    expect(lastRunner()).to.equal(process.pid);
  });

  it('is not missed when it is gone', async () => {
    const before = await run(served, ['-L']);
    await server?.[Symbol.asyncDispose]();
    server = undefined;
    expect(await run(served, ['-L'])).to.deep.equal(before);
    expect(lastRunner()).to.not.equal(process.pid);
  });
});

function run(file: string, argv: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, argv, (error, stdout) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, stdout });
    });
  });
}
