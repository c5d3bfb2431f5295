import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
// @ts-expect-error -- the generators are plain JavaScript
import { describeMetrics } from '../../build/generate-metrics.mjs';

describe('docs/metrics.md', () => {
  it('is what the programs register', async () => {
    expect(await readFile('docs/metrics.md', 'utf8'), 'run make generate').to.equal(describeMetrics());
  });

  it('names every metric by Prometheus’ conventions, and says what it is', async () => {
    const rows = [...(await readFile('docs/metrics.md', 'utf8')).matchAll(/^\| `(\w+)` \| (\w+) \| .*\| (.+) \|$/gm)];
    expect(rows.length).to.be.at.least(30);
    for (const [, name = '', type = '', help = ''] of rows) {
      expect(name).to.match(/^gpu_partition_[a-z_]+$/);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      if (type === 'histogram') expect(name).to.match(/_seconds$/);
      expect(help, name).to.match(/^[A-Z0-9].*\.$/);
    }
  });
});
