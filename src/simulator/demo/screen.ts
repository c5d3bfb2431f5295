import type { GpuNodePartition, GpuPartitionPolicy, Strategy } from '../../api/types.ts';
import type { ControlPlane } from '../control-plane/start.ts';
import { type Geometry, findModel } from '../../core/gpu/geometry.ts';
import { drawGpu } from '../../core/gpu/grid.ts';
import { groupAlike } from '../../core/view/lines.ts';
import { parseState } from '../nvidia-smi/state.ts';
import type { RigNode } from '../rig/rig.ts';
import { styleText } from 'node:util';

export interface DemoPod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string };
}

interface DemoNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

/** Reads what the demo shows of the cluster. */
export class ClusterView {
  readonly #controlPlane: ControlPlane;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
  }

  policies(): Promise<readonly GpuPartitionPolicy[]> {
    return this.#list('/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies');
  }

  partitions(): Promise<readonly GpuNodePartition[]> {
    return this.#list('/apis/gpupartition.dev/v1alpha1/gpunodepartitions');
  }

  pods(): Promise<readonly DemoPod[]> {
    return this.#list('/api/v1/namespaces/default/pods');
  }

  nodes(): Promise<readonly DemoNode[]> {
    return this.#list('/api/v1/nodes');
  }

  async #list<T>(path: string): Promise<readonly T[]> {
    const answer = await this.#controlPlane.client.demand({ path });
    return (answer as { readonly items: readonly T[] }).items;
  }
}

/** Whether the newest generation of the policy is Ready. */
export function isReady({ metadata, status }: GpuPartitionPolicy): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

/** Why policies are not Ready: `notebooks: Progressing: 1 of 1 nodes …`; empty if all are. */
export function describeUnready(policies: readonly GpuPartitionPolicy[]): string {
  const unready = policies.filter((policy) => !isReady(policy));
  const lines = unready.map(({ metadata, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    return `policy ${metadata.name} is not Ready: ${ready ? `${ready.reason}: ${ready.message}` : 'it has no status yet'}`;
  });
  return lines.join('; ');
}

/** `2 of 18 pods wait: train-1, train-2` */
export function describeWaiting(pods: readonly DemoPod[]): string {
  const waiting = pods.filter(({ status }) => status.phase !== 'Running').map(({ metadata }) => metadata.name);
  return `${waiting.length} of ${pods.length} pods wait: ${waiting.slice(0, 3).join(', ')}`;
}

/** 80 columns including the GPU's name before it. */
const width = 67;

/** @param instances undefined for a GPU with MIG off */
export function drawPicture(geometry: Geometry, instances: Parameters<typeof drawGpu>[1]): string {
  return drawGpu(geometry, instances, width);
}

/** Consecutive equal GPUs are drawn once: `GPU 0-7  |1g.5gb …|`. */
export function groupPictures(
  pictures: readonly { readonly index: number; readonly picture: string }[],
): readonly string[] {
  const drawn = pictures.map(({ index, picture }) => ({ index, text: picture }));
  return groupAlike(drawn).map(({ name, first }) => `${name.padEnd(8)} ${first.text}`);
}

/**
 * A node's row and its GPUs' slices at this moment.
 * @param state the simulated device itself, so that each slice shows when it is created, not when the agent reports it
 */
export function drawNode(node: RigNode, partition: GpuNodePartition | undefined, state: string): readonly string[] {
  const { spec, status } = partition ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const epoch = spec?.granted?.epoch ?? 0;
  const isApplying = epoch > (status?.device?.observedEpoch ?? 0);
  const columns = [
    node.name.padEnd(10),
    (spec?.policy?.name ?? '-').padEnd(12),
    (isApplying ? 'Updating' : (status?.phase ?? 'Pending')).padEnd(10),
    isApplying ? `grant ${epoch}` : (ready?.reason ?? ''),
  ];
  const { gpus } = parseState(state, node.gpus.length);
  const pictures = gpus.map(({ migCurrent, gpuInstances }, index) => {
    const name = node.gpus[index] ?? '';
    const model = findModel(name);
    if (!model) return { index, picture: `${name}: no MIG, stays whole` };
    const instances = gpuInstances.map(({ profileId, start, size }) => ({
      profile: model.profiles.find(({ id }) => id === profileId)?.name ?? `profile ${profileId}`,
      start,
      size,
    }));
    return { index, picture: drawPicture(model, migCurrent ? instances : undefined) };
  });
  return [columns.join(' ').trimEnd(), ...groupPictures(pictures).map((line) => `  ${line}`)];
}

/** Everything that the demo shows at its end. */
export interface DemoResult {
  /** Pictures: one line per node, and one per group of its GPUs. */
  readonly pictures: readonly string[];
  /** Output of kubectl, by title. */
  readonly tables: readonly { readonly title: string; readonly text: string }[];
  /** `notebook: sim-a30` */
  readonly pods: readonly string[];
  readonly nodes: readonly LabelledNode[];
}

interface LabelledNode {
  readonly name: string;
  readonly strategy: Strategy;
  readonly labels: Readonly<Record<string, string>>;
}

interface ScreenLine {
  readonly text: string;
  readonly isTitle: boolean;
}

const columns = 80;

/** The end of the demo on one screen of 80 columns and 40 rows, two of them for the verdict; `isVerbose` shows every label instead. */
export function composeLastScreen(
  { pictures, tables, pods, nodes }: DemoResult,
  isVerbose = false,
): readonly ScreenLine[] {
  return [
    ...section('The GPUs', pictures),
    ...tables.flatMap(({ title, text }) => section(title, text.trimEnd().split('\n'))),
    ...section('Where the pods are', pods),
    ...(isVerbose
      ? section("The nodes' nvidia.com/* labels (as GPU Feature Discovery writes them)", nodes.flatMap(listLabels))
      : section('What the strategy decides of the labels (VERBOSE=1 for all of them)', nodes.map(condenseLabels))),
  ].map((line) => (isVerbose ? line : { ...line, text: cut(line.text) }));
}

function section(title: string, lines: readonly string[]): readonly ScreenLine[] {
  return [{ text: title, isTitle: true }, ...lines.map((text) => ({ text, isTitle: false }))];
}

function listLabels({ name, labels }: LabelledNode): readonly string[] {
  const own = Object.entries(labels).filter(([key]) => key.startsWith('nvidia.com/'));
  return [name, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `  ${key}=${value}`)];
}

