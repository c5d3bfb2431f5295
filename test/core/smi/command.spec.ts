import { expect } from 'chai';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { DeviceError } from '../../../src/core/gpu/device-state.ts';
import { parseReport } from '../../../src/core/smi/report.ts';
import {
  isComputeProfile,
  isGpuUuid,
  isInstanceProfile,
  isMigUuid,
  parseGpuList,
  parseComputeInstances,
  parseInstances,
  parseComputeProfiles,
  parsePlacements,
  parseProfiles,
} from '../../../src/core/smi/tables.ts';
import {
  type Execution,
  askChange,
  askDriver,
  splitExecution,
  type ChangeCommand,
  type ReadCommand,
} from '../../../src/core/smi/command.ts';
import { executionOf, recordedRuns, runsOf, recordings, type RecordedRun } from '../../device/recorded-runs.ts';

const gpu = 'GPU-c64f3bd4-742c-54d4-a411-9a2a2bcd42a3';

type Parse = (tried: string, execution: Execution) => unknown;

const parsers: Readonly<Record<string, Parse>> = {
  '-L': parseGpuList,
  '-x': parseReport,
  '-lgi': parseInstances,
  '-lci': parseComputeInstances,
  '-lgip': parseProfiles,
  '-lgipp': parsePlacements,
  '-lcip': parseComputeProfiles,
};

describe('names as nvidia-smi spells them', () => {
  it('are all that it ever printed: every recorded answer is read', () => {
    let read = 0;
    for (const run of recordedRuns.filter(({ rc, stdout }) => rc === 0 && !stdout.startsWith('No MIG-enabled'))) {
      const parse = parsers[run.argv.find((arg) => Object.hasOwn(parsers, arg)) ?? ''];
      if (parse === undefined || run.stdout.startsWith('Successfully')) continue;
      expect(() => parse('it', executionOf(run)), `${run.gpus} ${run.name}`).not.to.throw();
      read += 1;
    }
    expect(read).to.be.greaterThan(150);
  });

  it('are the profiles of every model, and parts of them', () => {
    for (const { name } of MODELS.flatMap(({ profiles }) => profiles)) {
      expect(isInstanceProfile(name), name).to.equal(true);
      expect(isComputeProfile(name), name).to.equal(true);
      expect(isComputeProfile(`1c.${name}`), name).to.equal(!name.startsWith('1g'));
    }
  });

  it('do not include profiles that are never printed', () => {
    for (const name of [
      '10c.3g.20gb',
      '3c.3g.20gb',
      '4c.3g.20gb',
      '0c.3g.20gb',
      '3g.20g',
      '3g20gb',
      'g.20gb',
      '3g.20gb\0',
    ])
      expect(isComputeProfile(name), name).to.equal(false);
    expect(isInstanceProfile('1c.3g.20gb')).to.equal(false);
    expect(isInstanceProfile('0g.5gb')).to.equal(false);
  });

  it('are UUIDs as they are printed, also by drivers before 470', () => {
    const uuid = 'MIG-334e0379-12f4-549a-bb20-d0a9099e62cd';
    for (const good of [uuid, `MIG-${gpu}/7/0`]) expect(isMigUuid(good, gpu), good).to.equal(true);
    const bad = [uuid.slice(0, -1), `${uuid}0`, uuid.replace('-d', '\0d'), uuid.slice(4), `MIG-${gpu}/7`];
    for (const wrong of [...bad, `MIG-${gpu.replace('c6', 'd6')}/7/0`])
      expect(isMigUuid(wrong, gpu), wrong).to.equal(false);
    expect([gpu, gpu.slice(0, -1), `${gpu}\0`, uuid].map(isGpuUuid)).to.deep.equal([true, false, false, false]);
  });

  const damaged: readonly (readonly [string, string, string])[] = [
    ['-L', 'MIG-8d091acb-', 'MIG-8d091ac-'],
    ['-L', 'MIG-8d091acb', 'MIG-8d091ac\0'],
    ['-L', 'MIG 3g.20gb', 'MIG 10c.3g.20gb'],
    ['-L', 'Device  1', 'Device  0'],
    ['-L', 'MIG-8960824f-a597-533a-ae70-1598e2e74616', 'MIG-8d091acb-09fb-5abe-868f-9b7dd9e7dfe0'],
    ['-L', 'GPU 0: NVIDIA', 'GPU 0: \0NVIDIA'],
    ['-lgi', 'MIG 3g.20gb', 'MIG 3g.2gbb'],
    ['-lgi', 'MIG 3g.20gb', 'MIG 1c.3g.20gb'],
    ['-lgi', '0:4', '0:444'],
    ['-lci', 'MIG 3g.20gb', 'MIG 4c.3g.20gb'],
    ['-lgip', 'MIG 3g.20gb', 'MIG 3g.20\0b'],
    ['-lgip', '19.50', '19,50'],
    ['-lcip', '0/1', '0-1'],
    ['-lcip', ' 2* ', ' *2 '],
    ['-lgipp', '{0,4}:4', '{0,4}:4}'],
    ['-lgipp', '{0,4}:4', '{0,,4}:4'],
  ];
  for (const [command, from, to] of damaged) {
    it(`are refused where they are not: ${JSON.stringify(to)} in ${command}`, () => {
      const run = runsOf(command).find(({ name, gpus }) => name.includes('full-') && gpus === 'A100-SXM4-40GB');
      if (run === undefined || !run.stdout.includes(from)) throw new Error(`no ${from} in ${command}`);
      const execution = { ...executionOf(run), stdout: run.stdout.replace(from, to) };
      expect(() => parsers[command]?.(command, execution)).to.throw(DeviceError, /^ParseError/);
    });
  }

  it('are called the same for one profile, and stand for one place', () => {
    const run = runsOf('mig', '-lgi').find(({ name, gpus }) => name.includes('full-lgi') && gpus === 'A100-SXM4-40GB');
    const table = run?.stdout ?? '';
    const readAs = (from: string, to: string) => () =>
      parseInstances('-lgi', { rc: 0, stdout: table.replace(from, to), end: 'Exited' });
    for (const [from, to] of [
      [' 14        5 ', ' 14        1 '],
      ['4:2', '3:2'],
      [' 14 ', '  9 '],
    ] as const) {
      if (!table.includes(from)) throw new Error(`no ${from}`);
      expect(readAs(from, to), to).to.throw(DeviceError, /^Unstable/);
    }
  });

  it('stand in tables that are drawn as every driver draws them', () => {
    const run = runsOf('mig', '-lgi').find(({ name, gpus }) => name.includes('full-lgi') && gpus === 'A100-SXM4-40GB');
    const lines = (run?.stdout ?? '').split('\n');
    const [head, entries] = [lines.slice(0, 5), lines.slice(5)];
    const tables: Readonly<Record<string, readonly string[]>> = {
      'no entry': [...head, lines[0] ?? ''],
      'no line below the head': [...head.slice(0, 4), ...entries],
      'two entries without a line between': [...head, ...entries.slice(0, 1), ...entries.slice(2)],
      'a line twice': [...head, ...entries.slice(0, 2), ...entries.slice(1)],
      'a line where an entry was': [...head, ...entries.slice(0, 2), lines[0] ?? '', ...entries.slice(3)],
      'another last line': [...head, ...entries.slice(0, 5), `${(lines[0] ?? '').slice(0, -3)}+`],
    };
    for (const [name, table] of Object.entries(tables)) {
      const execution = { rc: 0, stdout: `${table.join('\n')}\n`, end: 'Exited' as const };
      expect(() => parseInstances('-lgi', execution), name).to.throw(DeviceError, /^ParseError/);
    }
  });
});

