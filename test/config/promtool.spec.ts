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

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** As Grafana asks it where everything is chosen. */
function plainQuery(query: string): string {
  return query.replaceAll('$__rate_interval', '5m').replaceAll(/\$(cluster|policy|pool|profile)/g, '.*');
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

  it('joins what dcgm-exporter measures with slices and pods', async () => {
    const { spec } = parse(await readFile('config/monitoring/slices/rules.yaml', 'utf8')) as { readonly spec: Groups };
    const { panels } = JSON.parse(await readFile('config/monitoring/dashboard-slices.json', 'utf8')) as Dashboard;
    const queryOf = (title: string): string =>
      plainQuery(panels.find((panel) => panel.title === title)?.targets?.[0]?.expr ?? '');
    // As of an H100 NVL in dcgm-exporter#544, with the profile that is wrong there.
    const measured = 'UUID="GPU-153b", gpu="0", device="nvidia0", GPU_I_PROFILE="1g.11gb", GPU_I_ID="7", Hostname="h"';
    const slice = 'gpu_uuid="GPU-153b", mig_uuid="MIG-a", profile="1g.12gb", policy="inference"';
    const series = [
      [`DCGM_FI_PROF_GR_ENGINE_ACTIVE{${measured}}`, '0.5x9'],
      [`DCGM_FI_DEV_FB_USED{${measured}}`, '12x9'],
      ['DCGM_FI_PROF_GR_ENGINE_ACTIVE{UUID="GPU-whole", gpu="1", Hostname="h"}', '1x9'],
      [`gpu_partition_slice_info{program="agent", gi="7", ci="0", ${slice}}`, '1x9'],
      ['gpu_partition_slice_pod{program="agent", mig_uuid="MIG-a", namespace="team", pod="train-0"}', '1x9'],
    ].map(([name, values]) => ({ series: name, values }));
    const pod = '{mig_uuid="MIG-a", namespace="team", pod="train-0", policy="inference", profile="1g.12gb"}';
    const expected = [
      [
        'gpu_partition_slice:engine_active:ratio',
        `gpu_partition_slice:engine_active:ratio{UUID="GPU-153b", GPU_I_ID="7", gi="7", ${slice}}`,
        0.5,
      ],
      ['gpu_partition_pod:engine_active:ratio', `gpu_partition_pod:engine_active:ratio${pod}`, 0.5],
      ['gpu_partition_pod:memory_used:bytes', `gpu_partition_pod:memory_used:bytes${pod}`, 12 * 2 ** 20],
      ['gpu_partition_slice:dram_active:ratio', undefined, 0],
      // The row of the dashboard that shows them.
      [queryOf('Engines in use, by profile'), '{profile="1g.12gb"}', 0.5],
      [queryOf('Busiest pods'), '{namespace="team", pod="train-0"}', 0.5],
      [queryOf('Memory in use, by profile'), '{profile="1g.12gb"}', 12 * 2 ** 20],
      [queryOf('Slices that a pod holds and does not use'), '{profile="1g.12gb"}', 0],
    ].map(([expr, labels, value]) => ({
      expr,
      eval_time: '5m',
      exp_samples: labels === undefined ? [] : [{ labels, value }],
    }));
    const test = { interval: '1m', input_series: series, promql_expr_test: expected };
    await writeFile(join(folder, 'slices.yaml'), stringify({ groups: spec.groups }));
    const file = join(folder, 'slices.test.yaml');
    await writeFile(file, stringify({ rule_files: ['slices.yaml'], evaluation_interval: '1m', tests: [test] }));
    expect((await execute(promtool, ['test', 'rules', file])).stdout).to.contain('SUCCESS');
  });

  it('tells what pods, slices that no pod holds, and memory of no slice cost, by the prices of OpenCost', async () => {
    const { spec } = parse(await readFile('config/monitoring/slices/rules.yaml', 'utf8')) as { readonly spec: Groups };
    const { panels } = JSON.parse(await readFile('config/monitoring/dashboard-slices.json', 'utf8')) as Dashboard;
    // Agents that replace each other, and a pair of Prometheus servers, tell the same twice.
    const twice = (name: string, labels: string, value: string): readonly object[] =>
      ['agent-old', 'agent-new'].map((container, at) => ({
        series: `${name}{program="agent", container="${container}", prometheus_replica="${at}", ${labels}}`,
        values: `${value}x9`,
      }));
    const share = (node: string, mig: string, profile: string, value: string): readonly object[] =>
      twice(
        'gpu_partition_slice_gpus',
        `${node}, gpu_uuid="GPU-${mig.slice(0, 1)}", mig_uuid="${mig}", profile="${profile}", policy="p"`,
        value,
      );
    const holds = (node: string, mig: string, pod: string): readonly object[] =>
      twice('gpu_partition_slice_pod', `${node}, mig_uuid="${mig}", namespace="team", pod="${pod}"`, '1');
    const price = (labels: string, value: string): object => ({
      series: `node_gpu_hourly_cost{${labels}, instance="n1", instance_type="p4d", region="eu-1", arch="amd64"}`,
      values: `${value}x9`,
    });
    const [n1, unpriced, other] = ['node="n1"', 'node="n2"', 'cluster="b", node="n1"'] as const;
    const series = [
      ...share(n1, '1-a', '2g.10gb', '0.25'),
      // Two compute instances of one GPU instance, whose pods are told for both.
      ...share(n1, '1-b', '3g.20gb', '0.125'),
      ...share(n1, '1-c', '3g.20gb', '0.375'),
      ...share(n1, '1-d', '1g.5gb', '0.125'),
      ...holds(n1, '1-a', 'two-slices'),
      ...['1-b', '1-c'].flatMap((mig) => [...holds(n1, mig, 'two-slices'), ...holds(n1, mig, 'half')]),
      ...share(unpriced, '2-a', '7g.40gb', '1'),
      ...holds(unpriced, '2-a', 'no-price'),
      ...share(other, '3-a', '7g.40gb', '1'),
      ...holds(other, '3-a', 'elsewhere'),
      // OpenCost replaced its pod; the node was created again.
      price(`${n1}, uid="u1"`, '4'),
      price(`${n1}, uid="u2"`, '4'),
      price(other, '8'),
    ];
    const ofPod = (node: string, pod: string): string => `{${node}, namespace="team", pod="${pod}", policy="p"}`;
    const idle = `{${n1}, gpu_uuid="GPU-1", mig_uuid="1-d", profile="1g.5gb", policy="p"}`;
    const figures: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
      'gpu_partition_pod:gpus': [
        [ofPod(n1, 'two-slices'), 0.5],
        [ofPod(n1, 'half'), 0.25],
        [ofPod(unpriced, 'no-price'), 1],
        [ofPod(other, 'elsewhere'), 1],
      ],
      'gpu_partition_pod:cost:per_hour': [
        [ofPod(n1, 'two-slices'), 2],
        [ofPod(n1, 'half'), 1],
        [ofPod(other, 'elsewhere'), 8],
      ],
      'gpu_partition_slice:idle_cost:per_hour': [[idle, 0.5]],
      'gpu_partition_gpu:stranded_cost:per_hour': [
        [`{${n1}, gpu_uuid="GPU-1", policy="p"}`, 0.5],
        [`{${other}, gpu_uuid="GPU-3", policy="p"}`, 0],
      ],
    };
    const queriesOf = (title: string): readonly string[] =>
      (panels.find((panel) => panel.title === title)?.targets ?? []).map(({ expr }) => plainQuery(expr));
    const [held, unheld, stranded] = queriesOf('What GPUs with slices cost an hour');
    const shown = [
      [held, '{}', 11],
      [unheld, '{}', 0.5],
      [stranded, '{}', 0.5],
      [queriesOf('Namespaces that cost most')[0], '{namespace="team"}', 11],
    ].map(([expr, labels, value]) => ({ expr, eval_time: '5m', exp_samples: [{ labels, value }] }));
    const recorded = Object.entries(figures).map(([expr, samples]) => ({
      expr,
      eval_time: '5m',
      exp_samples: samples.map(([labels, value]) => ({ labels: `${expr}${labels}`, value })),
    }));
    const test = { interval: '1m', input_series: series, promql_expr_test: [...recorded, ...shown] };
    await writeFile(join(folder, 'costs.yaml'), stringify({ groups: spec.groups }));
    const file = join(folder, 'costs.test.yaml');
    await writeFile(file, stringify({ rule_files: ['costs.yaml'], evaluation_interval: '1m', tests: [test] }));
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
      await execute(promtool, ['--experimental', 'promql', 'format', plainQuery(query)]);
    }
  });
});
