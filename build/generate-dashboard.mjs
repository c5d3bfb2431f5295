// Writes Grafana's dashboards to config/monitoring. test/config/monitoring.spec.ts fails when one is stale.
import { writeFile } from 'node:fs/promises';

const folder = new URL('../config/monitoring/', import.meta.url);
const fleet = 'policy=~"$policy"';
const pool = 'pool=~"$pool"';
/** Agents that are scraped too have metrics of the same names. */
const ofController = '{program="controller"}';
/** Of kube-state-metrics, which names resources with underscores. */
const slices = 'resource=~"nvidia_com_(gpu|mig_.*)"';

const p95 = (name, by = '', selector = '') =>
  `histogram_quantile(0.95, sum by (le${by && `, ${by}`}) (rate(${name}_bucket${selector}[$__rate_interval])))`;

/** No policy selects the others, so that they match none. */
const managed = `${fleet}, phase!="Unmanaged"`;
const unready = `${fleet}, phase!~"Ready|Unmanaged"`;

/** 0 where something is counted and none of it is there; nothing where nobody counts: no data must not pass for none. */
const orNone = (expr, counted) => `${expr} or 0 * sum(${counted})`;

/** What pending pods request; `cluster` because pods of two clusters may bear one name. */
const asked = `kube_pod_container_resource_requests{${slices}} * on (cluster, namespace, pod) group_left () (kube_pod_status_phase{phase="Pending"} == 1)`;

/** The operator neither sees all pods nor what kubelets offer. */
const needsStateMetrics =
  'Needs kube-state-metrics, which serves kube_*: “No data” means that it is not scraped, not that there is nothing.';

const needsSliceMetrics = 'Needs agents with --slice-metrics, and dcgm-exporter: config/monitoring/slices.';
const needsPrices =
  'Needs agents with --slice-metrics: config/monitoring/slices, and OpenCost or Kubecost for the price of a GPU.';
const ofProfile = 'profile=~"$profile"';

/** A figure of this moment. @param worse value from which it is orange, and from which it is red */
const stat = (title, unit, expr, description, worse = []) => ({
  type: 'stat',
  title,
  description,
  unit,
  queries: [[expr, '']],
  worse,
});
const lines = (title, unit, queries, description) => ({ type: 'timeseries', title, description, unit, queries });

