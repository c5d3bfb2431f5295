import { expect } from 'chai';
import fc from 'fast-check';
import { DeviceError } from '../../../src/core/gpu/state/device-error.ts';
import { parseGpuList } from '../../../src/core/smi/gpu-list.ts';
import { parseReport } from '../../../src/core/smi/report-parser.ts';
import { executionOf, readStateLines, recordedBranches, runsOf } from '../../device/recorded-runs.ts';

const reports = runsOf('-q', '-x').filter(({ rc, gpus }) => rc === 0 && !gpus.includes(','));

function codeOf(stdout: string): string {
  try {
    parseReport('-q -x', { rc: 0, stdout, end: 'Exited' });
    return 'None';
  } catch (error) {
    if (error instanceof DeviceError) return error.code;
    throw error;
  }
}

describe('report of nvidia-smi -q -x', () => {
  it('reads every recorded report back to mode, MIG devices and processes', () => {
    for (const run of reports) {
      const { gpus, driverVersion, cudaVersion } = parseReport('-q -x', executionOf(run));
      expect([driverVersion, cudaVersion]).to.deep.equal([recordedBranches[run.branch], '12.4']);
      const [[, current, pending] = [0, 0, 0]] = readStateLines(run.before, 'gpu');
      const word = (mode: number | undefined): string => (mode === 1 ? 'Enabled' : 'Disabled');
      expect(gpus[0]?.mig, run.name).to.deep.equal({ current: word(current), pending: word(pending) });
      expect(
        gpus[0]?.migDevices.map(({ instance, computeInstance }) => [0, instance, computeInstance]),
        run.name,
      ).to.have.deep.members(readStateLines(run.before, 'ci').map((line) => line.slice(0, 3)));
      const processes = run.before.split('\n').filter((line) => line.startsWith('proc'));
      expect(gpus[0]?.processes, run.name).to.have.length(processes.length);
    }
    expect(reports.length).to.be.greaterThan(20);
  });

  it('knows who runs where, and what labels need', () => {
    const [run] = reports.filter(({ name, gpus }) => name.includes('proc-q-x') && gpus.startsWith('A100'));
    const [gpu] = run === undefined ? [] : parseReport('-q -x', executionOf(run)).gpus;
    expect(gpu?.processes).to.deep.equal([{ pid: 4242, name: 'python3 train.py', instance: 1, computeInstance: 0 }]);
    expect(gpu).to.include({ pciDeviceId: '0x20B010DE', pciClass: '0x030200', memoryMiB: 40960 });
    expect(gpu?.migDevices[0]).to.deep.include({
      memoryMiB: 19968,
      multiprocessors: 42,
      engines: { copy: 3, decoder: 2, encoder: 0, jpeg: 0, ofa: 0 },
    });
  });

  it('takes no word for a CUDA version: nvidia-smi prints one where it does not find the library', () => {
    const [run] = reports;
    for (const word of ['Not Found', 'N/A', 'ERR!', '']) {
      const stdout = (run?.stdout ?? '').replace('<cuda_version>12.4', `<cuda_version>${word}`);
      expect(parseReport('-q -x', { rc: 0, stdout, end: 'Exited' }).cudaVersion, word).to.equal(undefined);
    }
  });

  it('refuses a report that is cut off, wherever', () => {
    const [run] = reports.filter(({ name }) => name.includes('proc-q-x'));
    const text = run?.stdout.trimEnd() ?? '';
    for (let length = 0; length < text.length; length += 97) {
      expect(codeOf(text.slice(0, length)), `${length}`).to.equal('ParseError');
    }
    expect(codeOf(text)).to.equal('None');
  });

  it('is not disturbed by what nvidia-smi says beside it', () => {
    const [run] = reports;
    const text = run?.stdout ?? '';
    const noisy = `${text}WARNING: infoROM is corrupted at gpu 0000:07:00.0\n`;
    expect(codeOf(noisy)).to.equal('None');
    expect(codeOf(`${text}and more\n`)).to.equal('ParseError');
  });

  it('lets no process name forge or break the report', () => {
    const [run] = reports.filter(({ name }) => name.includes('proc-q-x'));
    const text = run?.stdout ?? '';
    const whole = parseReport('-q -x', { rc: 0, stdout: text, end: 'Exited' });
    const hostile = fc.oneof(
      fc.string({ maxLength: 60 }).filter((name) => !name.includes('</process_name>\n')),
      fc.constantFrom(
        '</process_info></processes></gpu>',
        '<gpu id="00000000:0F:00.0">',
        '</process_name>',
        ']]>',
        '<',
      ),
    );
    fc.assert(
      fc.property(hostile, (name) => {
        const forged = parseReport('-q -x', {
          rc: 0,
          stdout: text.replace('python3 train.py', () => name),
          end: 'Exited',
        });
        const withoutNames = ({ gpus }: typeof whole) =>
          gpus.map((gpu) => ({ ...gpu, processes: gpu.processes.map(({ pid, instance }) => ({ pid, instance })) }));
        expect(withoutNames(forged)).to.deep.equal(withoutNames(whole));
      }),
    );
  });

  it('lets no two process names hide the process between them', () => {
    const [run] = reports.filter(({ name }) => name.includes('proc-q-x'));
    const text = run?.stdout ?? '';
    const [entry = ''] = /\s*<process_info>.*<\/process_info>/s.exec(text) ?? [];
    const withNames = (...names: readonly string[]): string =>
      text.replace(entry, () => names.map((name) => entry.replace('python3 train.py', () => name)).join(''));
    expect(codeOf(withNames('one', 'victim', 'other'))).to.equal('None');
    expect(codeOf(withNames('one</process_name>\n<x y="', 'victim', '"/><process_name>'))).to.equal('ParseError');
    expect(codeOf(withNames('one</process_name>\n<!', 'victim', 'other'))).to.equal('ParseError');
  });
});

