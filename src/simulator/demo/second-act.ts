import { countWords } from '../../core/text/cut-text.ts';
import type { GpuNodePartition, GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { countLimit } from '../../core/rollout/limit.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { parseState } from '../nvidia-smi/state/state-text.ts';
import { describeBudget, describeDeployment } from '../rig/gpu-workload.ts';
import type { Rig, RigNode } from '../rig/rig.ts';
import type { DemoPod } from './cluster-view.ts';

const model = 'A30';
const pools = ['east', 'west'] as const;
/** Twelve nodes in two pools, with one GPU each. */
export const fleetNodes: readonly RigNode[] = pools.flatMap((pool) =>
  Array.from({ length: 6 }, (_, index) => ({
    name: `${pool}-${index + 1}`,
    gpus: [model],
    labels: { pool },
    strategy: 'mixed' as const,
  })),
);

/** How many of its nodes change at a time. */
export const fleetBudget = 3;
export const fleetPolicy = 'serving';
export const fleetApp = 'web';
/** Pods of the deployment that move away. */
const replicas = 20;

export const fleetSelector: PolicySpec['nodeSelector'] = {
  matchExpressions: [{ key: 'pool', operator: 'In', values: [...pools] }],
};

/** The policy of the second act: the original, then the edit. */
export function describeFleetPolicy(edition: 'First' | 'Edited'): object {
  const isFirst = edition === 'First';
  const spec: PolicySpec = {
    nodeSelector: fleetSelector,
    strategy: 'mixed',
    layouts: [{ profiles: isFirst ? { '1g.6gb': 4 } : { '2g.12gb': 1, '1g.6gb': 2 } }],
    rollout: { maxUnavailable: isFirst ? '100%' : fleetBudget },
  };
  return { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name: fleetPolicy }, spec };
}

/** A deployment of small models that fills the slices of one pool first, and its owner's disruption budget. */
export function describeFleetWorkload(): readonly object[] {
  const prefers = { key: 'pool', value: 'east' };
  const workload = { name: fleetApp, resource: 'nvidia.com/mig-1g.6gb', replicas, prefers };
  return [describeDeployment(workload), describeBudget(workload, 4)];
}

/** One line per node: its progress, the slices on the device at this moment, and its pods. */
export async function drawFleet(
  rig: Rig,
  partitions: readonly GpuNodePartition[],
  pods: readonly DemoPod[],
  policy: GpuPartitionPolicy | undefined,
): Promise<readonly string[]> {
  const inFlight = policy?.status?.inFlight?.map(({ node }) => node) ?? [];
  const rows = fleetNodes.map(async ({ name }) => {
    const partition = partitions.find(({ metadata }) => metadata.name === name);
    const own = pods.filter(({ spec }) => spec.nodeName === name);
    const leaving = own.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
    const count = countWords(own.length, 'pod');
    const podCount = leaving > 0 ? `${count}, ${leaving} leaving` : count;
    const phase = inFlight.includes(name) ? 'changing' : (partition?.status?.phase ?? 'Pending');
    return `${name.padEnd(7)} ${phase.padEnd(9)} ${drawSlices(await rig.deviceState(name)).padEnd(38)} ${podCount}`;
  });
  return [...(await Promise.all(rows)), describeInFlight(policy)];
}

/** `9/12 ready, 3 updating; 3 of at most 3 in flight` */
export function describeInFlight(policy: GpuPartitionPolicy | undefined): string {
  if (policy === undefined) return '';
  const { spec, status } = policy;
  const most = countLimit(spec.rollout?.maxUnavailable ?? 1, fleetNodes.length);
  return `${status?.summary ?? ''}; ${status?.inFlight?.length ?? 0} of at most ${most} in flight`;
}

/** `[1g.6gb][1g.6gb][2g.12gb]` */
function drawSlices(state: string): string {
  const geometry = findModel(model);
  const [gpu] = parseState(state, 1).gpus;
  const slices = gpu?.gpuInstances.toSorted((a, b) => a.start - b.start) ?? [];
  return slices
    .map(({ profileId }) => `[${geometry?.profiles.find(({ id }) => id === profileId)?.name ?? profileId}]`)
    .join('');
}

export async function apply(controlPlane: ControlPlane, ...objects: readonly object[]): Promise<string> {
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { code, stdout, stderr } = await controlPlane.kubectl(['apply', '-f', '-'], { input });
  if (code !== 0) throw new Error(`kubectl apply: ${stderr || stdout}`);
  return stdout.trimEnd();
}
