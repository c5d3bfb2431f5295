// Writes config/monitoring/dashboard.json, Grafana's dashboard. test/config/monitoring.spec.ts fails when it is stale.
import { writeFile } from 'node:fs/promises';

const file = new URL('../config/monitoring/dashboard.json', import.meta.url);
const fleet = 'policy=~"$policy"';
const pool = 'pool=~"$pool"';

const p95 = (name, by = '') =>
  `histogram_quantile(0.95, sum by (le${by && `, ${by}`}) (rate(${name}_bucket[$__rate_interval])))`;

/** Rows of panels; a panel is its title, its unit, and queries with the legend of their series. */
const rows = [
  [
    'Fleet',
    [
      ['Nodes by phase', 'short', [[`sum by (phase) (gpu_partition_nodes{${fleet}})`, '{{phase}}']]],
      [
        'Nodes that are not Ready, by reason',
        'short',
        [[`sum by (reason) (gpu_partition_nodes{${fleet}, phase!="Ready"})`, '{{reason}}']],
      ],
      [
        'Share of nodes that are Ready',
        'percentunit',
        [[`sum(gpu_partition_nodes{${fleet}, phase="Ready"}) / sum(gpu_partition_nodes{${fleet}})`, 'ready']],
      ],
    ],
  ],
  [
    'Policies',
    [
      [
        'Budget: nodes in flight',
        'short',
        [
          [`sum by (policy) (gpu_partition_policy_in_flight{${fleet}})`, '{{policy}} in flight'],
          [`sum by (policy) (gpu_partition_policy_max_unavailable{${fleet}})`, '{{policy}} most'],
        ],
      ],
      [
        'Steps of a change, 95th percentile',
        's',
        [[p95('gpu_partition_change_step_duration_seconds', 'step'), '{{step}}']],
      ],
      [
        'Grants, failures and evictions',
        'short',
        [
          ['increase(gpu_partition_grants_total[$__rate_interval])', 'grants'],
          ['sum by (reason) (increase(gpu_partition_node_failures_total[$__rate_interval]))', 'failed: {{reason}}'],
          ['sum by (result) (increase(gpu_partition_evictions_total[$__rate_interval]))', 'evictions {{result}}'],
        ],
      ],
      ['Oldest change under way', 's', [['max(gpu_partition_oldest_change_seconds)', 'age']]],
      [
        'Nodes closed for a change',
        's',
        [
          [p95('gpu_partition_node_closed_seconds'), '95th percentile'],
          ['max(gpu_partition_longest_closed_seconds)', 'longest now'],
        ],
      ],
    ],
  ],
  [
    'GPUs',
    [
      [
        'Instances in use, by profile',
        'short',
        [[`sum by (profile, state) (gpu_partition_instances{${pool}})`, '{{profile}} {{state}}']],
      ],
      [
        'Share of instances in use',
        'percentunit',
        [
          [
            `sum by (pool) (gpu_partition_instances{${pool}, state="used"}) / sum by (pool) (gpu_partition_instances{${pool}})`,
            '{{pool}}',
          ],
        ],
      ],
      ['Stranded slices', 'short', [[`sum by (resource) (gpu_partition_stranded_slices{${pool}})`, '{{resource}}']]],
      [
        'GPUs by state and health',
        'short',
        [
          [`sum by (state) (gpu_partition_gpus{${pool}})`, '{{state}}'],
          [`sum by (action) (gpu_partition_unhealthy_gpus{${pool}})`, 'unhealthy: {{action}}'],
          ['sum by (code) (gpu_partition_device_errors)', 'nodes with {{code}}'],
        ],
      ],
    ],
  ],
  [
    'Controller',
    [
      ['Leader', 'short', [['sum(gpu_partition_leader)', 'leaders']]],
      [
        'Queue depth and wait',
        'short',
        [
          ['sum by (queue) (gpu_partition_queue_depth)', '{{queue}} depth'],
          [p95('gpu_partition_queue_wait_seconds', 'queue'), '{{queue}} wait s'],
        ],
      ],
      [
        'Reconciles',
        'short',
        [
          ['sum by (queue, result) (rate(gpu_partition_reconciles_total[$__rate_interval]))', '{{queue}} {{result}}'],
          [p95('gpu_partition_reconcile_duration_seconds', 'queue'), '{{queue}} p95 s'],
        ],
      ],
      [
        'Watches',
        'short',
        [
          ['max by (resource) (gpu_partition_watch_silence_seconds)', '{{resource}} silent s'],
          ['sum by (resource) (rate(gpu_partition_watch_restarts_total[$__rate_interval]))', '{{resource}} restarts'],
        ],
      ],
    ],
  ],
  [
    'Nodes whose agents are scraped',
    [
      [
        'Operations at the device',
        'short',
        [
          [
            'sum by (pod, operation) (increase(gpu_partition_device_operations_total[$__rate_interval]))',
            '{{pod}} {{operation}}',
          ],
        ],
      ],
      [
        'Failures at the device',
        'short',
        [['sum by (pod, code) (increase(gpu_partition_device_failures_total[$__rate_interval]))', '{{pod}} {{code}}']],
      ],
      ['Age of the last reading', 's', [['max by (pod) (gpu_partition_device_read_age_seconds)', '{{pod}}']]],
      ['Clock ahead of the API server', 's', [['max by (pod) (gpu_partition_clock_skew_seconds)', '{{pod}}']]],
    ],
  ],
];

const datasource = { type: 'prometheus', uid: '${datasource}' };

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

/** The dashboard as it should be. */
export function describeDashboard() {
  let id = 0;
  let y = 0;
  const panels = rows.flatMap(([title, list]) => {
    const width = Math.floor(24 / list.length);
    const row = { id: (id += 1), type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] };
    const drawn = list.map(([name, unit, queries], at) => ({
      id: (id += 1),
      type: 'timeseries',
      title: name,
      datasource,
      gridPos: { x: at * width, y: y + 1, w: width, h: 8 },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], index) => ({ refId: 'ABC'[index], datasource, expr, legendFormat })),
    }));
    y += 9;
    return [row, ...drawn];
  });
  const dashboard = {
    uid: 'gpu-partition',
    title: 'GPU partitions',
    tags: ['gpu', 'mig'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'data source', type: 'datasource', query: 'prometheus', refresh: 1 },
        variable('policy', 'gpu_partition_nodes', 'policy'),
        variable('pool', 'gpu_partition_gpus', 'pool'),
      ],
    },
    panels,
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

export async function writeDashboard() {
  await writeFile(file, describeDashboard());
}
