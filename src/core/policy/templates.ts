// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what an autoscaler must know of a node that does not exist yet: the labels and resources that a policy will give it.
import {
  acceleratorLabels,
  autoscalerStartupTaintKey,
  gpuPresenceLabel,
  repartitioningTaint,
  uninitializedTaint,
} from '../../api/names.ts';
import type { GpuPartitionPolicy, GpuReport, PolicyLayout, PolicySpec } from '../../api/types.ts';
import { findModel, type GpuModel, MODELS, toProductLabel } from '../gpu/geometry.ts';
import {
  dropInvalidLabels,
  GPU_RESOURCE,
  type GpuDescription,
  type Labels,
  type MigDeviceDescription,
  type NodeDescription,
} from '../nvidia/labels.ts';
import { managedConfig } from '../nvidia/plugin-config.ts';
import { predictNode } from '../nvidia/predict.ts';
import { compareText } from '../text/json.ts';
import { joinWords } from '../text/words.ts';
import type { ExportedObject } from './device-classes.ts';
import { matchesGpu, resolveNode } from './resolve-node.ts';
import { mayUseClaims, selectsNode } from './spec.ts';

/** The GPUs of a node to come. */
interface Hardware {
  /** A product or a model in any form; if absent, the only one for which the policy has layouts. */
  readonly model?: string | undefined;
  readonly gpus: number;
}

/** A node as it will be once it is created for a policy's pool and partitioned. */
interface NodeToCome {
  /** `8 × NVIDIA A100-SXM4-40GB under strategy mixed` */
  readonly about: string;
  /** Labels that its pool gives it, so that the policy selects it. */
  readonly poolLabels: Labels;
  /** Labels that GPU Feature Discovery gives it, as far as they depend on neither driver nor machine. */
  readonly gpuLabels: Labels;
  /** What the device plugin offers, and 0 for whole GPUs if none is left: a cloud's instance type has them all. */
  readonly resources: Readonly<Record<string, number>>;
  /** What people must know of it. */
  readonly notes: readonly string[];
}

/** In words why it cannot be told. @param found labels that the autoscaler's own programs give the node */
function foreseeNode(policy: GpuPartitionPolicy, hardware: Hardware, found: Labels = {}): NodeToCome | string {
  const { spec } = policy;
  if (spec.layouts === undefined)
    return 'it has a demand: which slices a new node gets depends on the whole pool; use layouts, or keep a node in the pool';
  if (mayUseClaims(spec))
    return (
      `backend ${spec.backend}: autoscalers know claims of whole devices only, so no template can have slices of the DRA driver; ` +
      'use backend DevicePlugin for this pool, or keep a node in it'
    );
  const poolLabels = { [gpuPresenceLabel]: 'true', ...spec.nodeSelector.matchLabels };
  if (!selectsNode(spec.nodeSelector, { ...poolLabels, ...found }))
    return 'spec.nodeSelector.matchExpressions do not select a node with matchLabels alone: add to matchLabels what the pool gives its nodes';
  const board = chooseBoard(spec.layouts, hardware.model);
  if (typeof board === 'string') return board;
  const node = partitionNode(spec, board, hardware.gpus);
  if (typeof node === 'string') return node;
  const config = spec.sharing && { file: 'spec.sharing', value: managedConfig(spec).file };
  const { labels, resources, errors } = predictNode(node, spec.strategy, config);
  const [error] = errors;
  if (error !== undefined) return `NVIDIA’s programs exit on such a node: ${error}`;
  if (Object.keys(resources).length === 0) return 'such a node offers no GPU resource';
  return {
    about: `${hardware.gpus} × ${board.product} under strategy ${spec.strategy}`,
    poolLabels,
    gpuLabels: selectForeseeable(dropInvalidLabels(labels), spec.sharing !== undefined),
    resources: { [GPU_RESOURCE]: 0, ...resources },
    notes: noteChanges(spec),
  };
}

function noteChanges({ mode, schedules = [] }: PolicySpec): readonly string[] {
  const names = schedules.map(({ name }) => name);
  return [
    ...(mode === 'Plan'
      ? ['The policy is in mode Plan: until it is in mode Enforce, new nodes keep the start-up taint.']
      : []),
    ...(names.length === 0
      ? []
      : [`While ${joinWords(names)} applies, nodes have other slices: the autoscaler does not learn of it.`]),
  ];
}

interface Board {
  readonly model: GpuModel;
  /** As NVML prints it: `NVIDIA A100-SXM4-40GB`. */
  readonly product: string;
  readonly pciDeviceId?: string | undefined;
}

