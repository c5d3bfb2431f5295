import { countWords } from '../../core/text/words.ts';
import type { GpuNodePartition, GpuPartitionPolicy, PolicySpec, GpuReport } from '../../api/types.ts';
import { countLimit } from '../../core/rollout/budget.ts';
import { findModel } from '../../core/gpu/geometry.ts';
import type { ControlPlane } from '../control-plane/start.ts';
import { parseState } from '../nvidia-smi/state.ts';
import { describeBudget, describeDeployment } from '../rig/workloads.ts';
import type { Rig, RigNode } from '../rig/rig.ts';
import {
  type DemoPod,
  drawPicture,
  groupPictures,
  type ClusterView,
  drawNode,
  composeLastScreen,
  demoNodes,
  type Screen,
} from './screen.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { validate } from '../../api/generated/gpu-partition-policy.validate.js';
import { checkPolicy } from '../../core/policy/check.ts';
import { selectsNode } from '../../core/policy/spec.ts';
import { resolveNode } from '../../core/policy/resolve-node.ts';
import { fitLayout } from '../../core/gpu/layouts.ts';
import { projectRoot } from '../rig/process.ts';

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

const fleetSelector: PolicySpec['nodeSelector'] = {
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

/** Draws one line per node: its progress, the slices on the device at this moment, and its pods. */
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

/** The small pods that stay, and the larger ones that come for those that go. */
export const shift = { small: 6, large: 18 } as const;
export const largeApp = 'train';

/** The policy of the second act, which now follows pods: nothing that runs is evicted. Its times are those of a demo. */
export function describeDemandPolicy(name: string): object {
  const spec: PolicySpec = {
    nodeSelector: fleetSelector,
    strategy: 'mixed',
    demand: {
      from: 'Pods',
      slices: [
        { name: 'small', profiles: ['1g.6gb'] },
        { name: 'large', profiles: ['2g.12gb'] },
      ],
      stabilization: '2s',
      cooldown: '5s',
    },
    rollout: { maxUnavailable: fleetBudget },
  };
  return { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name }, spec };
}

export function describeLargeWorkload(): object {
  const prefers = { key: 'pool', value: 'west' };
  return describeDeployment({ name: largeApp, resource: 'nvidia.com/mig-2g.12gb', replicas: shift.large, prefers });
}

/** The pods of an application that are not on their way out. */
export function listStaying(pods: readonly DemoPod[], app: string): readonly DemoPod[] {
  return pods.filter(({ metadata }) => metadata.name.startsWith(`${app}-`) && metadata.deletionTimestamp === undefined);
}

/** Whether the pods have shifted: as many of both kinds as there should be, and all of them run. */
export function hasShifted(pods: readonly DemoPod[]): boolean {
  const [small, large] = [listStaying(pods, fleetApp), listStaying(pods, largeApp)];
  const run = [...small, ...large].every(({ status }) => status.phase === 'Running');
  return run && small.length === shift.small && large.length === shift.large;
}

const folder = join(projectRoot, 'samples');

/** The policies of samples/kustomization.yaml. @throws Error if one is not valid: the demo is then pointless. */
export async function readSamples(): Promise<readonly GpuPartitionPolicy[]> {
  const list = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8')) as { readonly resources: string[] };
  return Promise.all(
    list.resources.map(async (file) => {
      const policy: unknown = parse(await readFile(join(folder, file), 'utf8'));
      if (!validate(policy)) throw new Error(`samples/${file}: ${JSON.stringify(validate.errors)}`);
      const refusal = checkPolicy(policy.spec);
      if (refusal) throw new Error(`samples/${file}: ${refusal.reason}: ${refusal.message}`);
      return policy;
    }),
  );
}

/** What each GPU of a node will become, computed without any cluster. */
export function previewNode(node: RigNode, policies: readonly GpuPartitionPolicy[]): readonly string[] {
  const policy = policies.find(({ spec }) => selectsNode(spec.nodeSelector, node.labels));
  const gpus = node.gpus.map(reportGpu);
  const resolved = policy && resolveNode(policy.spec, { gpus }, undefined);
  const pictures = node.gpus.map((name, index) => ({ index, picture: previewGpu(name, gpus[index], resolved) }));
  return [
    `${node.name}  ${policy ? `policy ${policy.metadata.name}, strategy ${policy.spec.strategy}` : 'no policy'}`,
  ].concat(groupPictures(pictures).map((line) => `  ${line}`));
}

/** A GPU that has not been read yet. */
function reportGpu(name: string, index: number): GpuReport {
  const model = findModel(name);
  const product = model?.products[0]?.name ?? name;
  return { uuid: `GPU-${index}`, index, pciBusId: '', product, migCapable: model !== undefined, instances: [] };
}

function previewGpu(
  name: string,
  gpu: GpuReport | undefined,
  resolved: ReturnType<typeof resolveNode> | undefined,
): string {
  const model = findModel(name);
  if (!model) return `${name}: no MIG, stays whole`;
  if (resolved && 'refusal' in resolved) return resolved.refusal.message;
  const profiles = resolved?.wish.gpus.find(({ uuid }) => uuid === gpu?.uuid)?.profiles;
  if (!profiles) return drawPicture(model, undefined);
  const fit = fitLayout(model, profiles, name);
  return fit.fits ? drawPicture(model, fit.placements ?? []) : fit.refusal.message;
}

/** The node on which each pod of samples/workloads must land. */
export const expectedNodes: Readonly<Record<string, string>> = { notebook: 'sim-a30', 'small-model': 'sim-a100' };

export async function showResult(
  screen: Screen,
  rig: Rig,
  controlPlane: ControlPlane,
  view: ClusterView,
): Promise<void> {
  const ask = async (...args: string[]): Promise<{ readonly title: string; readonly text: string }> => {
    const { stdout, stderr } = await controlPlane.kubectl(args);
    return { title: `kubectl ${args.slice(0, 2).join(' ')}`, text: stdout || stderr };
  };
  const [pictures, nodes, pods, ...tables] = await Promise.all([
    drawNodes(rig, view),
    view.nodes(),
    view.pods(),
    ask('get', 'gpp'),
    ask('get', 'gpn', ...demoNodes.map(({ name }) => name)),
  ]);
  const lines = composeLastScreen(
    {
      pictures,
      tables,
      pods: pods
        .filter(({ metadata }) => metadata.name in expectedNodes)
        .map(({ metadata, spec }) => `${metadata.name}: ${spec.nodeName ?? 'no node'}`),
      nodes: demoNodes.flatMap(({ name, strategy }) =>
        nodes.flatMap(({ metadata }) => (metadata.name === name ? [{ ...metadata, strategy }] : [])),
      ),
    },
    process.env['VERBOSE'] === '1',
  );
  for (const { text, isTitle } of lines) {
    if (isTitle) screen.title(text);
    else screen.line(text);
  }
}

export async function drawNodes(rig: Rig, view: ClusterView): Promise<readonly string[]> {
  const partitions = await view.partitions();
  const rows = demoNodes.map(async (node) => {
    const partition = partitions.find(({ metadata }) => metadata.name === node.name);
    return drawNode(node, partition, await rig.deviceState(node.name));
  });
  return (await Promise.all(rows)).flat();
}
