import { expect } from 'chai';
import { DeviceError } from '../../../src/core/gpu/state/device-error.ts';
import { parseReport, type Report } from '../../../src/core/smi/report-parser.ts';
import { InProcessNode } from '../../device/simulated-node.ts';

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
  it('is of GPUs that are what they are called', () => {
    expect(codeOf(busy, '<pci_bus_id>00000000:07', '<pci_bus_id>00000000:0F')).to.equal('ParseError');
    expect(codeOf(busy, /(<uuid>GPU-[\da-f]{7})[\da-f]/, '$1')).to.equal('ParseError');
    expect(codeOf(busy, '<product_name>NVIDIA', '<product_name>NVI\0DIA')).to.equal('ParseError');
    expect(codeOf(busy, '<driver_version>550.', '<driver_version>550')).to.equal('ParseError');
    expect(codeOf(busy, /.*<attached_gpus>.*\n/, '')).to.equal('ParseError');
    expect(codeOf(busy, '<serial>', '<serial><')).to.equal('ParseError');
  });
});