const busIds = ['00000000:07:00.0', '00000000:0F:00.0', '00000000:17:00.0', '00000000:1F:00.0'];
const gpus = busIds.map((pciBusId, index) => ({ pciBusId, index }));
const three = gpus.slice(0, 3);

const exited = (stdout: string, rc: number = 0): Execution => ({ rc, stdout, end: 'Exited' });

/** The key under which a change is asked for. */
function keyOf(command: ChangeCommand): string | undefined {
  const asked = askChange(command).next().value;
  return asked !== undefined && 'kind' in asked && asked.kind === 'Change' ? asked.key : 'none asked';
}

describe('commands for several GPUs', () => {
  it('have one key where they do exactly the same, whatever the GPU', () => {
    const [gpu = '', other = ''] = busIds;
    const destroy = (instances: readonly number[], on: string = other): ChangeCommand => ({
      name: 'DestroyInstances',
      gpu: on,
      instances,
    });
    expect(keyOf(destroy([1, 2], gpu))).to.equal(keyOf(destroy([1, 2])));
    const keys: readonly ChangeCommand[] = [
      destroy([1]),
      destroy([1, 2]),
      destroy([2, 1]),
      { name: 'DestroyComputeInstances', gpu: other, instances: [1, 2] },
    ];
    expect(new Set([keyOf(destroy([1, 2], gpu)), ...keys.map(keyOf)])).to.have.lengthOf(4);
  });

  it('are never resets, persistence mode, or compute instances by profile', () => {
    const [gpu = ''] = busIds;
    const alone: readonly ChangeCommand[] = [
      { name: 'Reset', gpu },
      { name: 'SetPersistence', gpu, on: true },
      { name: 'CreateComputeInstance', gpu, instance: 1, profileId: 0 },
      { name: 'CreateWholeComputeInstance', gpu, instance: 1 },
    ];
    expect(alone.map(keyOf)).to.deep.equal(alone.map(() => undefined));
    const reads: readonly ReadCommand[] = [{ name: 'ComputeProfiles', gpu, instance: 1 }, { name: 'List' }];
    for (const read of reads) expect(askDriver(read).next().value).to.deep.equal({ command: read, key: undefined });
  });
});

