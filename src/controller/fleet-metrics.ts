import { registerGauge } from '../process/metrics.ts';
import type { Registry } from 'prom-client';
import type { GpuNodePartition } from '../api/types.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { countLimit } from '../core/rollout/limit.ts';
import { countFleet, type Figure, type FleetFigures, poolOf } from '../core/status/fleet-figures.ts';
import type { NodeObject } from './node-object.ts';

/** What a leader knows of the fleet. */
export interface FleetSources {
  readonly fleet: Pick<Fleet, 'policies'>;
  readonly partitions: { list(): readonly GpuNodePartition[] };
  readonly nodes: { get(name: string): NodeObject | undefined };
}

/** One scrape asks several metrics for the same figures. */
const figuresAgeMs = 1000;

/** Registers what a leader tells of its fleet. @param leading its sources; undefined in a standby */
export function registerFleet(registry: Registry, now: () => number, leading: () => FleetSources | undefined): void {
  let counted: { readonly sources: FleetSources; readonly at: number; readonly of: FleetFigures } | undefined;
  const count = (): FleetFigures | undefined => {
    const sources = leading();
    if (!sources) return undefined;
    const at = now();
    if (counted?.sources !== sources || at - counted.at > figuresAgeMs) {
      const pool = (node: string): string => poolOf(sources.nodes.get(node)?.metadata.labels);
      counted = { sources, at, of: countFleet(sources.partitions.list(), pool) };
    }
    return counted.of;
  };
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    list: () => readonly Figure<Label>[],
  ): void => registerGauge(registry, name, help, labelNames, list);
  gauge('gpu_partition_leader', '1 in the leading controller, 0 in a standby.', [], () => [
    { labels: {}, value: leading() ? 1 : 0 },
  ]);
  const figures =
    <Key extends keyof FleetFigures>(key: Key) =>
    (): FleetFigures[Key] | readonly [] =>
      count()?.[key] ?? [];
  gauge(
    'gpu_partition_nodes',
    'GPU nodes by policy (empty: none applies), phase, and the reason of their condition Ready (docs/errors.md).',
    ['policy', 'phase', 'reason'],
    figures('nodes'),
  );
  gauge(
    'gpu_partition_gpus',
    'GPUs by node pool, product and state: whole, mig, or unreadable.',
    ['pool', 'product', 'state'],
    figures('gpus'),
  );
  gauge(
    'gpu_partition_unhealthy_gpus',
    'GPUs that their driver reports as unhealthy, by node pool and remedy.',
    ['pool', 'action'],
    figures('unhealthy'),
  );
  gauge(
    'gpu_partition_instances',
    'GPU instances by node pool, profile and state: free or used.',
    ['pool', 'profile', 'state'],
    figures('instances'),
  );
  gauge(
    'gpu_partition_stranded_slices',
    'Slices of GPUs in MIG mode that belong to no instance, by node pool and resource: compute or memory.',
    ['pool', 'resource'],
    figures('stranded'),
  );
  gauge(
    'gpu_partition_device_errors',
    'Nodes whose last grant or reading of the GPUs failed, by code (docs/errors.md).',
    ['code'],
    figures('deviceErrors'),
  );
  const policies = (count: (record: PolicyRecord) => number) => (): readonly Figure<'policy'>[] =>
    [...(leading()?.fleet.policies ?? [])].map((record) => ({
      labels: { policy: record.policy.metadata.name },
      value: count(record),
    }));
  gauge(
    'gpu_partition_policy_in_flight',
    'Nodes in flight for a policy: admitted, and neither verified nor given up. The used part of its budget.',
    ['policy'],
    policies(({ policy }) => policy.status?.inFlight?.length ?? 0),
  );
  gauge(
    'gpu_partition_policy_max_unavailable',
    'Nodes of a policy that may be unavailable at a time, from rollout.maxUnavailable: its budget.',
    ['policy'],
    policies(
      ({ policy: { spec, status }, tally }) =>
        status?.limits?.maxUnavailable ?? countLimit(spec.rollout?.maxUnavailable ?? 1, tally.own),
    ),
  );
}