/** Rows of panels; the panels of a row share its width. */
const fleetRows = [
  [
    'Now',
    4,
    [
      stat('Nodes', 'short', `sum(gpu_partition_nodes{${fleet}})`, 'GPU nodes of the chosen policies.'),
      stat(
        'Ready',
        'percentunit',
        `(${orNone(`sum(gpu_partition_nodes{${fleet}, phase="Ready"})`, `gpu_partition_nodes{${managed}}`)}) / sum(gpu_partition_nodes{${managed}})`,
        'Share of nodes whose device, labels and offered resources match their policy.',
      ),
      stat(
        'Failed',
        'short',
        orNone(`sum(gpu_partition_nodes{${fleet}, phase=~"Failed|Invalid"})`, `gpu_partition_nodes{${fleet}}`),
        'Nodes that failed, or that cannot take their policy. The table says why.',
        [1, 1],
      ),
      stat(
        'In flight',
        'short',
        `sum(gpu_partition_policy_in_flight{${fleet}})`,
        'Nodes that were admitted to change, and are neither verified nor given up.',
      ),
      stat(
        'GPUs not well',
        'short',
        orNone(`sum(gpu_partition_unhealthy_gpus{${pool}})`, `gpu_partition_gpus{${pool}}`),
        'GPUs that their driver reports as unhealthy. They are not repartitioned.',
        [1, 1],
      ),
      stat(
        'Closed longest',
        's',
        'max(gpu_partition_longest_closed_seconds)',
        'For how long the node that has been closed longest takes no new GPU pods.',
        [900, 3600],
      ),
      stat(
        'Leaders',
        'short',
        'sum(gpu_partition_leader)',
        'Controllers that lead: exactly one. Without one nothing changes, and what is shown here is missing.',
      ),
    ],
  ],
  [
    'What needs somebody',
    8,
    [
      {
        type: 'table',
        title: 'Nodes that are not Ready',
        description:
          'By policy, phase and reason. docs/errors.md says what a reason means and what to do; gpu-partition status names the nodes.',
        unit: 'short',
        queries: [[`sum by (policy, phase, reason) (gpu_partition_nodes{${unready}}) > 0`, '']],
      },
      {
        type: 'alertlist',
        title: 'Alerts',
        description: 'Alerts of this operator that fire or are about to. Each has a runbook in docs/errors.md.',
        unit: 'short',
        queries: [],
      },
    ],
  ],
  [
    'Fleet',
    8,
    [
      lines(
        'Nodes by phase',
        'short',
        [[`sum by (phase) (gpu_partition_nodes{${fleet}})`, '{{phase}}']],
        'A rollout moves nodes from Pending over Updating to Ready.',
      ),
      lines(
        'Nodes that are not Ready, by reason',
        'short',
        [[`sum by (reason) (gpu_partition_nodes{${unready}})`, '{{reason}}']],
        'A line that does not fall is a rollout that stands still.',
      ),
    ],
  ],
  [
    'Policies',
    8,
    [
      lines(
        'Budget: nodes in flight',
        'short',
        [
          [`sum by (policy) (gpu_partition_policy_in_flight{${fleet}})`, '{{policy}} in flight'],
          [`sum by (policy) (gpu_partition_policy_max_unavailable{${fleet}})`, '{{policy}} most'],
        ],
        'Admitted nodes of each policy, and how many may be unavailable at a time.',
      ),
      lines(
        'Steps of a change, 95th percentile',
        's',
        [[p95('gpu_partition_change_step_duration_seconds', 'step'), '{{step}}']],
        'Where changes spend their time: plan, slot, drain, device, refresh, other.',
      ),
      lines(
        'Grants, failures and evictions',
        'short',
        [
          ['sum(increase(gpu_partition_grants_total[$__rate_interval]))', 'grants'],
          ['sum by (reason) (increase(gpu_partition_node_failures_total[$__rate_interval])) > 0', 'failed: {{reason}}'],
          ['sum by (result) (increase(gpu_partition_evictions_total[$__rate_interval]))', 'evictions {{result}}'],
        ],
        'What happened in each interval. Blocked evictions wait for a disruption budget.',
      ),
      lines(
        'Oldest change, and nodes closed for one',
        's',
        [
          ['max(gpu_partition_oldest_change_seconds)', 'oldest change'],
          [p95('gpu_partition_node_closed_seconds'), 'closed, 95th percentile'],
          ['max(gpu_partition_longest_closed_seconds)', 'closed longest now'],
        ],
        'Age of the oldest change in progress, and for how long nodes take no new GPU pods.',
      ),
    ],
  ],
  [
    'Controller',
    8,
    [
      lines(
        'Queue depth',
        'short',
        [[`sum by (queue) (gpu_partition_queue_depth${ofController})`, '{{queue}}']],
        'Keys that wait. A depth that does not fall: the controller is too slow, or the API server is.',
      ),
      lines(
        'Time in the queue and to reconcile, 95th percentile',
        's',
        [
          [p95('gpu_partition_queue_wait_seconds', 'queue', ofController), '{{queue}} waits'],
          [p95('gpu_partition_reconcile_duration_seconds', 'queue', ofController), '{{queue}} runs'],
        ],
        'How long a key waits, and how long its reconcile takes.',
      ),
      lines(
        'Reconciles',
        'ops',
        [
          [
            `sum by (queue, result) (rate(gpu_partition_reconciles_total${ofController}[$__rate_interval]))`,
            '{{queue}} {{result}}',
          ],
        ],
        'Finished reconciles a second, by result.',
      ),
      lines(
        'Silence of watches',
        's',
        [[`max by (resource) (gpu_partition_watch_silence_seconds${ofController})`, '{{resource}}']],
        'The API server sends something on each watch about every minute.',
      ),
      lines(
        'Restarts of watches',
        'ops',
        [
          [
            `sum by (resource) (rate(gpu_partition_watch_restarts_total${ofController}[$__rate_interval]))`,
            '{{resource}}',
          ],
        ],
        'Many restarts: the connection to the API server is cut again and again.',
      ),
    ],
  ],
  [
    'Nodes whose agents are scraped',
    8,
    [
      lines(
        'Operations at the device',
        'short',
        [
          [
            'sum by (pod, operation) (increase(gpu_partition_device_operations_total[$__rate_interval]))',
            '{{pod}} {{operation}}',
          ],
        ],
        'Instances created and destroyed, resets, and changes of MIG mode.',
      ),
      lines(
        'Failures at the device',
        'short',
        [
          [
            'sum by (pod, code) (increase(gpu_partition_device_failures_total[$__rate_interval])) > 0',
            '{{pod}} {{code}}',
          ],
        ],
        'Failed readings and failed GPUs by code: docs/errors.md.',
      ),
      lines(
        'Age of the last reading, and clock',
        's',
        [
          ['max by (pod) (gpu_partition_device_read_age_seconds)', '{{pod}} read'],
          ['max by (pod) (gpu_partition_clock_skew_seconds)', '{{pod}} clock ahead'],
        ],
        'Time since the GPUs were last read without error, and how far the clock of the node is ahead of the API server’s.',
      ),
    ],
  ],
];

