import { expect } from 'chai';
import { compareRun, normalize, readRecordedRuns } from './recorded-runs.ts';

/**
 * Recorded runs that the simulator does not repeat, with what differs. The mock library of the recordings says 24000 MiB for
 * 4g.24gb; two captures of real A30s say 24064, and so does our table.
 */
const KNOWN_DIFFERENCES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'A30.jsonl',
    ['003-disabled-lgip', '049-empty-lgip', '072-full-lgip', '109-me-lgip', '116-fullgpu-lgip'].map(
      (name) => `${name}: stdout`,
    ),
  ],
]);

const FILES = [
  ['A100-SXM4-40GB.jsonl', 258],
  ['A30.jsonl', 253],
  ['H100-80GB-HBM3.jsonl', 258],
  ['forms.jsonl', 74],
] as const;

describe('replay of recorded nvidia-smi runs', () => {
  for (const [file, count] of FILES) {
    it(`gives the exit code, output and device state of every run in ${file}, but for the known differences`, () => {
      const runs = readRecordedRuns(file);
      const differences = runs.flatMap((run) => {
        const differing = compareRun(run);
        return differing.length === 0 ? [] : [`${run.name}: ${differing.join(', ')}`];
      });
      expect(runs).to.have.length(count);
      expect(differences).to.deep.equal(KNOWN_DIFFERENCES.get(file) ?? []);
    });
  }

  it('masks times and MIG UUIDs and nothing else', () => {
    const output =
      'Sat Nov 21 02:32:34 2026       \nMIG-334e0379-12f4-549a-bb20-d0a9099e62cd 52W GPU-334e0379-12f4-549a-bb20-d0a9099e62cd';
    expect(normalize(output)).to.equal('<time>       \nMIG-<uuid> 52W GPU-334e0379-12f4-549a-bb20-d0a9099e62cd');
  });
});