/**
 * The labels that tell a node's layout: under mixed each profile has its own count; under single and none the product label shows what a
 * GPU resource is.
 */
function condenseLabels({ name, strategy, labels }: LabelledNode): string {
  const keys =
    strategy === 'mixed'
      ? Object.keys(labels).filter((key) => /^nvidia\.com\/mig-.*\.count$/.test(key))
      : ['nvidia.com/gpu.product', 'nvidia.com/gpu.count'];
  const told = keys.toSorted().map((key) => `${key.replace('nvidia.com/', '')}=${labels[key] ?? 'absent'}`);
  return `${name.padEnd(10)}${strategy.padEnd(8)}${told.join(' ')}`;
}

function cut(text: string): string {
  return text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
}

/** Milliseconds, in a log, between pictures of what changes all the time. */
const logMs = 10_000;

/** Prints steps and a live part: redrawn in place on a terminal; elsewhere its first and its last picture, and a few between. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #now: () => number;
  #live: readonly string[] = [];
  #isPrinted = true;
  #printedAt = -Infinity;

  constructor(out: NodeJS.WriteStream = process.stdout, now: () => number = Date.now) {
    this.#out = out;
    this.#now = now;
  }

  title(text: string): void {
    this.#endLive();
    this.#out.write(`\n${styleText('bold', text)}\n`);
  }

  line(text = ''): void {
    this.#endLive();
    this.#out.write(`${text}\n`);
  }

  /** Replaces what the last call of `live` drew. */
  live(lines: readonly string[]): void {
    if (lines.join('\n') === this.#live.join('\n')) return;
    const before = this.#live;
    this.#live = lines;
    this.#isPrinted = false;
    if (this.#out.isTTY && before.length > 0) this.#out.write(`\x1b[${before.length}A\x1b[J`);
    // Lines of progress are few.
    const isDue = before.length === 0 || lines.length === 1 || this.#now() - this.#printedAt >= logMs;
    if (!this.#out.isTTY && !isDue) return;
    // In a log, pictures are set apart, progress lines are not.
    this.#printLive(!this.#out.isTTY && before.length > 0 && lines.length > 1);
  }

  #printLive(isApart: boolean): void {
    this.#out.write(`${isApart ? '\n' : ''}${this.#live.join('\n')}\n`);
    this.#isPrinted = true;
    this.#printedAt = this.#now();
  }

  #endLive(): void {
    if (!this.#isPrinted) this.#printLive(true);
    this.#live = [];
  }
}

/** The four nodes of the demo, one of each kind: samples/ selects them by pool. */
export const demoNodes: readonly RigNode[] = [
  { name: 'sim-a100', gpus: Array<string>(8).fill('A100-SXM4-40GB'), labels: { pool: 'inference' }, strategy: 'mixed' },
  { name: 'sim-h100', gpus: ['H100-80GB-HBM3', 'H100-80GB-HBM3'], labels: { pool: 'inference' }, strategy: 'mixed' },
  { name: 'sim-a30', gpus: ['A30'], labels: { pool: 'notebooks' }, strategy: 'single' },
  { name: 'sim-t4', gpus: ['T4'], labels: { pool: 'training' }, strategy: 'none' },
];