const sliceRows = [
  [
    'Now',
    4,
    [
      stat(
        'Instances',
        'short',
        `sum(gpu_partition_instances{${pool}, profile=~"$profile"})`,
        'GPU instances of the chosen pools and profiles.',
      ),
      stat(
        'In use',
        'percentunit',
        `sum(gpu_partition_instances{${pool}, profile=~"$profile", state="used"}) / sum(gpu_partition_instances{${pool}, profile=~"$profile"})`,
        'Share of instances that a pod or a process uses.',
      ),
      stat(
        'Free',
        'short',
        `sum(gpu_partition_instances{${pool}, profile=~"$profile", state="free"})`,
        'Instances that nobody uses.',
      ),
      stat(
        'Asked for by pods that wait',
        'short',
        orNone(`sum(${asked})`, 'kube_pod_status_phase'),
        `GPUs and slices that pending pods ask for. ${needsStateMetrics}`,
        [1, 100],
      ),
      stat(
        'Memory slices wasted',
        'short',
        `sum(gpu_partition_stranded_slices{${pool}, resource="memory"})`,
        'Memory slices of GPUs in MIG mode that belong to no instance: they cannot be allocated in this layout.',
      ),
    ],
  ],
  [
    'By profile',
    8,
    [
      {
        type: 'table',
        title: 'Instances by pool and profile',
        description: 'What is there now, used and free.',
        unit: 'short',
        queries: [[`sum by (pool, profile, state) (gpu_partition_instances{${pool}, profile=~"$profile"})`, '']],
      },
      lines(
        'Instances in use, by profile',
        'short',
        [[`sum by (profile) (gpu_partition_instances{${pool}, profile=~"$profile", state="used"})`, '{{profile}}']],
        'Compare with what is free: a profile that is always free is a layout that fits nobody.',
      ),
      lines(
        'Free instances, by profile',
        'short',
        [[`sum by (profile) (gpu_partition_instances{${pool}, profile=~"$profile", state="free"})`, '{{profile}}']],
        'At 0, pods that ask for the profile wait.',
      ),
    ],
  ],
  [
    'Offered and asked for',
    8,
    [
      lines(
        'Offered by nodes',
        'short',
        [[`sum by (resource) (kube_node_status_allocatable{${slices}})`, '{{resource}}']],
        `What the kubelets offer to the scheduler. ${needsStateMetrics}`,
      ),
      lines(
        'Asked for by pods that wait',
        'short',
        [
          [
            `sum by (resource) (${asked}) or 0 * sum by (resource) (kube_node_status_allocatable{${slices}})`,
            '{{resource}}',
          ],
        ],
        `gpu-partition explain pod says why one waits. ${needsStateMetrics}`,
      ),
    ],
  ],
  [
    'What dcgm-exporter measures',
    8,
    [
      lines(
        'Engines in use, by profile',
        'percentunit',
        [[`avg by (profile) (gpu_partition_slice:engine_active:ratio{${ofProfile}})`, '{{profile}}']],
        `Share of the time in which the slices of a profile had work, on average. ${needsSliceMetrics}`,
      ),
      lines(
        'Busiest pods',
        'percentunit',
        [
          [
            `topk(10, max by (namespace, pod) (gpu_partition_pod:engine_active:ratio{${ofProfile}}))`,
            '{{namespace}}/{{pod}}',
          ],
        ],
        `The ten pods whose slices have the most work. ${needsSliceMetrics}`,
      ),
      lines(
        'Memory in use, by profile',
        'bytes',
        [[`sum by (profile) (gpu_partition_slice:memory_used:bytes{${ofProfile}})`, '{{profile}}']],
        `GPU memory that is in use on slices. ${needsSliceMetrics}`,
      ),
      lines(
        'Slices that a pod holds and does not use',
        'short',
        [[`sum by (profile) (gpu_partition_pod:engine_active:ratio{${ofProfile}} < bool 0.01)`, '{{profile}}']],
        `Slices that had work for less than a hundredth of the time: gpu_partition_pod:engine_active:ratio names their pods. ${needsSliceMetrics}`,
      ),
    ],
  ],
  [
    'What slices cost',
    8,
    [
      lines(
        'What GPUs with slices cost an hour',
        'short',
        [
          ['sum(gpu_partition_pod:cost:per_hour)', 'held by pods'],
          ['sum(gpu_partition_slice:idle_cost:per_hour)', 'slices that no pod holds'],
          ['sum(gpu_partition_gpu:stranded_cost:per_hour)', 'memory of no slice'],
        ],
        `In the currency of the prices. Together they are the price of the GPUs in MIG mode that have slices. ${needsPrices}`,
      ),
      lines(
        'Namespaces that cost most',
        'short',
        [['topk(10, sum by (namespace) (gpu_partition_pod:cost:per_hour))', '{{namespace}}']],
        `What the slices of a namespace’s pods cost an hour. ${needsPrices}`,
      ),
      lines(
        'Slices that no pod holds, by profile',
        'short',
        [[`sum by (profile) (gpu_partition_slice:idle_cost:per_hour{${ofProfile}})`, '{{profile}}']],
        `What they cost an hour. A profile that costs much here is one too many of the layout. ${needsPrices}`,
      ),
    ],
  ],
  [
    'Waste',
    8,
    [
      lines(
        'Share of instances in use, by pool',
        'percentunit',
        [
          [
            `sum by (pool) (gpu_partition_instances{${pool}, profile=~"$profile", state="used"}) / sum by (pool) (gpu_partition_instances{${pool}, profile=~"$profile"})`,
            '{{pool}}',
          ],
        ],
        'gpu-partition report names the layout that would serve more.',
      ),
      lines(
        'Slices that nobody can get',
        'short',
        [[`sum by (resource) (gpu_partition_stranded_slices{${pool}})`, '{{resource}}']],
        'Compute and memory slices of GPUs in MIG mode that belong to no instance.',
      ),
      lines(
        'GPUs by state and health',
        'short',
        [
          [`sum by (state) (gpu_partition_gpus{${pool}})`, '{{state}}'],
          [`sum by (action) (gpu_partition_unhealthy_gpus{${pool}})`, 'not well: {{action}}'],
          ['sum by (code) (gpu_partition_device_errors)', 'nodes with {{code}}'],
        ],
        'Whole GPUs, GPUs in MIG mode, unreadable ones, and those that need a remedy.',
      ),
    ],
  ],
];