function chooseBoard(layouts: readonly PolicyLayout[], named: string | undefined): Board | string {
  const boards = named === undefined ? listSelected(layouts) : listNamed(named);
  const [board] = boards;
  if (board !== undefined && boards.length === 1) return board;
  if (board === undefined)
    return `no board whose table is known is ${named ?? 'selected by its layouts'}: keep a node in the pool`;
  const names = boards.map(({ product }) => product.replace(/^NVIDIA /, ''));
  const some = names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return `${named ?? 'the policy'} may mean ${joinWords(some)}, whose nodes have different labels: choose one with --model`;
}

/** Of boards with one name and several tables, by driver, the current one counts. */
const boardsOf = (model: GpuModel): readonly Board[] =>
  model.products
    .filter(({ name }) => findModel(name) === model)
    .map(({ name, pciDeviceId }) => ({ model, product: name, pciDeviceId }));

function listNamed(name: string): readonly Board[] {
  const model = findModel(name);
  const boards = model === undefined ? [] : boardsOf(model);
  const short = (text: string): string =>
    toProductLabel(text)
      .replace(/^nvidia-/i, '')
      .toLowerCase();
  const exact = boards.filter(
    ({ product, pciDeviceId = '' }) => short(product) === short(name) || short(pciDeviceId) === short(name),
  );
  return exact.length > 0 ? exact : boards;
}

/** Lists the boards that the layouts select by name or id; all if an entry is for any. */
function listSelected(layouts: readonly PolicyLayout[]): readonly Board[] {
  const selectors = layouts.map(({ gpus: { models, pciDeviceIds } = {} }) => ({
    ...(models && { models }),
    ...(pciDeviceIds && { pciDeviceIds }),
  }));
  return MODELS.flatMap(boardsOf).filter((board) =>
    selectors.some((selector) => matchesGpu(selector, reportGpu(board, 0))),
  );
}

/** A GPU before its first layout. */
function reportGpu({ product, pciDeviceId }: Board, index: number): GpuReport {
  const uuid = `GPU-${index}`;
  return {
    index,
    uuid,
    product,
    pciBusId: `${index}`,
    mig: 'Disabled',
    instances: [],
    ...(pciDeviceId && { pciDeviceId }),
  };
}

/** What is made of the GPUs of such a node, by the rules by which the controller makes it of a real one. */
function partitionNode(spec: PolicySpec, board: Board, count: number): NodeDescription | string {
  const byUuid = spec.layouts?.findIndex(({ gpus }) => gpus?.uuids !== undefined) ?? -1;
  if (byUuid >= 0) return `spec.layouts[${byUuid}].gpus.uuids: a new node has other GPUs`;
  const gpus = Array.from({ length: count }, (_, index) => reportGpu(board, index));
  const resolved = resolveNode(spec, { gpus }, undefined);
  if ('refusal' in resolved) return resolved.told.message;
  const wishes = new Map(resolved.wish.gpus.map((wish) => [wish.uuid, wish.profiles]));
  // Labels by the driver's version are left out of what is foreseen.
  return { driverVersion: '0.0', gpus: gpus.map(({ uuid }) => describeGpu(board, wishes.get(uuid))) };
}

function describeGpu(
  { product, model }: Board,
  profiles: Readonly<Record<string, number>> | undefined,
): GpuDescription {
  return {
    name: product,
    memoryMiB: model.memoryMiB ?? 0,
    computeCapability: [0, 0],
    migCapable: true,
    migEnabled: profiles !== undefined,
    migDevices: Object.entries(profiles ?? {}).flatMap(([profile, count]) =>
      Array.from({ length: count }, () => ({ profile, attributes: unread })),
    ),
  };
}

/** Only the driver can tell them, and their labels are left out. */
const unread: MigDeviceDescription['attributes'] = {
  memory: 0,
  multiprocessors: 0,
  'slices.gi': 0,
  'slices.ci': 0,
  'engines.copy': 0,
  'engines.decoder': 0,
  'engines.encoder': 0,
  'engines.jpeg': 0,
  'engines.ofa': 0,
};

/** Labels that say what the GPUs are, without those that a driver or a machine decides. */
function selectForeseeable(labels: Labels, isShared: boolean): Labels {
  const ends = ['product', 'count', ...(isShared ? ['replicas', 'sharing-strategy'] : [])];
  const kept = Object.entries(labels).filter(
    ([key]) =>
      key === 'nvidia.com/mig.strategy' ||
      key === 'nvidia.com/mig.capable' ||
      ends.some((end) => key.endsWith(`.${end}`)),
  );
  return Object.fromEntries(kept);
}

