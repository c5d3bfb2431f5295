import type { NodeObject } from '../../src/controller/operator.ts';
import { trimNode } from '../../src/controller/watched-objects.ts';

const nodes = new WeakMap<NodeObject, NodeObject>();

/** What a controller keeps of a Node: worked out once, however many controllers see this version, and however often. */
export function trimNodeOnce(node: NodeObject): NodeObject {
  const known = nodes.get(node) ?? trimNode(node);
  nodes.set(node, known);
  return known;
}
