import { expect } from 'chai';
import { recordings } from '../../device/recorded-runs.ts';
import { compareRun, normalize } from './recorded-runs.ts';

const stdout = (...names: readonly string[]): readonly string[] => names.map((name) => `${name}: stdout`);

/** The mock says 24000 MiB for 4g.24gb; two captures of real A30s say 24064, and so does our table. */
const A30_MEMORY = ['049-empty-lgip', '072-full-lgip', '109-me-lgip', '116-fullgpu-lgip'];

/**
 * What the mock answers to 470 and 525: it knows no chip to reset, lists no process for 470, and for 525 one without a name, which the
 * table leaves out. The oldest real drivers reset and list.
 */
const oldMock = (table: string, report: string, reset: string): readonly (readonly [string, string])[] => [
  ['035-gpu-reset-inuse', 'rc, stdout'],
  ['036-gpu-reset', 'rc, stdout'],
  [table, 'stdout'],
  [report, 'stdout'],
  [reset, 'rc, stdout'],
];
const differences = (...lists: readonly (readonly (readonly [string, string])[])[]): readonly string[] =>
  lists
    .flat()
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, what]) => `${name}: ${what}`);
const oldA100 = differences(oldMock('190-proc-table', '191-proc-q-x', '195-proc-reset'));
const oldA30 = differences(
  oldMock('185-proc-table', '186-proc-q-x', '190-proc-reset'),
  A30_MEMORY.map((name) => [name, 'stdout'] as const),
);
/** Of two commands the UUIDs that the mock gives to later GPUs of a node. */
const multi = stdout('multi-0-04', 'multi-0-17', 'multi-3-04');

/** Recorded runs that the simulator does not repeat, with what differs. */
const KNOWN_DIFFERENCES: ReadonlyMap<string, readonly string[]> = new Map([
  ['A30.jsonl', stdout('003-disabled-lgip', ...A30_MEMORY)],
  ['branches/470-A100-SXM4-40GB.jsonl', oldA100],
  ['branches/470-A30.jsonl', oldA30],
  ['branches/525-A100-SXM4-40GB.jsonl', oldA100],
  ['branches/525-A30.jsonl', oldA30],
  ['branches/535-A30.jsonl', stdout(...A30_MEMORY)],
  ['branches/555-A30.jsonl', stdout('003-disabled-lgip', ...A30_MEMORY)],
  ['branches/multi-535.jsonl', multi],
  ['branches/multi-550.jsonl', multi],
]);

const branches = ['470', '525', '535', '555'];

const FILES: readonly (readonly [string, number])[] = [
  ['A100-SXM4-40GB.jsonl', 258],
  ['A30.jsonl', 253],
  ['H100-80GB-HBM3.jsonl', 258],
  ['forms.jsonl', 74],
  ...branches.map((branch) => [`branches/${branch}-A100-SXM4-40GB.jsonl`, 258] as const),
  ...branches.map((branch) => [`branches/${branch}-A30.jsonl`, 253] as const),
  ['branches/multi-535.jsonl', 62],
  ['branches/multi-550.jsonl', 62],
];

describe('replay of recorded nvidia-smi runs', () => {
  for (const [file, count] of FILES) {
    it(`gives the exit code, output and device state of every run in ${file}, but for the known differences`, () => {
      const runs = recordings[file] ?? [];
      const differing = runs.flatMap((run) => {
        const found = compareRun(run);
        return found.length === 0 ? [] : [`${run.name}: ${found.join(', ')}`];
      });
      expect(runs).to.have.length(count);
      expect(differing).to.deep.equal(KNOWN_DIFFERENCES.get(file) ?? []);
    });
  }

  it('masks times and MIG UUIDs and nothing else', () => {
    const output =
      'Sat Nov 21 02:32:34 2026       \nMIG-334e0379-12f4-549a-bb20-d0a9099e62cd 52W GPU-334e0379-12f4-549a-bb20-d0a9099e62cd';
    expect(normalize(output)).to.equal('<time>       \nMIG-<uuid> 52W GPU-334e0379-12f4-549a-bb20-d0a9099e62cd');
  });
});
