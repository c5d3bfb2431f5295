import { expect } from 'chai';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { DeviceError } from '../../../src/core/gpu/device-state.ts';
import {
  parseGpuList,
  parseComputeInstances,
  parseInstances,
  parseComputeProfiles,
  parsePlacements,
  parseProfiles,
} from '../../../src/core/smi/tables.ts';
import { parseReport } from '../../../src/core/smi/report.ts';
import { isComputeProfile, isGpuUuid, isInstanceProfile, isMigUuid } from '../../../src/core/smi/command.ts';
import type { Execution } from '../../../src/core/smi/output.ts';
import { executionOf, recordedRuns, runsOf } from '../../device/recorded-runs.ts';

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
