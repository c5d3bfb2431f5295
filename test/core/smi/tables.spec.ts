import { expect } from 'chai';
import fc from 'fast-check';
import { DeviceError } from '../../../src/core/gpu/device-state.ts';
import {
  parseComputeInstances,
  parseInstances,
  hidesProfiles,
  parseComputeProfiles,
  parsePlacements,
  parseProfiles,
  buildGeometry,
} from '../../../src/core/smi/tables.ts';
import { executionOf, readStateLines, runsOf, type RecordedRun, recordedRuns } from '../../device/recorded-runs.ts';
import { findModel } from '../../../src/core/gpu/geometry.ts';

const table = `+-------------------------------------------------------+
| GPU instances:                                        |
| GPU   Name             Profile  Instance   Placement  |
|                          ID       ID       Start:Size |
|=======================================================|
|   0  MIG 1g.5gb          19       13          6:1     |
+-------------------------------------------------------+
|   0  MIG 2g.10gb         14        5          4:2     |
+-------------------------------------------------------+
`;

function codeOf(act: () => unknown): string {
  try {
    act();
    return 'None';
  } catch (error) {
    if (error instanceof DeviceError) return error.code;
    throw error;
  }
}

const ok = (stdout: string) => ({ rc: 0, stdout, end: 'Exited' as const });

describe('table of GPU instances', () => {
  const isWhole = ({ rc }: RecordedRun): boolean => rc === 0;
  const runs = runsOf('mig', '-lgi').filter(isWhole);
  const computeRuns = runsOf('mig', '-lci').filter(isWhole);

  it('reads every recorded -lgi back to the state that was there', () => {
    for (const run of runs) {
      const rows = parseInstances('-lgi', executionOf(run)).map((row) => [
        row.gpuIndex,
        row.id,
        row.profileId,
        row.start,
        row.size,
      ]);
      expect(rows, run.name).to.have.deep.members(readStateLines(run.before, 'gi'));
    }
    expect(runs.length).to.be.greaterThan(30);
  });

  it('reads every recorded -lci back to the state that was there', () => {
    for (const run of computeRuns) {
      const rows = parseComputeInstances('-lci', executionOf(run)).map((row) => [
        row.gpuIndex,
        row.instance,
        row.id,
        row.profileId,
        row.start,
        row.size,
      ]);
      expect(rows, run.name).to.have.deep.members(readStateLines(run.before, 'ci'));
    }
    expect(computeRuns.length).to.be.greaterThan(15);
  });

  it('takes "nothing there" only from the exact words that say so', () => {
    const none = [...runsOf('mig', '-lgi'), ...runsOf('mig', '-lci')].filter(({ stdout }) => stdout.startsWith('No '));
    const said = new Set<string>();
    for (const run of none) {
      const parse = run.argv.includes('-lci') ? parseComputeInstances : parseInstances;
      const isEmpty = /Not Found|MIG-enabled/.test(run.stdout);
      const isLess = /Permissions|lost/.test(run.stdout);
      said.add(`${run.branch} ${run.rc} ${run.stdout.trim()}`);
      if (isLess)
        expect(
          codeOf(() => parse('-l', executionOf(run))),
          run.name,
        ).not.to.equal('None');
      else
        expect(
          codeOf(() => parse('-l', executionOf(run))),
          `${run.branch} ${run.name}`,
        ).to.equal(isEmpty ? 'None' : 'NotSupported');
    }
    // The same words end with another exit code on another branch.
    for (const [branch, rc] of [
      ['470', 6],
      ['525', 6],
      ['535', 6],
      ['550', 0],
      ['555', 0],
    ] as const)
      expect([...said]).to.include(`${branch} ${rc} No MIG-enabled devices found.`);
    expect(codeOf(() => parseInstances('-lgi', ok('')))).to.equal('ParseError');
    expect(codeOf(() => parseInstances('-lgi', { rc: 6, stdout: '', end: 'Exited' }))).to.equal('DriverFailed');
    expect(codeOf(() => parseInstances('-lgi', { rc: 255, stdout: '', end: 'TimedOut' }))).to.equal('TimedOut');
  });

  it('refuses what is cut off anywhere but between two instances', () => {
    for (let length = 0; length < table.trimEnd().length; length += 1) {
      const part = table.slice(0, length);
      const rows = /\|\n\+-+\+\n?$/.test(part) && part.includes('6:1') ? 1 : undefined;
      if (rows === undefined)
        expect(
          codeOf(() => parseInstances('-lgi', ok(part))),
          part,
        ).to.equal('ParseError');
      else expect(parseInstances('-lgi', ok(part))).to.have.length(rows);
    }
  });

  it('reads other widths and columns that later drivers add', () => {
    const wider = table
      .replaceAll('Placement  |', 'Placement  Syspipe |')
      .replaceAll('Start:Size |', 'Start:Size         |')
      .replaceAll('6:1     |', '6:1       0  |')
      .replaceAll('4:2     |', '4:2       1  |')
      .replaceAll('|   0  MIG', '|     0     MIG');
    expect(parseInstances('-lgi', ok(wider))).to.deep.equal(parseInstances('-lgi', ok(table)));
  });

  it('reads compute instances as drivers before 470 list them, without a placement', () => {
    const old = `+-------------------------------------------------------+
| Compute instances:                                    |
| GPU     GPU       Name             Profile   Instance |
|       Instance                       ID        ID     |
|         ID                                            |
|=======================================================|
|   0      1       MIG 1c.3g.20gb       0         2     |
+-------------------------------------------------------+
`;
    expect(parseComputeInstances('-lci', ok(old))).to.deep.equal([
      { gpuIndex: 0, instance: 1, profile: '1c.3g.20gb', profileId: 0, id: 2, start: 0, size: 0 },
    ]);
    expect(codeOf(() => parseInstances('-lgi', ok(old)))).to.equal('ParseError');
  });

  it('is not disturbed by what nvidia-smi says beside its answer', () => {
    const noisy = `Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error
${table}WARNING: infoROM is corrupted at gpu 0000:07:00.0
`;
    expect(parseInstances('-lgi', ok(noisy))).to.deep.equal(parseInstances('-lgi', ok(table)));
  });

  it('says ParseError to garbage and never reads instances from it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (garbage) => {
        expect(codeOf(() => parseInstances('-lgi', ok(garbage)))).to.equal('ParseError');
      }),
    );
  });
});

