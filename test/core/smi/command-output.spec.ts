import { expect } from 'chai';
import { classifyOutput, explainFailure } from '../../../src/core/smi/command.ts';
import { executionOf, recordedRuns } from '../../device/recorded-runs.ts';

/** What NVML's code means to us; the real nvidia-smi printed the words for each. */
const meanings: Readonly<Record<string, string>> = {
  2: 'UnknownProfile',
  3: 'NotSupported',
  4: 'NotPermitted',
  6: 'DriverFailed',
  9: 'DriverUnavailable',
  12: 'DriverUnavailable',
  15: 'GpuLost',
  16: 'ResetRequired',
  18: 'DriverMismatch',
  19: 'InUse',
  20: 'NoRoom',
  23: 'NoRoom',
  27: 'DriverFailed',
  29: 'DriverFailed',
  999: 'DriverFailed',
};

describe('what nvidia-smi says when it fails', () => {
  it('is understood for every NVML code that was made to fail', () => {
    const runs = recordedRuns.filter(
      ({ fault, rc, argv }) =>
        fault !== null &&
        rc !== 0 &&
        /^fail (?:Device|Gpu|Compute)\w*(?:Destroy|Create)/.test(fault) &&
        !argv.includes('-C'),
    );
    for (const run of runs) {
      const code = /rc=(\d+)/.exec(run.fault ?? '')?.[1] ?? '';
      const meaning = meanings[code];
      if (meaning !== undefined) expect(classifyOutput(executionOf(run)), run.name).to.equal(meaning);
    }
    expect(runs.length).to.be.greaterThan(60);
  });

  it('is understood where the driver cannot be reached at all', () => {
    const codes = recordedRuns
      .filter(({ fault, argv }) => fault?.startsWith('fail Init') === true && argv[0] === '-L')
      .map((run) => [/rc=(\d+)/.exec(run.fault ?? '')?.[1], classifyOutput(executionOf(run))].join(' '));
    expect([...new Set(codes)]).to.have.members([
      '4 NotPermitted',
      '9 DriverUnavailable',
      '18 DriverMismatch',
      '999 DriverUnavailable',
    ]);
  });

  it('calls success without effect what it is, since the caller found nothing done', () => {
    const runs = recordedRuns.filter(({ stdout }) => stdout === 'No MIG-enabled devices found.\n');
    expect([...new Set(runs.map(({ rc }) => rc))].toSorted((a, b) => a - b)).to.deep.equal([0, 6]);
    expect(runs.length).to.be.greaterThan(100);
    for (const run of runs) expect(classifyOutput(executionOf(run))).to.equal('NothingDone');
  });

  it('tells what was tried, what was found, and what to do, on one line', () => {
    const error = explainFailure('nvidia-smi mig -dgi', {
      rc: 19,
      stdout: 'Unable to destroy GPU instance ID 12 from GPU  0: In use by another client\n',
      end: 'Exited',
    });
    expect(error.message).to.match(/^InUse: tried nvidia-smi mig -dgi; found exit code 19: "Unable.*client"; end the/);
    expect(error.message).not.to.include('\n');
  });
});
