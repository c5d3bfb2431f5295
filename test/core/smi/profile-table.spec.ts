import { expect } from 'chai';
import { DeviceError } from '../../../src/core/gpu/state/device-error.ts';
import { findModel } from '../../../src/core/gpu/geometry/model-lookup.ts';
import {
  hidesProfiles,
  parseComputeProfiles,
  parsePlacements,
  parseProfiles,
} from '../../../src/core/smi/profile-table.ts';
import { buildGeometry } from '../../../src/core/smi/table-geometry.ts';
import { executionOf, readStateLines, recordedRuns, runsOf, type RecordedRun } from '../../device/recorded-runs.ts';

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
