import { expect } from 'chai';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

import {
  type BundleHead,
  type BundleRun,
  writeBundle,
  type HostFacts,
  redactOutput,
} from '../../../src/core/smi/selftest-bundle.ts';
import { describeMachine } from '../../../src/cli/selftest/host-facts.ts';
import type { RecordedSelftest } from '../../../src/cli/selftest/selftest.ts';
import type { Execute } from '../../../src/device/child.ts';
import { NvidiaSmi } from '../../../src/device/nvidia-smi.ts';
import type { DeviceState } from '../../../src/core/gpu/device-state.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { isChange } from '../../device/simulated-node.ts';
import { compareRun } from '../../simulator/nvidia-smi/recorded-runs.ts';
import { TestedNode } from './tested-node.ts';

const A100 = 'A100-SXM4-40GB';
const cut =
  'gpu 0 mig 1 pending 1\ngi 0 1 profile 9 place 0:4\nci 0 1 0 profile 2 place 0:3\ngi 0 13 profile 19 place 6:1\n' +
  'ci 0 13 0 profile 0 place 0:1\ngpu 1 mig 0 pending 0\n';
const train = 'proc gpu 0 gi 13 ci 0 pid 42 mem 1200 name python3 /home/bob/</process_name> train.py\n';

const noFacts: HostFacts = {
  kernelLog: [],
  driver: {},
  modules: [],
  deviceNodes: [],
  cdi: [],
  toolkit: [],
  podResources: [],
  cgroups: 'v2',
  services: [],
  notRead: [],
};

function read(
  { selftest, runs }: RecordedSelftest,
  isUnredacted = false,
): { readonly text: string; readonly head: BundleHead; readonly lines: readonly BundleRun[] } {
  const text = writeBundle({ selftest, runs, machine: describeMachine(), host: noFacts, now: 0, isUnredacted });
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  return { text, head: head as BundleHead, lines: lines as readonly BundleRun[] };
}

/** A tool that answers as a bundle says, each command as it was answered last. */
function replay(lines: readonly BundleRun[]): Execute {
  return (args) => {
    const run = lines.findLast(({ argv }) => argv.join(' ') === args.join(' '));
    if (run === undefined || run.end === 'NotRun') throw new Error(`not in the bundle: ${args.join(' ')}`);
    const { rc, stdout, end } = run;
    return Promise.resolve({ rc, stdout, end });
  };
}

function withoutNames(device: DeviceState): DeviceState {
  const text = JSON.stringify(device, (key, value: unknown) =>
    key === 'processes' && Array.isArray(value) ? value.map((one: object) => ({ ...one, name: 'redacted' })) : value,
  );
  return JSON.parse(text) as DeviceState;
}

describe('the support bundle of a node', () => {
  const scratch = useScratchFolder();
  let count = 0;
  const aNode = (gpus: readonly string[], state = '') => {
    count += 1;
    return new TestedNode(scratch.path(`node-${count}`), gpus, state);
  };

  for (const [gpus, state] of [
    [[A100, 'H100-80GB-HBM3'], cut + train],
    [['A30'], ''],
    [['H200', 'T4'], 'gpu 0 mig 1 pending 1\n'],
  ] as const) {
    it(`is read by the parsers as the device itself: ${gpus.join(', ')}`, async () => {
      const node = aNode(gpus, state);
      const { lines } = read(await node.selftest());
      const device = await node.openDriver().readDevice();
      const again = await new NvidiaSmi(replay(lines)).readDevice();
      expect(withoutNames(again)).to.deep.equal(withoutNames(device));
    });
  }

  it('is a recording that the simulator repeats, changes too', async () => {
    const node = aNode([A100, A100], cut);
    const { lines } = read(await node.tryGpu(1), true);
    const whole = lines.flatMap((run) =>
      run.before === null || run.after === null
        ? []
        : [{ ...run, uid: String(run.uid), before: run.before, after: run.after }],
    );
    expect(whole.filter(({ argv }) => isChange(argv)).length).to.be.greaterThan(5);
    const differing = whole.flatMap((run) => {
      const found = compareRun(run);
      return found.length === 0 ? [] : [`${run.name}: ${found.join(', ')}`];
    });
    expect(differing).to.deep.equal([]);
  });

  it('holds every run with its time and its end, also one that was not run at all', async () => {
    const node = aNode([A100], cut.replace(/gpu 1.*\n/, ''));
    const done = await node.selftest();
    const failed = { args: ['-L'], result: new Error(`no chroot on ${hostname()}`), begin: 1000, ms: 1.4 };
    const late = {
      args: ['-q', '-x'],
      result: { rc: 255, stdout: 'x', stderr: 'x', end: 'TimedOut' as const },
      begin: 2000,
      ms: 15_000,
    };
    const { lines } = read({ ...done, runs: [...done.runs, failed, late] });
    expect(lines).to.have.length(done.runs.length + 2);
    expect(lines.at(-2)).to.include({
      rc: -1,
      end: 'NotRun',
      stdout: '',
      stderr: 'no chroot on host',
      ms: 1,
      time: '1970-01-01T00:00:01.000Z',
    });
    expect(lines.at(-1)).to.include({ rc: 255, end: 'TimedOut', stdout: 'x', stderr: 'x', ms: 15_000 });
  });

  it('gives away no serial number and no name of a program or of the machine, unless it is told to', async () => {
    const node = aNode([A100], cut.replace(/gpu 1.*\n/, '') + train);
    mkdirSync(join(node.host.proc, '42'));
    const done = await node.selftest();
    const live = node.run(['-q', '-x']).stdout;
    const serial = /<serial>(\d+)<\/serial>/.exec(live)?.[1] ?? 'none in the report';
    const { text } = read(done);
    expect(text).not.to.contain('bob').and.not.to.contain('train.py').and.not.to.contain(serial);
    expect(text).to.contain(node.uuid(0));
    const open = read(done, true).text;
    expect(open).to.contain('/home/bob/').and.to.contain(serial);
  });

  it('leaves a report that was cut off within a name without that name', () => {
    const report = '<gpu><serial>N/A</serial><board_serial>12-3</board_serial><process_name>secret --token=abc';
    expect(redactOutput(report, 'gpu-7.example.com')).to.equal(
      '<gpu><serial>N/A</serial><board_serial>redacted</board_serial><process_name>redacted',
    );
    expect(redactOutput('on gpu-7.example.com and GPU-7, not on gpu-70', 'gpu-7.example.com')).to.equal(
      'on host and host, not on gpu-70',
    );
  });

  it('leaves what the parsers read, whatever the machine is called', () => {
    const report = '<gpu id="0"><product_name>NVIDIA H100 80GB HBM3</product_name><mig_mode>N/A</mig_mode></gpu>';
    const list = 'GPU 0: NVIDIA H100 PCIe (UUID: GPU-1)\n  MIG 1g.10gb Device 0: (UUID: MIG-1)\n';
    for (const name of ['gpu.example.com', 'h100.example.com', 'nvidia', 'mig', 'pcie'])
      for (const output of [report, list]) expect(redactOutput(output, name), name).to.equal(output);
    expect(redactOutput('<fault>on h100.example.com</fault>', 'h100.example.com')).to.equal('<fault>on host</fault>');
  });
});
