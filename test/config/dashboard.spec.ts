import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
// @ts-expect-error -- the build scripts are plain JavaScript
import { toolPath } from '../../build/go-tools.mjs';
import { eventually } from '../support/eventually.ts';
import { PrometheusServer, type Relabeling } from '../support/prometheus.ts';
import { MeteredFleet } from './metered-fleet.ts';

const program = toolPath('prometheus') as string;
/** Longer than the test takes on any machine: what has happened once stays within it. */
const window = '1h';

interface RuleFile {
  readonly spec: { readonly groups: readonly { readonly rules: readonly { readonly record?: string }[] }[] };
}

async function readDashboards(): Promise<string> {
  const names = ['dashboard.json', 'dashboard-slices.json'];
  return (await Promise.all(names.map((name) => readFile(`config/monitoring/${name}`, 'utf8')))).join('\n');
}

/** The queries of the dashboards, with its variables as Grafana would fill them in. */
async function readQueries(): Promise<readonly string[]> {
  return [...(await readDashboards()).matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
    String(JSON.parse(text))
      .replaceAll('$__rate_interval', window)
      .replaceAll(/\$(cluster|policy|pool|profile)/g, '.*'),
  );
}

async function readRules(): Promise<RuleFile['spec']> {
  const files = ['rules.yaml', 'slices/rules.yaml'];
  const texts = await Promise.all(files.map((file) => readFile(`config/monitoring/${file}`, 'utf8')));
  return { groups: texts.flatMap((text) => (parse(text) as RuleFile).spec.groups) };
}

async function readRelabelings(): Promise<readonly Relabeling[]> {
  const monitor = parse(await readFile('config/monitoring/slices/pod-monitor.yaml', 'utf8')) as {
    readonly spec: { readonly podMetricsEndpoints: readonly { readonly relabelings: readonly Relabeling[] }[] };
  };
  return monitor.spec.podMetricsEndpoints.flatMap(({ relabelings }) => relabelings);
}

describe('the dashboard, on a Prometheus that scrapes a fleet @all', function () {
  let fleet: MeteredFleet | undefined;
  let prometheus: PrometheusServer;

  before(async function () {
    if (!existsSync(program)) {
      console.log('    skipped: there is no Prometheus here; make prometheus builds it');
      return this.skip();
    }
    fleet = new MeteredFleet();
    const targets = await fleet.serve();
    prometheus = await PrometheusServer.start(program, targets, await readRules(), undefined, await readRelabelings());
    await seen('up == 1', targets.length);
    await fleet.happen();
    // A rate is of what has been seen before.
    await seen('gpu_partition_change_duration_seconds_count > 0', 1);
    await fleet.happen();
    await seen('gpu_partition_change_duration_seconds_count > 1', 1);
    return undefined;
  });
  after(async () => {
    if (!fleet) return;
    await prometheus.stop();
    await fleet.stop();
  });

  const seen = (query: string, count: number): Promise<unknown> =>
    eventually(
      () => prometheus.query(query),
      (values) => values.length >= count,
      { timeoutMs: 30_000, what: query },
    );

  it('has data for every query', async () => {
    const queries = await readQueries();
    expect(queries.length).to.be.at.least(40);
    const listEmpty = async (): Promise<readonly string[]> => {
      const answers = await Promise.all(
        queries.map(async (query) => ({ query, values: await prometheus.query(query) })),
      );
      return answers.flatMap(({ query, values }) => (values.length === 0 ? [query] : []));
    };
    await eventually(listEmpty, (list) => list.length === 0, { timeoutMs: 30_000, what: 'queries without data' });
  });

  it('tells what a pod’s slice, a free slice and memory of no slice cost, by the node of their agent', async () => {
    const costs = ['gpu_partition_pod:cost:per_hour', 'gpu_partition_slice:idle_cost:per_hour'];
    for (const [at, expected] of [[0.5], [1]].entries()) {
      expect(await prometheus.query(costs[at] ?? '')).to.deep.equal(expected);
    }
    expect(await prometheus.query('gpu_partition_gpu:stranded_cost:per_hour{node="gpu-node-0000"}')).to.deep.equal([
      2.5,
    ]);
  });

  it('counts what pending pods ask for, and not what running ones have', async () => {
    const asked = (await readQueries()).filter((query) => query.includes('kube_pod_container_resource_requests'));
    expect(asked).to.have.length(2);
    const values = await Promise.all(asked.map((query) => prometheus.query(query)));
    // By resource: 0 for what nodes offer and no pod waits for.
    expect(values).to.have.deep.members([[2], [2, 0, 0]]);
  });

  it('shows 0 where none of what is counted is there, and no data where nobody counts', async () => {
    const figures = (await readQueries()).filter((query) => query.includes(' or 0 * sum('));
    expect(figures).to.have.length(4);
    const none = (query: string): string =>
      query.replace(/phase=~?"(Failed\|Invalid|Ready)"/, 'phase="None"').replace('== 1', '== 2');
    for (const query of figures.map(none)) {
      const expected = query.includes('unhealthy') ? [1] : [0];
      expect(await prometheus.query(query), query).to.deep.equal(expected);
      expect(await prometheus.query(query.replaceAll('cluster=~".*"', 'cluster="elsewhere"')), query).to.deep.equal([]);
    }
  });

  it('counts no node that no policy selects among those that are not Ready', async () => {
    const queries = await readQueries();
    const valuesOf = async (start: string): Promise<readonly number[]> =>
      prometheus.query(queries.find((query) => query.startsWith(start)) ?? start);
    const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
    const [all = 0] = await prometheus.query('sum(gpu_partition_nodes{phase!="Unmanaged"})');
    const [ready = 0] = await prometheus.query('sum(gpu_partition_nodes{phase="Ready"})');
    expect(await prometheus.query('sum(gpu_partition_nodes{phase="Unmanaged"})')).to.deep.equal([1]);
    expect(sum(await valuesOf('sum by (policy, phase, reason) (gpu_partition_nodes'))).to.equal(all - ready);
    expect(sum(await valuesOf('sum by (reason) (gpu_partition_nodes'))).to.equal(all - ready);
    expect(await valuesOf('(sum(gpu_partition_nodes')).to.deep.equal([ready / all]);
  });

  it('has values for its variables', async () => {
    const all = [...(await readDashboards()).matchAll(/"label_values\((\w+), (\w+)\)"/g)];
    // The label of a cluster comes from whoever collects several: here there is none, and the default matches that.
    const variables = all.filter(([, , label]) => label !== 'cluster');
    expect(variables).to.have.length(4);
    for (const [, metric = '', label = ''] of variables) {
      expect(await prometheus.labelValues(label, metric), label).not.to.deep.equal([]);
    }
  });

  it('sees the first of what an alert counts: it was 0 before', async () => {
    const query = `sum by (result) (increase(gpu_partition_evictions_total[${window}]))`;
    // Two of each have happened; if the first were not seen to be one more than 0, it would be about one.
    expect((await prometheus.query(query)).every((value) => value > 1.5)).to.equal(true);
  });

  it('has data for every recording rule, and evaluates every alert', async () => {
    const records = (await readRules()).groups.flatMap(({ rules }) => rules.flatMap(({ record }) => record ?? []));
    expect(records.length).to.be.above(0);
    for (const record of records) await seen(record, 1);
    const all = await eventually(
      () => prometheus.rules(),
      (rules) => rules.every(({ health }) => health !== 'unknown'),
      { timeoutMs: 30_000, what: 'all rules to be evaluated' },
    );
    expect(all.filter(({ health }) => health !== 'ok')).to.deep.equal([]);
  });
});