describe('the part of each GPU in one answer', () => {
  it('is a success up to the GPU that refuses, the refusal for that one, and nothing for those after', () => {
    const stdout = [
      'Successfully destroyed GPU instance ID  7 from GPU  0',
      'Unable to destroy GPU instance ID  7 from GPU  1: In use by another client',
      'Failed to destroy GPU instances: In use by another client',
      '',
    ].join('\n');
    const [done, refused, untouched] = splitExecution(exited(stdout, 19), three);
    expect(done).to.deep.equal(exited(`${stdout.split('\n')[0]}\n`));
    expect(refused).to.deep.equal(exited(stdout.split('\n').slice(1).join('\n'), 19));
    expect(untouched).to.equal(undefined);
  });

  it('is by bus id where the answer has these', () => {
    const stdout =
      'Enabled MIG Mode for GPU 00000000:07:00.0\nWarning: MIG mode is in pending enable state for GPU 00000000:0F:00.0:GPU requires reset\n' +
      'Reboot the system or try nvidia-smi --gpu-reset to make MIG mode effective on GPU 00000000:0F:00.0\nEnabled MIG Mode for GPU 00000000:17:00.0\nAll done.\n';
    const parts = splitExecution(exited(stdout), three);
    expect(parts.map((part) => part?.stdout.split('\n').length)).to.deep.equal([2, 3, 3]);
    expect(parts[1]?.stdout).to.contain('requires reset').and.to.contain('Reboot the system');
  });

  it('is nothing for any where the answer speaks of none', () => {
    expect(splitExecution(exited('No devices were found\n', 6), three)).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is the end for all where the command was ended', () => {
    for (const cut of [{ end: 'TimedOut', rc: 255 } as const, { end: 'Exited', rc: 255, signal: 'SIGKILL' } as const]) {
      const parts = splitExecution(
        { stdout: 'Successfully destroyed GPU instance ID  7 from GPU  0\n', ...cut },
        three,
      );
      expect(parts.map((part) => part?.stdout.length)).to.deep.equal([54, 0, 0]);
      for (const part of parts) expect(part).to.include(cut);
    }
  });

  it('is of the lost GPU where one in the list is lost: the others are untouched', () => {
    const stdout =
      'Unable to determine the device handle for GPU0000:0F:00.0: GPU is lost.  Reboot the system to recover this GPU\n';
    const [first, lost, third] = splitExecution(exited(stdout, 15), three);
    expect([first, third]).to.deep.equal([undefined, undefined]);
    expect(lost).to.deep.equal(exited(stdout, 15));
  });

  it('keeps a warning about an infoROM, which makes exit code 14 a success, with each', () => {
    const warning = 'WARNING: infoROM is corrupted at gpu 0000:0F:00.0\n';
    const stdout = `Successfully created GPU instance ID  1 on GPU  0 using profile\nSuccessfully created GPU instance ID  1 on GPU  2 using profile\n${warning}`;
    for (const part of splitExecution(exited(stdout, 14), three)) expect(part?.stdout).to.contain(warning);
  });

  for (const file of ['branches/multi-550.jsonl', 'branches/multi-535.jsonl']) {
    it(`never calls a GPU untouched that a recorded run has changed, nor changed one that it has not: ${file}`, () => {
      const runs = (recordings[file] ?? []).filter(isChangeOfSeveral);
      expect(runs.length).to.be.at.least(20);
      for (const run of runs) {
        const named = listNamed(run);
        const parts = splitExecution(exited(run.stdout, run.rc), named);
        for (const [at, part] of parts.entries()) {
          const { index = -1 } = named[at] ?? {};
          const hasChanged = linesOf(run.before, index) !== linesOf(run.after, index);
          const says = /Successfully|(?:En|Dis)abled MIG Mode/.test(part?.stdout ?? '');
          if (hasChanged) expect(part, `${run.name}, GPU ${index}`).not.to.equal(undefined);
          if (hasChanged && run.rc !== 0) expect(says || part?.rc !== 0, `${run.name}, GPU ${index}`).to.equal(true);
          if (part === undefined) expect(run.rc, run.name).not.to.equal(0);
        }
      }
    });
  }
});

function isChangeOfSeveral({ argv }: RecordedRun): boolean {
  return argv.some((word) => /^-(?:cgi|dgi|dci|mig)$/.test(word)) && (argv[argv.indexOf('-i') + 1] ?? '').includes(',');
}

function listNamed({ argv }: RecordedRun): typeof gpus {
  const names = new Set((argv[argv.indexOf('-i') + 1] ?? '').split(','));
  return gpus.filter(({ pciBusId, index }) => names.has(pciBusId) || names.has(String(index)));
}

function linesOf(state: string, index: number): string {
  return state
    .split('\n')
    .filter((line) => line.split(' ')[1] === String(index) && !line.endsWith(' mig 0 pending 0'))
    .join('\n');
}
