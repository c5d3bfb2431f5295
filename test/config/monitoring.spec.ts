import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
// @ts-expect-error -- the generators are plain JavaScript
import { describeDashboards } from '../../build/generate-dashboard.mjs';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly spec: { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] };
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
    readonly promql_expr_test?: readonly { readonly expr: string }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly type: string;
    readonly description?: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly datasource?: Datasource;
    readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
    readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly datasource: Datasource }[];
  }[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly type: string;
      readonly datasource?: Datasource;
      readonly query: string | { readonly query: string; readonly refId: string };
    }[];
  };
}

interface Datasource {
  readonly type: string;
  readonly uid: string;
}

/** That which the user has chosen above the dashboard. */
const chosen: Datasource = { type: 'prometheus', uid: '${datasource}' };
const panelTypes = ['row', 'stat', 'table', 'timeseries', 'alertlist'];
/** Variables that Grafana itself has. */
const ownVariables = ['__rate_interval'];

const dashboards = ['dashboard.json', 'dashboard-slices.json'];

const readDashboard = (name: string): Promise<string> => readFile(`config/monitoring/${name}`, 'utf8');

async function readRules(path = 'rules.yaml'): Promise<readonly Rule[]> {
  const file = parse(await readFile(`config/monitoring/${path}`, 'utf8')) as RuleFile;
  return file.spec.groups.flatMap(({ rules }) => rules);
}

/** Labels by metric, as docs/metrics.md has them; those of a histogram under its three names. */
async function readMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await readFile('docs/metrics.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gm)];
  const records = (await readRules('slices/rules.yaml')).flatMap(({ record }) => record ?? []);
  return new Map([
    ...records.map((name) => [name, name.startsWith('gpu_partition_pod:') ? podLabels : sliceLabels] as const),
    ...rows.flatMap(([, name = '', type = '', list = '']) => {
      const labels = [...list.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
      const names = type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name];
      return names.map((one) => [one, [...labels, 'le', 'pod', 'program', 'cluster']] as const);
    }),
  ]);
}

/** What promtool.spec.ts sees on what is recorded of slices and their pods. */
const sliceLabels: readonly string[] = ['gpu_uuid', 'gi', 'mig_uuid', 'profile', 'policy', 'node', 'cluster'];
const podLabels: readonly string[] = ['mig_uuid', 'namespace', 'pod', 'profile', 'policy', 'node', 'cluster'];

/** Names of metrics in a query, each with the labels that it is selected by. */
function selectorsOf(query: string): readonly (readonly [string, readonly string[]])[] {
  return [...query.matchAll(/\b(gpu_partition_[\w:]+)(?:\{([^}]*)\})?/g)].map(([, name = '', selector = '']) => [
    name,
    [...selector.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
  ]);
}

/** Labels by which a query groups. */
function groupsOf(query: string): readonly string[] {
  return [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((one) => one.trim()));
}

