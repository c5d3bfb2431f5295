import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { readVectors } from '../core/nvidia/label-fixtures.ts';
import { run } from './run.ts';

const mixed = readVectors().find(
  ({ strategy, configFile, expected }) =>
    strategy === 'mixed' && configFile === null && Object.keys(expected.resources ?? {}).length > 1,
);
const node = JSON.stringify(mixed?.node);

describe('gpu-partition labels', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'labels-'));
  });
  after(async () => rm(folder, { recursive: true }));

  for (const { id, strategy, node: described, configFile, expected } of readVectors()) {
    it(`answers what NVIDIA's tools answered to ${id} under strategy ${strategy}`, async () => {
      const argv = ['labels', '-f', '-', '--strategy', strategy];
      if (configFile !== null) {
        await writeFile(join(folder, 'config.yaml'), configFile);
        argv.push('--device-plugin-config', 'config.yaml');
      }
      const { code, stdout } = await run(argv, { stdin: JSON.stringify(described), cwd: folder });
      const errors = [expected.configError, expected.gfdError, expected.pluginError].filter(
        (text) => text !== undefined,
      );
      expect(JSON.parse(stdout)).to.deep.equal({
        labels: expected.labels ?? {},
        resources: expected.resources ?? {},
        errors,
      });
      expect(code).to.equal(errors.length > 0 ? 1 : 0);
    });
  }

  it('names every field of the node that is wrong, with code 2', async () => {
    const { code, stdout, stderr } = await run(['labels', '-f', '-', '--strategy', 'mixed'], {
      stdin: '{"driverVersion": 5, "gpus": [{}]}',
    });
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    expect(stderr).to.contain('driverVersion').and.to.contain('gpus[0].name');
  });

  it('warns of sharing without effect on stderr, and leaves stdout to the answer', async () => {
    const config = {
      version: 'v1',
      flags: { migStrategy: 'single' },
      sharing: { timeSlicing: { resources: [{ name: 'nvidia.com/mig-7g.99gb', replicas: 2 }] } },
    };
    await writeFile(join(folder, 'unused.yaml'), JSON.stringify(config));
    const argv = ['labels', '-f', '-', '--strategy', 'mixed', '--device-plugin-config', 'unused.yaml'];
    const { code, stdout, stderr } = await run(argv, { stdin: node, cwd: folder });
    expect(code).to.equal(0);
    expect(Object.keys(JSON.parse(stdout) as object)).to.deep.equal(['labels', 'resources', 'errors']);
    expect(stderr).to.contain('sharing names nvidia.com/mig-7g.99gb').and.to.contain('flags.migStrategy is single');
  });

  it('answers a file that is not there, or no YAML, with code 2 and its name', async () => {
    expect((await run(['labels', '-f', 'nowhere.json', '--strategy', 'none'], { cwd: folder })).stderr).to.contain(
      'nowhere.json: there is no such file',
    );
    await writeFile(join(folder, 'broken.json'), '{"a":\n');
    const { code, stderr } = await run(['labels', '-f', 'broken.json', '--strategy', 'none'], { cwd: folder });
    expect(code).to.equal(2);
    expect(stderr).to.match(/^error: broken\.json:\d+:\d+: neither YAML nor JSON/);
  });

  it('says with the DRA driver what a workload writes for each slice, with the labels of strategy mixed', async () => {
    const { code, stdout, stderr } = await run(['labels', '-f', '-', '--backend', 'DRA'], { stdin: node });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    const answer = JSON.parse(stdout) as { labels: object; devices: { deviceClass: string; count: number }[] };
    expect(Object.keys(answer)).to.deep.equal(['labels', 'devices', 'errors']);
    expect(answer.labels).to.deep.equal(mixed?.expected.labels);
    const counts = Object.values(mixed?.expected.resources ?? {}).toSorted((a, b) => a - b);
    expect(answer.devices.map(({ count }) => count).toSorted((a, b) => a - b)).to.deep.equal(counts);
    const text = (await run(['labels', '-f', '-', '--backend', 'DRA', '-o', 'text'], { stdin: node })).stdout;
    for (const { deviceClass } of answer.devices) {
      expect(text).to.contain(`, DeviceClass ${deviceClass}\n`);
      expect(text).to.match(new RegExp(`^ +deviceClassName: ${deviceClass}$`, 'm'));
    }
    expect(text).to.match(/^ {2}resources: \{limits: \{nvidia\.com\/mig-\S+: 1\}\}$/m);
  });

  it('refuses with the DRA driver what only the device plugin has, and asks for a strategy with the latter', async () => {
    const tell = async (...argv: readonly string[]) => {
      const { code, stderr } = await run(['labels', '-f', '-', ...argv], { stdin: node });
      return `${code} ${stderr}`;
    };
    expect(await tell('--backend', 'DRA', '--strategy', 'single')).to.match(
      /^2 error: .*--strategy single does not go/,
    );
    expect(await tell('--backend', 'DRA', '--device-plugin-config', 'c')).to.match(
      /^2 error: --device-plugin-config is for/,
    );
    expect(await tell()).to.equal('2 error: --strategy is required: none, single, mixed\n');
  });

  it('prints labels and resources as lines for people', async () => {
    const { stdout } = await run(['labels', '-f', '-', '--strategy', 'mixed', '-o', 'text'], { stdin: node });
    expect(stdout)
      .to.contain('label nvidia.com/mig.strategy=mixed\n')
      .and.to.match(/^resource nvidia\.com\/mig-\S+: \d+$/m);
  });
});
