import { expect } from 'chai';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { type WasteReport, reportWaste } from '../../../src/core/explain/waste.ts';
import { wastefulDay } from '../../core/explain/waste-stories.ts';
import { fixtures, jsonRunner, run } from '../run.ts';
import { snapshotYaml } from '../snapshot-text.ts';

describe('gpu-partition report', () => {
  const folder = useScratchFolder();
  const files: string[] = [];

  before(async () => {
    for (const [at, facts] of wastefulDay.entries()) {
      const { pods = [] } = facts;
      const file = folder.path(`cluster-${at}.yaml`);
      await writeFile(file, snapshotYaml({ ...facts, pods, budgets: [], now: 0 }));
      files.push('--snapshot', file);
    }
  });

  it('takes each file for one moment, and shows the waste of all of them', async () => {
    const { code, stdout } = await run(['report', ...files]);
    const golden = await readFile(`${fixtures}status/waste-80.txt`, 'utf8');
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: golden });
  });

  it('shows one saved cluster as it is now', async () => {
    const { stdout } = await run(['report', ...files.slice(-2)]);
    expect(stdout).to.equal(await readFile(`${fixtures}status/waste-now-80.txt`, 'utf8'));
  });

  it('gives the same as data', async () => {
    const { code, answer } = await jsonRunner<WasteReport>()(['report', ...files]);
    expect(code).to.equal(0);
    expect(answer).to.deep.equal(JSON.parse(JSON.stringify(reportWaste(wastefulDay))));
  });

  it('refuses a file that does not show a cluster', async () => {
    const file = folder.path('other.yaml');
    await writeFile(file, 'kind: Pod\nmetadata: {name: a}\n');
    const { code, stderr } = await run(['report', '--snapshot', file]);
    expect(code).to.equal(2);
    expect(stderr).to.contain('the snapshot has no Node; make it with: kubectl get ');
  });
});
