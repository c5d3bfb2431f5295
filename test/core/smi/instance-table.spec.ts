import { expect } from 'chai';
import fc from 'fast-check';
import { DeviceError } from '../../../src/core/gpu/state/device-error.ts';
import { parseComputeInstances, parseInstances } from '../../../src/core/smi/instance-table.ts';
import { executionOf, readStateLines, runsOf, type RecordedRun } from '../../device/recorded-runs.ts';

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