/** Where a cluster-autoscaler finds its templates. */
export const templateClouds = ['aws', 'azure', 'gcp', 'cluster-api'] as const;
type TemplateCloud = (typeof templateClouds)[number];

/** Part of an object of a cloud or of Cluster API, and what people must know of it. */
export interface ExportedTemplate {
  readonly notes: readonly string[];
  readonly object: { readonly tags: Labels } | { readonly metadata: { readonly annotations: Labels } };
}

/** Maximum number of tags of an Auto Scaling group, and of a scale set. */
const mostTags = 50;

/** What cluster-autoscaler must read at a node group to know the nodes that it would create there; in words why that cannot be. */
export function exportTemplate(
  policy: GpuPartitionPolicy,
  hardware: Hardware,
  cloud: TemplateCloud,
): ExportedTemplate | string {
  if (cloud === 'gcp')
    return (
      'GKE’s autoscaler has no templates in which slices could be written: keep at least one node in the pool. A ComputeClass with ' +
      'gpuPartitionSize (GKE 1.35.2) lets GKE partition nodes itself, all to one size; no policy may select those'
    );
  const node = foreseeNode(policy, hardware);
  if (typeof node === 'string') return node;
  const refusal = checkAccelerator(node, cloud);
  if (refusal !== undefined) return refusal;
  const notes = [...noteTemplate(node, cloud), ...node.notes];
  if (cloud === 'cluster-api') return describeMachines(node, notes);
  const tags = cloud === 'aws' ? tagGroup(node) : tagScaleSet(node);
  const count = Object.keys(tags).length;
  if (count > mostTags)
    return `the labels and resources of such a node take ${count} tags, and ${cloud} allows ${mostTags}: use fewer profiles in this pool`;
  return { notes, object: { tags } };
}

const hasWholeGpus = ({ resources }: NodeToCome): boolean => (resources[GPU_RESOURCE] ?? 0) > 0;
const advice = 'keep one GPU whole, or use strategy single';

function checkAccelerator(node: NodeToCome, cloud: keyof typeof acceleratorLabels): string | undefined {
  if (hasWholeGpus(node)) return undefined;
  const label = acceleratorLabels[cloud];
  const why = `with it and without nvidia.com/gpu, Cluster Autoscaler never counts a node as ready (kubernetes-sigs/cluster-autoscaler#92)`;
  if (cloud === 'azure') return `AKS labels the nodes of its GPU pools ${label}, and ${why}: ${advice}`;
  return label in node.poolLabels
    ? `spec.nodeSelector.matchLabels has ${label}, and ${why}: select the nodes by another label, ${advice}`
    : undefined;
}

function noteTemplate(node: NodeToCome, cloud: keyof typeof acceleratorLabels): readonly string[] {
  const what = cloud === 'cluster-api' ? 'annotations' : 'tags';
  const where = {
    aws: 'Set them on the Auto Scaling group itself: EKS does not copy those of a managed node group.',
    azure: 'Set them on the scale set.',
    'cluster-api':
      'Set them on the MachineDeployment, with capacity.cluster-autoscaler.kubernetes.io/cpu and …/memory if the infrastructure provider does not report these.',
  } as const;
  const labels = sorted(node.poolLabels).map(([key, value]) => `${key}=${value}`);
  const flags = [uninitializedTaint.key, repartitioningTaint.key].map((key) => `--startup-taint=${key}`);
  return [
    `Nodes to come: ${node.about}.`,
    where[cloud],
    `These ${what} describe nodes and change none: the pool itself must give them the start-up taint, and the labels ${joinWords(labels)}.`,
    cloud === 'azure'
      ? 'The start-up taint has the name that a managed autoscaler knows as temporary.'
      : `Cluster Autoscaler needs ${flags.join(' ')}.`,
    ...(hasWholeGpus(node)
      ? []
      : [
          `Nodes must not have the label ${acceleratorLabels[cloud]}: without nvidia.com/gpu they would never count as ready (kubernetes-sigs/cluster-autoscaler#92).`,
        ]),
  ];
}

const nodeTemplate = 'k8s.io/cluster-autoscaler/node-template';
const startupTaint = `true:${uninitializedTaint.effect}`;