const datasource = { type: 'prometheus', uid: '${datasource}' };

/** `.*` also matches where there is no such label: one cluster has no label of its own name. */
function variable(name, metric, label) {
  return {
    name,
    label: name,
    type: 'query',
    datasource,
    query: { query: `label_values(${metric}, ${label})`, refId: name },
    includeAll: true,
    multi: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
    refresh: 2,
  };
}

/** A query of one cluster, or of all. */
function ofCluster(expr) {
  return expr.replaceAll(/\b((?:gpu_partition|kube)_[\w:]+)(?:\{([^}]*)\})?/g, (_whole, name, selector = '') => {
    const rest = selector === '' ? '' : `, ${selector}`;
    return `${name}{cluster=~"$cluster"${rest}}`;
  });
}

function describeOptions({ type, worse = [] }) {
  const [orange, red] = worse;
  const steps = [
    { color: 'green', value: null },
    ...(orange !== undefined && orange !== red ? [{ color: 'orange', value: orange }] : []),
    ...(red === undefined ? [] : [{ color: 'red', value: red }]),
  ];
  switch (type) {
    case 'stat':
      return {
        defaults: { thresholds: { mode: 'absolute', steps } },
        options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: worse.length > 0 ? 'background' : 'value' },
      };
    case 'alertlist':
      return {
        options: {
          alertName: 'GpuPartition',
          viewMode: 'list',
          groupMode: 'default',
          sortOrder: 3,
          stateFilter: { firing: true, pending: true, noData: false, normal: false, error: true },
        },
      };
    case 'table':
      return {
        // The time of each row is now.
        transformations: [
          { id: 'organize', options: { excludeByName: { Time: true }, renameByName: { Value: 'count' } } },
        ],
        options: { sortBy: [{ displayName: 'count', desc: true }] },
      };
    default:
      return {};
  }
}

