import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
// @ts-expect-error -- the build scripts are plain JavaScript
import { promtoolPath } from '../../build/prometheus.mjs';

const execute = promisify(execFile);

interface Groups {
  readonly groups: readonly { readonly rules: readonly { readonly annotations?: unknown }[] }[];
}

describe('config/monitoring, by promtool', function () {
  const promtool = promtoolPath() as string;
  let folder: string;
  let groups: Groups;

  before(async function () {
    // Built by build/prometheus.mjs, which takes minutes.
    if (!existsSync(promtool)) return this.skip();
    folder = await mkdtemp(join(tmpdir(), 'promtool-'));
    const { spec } = parse(await readFile('config/monitoring/rules.yaml', 'utf8')) as { readonly spec: Groups };
    groups = { groups: spec.groups };
    return undefined;
  });
  after(async () => folder && rm(folder, { recursive: true }));

  it('finds the rules valid, with their templates', async () => {
    const file = join(folder, 'rules.yaml');
    await writeFile(file, stringify(groups));
    expect((await execute(promtool, ['check', 'rules', file])).stdout).to.match(/SUCCESS: \d+ rules found/);
  });

  it('sees every alert fire, and not before its time', async () => {
    // What an alert says is checked elsewhere; promtool would compare it word by word.
    const bare = groups.groups.map((group) => ({
      ...group,
      rules: group.rules.map(({ annotations: _words, ...rule }) => rule),
    }));
    await writeFile(join(folder, 'rules.groups.yaml'), stringify({ groups: bare }));
    await copyFile('test/config/rules.test.yaml', join(folder, 'rules.test.yaml'));
    expect((await execute(promtool, ['test', 'rules', join(folder, 'rules.test.yaml')])).stdout).to.contain('SUCCESS');
  });

  it('understands every query of the dashboard', async () => {
    const names = ['dashboard.json', 'dashboard-slices.json'];
    const texts = await Promise.all(names.map((name) => readFile(`config/monitoring/${name}`, 'utf8')));
    const queries = [...texts.join('\n').matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
      String(JSON.parse(text)),
    );
    expect(queries.length).to.be.at.least(20);
    for (const query of queries) {
      const plain = query.replaceAll('$__rate_interval', '5m').replaceAll(/\$(cluster|policy|pool|profile)/g, '.*');
      await execute(promtool, ['--experimental', 'promql', 'format', plain]);
    }
  });
});
