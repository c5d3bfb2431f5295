import { countWords } from '../text/cut-text.ts';
import { describeDuration } from '../text/duration.ts';
import { isMoving } from './eviction-outlook.ts';
import type { PlanFault } from './faults.ts';
import type { PlannedNode } from './planned-node.ts';

/**
 * The plan in a sentence: `this change evicts 3 pods and changes 4 of 20 nodes in 2 waves`.
 *
 * @param cap over all policies, if that is what limits the waves; assumed if the controller's is unknown
 * @param seconds that the waves take, by the pace of earlier changes; undefined if none is known
 */
export function summarizeChange(
  nodes: readonly PlannedNode[],
  faults: readonly PlanFault[],
  cap: Cap | undefined,
  seconds: number | undefined,
): string {
  const isStopped = faults.some(({ code }) => code === 'PolicyInvalid' || code === 'PolicyNotAccepted');
  const moves = `${isStopped ? 'nothing starts now; once that is fixed, ' : ''}${describeMoves(nodes, cap, seconds)}`;
  return [moves, ...describeRest(nodes), ...describeFaults(faults)].join('; ');
}

interface Cap {
  readonly most: number;
  readonly isAssumed: boolean;
}

function describeMoves(nodes: readonly PlannedNode[], cap: Cap | undefined, seconds: number | undefined): string {
  const moving = nodes.filter(({ fate, isAffected }) => fate === 'Changes' && isAffected);
  const all = countWords(nodes.length, 'node');
  if (moving.length === 0) return 'this change affects no nodes';
  const evicted = moving.flatMap(({ evictions }) => evictions).filter(({ fate }) => isMoving(fate));
  const pods = evicted.length === 0 ? 'no pod' : countWords(evicted.length, 'pod');
  const waves = Math.max(...moving.map(({ wave = 0 }) => wave));
  const limit =
    cap === undefined || waves < 2
      ? ''
      : ` of at most ${countWords(cap.most, 'node')} (--max-concurrent-nodes${cap.isAssumed ? ', assumed to be the default of 10%: no policy tells the controller’s' : ' of the controller'})`;
  const time =
    seconds === undefined ? '' : `, in about ${describeDuration(Math.max(1, seconds))} at the pace of earlier changes`;
  return `this change evicts ${pods} and changes ${moving.length} of ${all} in ${countWords(waves, 'wave')}${limit}${time}`;
}

function describeRest(nodes: readonly PlannedNode[]): readonly string[] {
  const number = (fate: PlannedNode['fate']) => nodes.filter((node) => node.fate === fate).length;
  const others = nodes.filter(({ fate, isAffected }) => fate === 'Changes' && !isAffected).length;
  const words = [
    [number('Held'), 'held'],
    [number('Waits'), 'waiting'],
    [number('UnderWay'), 'changing already'],
    [number('PlanOnly'), 'with mode Plan'],
    [others, 'still to change for unchanged policies'],
  ] as const;
  return words.flatMap(([found, word]) => (found > 0 ? [`${countWords(found, 'node')} ${word}`] : []));
}

function describeFaults(faults: readonly PlanFault[]): readonly string[] {
  const number = (code: PlanFault['code']) => faults.filter((fault) => fault.code === code).length;
  const [refused, staying, blocked] = [number('NodeRefused'), number('PodStays'), number('EvictionBlocked')];
  return [
    ...(refused > 0 ? [`${countWords(refused, 'node')} cannot take it`] : []),
    ...(staying > 0 ? [`${countWords(staying, 'pod')} cannot be evicted`] : []),
    ...(blocked > 0 ? [`${countWords(blocked, 'pod')} blocked by PodDisruptionBudgets`] : []),
  ];
}