function tagGroup({ poolLabels, gpuLabels, resources }: NodeToCome, taint: string = uninitializedTaint.key): Labels {
  const keyed = (kind: string, values: Readonly<Record<string, string | number>>): Labels =>
    Object.fromEntries(sorted(values).map(([key, value]) => [`${nodeTemplate}/${kind}/${key}`, `${value}`]));
  return {
    ...keyed('label', { ...gpuLabels, ...poolLabels }),
    ...keyed('resources', resources),
    ...keyed('taint', { [taint]: startupTaint }),
  };
}

/** A tag of Azure cannot have a slash: the autoscaler reads `_` as one, and `~2` as `_`. */
function tagScaleSet(node: NodeToCome): Labels {
  return Object.fromEntries(
    Object.entries(tagGroup(node, autoscalerStartupTaintKey)).map(([key, value]) => [
      key.replaceAll('_', '~2').replaceAll('/', '_'),
      value,
    ]),
  );
}

function describeMachines(
  { poolLabels, gpuLabels, resources }: NodeToCome,
  notes: readonly string[],
): ExportedTemplate | string {
  const offered = sorted(resources).filter(([, count]) => count > 0);
  const [first] = offered;
  if (first === undefined || offered.length > 1)
    return `Cluster API has one GPU resource in a template, and such a node offers ${joinWords(offered.map(([name]) => name))}: use one profile for all GPUs of this pool`;
  const prefix = 'capacity.cluster-autoscaler.kubernetes.io';
  const labels = sorted({ ...gpuLabels, ...poolLabels }).map(([key, value]) => `${key}=${value}`);
  const annotations = {
    [`${prefix}/gpu-type`]: first[0],
    [`${prefix}/gpu-count`]: `${first[1]}`,
    [`${prefix}/labels`]: labels.join(','),
    [`${prefix}/taints`]: `${uninitializedTaint.key}=${startupTaint}`,
  };
  return { notes, object: { metadata: { annotations } } };
}

function sorted<Value>(values: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
  return Object.entries(values).toSorted(([a], [b]) => compareText(a, b));
}

/** What Karpenter creates nodes from, in a cloud. */
export interface KarpenterNodes {
  readonly instanceTypes: readonly string[];
  readonly nodeClass: { readonly group: string; readonly kind: string; readonly name: string };
}

const poolLabel = 'karpenter.sh/nodepool';
const typeLabel = 'node.kubernetes.io/instance-type';

/** What Karpenter needs to create nodes for the slices of a policy; in words why that cannot be. */
export function exportNodePool(
  policy: GpuPartitionPolicy,
  hardware: Hardware,
  { instanceTypes, nodeClass }: KarpenterNodes,
): readonly ExportedObject[] | string {
  const { matchLabels = {} } = policy.spec.nodeSelector;
  const name = matchLabels[poolLabel] ?? policy.metadata.name;
  const nodes = instanceTypes.map((type) => foreseeNode(policy, hardware, { [poolLabel]: name, [typeLabel]: type }));
  const node = nodes.find((one) => typeof one === 'string') ?? nodes[0];
  if (node === undefined || typeof node === 'string') return node ?? 'no instance type is given';
  const labels = sorted(node.poolLabels).filter(([key]) => key !== poolLabel && key !== typeLabel);
  const isKarpenters = ([key]: readonly [string, string]): boolean =>
    /(?:^|[./])(?:kubernetes\.io|karpenter\.sh|k8s\.aws)\//.test(key);
  const requirements = [
    { key: typeLabel, operator: 'In', values: instanceTypes },
    ...labels.filter(isKarpenters).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
  ];
  const template = {
    metadata: { labels: Object.fromEntries(labels.filter((label) => !isKarpenters(label))) },
    spec: { nodeClassRef: nodeClass, requirements, startupTaints: [uninitializedTaint] },
  };
  const capacity = Object.fromEntries(sorted(node.resources).map(([key, count]) => [key, `${count}`]));
  return [
    {
      about: [
        `Nodes to come: ${node.about}. Limits and disruption are yours to add.`,
        'Karpenter creates no node for a pod that selects nodes by labels of GPU Feature Discovery: let pods ask for the resource alone.',
        ...node.notes,
      ].join('\n'),
      object: { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name }, spec: { template } },
    },
    {
      about: `Needs Karpenter’s feature gate NodeOverlay. It adds to what the instance type has, so it sets ${GPU_RESOURCE} too.`,
      object: {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'NodeOverlay',
        metadata: { name },
        spec: {
          requirements: [{ key: poolLabel, operator: 'In', values: [name] }, ...requirements.slice(0, 1)],
          capacity,
        },
      },
    },
  ];
}
