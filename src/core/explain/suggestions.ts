import type { GpuReport } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { isWhole, profilesServing, type SliceEntry } from '../policy/demand-profiles.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { type GpuNode, isPlanned, offersOf, useOf } from './cluster-facts.ts';
import { explainUnchangeable, explainUnusable, listOffers } from './judge.ts';
import { isLabel } from './node-match.ts';
import type { BlockerKind, NodeVerdict } from './node-verdict.ts';
import { EditFinder, type PolicyEdit } from './policy-edit.ts';
import { profileOfResource, sizeOfResource } from './resource-name.ts';

/** What would let a pod run. */
export type Suggestion =
  | { readonly kind: 'AskForOther'; readonly resource: string; readonly node: string; readonly message: string }
  | {
      readonly kind: 'ChangeSelector';
      readonly key: string;
      readonly value: string;
      readonly node: string;
      readonly message: string;
    }
  | {
      readonly kind: 'UseIdle';
      /** Whose demand lacks the slice; undefined: no policy decides over the node. */
      readonly policy?: string;
      readonly node: string;
      readonly gpu: number;
      readonly profile: string;
      readonly message: string;
    }
  | ({ readonly kind: 'EditPolicy' } & PolicyEdit)
  | { readonly kind: 'Wait'; readonly node: string; readonly message: string };

const ofTheResource: readonly BlockerKind[] = ['NotOffered', 'TooMany', 'Full', 'Changing', 'NotAdvertised'];

/** The cheapest first: what changes nothing, then what changes idle GPUs, then edits by the pods that they evict. @param verdicts of all GPU nodes, the nearest first */
export function listSuggestions(
  verdicts: readonly NodeVerdict[],
  asked: ReadonlyMap<string, number>,
): readonly Suggestion[] {
  // With several resources at once, no single edit is known to help.
  const [only, ...others] = asked;
  if (only === undefined || others.length > 0) return [];
  const [resource, amount] = only;
  return [
    ...suggestWait(verdicts),
    ...suggestSelector(verdicts),
    ...suggestOther(verdicts, resource, amount),
    ...suggestIdle(verdicts, resource, amount),
    ...suggestEdit(verdicts, resource, amount),
  ];
}

function suggestWait(verdicts: readonly NodeVerdict[]): readonly Suggestion[] {
  // What does not heal by itself is not worth waiting for.
  const changing = verdicts.find(
    ({ blockers, gpuNode: { node, partition } }) =>
      blockers.length > 0 &&
      blockers.every(({ kind }) => kind === 'Changing') &&
      explainUnchangeable(node, partition) === undefined,
  );
  if (!changing) return [];
  const { name } = changing.gpuNode;
  return [
    { kind: 'Wait', node: name, message: `wait for node ${name}: it accepts pods again when its change is done` },
  ];
}

/** A node that only labels keep the pod from. */
function suggestSelector(verdicts: readonly NodeVerdict[]): readonly Suggestion[] {
  const near = verdicts.find(({ blockers, mismatches }) => blockers.length === 1 && mismatches.length === 1);
  const [mismatch] = near?.mismatches ?? [];
  if (!near || mismatch?.found === undefined || !isLabel(mismatch)) return [];
  const { key, found } = mismatch;
  const node = near.gpuNode.name;
  return [
    { kind: 'ChangeSelector', key, value: found, node, message: `select ${key}: ${found}; node ${node} has room` },
  ];
}

/** A free slice that is at least as large, on a node that accepts the pod. */
function suggestOther(verdicts: readonly NodeVerdict[], resource: string, amount: number): readonly Suggestion[] {
  const size = sizeOfResource(resource);
  if (!size) return [];
  const free = verdicts.filter(isOpen).flatMap(({ gpuNode }) =>
    listFree(gpuNode)
      .filter(({ name, left }) => name !== resource && left >= amount)
      .flatMap(({ name, left }) => {
        const other = sizeOfResource(name);
        return other && other.compute >= size.compute && other.memory >= size.memory
          ? [{ gpuNode, name, left, ...other }]
          : [];
      }),
  );
  const best = free.toSorted((a, b) => a.compute - b.compute || a.memory - b.memory).at(0);
  if (!best) return [];
  const { name: node } = best.gpuNode;
  const message = `ask for ${best.name} instead: node ${node} has ${best.left} free`;
  return [{ kind: 'AskForOther', resource: best.name, node, message }];
}