describe('profile table of the driver', () => {
  const models = ['A100-SXM4-40GB', 'A30', 'H100-80GB-HBM3'];
  const isWhole = ({ branch, rc }: RecordedRun): boolean => branch !== '470' && rc === 0;

  it('gives the same geometry in every recorded run, whatever is on the GPU', () => {
    for (const gpus of models) {
      const placements = runsOf('mig', '-lgipp').filter((run) => run.gpus === gpus && isWhole(run));
      const runs = runsOf('mig', '-lgip').filter((run) => run.gpus === gpus && isWhole(run));
      const model = findModel(gpus);
      if (model === undefined) throw new Error(`the built-in table has no ${gpus}`);
      for (const run of runs) {
        for (const placement of placements) {
          const profiles = parseProfiles('-lgip', executionOf(run));
          const geometry = buildGeometry(gpus, profiles, parsePlacements('-lgipp', executionOf(placement)));
          expect(geometry.computeSlices, gpus).to.equal(model.computeSlices);
          expect(geometry.memorySlices, gpus).to.equal(model.memorySlices);
          expect(geometry.profiles.map(({ name, id, starts }) => ({ name, id, starts }))).to.deep.equal(
            model.profiles.map(({ name, id, starts }) => ({ name, id, starts })),
          );
          expect(geometry.profiles.map(({ engines }) => engines)).to.deep.equal(
            model.profiles.map(({ engines }) => engines),
          );
        }
      }
      expect(runs.length * placements.length, gpus).to.be.greaterThan(5);
    }
  });

  it('makes exact MiB of the GiB that are printed with two decimals', () => {
    const [run] = runsOf('mig', '-lgip').filter(({ gpus, rc }) => gpus === 'A100-SXM4-40GB' && rc === 0);
    const profiles = run === undefined ? [] : parseProfiles('-lgip', executionOf(run));
    expect(profiles.find(({ name }) => name === '2g.10gb')?.memoryGib).to.equal('9.62');
    const memory = buildGeometry('NVIDIA A100-SXM4-40GB', profiles, []).profiles.map(({ memoryMiB }) => memoryMiB);
    expect(memory).to.include(9856);
    // An unknown product: as near as the text is.
    const unknown = buildGeometry('NVIDIA Z9', profiles, []).profiles.map(({ memoryMiB }) => memoryMiB);
    expect(unknown).to.include(9851);
  });

  it('reads the compute instance profiles of one GPU instance', () => {
    const runs = recordedRuns.filter(({ argv, rc }) => argv.includes('-lcip') && rc === 0);
    for (const run of runs.filter(({ before }) => readStateLines(before, 'gi').length === 1)) {
      const profiles = parseComputeProfiles('-lcip', executionOf(run));
      expect(new Set(profiles.map(({ id }) => id)).size, run.name).to.equal(profiles.length);
      // Names of parts, then the whole; a 1g has no parts.
      expect(profiles.some(({ name }) => name.startsWith('1c.'))).to.equal(profiles.length > 1);
      expect(profiles.every(({ multiprocessors }) => multiprocessors >= 14)).to.equal(true);
    }
    expect(runs.length).to.be.greaterThan(10);
  });

  it('says Unstable, with which other GPUs proceed, where the instance or MIG mode has gone meanwhile', () => {
    const runs = recordedRuns.filter(({ name }) => /-(?:disabled|empty)-lcip$/.test(name));
    for (const run of runs) {
      expect(() => parseComputeProfiles('-lcip', executionOf(run)), run.name)
        .to.throw(DeviceError)
        .that.includes({ code: 'Unstable', stopsNode: false });
    }
    expect(runs).to.have.length(22);
  });

  it('is not shown of a GPU whose MIG mode is off, whatever the exit code: up to 535 it is 6', () => {
    const runs = recordedRuns.filter(({ name }) => /-disabled-lgipp?$/.test(name));
    const hidden = runs.filter((run) => hidesProfiles(executionOf(run)));
    expect([...new Set(hidden.map(({ branch, rc }) => `${branch} ${rc}`))]).to.deep.equal(['470 6', '525 6', '535 6']);
    for (const run of hidden)
      for (const parse of [parseProfiles, parsePlacements])
        expect(() => parse('it', executionOf(run)), run.name)
          .to.throw(DeviceError)
          .that.includes({ code: 'Unstable' });
    expect(hidden).to.have.length(24);
  });
});
