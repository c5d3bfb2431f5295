import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, PolicySpec } from '../../../src/api/types.ts';
import {
  type ChangePlan,
  ForeseenChange,
  type ClusterState,
  type ControllerSetup,
} from '../../../src/core/plan/change.ts';
import { planWish } from '../../../src/core/device/plan.ts';
import { resolveNode } from '../../../src/core/policy/resolve-node.ts';
import type { NodeView } from '../../../src/core/kubernetes/node.ts';
import { placeOf } from '../../../src/core/gpu/grid.ts';
import { aDevice, aGpu, aPartition, aPolicy, withPods } from '../../support/builders.ts';
import { aNode, aPluginPod, noon } from '../../support/node-builders.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

/** The plan of a change without demands. */
export const planChange = (...change: ConstructorParameters<typeof ForeseenChange>): ChangePlan =>
  new ForeseenChange(...change).plan().plan;

export const someSetup: ControllerSetup = { maxConcurrentNodes: '100%' };

export interface NodeParts {
  readonly name: string;
  /** `PROFILE@START` of GPU 0; absent: MIG off. */
  readonly slices?: readonly string[];
  /** By `PROFILE@START`: names of pods of namespace `team`. */
  readonly pods?: Readonly<Record<string, readonly string[]>>;
  readonly gpus?: readonly GpuReport[];
  readonly node?: Parameters<typeof aNode>[0];
  readonly status?: Partial<NonNullable<GpuNodePartition['status']>>;
  readonly spec?: Partial<GpuNodePartition['spec']>;
}

/** A node of pool `p` that serves `policy`, at rest. */
export function aFleetNode(parts: NodeParts, policy = sliced()): { node: NodeView; partition: GpuNodePartition } {
  const { name, slices, pods = {}, node } = parts;
  const held = Object.fromEntries(Object.entries(pods).map(([place, names]) => [place, names.map(inTeam)]));
  const gpus = parts.gpus ?? [withPods(aGpu(slices ? { slices } : {}), held)];
  const ours = gpus.map(({ uuid, instances }) => ({ uuid, placements: instances.map(placeOf) }));
  const device = { ...aDevice(...gpus), bootID: 'boot-a', lastGood: { bootID: 'boot-a', gpus: ours } };
  const resolved = resolveNode(policy.spec, device, undefined);
  const wish = 'wish' in resolved ? resolved.wish : undefined;
  const { metadata } = policy;
  const made = aNode({ allocatable: advertise(gpus), ...node });
  const partition = aPartition({
    nodeUID: `uid-${name}`,
    policy: { name: metadata.name, uid: metadata.uid ?? '', generation: metadata.generation ?? 1 },
    strategy: policy.spec.strategy,
    ...(wish && { wish }),
    device: { ...device, ...(wish && { plan: planWish(device, wish).report }) },
    ...parts.spec,
  });
  return {
    node: { ...made, metadata: { ...made.metadata, name, uid: `uid-${name}` } },
    partition: {
      ...partition,
      metadata: { name, uid: `uid-gpn-${name}` },
      status: { ...partition.status, ...parts.status },
    },
  };
}

/** What all nodes of a builder's fleet serve: two halves of a GPU. */
export function sliced(more: Parameters<typeof aPolicy>[0] = {}): GpuPartitionPolicy {
  return { ...aPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }], ...more }), status: { acceptedGeneration: 1 } };
}

/** The same policy in a file: no uid, no defaults. */
export function inFile(spec: Partial<PolicySpec>, name = 'p'): GpuPartitionPolicy {
  const { apiVersion, kind, spec: usual } = aPolicy();
  return { apiVersion, kind, metadata: { name }, spec: { ...usual, ...spec } };
}

export interface PodBuild {
  readonly node?: string;
  readonly owner?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A ready pod of namespace `team` with a slice, of a ReplicaSet unless told otherwise. */
export function aTeamPod(
  name: string,
  { node = 'n1', owner = 'ReplicaSet', labels, annotations }: PodBuild = {},
): PodView {
  const controller = { apiVersion: 'apps/v1', kind: owner, name: 'train', uid: `uid-of-${name}`, controller: true };
  const ownerReferences = owner === '' ? [] : [controller];
  const containers = [{ name: 'main', resources: { limits: { 'nvidia.com/mig-3g.20gb': 1 } } }];
  return {
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      labels: { app: 'train', ...labels },
      ...(annotations && { annotations }),
      ownerReferences,
    },
    spec: { nodeName: node, containers },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export function aCluster(
  nodes: readonly ReturnType<typeof aFleetNode>[],
  more: Partial<ClusterState> = {},
): ClusterState {
  return {
    now: noon,
    nodes: nodes.map(({ node }) => node),
    partitions: nodes.map(({ partition }) => partition),
    policies: [sliced()],
    budgets: [],
    ...more,
    pods: [...nodes.map(({ node }) => pluginOn(node.metadata.name)), ...(more.pods ?? [])],
  };
}

/** What a device plugin of strategy mixed makes of the GPUs. */
function advertise(gpus: readonly GpuReport[]): Readonly<Record<string, string>> {
  const groups = Map.groupBy(
    gpus.flatMap(({ instances }) => instances),
    ({ profile }) => `nvidia.com/mig-${profile}`,
  );
  const whole = gpus.filter(({ mig }) => mig !== 'Enabled').length;
  return {
    'nvidia.com/gpu': `${whole}`,
    ...Object.fromEntries([...groups].map(([name, all]) => [name, `${all.length}`])),
  };
}

/** A device plugin that advertises what is there. */
function pluginOn(node: string): PodView {
  const pod = aPluginPod({ name: `plugin-${node}` });
  return { ...pod, spec: { ...pod.spec, nodeName: node } };
}

function inTeam(pod: string): string {
  return `team/${pod}`;
}