/** GPUs that nobody uses, on nodes that no policy decides over or whose demand lacks such a slice. */
function suggestIdle(verdicts: readonly NodeVerdict[], resource: string, amount: number): readonly Suggestion[] {
  if (verdicts.some(({ blockers }) => blockers.length === 0)) return [];
  const found = new Map<string | undefined, Suggestion>();
  for (const verdict of verdicts) {
    const { node, partition, policy, name } = verdict.gpuNode;
    const known = policy?.metadata.name;
    if (!isOpen(verdict) || found.has(known) || explainUnchangeable(node, partition) !== undefined) continue;
    if (policy !== undefined && (isPlanned(policy) || policy.spec.demand === undefined)) continue;
    const idle = findIdle(verdict.gpuNode, resource, amount);
    const { slices = [] } = policy?.spec.demand ?? {};
    if (idle === undefined || slices.some((slice) => serves(slice, idle))) continue;
    const { index, profile } = idle;
    const place = `node ${name} GPU ${index} is idle`;
    found.set(known, {
      kind: 'UseIdle',
      ...(known !== undefined && { policy: known }),
      node: name,
      gpu: index,
      profile,
      message:
        known === undefined
          ? `have a policy select node ${name}: its GPU ${index} is idle and can have ${profile}, and no policy decides over it; this evicts no pod`
          : `add a slice for ${profile} to demand.slices of policy ${known}: ${place}; this evicts no pod`,
    });
  }
  return [...found.values()].slice(0, mostEdits);
}

/** A GPU that could have what a pod asks for. */
interface IdleGpu {
  readonly index: number;
  readonly product: string;
  readonly geometry: Geometry;
  readonly profile: string;
}

function findIdle({ partition }: GpuNode, resource: string, amount: number): IdleGpu | undefined {
  const { device = {} } = partition?.status ?? {};
  const isFree = (gpu: GpuReport): boolean =>
    gpu.error === undefined &&
    gpu.vgpuHost === undefined &&
    gpu.health === undefined &&
    !listOffers(gpu, 'mixed').some(({ busy }) => busy);
  for (const gpu of (device.gpus ?? []).filter(isFree)) {
    const geometry = liveGeometry(device, gpu);
    const profile = geometry && profileOfResource(resource, geometry.profiles);
    const most = geometry?.profiles.find(({ name }) => name === profile)?.maxInstances ?? 0;
    if (geometry && profile !== undefined && most >= amount)
      return { index: gpu.index, product: gpu.product, geometry, profile };
  }
  return undefined;
}

function serves(slice: SliceEntry, { geometry, product, profile }: IdleGpu): boolean {
  return !isWhole(slice) && profilesServing(slice, geometry, product).includes(profile);
}

function suggestEdit(verdicts: readonly NodeVerdict[], resource: string, amount: number): readonly Suggestion[] {
  if (resource === GPU_RESOURCE) return [];
  const nodes = verdicts.map(({ gpuNode }) => gpuNode);
  const finder = new EditFinder(resource, amount, nodes);
  const edits = new Map<string, Suggestion>();
  for (const verdict of verdicts) {
    const { gpuNode } = verdict;
    const { policy, partition } = gpuNode;
    if (!isOpen(verdict) || !policy || edits.has(policy.metadata.name) || edits.size >= mostEdits) continue;
    if (partition?.status?.device?.step === 'Unknown') continue;
    if (explainUnchangeable(gpuNode.node, partition) !== undefined) continue;
    const edit = finder.find(gpuNode);
    if (edit) edits.set(policy.metadata.name, { kind: 'EditPolicy', ...edit });
  }
  return [...edits.values()].toSorted((a, b) => evictionsOf(a) - evictionsOf(b));
}

function evictionsOf(suggestion: Suggestion): number {
  return suggestion.kind === 'EditPolicy' ? suggestion.evicts.length : 0;
}

const mostEdits = 3;

/** Only its slices keep the pod away. */
function isOpen({ blockers }: NodeVerdict): boolean {
  return blockers.every(({ kind }) => ofTheResource.includes(kind));
}

function listFree(gpuNode: GpuNode): readonly { readonly name: string; readonly left: number }[] {
  if (explainUnusable(gpuNode.node) !== undefined) return [];
  return Object.entries(offersOf(gpuNode))
    .filter(([, offered]) => offered > 0)
    .map(([name, offered]) => ({ name, left: offered - useOf(gpuNode, name).used }));
}
