import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withDemand } from '../support/demand-builders.ts';
import { stringify } from 'yaml';
import { aCluster, aFleetNode, inFile } from '../core/plan/cluster-builder.ts';
import { run } from './run.ts';
import { snapshotYaml } from './snapshot-text.ts';

const docs = new URL('../../docs/demand.md', import.meta.url);
const trace = new URL('../fixtures/trace/tasks.csv', import.meta.url).pathname;
const command = 'gpu-partition simulate --snapshot cluster.yaml -f shared.yaml --trace tasks.csv --load 0.7';

describe('the simulation in the docs', () => {
  it('is what the command prints for 64 GPUs of halves, a demand for each of the four sizes, and the recorded tasks', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'simulate-docs-'));
    try {
      const nodes = Array.from({ length: 64 }, (_, index) =>
        aFleetNode({ name: `n${index}`, slices: ['3g.20gb@0', '3g.20gb@4'] }),
      );
      await writeFile(join(cwd, 'cluster.yaml'), snapshotYaml(aCluster(nodes)));
      const slices = ['1g.5gb', '2g.10gb', '3g.20gb', '7g.40gb'].map((profile) => ({ profiles: [profile] }));
      await writeFile(join(cwd, 'shared.yaml'), stringify(withDemand(inFile({}), { from: 'Pods', slices })));
      const argv = command.replace('tasks.csv', trace).split(' ').slice(1);
      const { code, stdout } = await run(argv, { cwd });
      expect(code).to.equal(0);
      // The page leaves out the tables by profile and by day.
      const shown = (await readFile(docs, 'utf8')).split(`$ ${command}\n`)[1]?.split('…\n```')[0];
      expect(shown).to.equal(stdout.split(/(?<=\n)\n(?=SLICE )/)[0]);
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
});
