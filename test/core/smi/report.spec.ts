import { expect } from 'chai';
import { DeviceError } from '../../../src/core/gpu/device-state.ts';
import { parseReport, type Report } from '../../../src/core/smi/report.ts';
import { InProcessNode } from '../../device/simulated-node.ts';
import fc from 'fast-check';
import { parseGpuList } from '../../../src/core/smi/tables.ts';
import { executionOf, readStateLines, recordedBranches, runsOf } from '../../device/recorded-runs.ts';

const state = `gpu 0 mig 1 pending 1
gi 0 1 profile 9 place 0:4
ci 0 1 0 profile 2 place 0:3
gi 0 13 profile 19 place 6:1
ci 0 13 0 profile 0 place 0:1
proc gpu 0 gi 1 ci 0 pid 42 mem 1200 name python3
`;
const busy = new InProcessNode(['A100-SXM4-40GB'], state).run(['-q', '-x']).stdout;
const idle = busy.replace(/[ \t]*<process_info>[^]*?<\/process_info>\n/, '');
const empty = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n').run(['-q', '-x']).stdout;
const off = new InProcessNode(['A100-SXM4-40GB'], '').run(['-q', '-x']).stdout;
const without = new InProcessNode(['T4'], 'proc gpu 0 pid 7 mem 9 name x\n').run(['-q', '-x']).stdout;

const read = (stdout: string): Report => parseReport('-q -x', { rc: 0, stdout, end: 'Exited' });

function codeOf(whole: string, from: string | RegExp, to: string): string {
  const stdout = whole.replace(from, to);
  if (stdout === whole) return 'nothing edited';
  try {
    read(stdout);
    return 'None';
  } catch (error) {
    if (error instanceof DeviceError) return error.code;
    throw error;
  }
}

const faultOf = (whole: string, from: RegExp, to: string): string | undefined =>
  read(whole.replace(from, to)).gpus[0]?.fault?.message;

/** The lines from one that opens an element to the one that closes it. */
const block = (name: string): RegExp => new RegExp(`[ \\t]*<${name}>[^]*?</${name}>\\n`);

describe('MIG in a report', () => {
  for (const [what, report] of Object.entries({
    'busy instances': busy,
    'idle instances': idle,
    'no instance': empty,
  })) {
    it(`is not off, with ${what}, because the report does not say that it is on`, () => {
      expect(codeOf(report, /.*<current_mig>.*\n/, '')).to.equal('ParseError');
      expect(codeOf(report, '<current_mig>Enabled', '<current_mig>N/A')).to.equal('ParseError');
      expect(codeOf(report, '<current_mig>Enabled', '<current_mig>')).to.equal('ParseError');
      expect(codeOf(report, /.*<pending_mig>.*\n/, '')).to.equal('ParseError');
      expect(codeOf(report, block('mig_mode'), '')).to.equal('ParseError');
      expect(codeOf(report, /[ \t]*<mig_mode>[^]*<\/mig_devices>\n/, '')).to.equal('ParseError');
      expect(codeOf(report, /.*<current_mig>.*\n/, '$&$&')).to.equal('ParseError');
    });
  }

  it('is not off where the report lists MIG devices, or processes on them', () => {
    const modes = /(<(?:current|pending)_mig>)Enabled/g;
    expect(codeOf(busy, modes, '$1N/A')).to.equal('ParseError');
    expect(codeOf(idle, modes, '$1N/A')).to.equal('ParseError');
    expect(codeOf(busy, modes, '$1Disabled')).to.equal('ParseError');
    expect(codeOf(idle, modes, '$1Disabled')).to.equal('Unstable');
  });

  it('is on where the report says so, whatever version it gives the driver', () => {
    const old = busy.replace('<driver_version>550.163.01', '<driver_version>418.87');
    expect(read(old).gpus[0]?.mig).to.deep.equal({ current: 'Enabled', pending: 'Enabled' });
  });

  it('is absent with drivers that do not support it', () => {
    const old = off
      .replace(/[ \t]*<mig_mode>[^]*<\/mig_devices>\n/, '')
      .replace('<driver_version>550.163.01', '<driver_version>418.87');
    expect(read(old).gpus[0]).to.include({ mig: undefined, migCapable: false, fault: undefined });
    expect(read(without).gpus[0]).to.include({ mig: undefined, migCapable: false, fault: undefined });
  });

  it('has no devices only where it says None', () => {
    expect(codeOf(off, /None\s+(?=<\/mig_devices>)/, '')).to.equal('ParseError');
    expect(codeOf(off, block('mig_devices'), '')).to.equal('ParseError');
    expect(codeOf(busy, /<mig_device>[^]*<\/mig_device>/, '')).to.equal('ParseError');
    // The tag that opens the list is found further down: what stands above it is in no list.
    expect(codeOf(busy, /(<mig_devices>\n)(\s*<mig_device>[^]*?<\/mig_device>\n)/, '$2$1')).to.equal('ParseError');
  });

  it('has devices of which all is said, each once', () => {
    for (const name of ['index', 'gpu_instance_id', 'compute_instance_id', 'multiprocessor_count', 'jpg_count'])
      expect(codeOf(busy, new RegExp(`.*<${name}>.*\\n`), ''), name).to.equal('ParseError');
    expect(codeOf(busy, block('mig_device'), '$&$&')).to.equal('Unstable');
  });
});

