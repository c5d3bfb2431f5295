import { combine } from '../metadata/node-change.ts';
import { patchNode } from '../metadata/node-patch.ts';
import type { Command } from './commands.ts';
import { metadataOf } from './node-view.ts';
import type { NodeSnapshot } from './snapshot.ts';

/** What the commands of several rules come to: one write of the Node, and none that changes nothing. */
export function joinCommands(snapshot: Pick<NodeSnapshot, 'node'>, commands: readonly Command[]): readonly Command[] {
  return dropNoOps(snapshot, joinPatches(commands));
}

/** A Node that already matches is not written, and opening a node that is already open is not reported. */
function dropNoOps({ node }: Pick<NodeSnapshot, 'node'>, commands: readonly Command[]): readonly Command[] {
  const metadata = metadataOf(node);
  return commands.flatMap((command): readonly Command[] => {
    if (command.name !== 'PatchNode') return [command];
    const { removeTaints = [] } = command.change;
    const present = removeTaints.filter((removed) => metadata.taints.some(({ key }) => key === removed));
    const change = { ...command.change, removeTaints: present };
    return patchNode(metadata, change).length > 0 ? [{ name: 'PatchNode', change }] : [];
  });
}

/** Opening lets pods in at once and cannot be undone; so does advertising devices on a node that is closed only because it advertises none. */
export function opensNode(commands: readonly Command[]): boolean {
  return commands.some(
    (command) =>
      command.name === 'AdvertiseDevices' ||
      (command.name === 'PatchNode' && (command.change.removeTaints?.length ?? 0) > 0),
  );
}

/** One write for all changes of the Node: a second one would start from a state that no longer exists. */
function joinPatches(commands: readonly Command[]): readonly Command[] {
  const changes = commands.flatMap((command) => (command.name === 'PatchNode' ? [command.change] : []));
  if (changes.length < 2) return commands;
  const last = commands.findLastIndex(({ name }) => name === 'PatchNode');
  return commands.flatMap((command, index): readonly Command[] => {
    if (command.name !== 'PatchNode') return [command];
    return index === last ? [{ name: 'PatchNode', change: combine(...changes) }] : [];
  });
}