describe('list of nvidia-smi -L', () => {
  it('reads the GPUs and as many MIG devices as there are compute instances', () => {
    const runs = runsOf('-L').filter(({ rc }) => rc === 0);
    for (const run of runs.filter(({ fault }) => fault === null)) {
      const { gpus } = parseGpuList('-L', executionOf(run));
      const devices = gpus.flatMap(({ migDevices }) => [...migDevices.values()]);
      expect(devices, run.name).to.have.length(readStateLines(run.before, 'ci').length);
      expect(new Set(devices).size).to.equal(devices.length);
    }
    expect(runs.length).to.be.greaterThan(40);
  });

  it('names the GPUs that are lost', () => {
    const runs = runsOf('-L').filter(({ rc, fault }) => rc === 15 && fault !== null);
    for (const run of runs) {
      const { gpus, lost } = parseGpuList('-L', executionOf(run));
      expect(gpus).to.deep.equal([]);
      expect(lost[0]).to.deep.include({ pciBusId: '00000000:07:00.0' });
      expect(lost[0]?.fault.code).to.equal('GpuLost');
    }
    expect(runs).to.have.length(11);
  });

  it('of a node without GPUs is told in words, whatever the exit code', () => {
    for (const rc of [0, 6])
      expect(parseGpuList('-L', { rc, stdout: 'No devices found.\n', end: 'Exited' }).gpus).to.deep.equal([]);
    const killed = { rc: 255, stdout: 'No devices found.\n', end: 'TimedOut' } as const;
    expect(() => parseGpuList('-L', killed))
      .to.throw(DeviceError)
      .that.includes({ code: 'TimedOut' });
  });

  it('names the GPUs that are lost in the words of later drivers', () => {
    const stdout = `Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error
GPU 0: NVIDIA A30 (UUID: GPU-a11732da-b500-5c53-be02-c1dbeed25aa5)
`;
    for (const rc of [0, 255]) {
      const { gpus, lost } = parseGpuList('-L', { rc, stdout, end: 'Exited' });
      expect(gpus.map(({ index }) => index)).to.deep.equal([0]);
      expect(lost).to.deep.equal([
        { pciBusId: '00000000:34:00.0', fault: { code: 'GpuLost', message: 'Unknown Error' } },
      ]);
    }
  });
});
