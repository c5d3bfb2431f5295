import type { PlanFault } from './faults.ts';
import type { PlannedNode } from './planned-node.ts';
import type { Wave } from './waves.ts';

/** The plan in a sentence: `this change evicts 3 pods and changes 4 of 20 nodes in 2 waves`. */
export function summarizeChange(
  nodes: readonly PlannedNode[],
  waves: readonly Wave[],
  faults: readonly PlanFault[],
): string {
  return [describeMoves(nodes, waves), ...describeRest(nodes), ...describeFaults(faults)].join('; ');
}

function describeMoves(nodes: readonly PlannedNode[], waves: readonly Wave[]): string {
  const moving = nodes.filter(({ fate }) => fate === 'Changes');
  const all = count(nodes.length, 'node');
  if (moving.length === 0)
    return nodes.length === 0 ? 'this change is about no node' : `this change changes none of ${all}`;
  const last = Math.max(...moving.map(({ wave = 0 }) => wave));
  const evicted = moving
    .flatMap(({ evictions }) => evictions)
    .filter(({ fate }) => fate !== 'Gone' && fate !== 'Awaited' && fate !== 'Stays');
  const pods = evicted.length === 0 ? 'no pod' : count(evicted.length, 'pod');
  return `this change evicts ${pods} and changes ${moving.length} of ${all} in ${count(Math.min(last, waves.length), 'wave')}`;
}

function describeRest(nodes: readonly PlannedNode[]): readonly string[] {
  const number = (fate: PlannedNode['fate']) => nodes.filter((node) => node.fate === fate).length;
  const words = [
    [number('Held'), 'held'],
    [number('Waits'), 'waiting'],
    [number('UnderWay'), 'changing already'],
    [number('PlanOnly'), 'with mode Plan'],
  ] as const;
  return words.flatMap(([found, word]) => (found > 0 ? [`${count(found, 'node')} ${word}`] : []));
}

function describeFaults(faults: readonly PlanFault[]): readonly string[] {
  const number = (code: PlanFault['code']) => faults.filter((fault) => fault.code === code).length;
  const [refused, staying, blocked] = [number('NodeRefused'), number('PodStays'), number('EvictionBlocked')];
  const invalid = number('PolicyInvalid') + number('PolicyNotAccepted');
  return [
    ...(refused > 0 ? [`${count(refused, 'node')} cannot take it`] : []),
    ...(staying > 0 ? [`${count(staying, 'pod')} cannot be evicted`] : []),
    ...(blocked > 0 ? [`${count(blocked, 'pod')} blocked by PodDisruptionBudgets`] : []),
    ...(invalid > 0 ? ['nothing of it starts before that is mended'] : []),
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
