import { expect } from 'chai';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { recordedBranches } from '../../device/recorded-runs.ts';
import { isDriverVersion } from '../../../src/core/smi/report.ts';
import { type DriverBranch, driverBranches, driverOf } from '../../../src/simulator/nvidia-smi/board.ts';
import { assembleGpus } from '../../../src/simulator/nvidia-smi/device.ts';
import { runNvidiaSmi, type SimulatedRunResult } from '../../../src/simulator/nvidia-smi/memory-world.ts';

const gpus = assembleGpus(['A100-SXM4-40GB', 'A30']);
const on = 'gpu 0 mig 1 pending 1\n';
const run = (driver: DriverBranch, state: string, command: string, faults = ''): SimulatedRunResult =>
  runNvidiaSmi({ gpus, driver, state, faults, argv: command.split(' ') });

describe('branches of the driver', () => {
  it('are nine, each with the version that its reports show', () => {
    expect(driverBranches).to.deep.equal(['470', '525', '530', '535', '550', '555', '565', '580', '595']);
    for (const [branch, release] of Object.entries(recordedBranches))
      expect(driverOf(gpus, branch as DriverBranch).driver).to.equal(release);
    for (const branch of driverBranches) {
      const version = run(branch, '', '--version');
      if (Number(branch) < 550) expect(version.rc, branch).to.be.oneOf([2, 255]);
      else expect(version.stdout).to.match(new RegExp(`DRIVER version +: ${branch}\\.`));
      expect(run(branch, '', '-q -x').stdout).to.contain(`<driver_version>${driverOf(gpus, branch).driver}`);
    }
  });

  it('have a help page where one was recorded, and refuse to invent the others', () => {
    for (const branch of driverBranches) {
      const { rc, stdout } = run(branch, '', '-h');
      if (branch === '550') expect(rc).to.equal(0);
      else
        expect([rc, stdout]).to.deep.equal([
          255,
          `ERROR: of driver ${driverOf(gpus, branch).driver} no help page was recorded: this simulator does not have it.\n`,
        ]);
    }
  });

  it('before 550 list no profiles while MIG mode is off, with exit code 6, and all of them once it is on', () => {
    for (const branch of driverBranches) {
      const isGated = Number(branch) < 550;
      for (const list of ['-lgip', '-lgipp']) {
        const off = run(branch, '', `mig ${list}`);
        expect([off.rc, off.stdout === 'No MIG-enabled devices found.\n'], branch).to.deep.equal([
          isGated ? 6 : 0,
          isGated,
        ]);
        const one = run(branch, on, `mig ${list}`).stdout;
        expect(one).to.match(/GPU? +0|\| +0 +MIG/);
        expect(/GPU +1 |\| +1 +MIG/.test(one), branch).to.equal(!isGated);
      }
    }
  });

  it('name their DTD, and from 565 on the recovery action, which replaces the reset status', () => {
    const facts = (branch: DriverBranch, faults = ''): readonly unknown[] => {
      const { stdout } = run(branch, '', '-i 0 -q -x', faults);
      const field = (name: string): string | undefined => new RegExp(`<${name}>(.*)</${name}>`).exec(stdout)?.[1];
      return [
        /nvsmi_device_v(\d+)\.dtd/.exec(stdout)?.[1],
        field('gpu_recovery_action'),
        field('reset_required'),
        field('drain_and_reset_recommended'),
      ];
    };
    const deprecated = 'Requested functionality has been deprecated';
    expect(facts('470')).to.deep.equal(['11', undefined, undefined, undefined]);
    expect(facts('525', 'sick reset gpu=0')).to.deep.equal(['12', undefined, undefined, undefined]);
    expect(facts('535')).to.deep.equal(['12', undefined, 'No', 'No']);
    expect(facts('550', 'sick reset gpu=0')).to.deep.equal(['12', undefined, 'Yes', 'No']);
    expect(facts('565', 'sick reset gpu=0')).to.deep.equal(['13', 'None', 'Yes', 'No']);
    expect(facts('580')).to.deep.equal(['13', 'None', deprecated, deprecated]);
    expect(facts('595', 'sick reset gpu=0')).to.deep.equal(['13', 'Reset', deprecated, deprecated]);
  });

  it('refuse a reset while persistence mode is on, the oldest in a sentence of its own', () => {
    for (const branch of driverBranches) {
      const refused = run(branch, on, '--gpu-reset -i 0');
      expect([refused.rc, refused.state], branch).to.deep.equal([255, on]);
      const [first = ''] = refused.stdout.split('\n');
      expect(first, branch).to.equal(
        branch === '470'
          ? 'GPU 00000000:07:00.0 is currently in use by another process.'
          : 'The following GPUs could not be reset:',
      );
      expect(refused.stdout).to.contain('1 device is currently being used by one or more other processes');
      const unheld = run(branch, on, '-i 0 -pm 0');
      expect(run(branch, unheld.state, '--gpu-reset -i 0').rc, branch).to.equal(0);
    }
  });

  it('neither make nor destroy anything beside a process on the whole GPU, which shows on no instance', () => {
    for (const branch of driverBranches) {
      const made = run(branch, on, 'mig -i 0 -cgi 19 -C').state;
      const used = `${made}proc gpu 0 pid 2019 mem 10 name /usr/lib/xorg/Xorg\n`;
      for (const command of ['-cgi 19 -C', '-dci', '-dgi']) {
        const { rc, stdout, state } = run(branch, used, `mig -i 0 ${command}`);
        expect([rc, state], `${branch} ${command}`).to.deep.equal([19, used]);
        expect(stdout).to.contain('In use by another client');
      }
      expect(run(branch, `${on}proc gpu 1 pid 7 mem 10 name x\n`, 'mig -i 0 -cgi 19').rc).to.equal(0);
    }
  });

  it('do not destroy an instance that a monitor has open without a process on it, and do destroy the one beside it', () => {
    for (const branch of driverBranches) {
      const made = run(branch, on, 'mig -i 0 -cgi 19:0,19:1 -C').state;
      const [, first, , second] = made.split('\n').map((line) => line.split(' ')[2]);
      const open = `${made}handle gpu 0 gi ${first} name nv-hostengine\n`;
      expect(run(branch, open, '-i 0 -q -x').stdout).not.to.contain('nv-hostengine');
      for (const command of ['-dci', '-dgi'])
        expect(run(branch, open, `mig -i 0 -gi ${first} ${command}`).rc, `${branch} ${command}`).to.equal(19);
      const emptied = run(branch, open, `mig -i 0 -gi ${second} -dci`);
      expect([emptied.rc, run(branch, emptied.state, `mig -i 0 -gi ${second} -dgi`).rc]).to.deep.equal([0, 0]);
    }
  });

  it('of GPUs that need a later one are that one, with what is special about it', () => {
    const { driver, listsWithMigOff } = driverOf(assembleGpus(['B200']), '470');
    expect([driver, listsWithMigOff]).to.deep.equal(['570.133.20', true]);
  });

  it('of every model are releases that a report can name', () => {
    for (const { id } of MODELS) expect(driverOf(assembleGpus([id])).driver, id).to.satisfy(isDriverVersion);
    expect(driverOf(assembleGpus(['Thor'])).driver).to.equal('595.58.03');
  });
});