/** What a query asks for that no program serves. */
async function findUnserved(query: string): Promise<readonly string[]> {
  const metrics = await readMetrics();
  const selectors = selectorsOf(query);
  const unserved = selectors.flatMap(([name, labels]) => {
    const known = metrics.get(name);
    return known ? labels.filter((label) => !known.includes(label)).map((label) => `${name}{${label}}`) : [name];
  });
  const all = selectors.flatMap(([name]) => metrics.get(name) ?? []);
  return [...unserved, ...groupsOf(query).filter((label) => !all.includes(label))];
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

describe('config/monitoring', () => {
  it('asks only for what the programs serve, in rules and in the dashboard', async () => {
    const rules = (await readRules()).map(({ expr }) => expr);
    const texts = await Promise.all(dashboards.map(readDashboard));
    const panels = texts.flatMap((text) => (JSON.parse(text) as Dashboard).panels);
    const all = [...rules, ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))];
    // What nodes offer and pods ask for is served by kube-state-metrics.
    const queries = all.filter((query) => !query.includes('kube_'));
    expect(queries.length).to.be.at.least(40);
    for (const query of queries) expect(await findUnserved(query), query).to.deep.equal([]);
  });

  it('asks for queues and watches of one program: agents that are scraped have them by the same names', async () => {
    const rules = (await readRules()).map(({ expr }) => expr);
    const texts = await Promise.all(dashboards.map(readDashboard));
    const panels = texts.flatMap((text) => (JSON.parse(text) as Dashboard).panels);
    const shared = [...rules, ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))]
      .flatMap(selectorsOf)
      .filter(([name]) => /^gpu_partition_(queue|reconcile|watch)/.test(name));
    expect(shared).to.have.length(9);
    for (const [name, labels] of shared) expect(labels, name).to.include('program');
  });

  it('shows every metric in the dashboard or by an alert, but for the counts of the process', async () => {
    const rules = [...(await readRules()), ...(await readRules('slices/rules.yaml'))].map(({ expr }) => expr);
    const used = new Set(
      [...rules, ...(await Promise.all(dashboards.map(readDashboard)))]
        .flatMap(selectorsOf)
        .map(([name]) => name.replace(/_bucket$/, '')),
    );
    const known = [...(await readMetrics()).keys()].map((name) => name.replace(/_(bucket|count|sum)$/, ''));
    // What is recorded of slices is for rules and panels of one's own, too.
    const unused = [...new Set(known)].filter((name) => !used.has(name) && !name.includes(':'));
    expect(unused).to.have.members([
      'gpu_partition_watch_events_total',
      'gpu_partition_watch_failures_total',
      'gpu_partition_watch_lists_total',
      'gpu_partition_device_reads_total',
      'gpu_partition_device_work_duration_seconds',
    ]);
  });

  it('has for each alert a severity, what it says, and a runbook that is there', async () => {
    const page = await readFile('docs/errors.md', 'utf8');
    const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
    const alerts = (await readRules()).filter(({ alert }) => alert !== undefined);
    expect(alerts.length).to.be.at.least(12);
    for (const { alert = '', labels, annotations } of alerts) {
      expect(['critical', 'warning', 'info'], alert).to.include(labels?.['severity']);
      expect(annotations?.['summary'], alert).to.match(/\w/);
      expect(annotations?.['description'], alert).to.match(/\.$/);
      const [file, anchor = ''] = (annotations?.['runbook_url'] ?? '').split('#');
      expect(file, alert).to.equal('docs/errors.md');
      expect(anchors, alert).to.include(anchor);
    }
  });

  it('fires each alert and evaluates each record once in its rule test', async () => {
    const { tests } = parse(await readFile('test/config/rules.test.yaml', 'utf8')) as RuleTests;
    const fired = tests.flatMap(({ alert_rule_test: list = [] }) =>
      list.flatMap((one) => (one.exp_alerts.length > 0 ? [one.alertname] : [])),
    );
    const evaluated = tests.flatMap(({ promql_expr_test: list = [] }) => list.map(({ expr }) => expr));
    for (const { alert, record } of await readRules()) {
      if (alert !== undefined) expect(fired).to.include(alert);
      if (record !== undefined) expect(evaluated).to.include(record);
    }
  });

  for (const [name, written] of Object.entries(describeDashboards() as Readonly<Record<string, string>>)) {
    it(`has ${name} as its generator writes it, with a description and one unit for each panel`, async () => {
      const text = await readDashboard(name);
      expect(text, 'run make generate').to.equal(written);
      const { panels, templating } = JSON.parse(text) as Dashboard;
      expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
      expect(templating.list.map((one) => one.name)).to.include.members(['datasource', 'cluster', 'pool']);
      for (const { type, targets = [], title, description, fieldConfig } of panels.filter(
        (one) => one.type !== 'row',
      )) {
        expect(
          targets.every(({ refId }) => refId !== undefined),
          title,
        ).to.equal(true);
        expect(description, title).to.match(/^[A-Z].*\.$|^gpu-partition .*\.$/);
        expect(fieldConfig?.defaults.unit, title).to.match(/^(short|s|ops|percentunit|bytes)$/);
        // Values of the same unit share an axis: seconds are not drawn beside counts.
        const isInSeconds = targets.map(({ expr }) => /_seconds(_bucket)?\b/.test(expr));
        expect(new Set(isInSeconds).size, `${type} ${title}`).to.be.at.most(1);
      }
    });
  }

  for (const name of dashboards) {
    it(`has ${name} with panels that Grafana knows, side by side, and with variables that are there`, async () => {
      const { panels, templating } = JSON.parse(await readDashboard(name)) as Dashboard;
      const taken = new Map<string, string>();
      for (const { title, type, gridPos, datasource, targets = [] } of panels) {
        expect(panelTypes, title).to.include(type);
        const { x, y, w, h } = gridPos;
        expect(x + w, title).to.be.at.most(24);
        for (let column = x; column < x + w; column += 1) {
          for (let line = y; line < y + h; line += 1) {
            expect(taken.get(`${column},${line}`), `under ${title}`).to.equal(undefined);
            taken.set(`${column},${line}`, title);
          }
        }
        if (type !== 'row') expect(datasource, title).to.deep.equal(chosen);
        expect(new Set(targets.map(({ refId }) => refId)).size, title).to.equal(targets.length);
        for (const target of targets) expect(target.datasource, title).to.deep.equal(chosen);
      }
      const known = [...templating.list.map((one) => one.name), ...ownVariables];
      const used = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(/\$\w+/g) ?? []));
      expect(new Set(used.map((one) => one.slice(1)).filter((one) => !known.includes(one)))).to.have.property(
        'size',
        0,
      );
      const [first, ...rest] = templating.list;
      expect(first).to.include({ name: 'datasource', type: 'datasource', query: 'prometheus' });
      for (const { name: variable, type, query, datasource } of rest) {
        expect({ type, datasource }, variable).to.deep.equal({ type: 'query', datasource: chosen });
        expect(query, variable).to.have.property('refId', variable);
      }
    });
  }

  it('says of each panel that needs kube-state-metrics that it does, and what it shows without', async () => {
    const texts = await Promise.all(dashboards.map(readDashboard));
    const panels = texts.flatMap((text) => (JSON.parse(text) as Dashboard).panels);
    const foreign = panels.filter(({ targets = [] }) => targets.some(({ expr }) => expr.includes('kube_')));
    expect(foreign).to.have.length(3);
    for (const { title, description } of foreign)
      expect(description, title).to.match(/Needs kube-state-metrics, .*“No data” means that it is not scraped/);
  });

  it('says of each panel about what dcgm-exporter measures, and about costs, what that needs', async () => {
    const { panels } = JSON.parse(await readDashboard('dashboard-slices.json')) as Dashboard;
    const joined = panels.filter(({ targets = [] }) =>
      targets.some(({ expr }) => /gpu_partition_(slice|pod|gpu):/.test(expr)),
    );
    const [priced, measured] = [true, false].map((isCost) =>
      joined.filter(({ targets = [] }) => targets.every(({ expr }) => expr.includes('cost') === isCost)),
    );
    expect([priced?.length, measured?.length]).to.deep.equal([3, 4]);
    for (const { title, description } of measured ?? [])
      expect(description, title).to.match(
        /Needs agents with --slice-metrics, and dcgm-exporter: config\/monitoring\/slices\.$/,
      );
    for (const { title, description } of priced ?? [])
      expect(description, title).to.match(/Needs agents with --slice-metrics: .*, and OpenCost or Kubecost for /);
  });

  it('begins with figures, the nodes that are not Ready, and the alerts', async () => {
    const { panels } = JSON.parse(await readDashboard('dashboard.json')) as Dashboard;
    const types = panels.filter(({ type }) => type !== 'row').map(({ type }) => type);
    expect(types.slice(0, 9)).to.deep.equal([...Array.from({ length: 7 }, () => 'stat'), 'table', 'alertlist']);
  });
});
