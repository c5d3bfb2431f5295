import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { type GpuNode, offersOf, useOf } from './cluster-facts.ts';
import { isLabel } from './node-match.ts';
import type { BlockerKind, NodeVerdict } from './node-verdict.ts';
import { EditFinder, type PolicyEdit } from './policy-edit.ts';
import { sizeOfResource } from './resource-name.ts';

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
  | ({ readonly kind: 'EditPolicy' } & PolicyEdit)
  | { readonly kind: 'Wait'; readonly node: string; readonly message: string };

const ofTheResource: readonly BlockerKind[] = ['NotOffered', 'TooMany', 'Full', 'Changing', 'NotAdvertised'];

/** @param verdicts of all GPU nodes, the nearest first */
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
    ...suggestEdit(verdicts, resource, amount),
  ];
}

function suggestWait(verdicts: readonly NodeVerdict[]): readonly Suggestion[] {
  const changing = verdicts.find(
    ({ blockers }) => blockers.length > 0 && blockers.every(({ kind }) => kind === 'Changing'),
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
    const edit = finder.find(gpuNode);
    if (edit) edits.set(policy.metadata.name, { kind: 'EditPolicy', ...edit });
  }
  return [...edits.values()];
}

const mostEdits = 3;

/** Only its slices keep the pod away. */
function isOpen({ blockers }: NodeVerdict): boolean {
  return blockers.every(({ kind }) => ofTheResource.includes(kind));
}

function listFree(gpuNode: GpuNode): readonly { readonly name: string; readonly left: number }[] {
  const closed = (gpuNode.node.spec?.taints ?? []).some(({ key }) => key.startsWith('gpupartition.dev/'));
  if (closed) return [];
  return Object.entries(offersOf(gpuNode))
    .filter(([, offered]) => offered > 0)
    .map(([name, offered]) => ({ name, left: offered - useOf(gpuNode, name).used }));
}