describe('processes in a report', () => {
  it('are absent only if the list is there and empty', () => {
    expect(codeOf(busy, block('processes'), '')).to.equal('ParseError');
    expect(faultOf(busy, /(<processes>)[^]*(<\/processes>)/, '$1N/A$2')).to.equal('its users are not reported: N/A');
    expect(codeOf(busy, /(<processes>\n)([^]*)(.*<\/processes>\n)/, '$1$3$2')).to.equal('ParseError');
    expect(codeOf(without, block('processes'), '')).to.equal('ParseError');
  });

  it('are on an instance where MIG is on, and on one that is there', () => {
    const ids = /(<process_info>\s*)<gpu_instance_id>1<\/gpu_instance_id>/;
    expect(codeOf(busy, ids, '$1')).to.equal('ParseError');
    expect(codeOf(busy, ids, '$1<gpu_instance_id>lost</gpu_instance_id>')).to.equal('ParseError');
    expect(codeOf(busy, ids, '$1<gpu_instance_id>5</gpu_instance_id>')).to.equal('Unstable');
    expect(codeOf(without, '<gpu_instance_id>N/A', '<gpu_instance_id>1')).to.equal('ParseError');
  });
});

describe('a report', () => {
  it('says that a GPU is not well where the driver answers with an error whether its rows were remapped', () => {
    const healthOf = (from: string, word: string): unknown => {
      const stdout = busy.replace(`<${from}>No<`, `<${from}>${word}<`);
      expect(stdout, from).to.not.equal(busy);
      return read(stdout).gpus[0]?.health;
    };
    const reset = { action: 'Reset', message: 'the driver says “GPU requires reset”' };
    const lost = { action: 'Reboot', message: 'the driver says “GPU is lost”' };
    for (const field of ['remapped_row_pending', 'remapped_row_failure', 'reset_required']) {
      expect(healthOf(field, 'GPU requires reset'), field).to.deep.equal(reset);
      expect(healthOf(field, 'GPU is lost'), field).to.deep.equal(lost);
      expect(healthOf(field, 'N/A'), field).to.equal(undefined);
    }
  });

  it('is of GPUs that are what they are called', () => {
    expect(codeOf(busy, '<pci_bus_id>00000000:07', '<pci_bus_id>00000000:0F')).to.equal('ParseError');
    expect(codeOf(busy, /(<uuid>GPU-[\da-f]{7})[\da-f]/, '$1')).to.equal('ParseError');
    expect(codeOf(busy, '<product_name>NVIDIA', '<product_name>NVI\0DIA')).to.equal('ParseError');
    expect(codeOf(busy, '<driver_version>550.', '<driver_version>550')).to.equal('ParseError');
    expect(codeOf(busy, /.*<attached_gpus>.*\n/, '')).to.equal('ParseError');
    expect(codeOf(busy, '<serial>', '<serial><')).to.equal('ParseError');
  });
});

const reports = runsOf('-q', '-x').filter(({ rc, gpus }) => rc === 0 && !gpus.includes(','));

function codeOfOfReportParser(stdout: string): string {
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
      expect(codeOfOfReportParser(text.slice(0, length)), `${length}`).to.equal('ParseError');
    }
    expect(codeOfOfReportParser(text)).to.equal('None');
  });

  it('is not disturbed by what nvidia-smi says beside it', () => {
    const [run] = reports;
    const text = run?.stdout ?? '';
    const noisy = `${text}WARNING: infoROM is corrupted at gpu 0000:07:00.0\n`;
    expect(codeOfOfReportParser(noisy)).to.equal('None');
    expect(codeOfOfReportParser(`${text}and more\n`)).to.equal('ParseError');
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
    expect(codeOfOfReportParser(withNames('one', 'victim', 'other'))).to.equal('None');
    expect(codeOfOfReportParser(withNames('one</process_name>\n<x y="', 'victim', '"/><process_name>'))).to.equal(
      'ParseError',
    );
    expect(codeOfOfReportParser(withNames('one</process_name>\n<!', 'victim', 'other'))).to.equal('ParseError');
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