describe('the time that commands take', () => {
  const tookMs = (models: readonly string[], state: string, command: string, pace?: number): number =>
    runNvidiaSmi({ gpus: assembleGpus(models), state, argv: command.split(' '), ...(pace !== undefined && { pace }) })
      .tookMs;

  it('stays at zero unless it is asked for', () => {
    for (const command of ['mig -i 0 -cgi 19,19 -C', '-i 0 -mig 0', '-q -x'])
      expect(tookMs(['A100-SXM4-40GB'], on, command), command).to.equal(0);
  });

  it('is a second for each GPU instance, and two for the mode or a reset, scaled by the pace', () => {
    const a100 = ['A100-SXM4-40GB'];
    expect(tookMs(a100, on, 'mig -i 0 -cgi 19,19,14 -C', 1)).to.equal(3_000);
    expect(tookMs(a100, on, 'mig -i 0 -cgi 19,19,14 -C', 0.1)).to.equal(300);
    expect(tookMs(a100, '', '-i 0 -mig 1', 1)).to.equal(2_000);
    expect(tookMs(a100, on, '-q -x', 1)).to.equal(0);
  });

  it('is that of opening each GPU where nobody keeps it open, most on a Blackwell', () => {
    const off = 'persistence gpu 0 off\npersistence gpu 1 off\n';
    expect(tookMs(['A100-SXM4-40GB', 'A100-SXM4-40GB'], off, '-q -x', 1)).to.equal(2_000);
    expect(tookMs(['B200', 'B200'], off, '-q -x', 1)).to.equal(11_000);
    expect(tookMs(['B200', 'B200'], `${off}handle gpu 0 name x\n`, '-q -x', 1)).to.equal(5_500);
  });
});
