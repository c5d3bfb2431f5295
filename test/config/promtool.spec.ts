import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
// @ts-expect-error -- the build scripts are plain JavaScript
import { toolPath } from '../../build/go-tools.mjs';

const execute = promisify(execFile);

interface Rule {
  readonly alert?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Groups {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

describe('config/monitoring, by promtool @all', function () {
  const promtool = toolPath('promtool') as string;
  let folder: string;
  let groups: Groups;

  before(async function () {
    // Built by build/go-tools.mjs, which takes minutes.
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

  it('sees what alerts say of one node or GPU, even if no label names its pool', async () => {
    const said = [
      ['NodesFailed', { policy: 'p', reason: 'Resting' }, 'Failed nodes of policy p: 1 (Resting)'],
      ['NodesInvalid', { policy: 'p', reason: 'DoesNotFit' }, 'Nodes that cannot take policy p: 1 (DoesNotFit)'],
      ['NodesWaiting', { policy: 'p', reason: 'InUse' }, 'Nodes of policy p that have waited for an hour: 1 (InUse)'],
      ['AgentsMissing', { policy: 'p' }, 'Nodes of policy p whose agent does not report: 1'],
      ['DeviceErrors', { code: 'GpuLost' }, 'Nodes on which the last work on the GPUs ended with GpuLost: 1'],
      ['GpusUnreadable', {}, 'GPUs that do not respond: 1'],
      ['GpusUnhealthy', { pool: 'a', action: 'Reboot' }, 'GPUs of pool a that are not well: 1 (Reboot)'],
    ] as const;
    const rules = groups.groups.flatMap((group) => group.rules);
    const alerts = said.map(([name, found, summary]) => {
      const alertname = `GpuPartition${name}`;
      const { labels, annotations } = rules.find(({ alert }) => alert === alertname) ?? {};
      const expected = { exp_labels: { ...labels, ...found }, exp_annotations: { ...annotations, summary } };
      return { eval_time: '80m', alertname, exp_alerts: [expected] };
    });
    const series = [
      'nodes{policy="p", phase="Failed", reason="Resting"}',
      'nodes{policy="p", phase="Invalid", reason="DoesNotFit"}',
      'nodes{policy="p", phase="Waiting", reason="InUse"}',
      'nodes{policy="p", phase="Pending", reason="AgentNotReporting"}',
      'device_errors{code="GpuLost"}',
      'gpus{pool="", product="A100", state="unreadable"}',
      'unhealthy_gpus{pool="a", action="Reboot"}',
    ].map((one) => ({ series: `gpu_partition_${one}`, values: '1x90' }));
    const test = { interval: '1m', input_series: series, alert_rule_test: alerts };
    const file = join(folder, 'words.test.yaml');
    await writeFile(join(folder, 'rules.words.yaml'), stringify(groups));
    await writeFile(file, stringify({ rule_files: ['rules.words.yaml'], evaluation_interval: '1m', tests: [test] }));
    expect((await execute(promtool, ['test', 'rules', file])).stdout).to.contain('SUCCESS');
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