function describePanel(panel, id, gridPos) {
  const { type, title, description, unit, queries } = panel;
  const { defaults = {}, ...rest } = describeOptions(panel);
  const instant = type === 'timeseries' ? {} : { instant: true, ...(type === 'table' && { format: 'table' }) };
  return {
    id,
    type,
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: { defaults: { unit, ...(type === 'timeseries' && { min: 0 }), ...defaults }, overrides: [] },
    ...rest,
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: 'ABC'[index],
      datasource,
      expr: ofCluster(expr),
      legendFormat,
      ...instant,
    })),
  };
}

function describeRows(rows) {
  let id = 0;
  let y = 0;
  return rows.flatMap(([title, h, list]) => {
    const row = { id: (id += 1), type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] };
    const w = Math.floor(24 / list.length);
    // The last one takes what is left of the width.
    const widthOf = (at) => (at === list.length - 1 ? 24 - at * w : w);
    const drawn = list.map((panel, at) => describePanel(panel, (id += 1), { x: at * w, y: y + 1, w: widthOf(at), h }));
    y += h + 1;
    return [row, ...drawn];
  });
}

function describeDashboard({ uid, title, variables, rows, other }) {
  const dashboard = {
    uid,
    title,
    tags: ['gpu', 'mig', 'gpu-partition'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    links: [{ type: 'link', title: other.title, url: `/d/${other.uid}`, keepTime: true, includeVars: true }],
    templating: {
      list: [
        { name: 'datasource', label: 'data source', type: 'datasource', query: 'prometheus', refresh: 1 },
        ...variables,
      ],
    },
    panels: describeRows(rows),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

const cluster = variable('cluster', 'gpu_partition_nodes', 'cluster');
const pools = variable('pool', 'gpu_partition_gpus', 'pool');
const [first, second] = [
  { uid: 'gpu-partition', title: 'GPU partitions' },
  { uid: 'gpu-partition-slices', title: 'GPU slices' },
];

/** The dashboards as they should be, by file name. */
export function describeDashboards() {
  const variables = [cluster, variable('policy', 'gpu_partition_nodes', 'policy'), pools];
  const ofSlices = [cluster, pools, variable('profile', 'gpu_partition_instances', 'profile')];
  return {
    'dashboard.json': describeDashboard({ ...first, variables, rows: fleetRows, other: second }),
    'dashboard-slices.json': describeDashboard({ ...second, variables: ofSlices, rows: sliceRows, other: first }),
  };
}

export async function writeDashboards() {
  for (const [name, text] of Object.entries(describeDashboards())) await writeFile(new URL(name, folder), text);
}
