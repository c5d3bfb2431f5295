import type { GpuNode } from '../explain/cluster-facts.ts';
import { couldTake } from '../explain/judge.ts';
import type { Member } from './member.ts';
import { sayProfile } from './prospect-words.ts';
import { isOfProfile } from './pod-demand.ts';
import type { Planned } from './pool-plan.ts';
import type { PodView } from '../pods/pod-view.ts';

/** A GPU on which a plan makes a slice. */
interface MadeSlice {
  readonly member: Member;
  readonly layout: Planned['layouts'][number];
}

/** Whether a node would accept a pod if it had the slices. */
export function accepts(nodes: readonly GpuNode[], node: string, pod: PodView): boolean {
  return nodes.some((one) => one.name === node && couldTake(one.node, pod));
}

/**
 * A GPU on which a plan makes a slice of a resource: one on a node that accepts the pod, if there is one.
 *
 * @param evicting only where something in use goes for it
 */
export function pickMade(
  { members, layouts }: Pick<Planned, 'members' | 'layouts'>,
  resource: string,
  isAccepting: (node: string) => boolean,
  evicting = false,
): MadeSlice | undefined {
  const made = members.flatMap((member, index): readonly MadeSlice[] => {
    const layout = layouts[index];
    const isMade = layout?.create.some(({ profile }) => isOfProfile(resource, profile)) === true;
    return isMade && (!evicting || layout.destroy.some(({ busy }) => busy)) ? [{ member, layout }] : [];
  });
  return made.find(({ member }) => isAccepting(member.node)) ?? made[0];
}

/** How many slices of a resource a plan leaves to pods that wait. */
export function countIdle({ layouts }: Pick<Planned, 'layouts'>, resource: string): number {
  const idle = layouts.flatMap(({ keep, create }) => [...keep.filter(({ busy }) => !busy), ...create]);
  return idle.filter(({ profile }) => isOfProfile(resource, profile)).length;
}

/** ` in place of 2 idle 1g.5gb`; empty if nothing goes */
export function describeGone({ layout }: MadeSlice): string {
  const groups = [
    ...Map.groupBy(layout.destroy, ({ profile, busy }) => `${busy ? '' : 'idle '}${sayProfile(profile)}`),
  ];
  if (groups.length === 0) return '';
  return ` in place of ${groups.map(([what, all]) => `${all.length} ${what}`).join(' and ')}`;
}

/** Pods on the instances that would go, or on the whole GPU. */
export function namePodsInTheWay({ member, layout }: MadeSlice, nodes: readonly GpuNode[]): readonly string[] {
  const gpus = nodes.find(({ name }) => name === member.node)?.partition?.status?.device?.gpus ?? [];
  const { instances = [], pods: whole = [] } = gpus.find(({ uuid }) => uuid === member.wish.uuid) ?? {};
  const starts = layout.destroy.filter(({ busy }) => busy).map(({ start }) => start);
  const pods = instances.flatMap(({ start, pods: holders = [] }) => (starts.includes(start) ? holders : []));
  return [...new Set([...whole, ...pods])].toSorted();
}
