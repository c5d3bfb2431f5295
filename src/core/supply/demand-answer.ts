import type { GpuWish } from '../../api/types.ts';
import type { ClassLayout } from '../demand/demand-plan.ts';
import { demandEntry, type DemandWishes, type restEntry } from '../policy/demand-wish.ts';
import { sameJson } from '../text/fingerprint.ts';
import { countPresent } from './count.ts';
import { type DemandAsked, weighUnserved } from './demand-question.ts';
import type { Member } from './member.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** What a plan makes of a member. */
export interface MemberLayout extends Pick<ClassLayout, 'keep' | 'destroy' | 'create'> {
  /** The demand does not need it. */
  readonly entry?: typeof restEntry;
}

/** Of each member, in their order; undefined: it stays as it is. */
type Layouts = readonly (MemberLayout | undefined)[];

/** The wishes of nodes that a plan results in. GPUs that it does not change keep theirs. */
export function wishesOf(members: readonly Member[], layouts: Layouts): ReadonlyMap<string, DemandWishes> {
  const byNode = new Map<string, Map<string, GpuWish>>();
  members.forEach(({ node, wish }, index) => {
    const layout = layouts[index];
    const next = layout && changes(layout) ? toWish(wish.uuid, layout) : wish;
    byNode.set(node, (byNode.get(node) ?? new Map<string, GpuWish>()).set(wish.uuid, next));
  });
  return byNode;
}

/** The members that a plan changes. */
export function listChanged(members: readonly Member[], layouts: Layouts): readonly Member[] {
  return members.filter((_, index) => {
    const layout = layouts[index];
    return layout !== undefined && changes(layout);
  });
}

/**
 * What of a plan still stands for a pool that may have changed meanwhile.
 *
 * @returns a layout for each GPU that it changes and that is what it was, in the order of the pool
 */
export function keepStanding(
  { members, layouts }: { readonly members: readonly Member[]; readonly layouts: Layouts },
  current: readonly Member[],
): Layouts {
  const planned = new Map(members.map((member, index) => [member.gpu.id, { member, layout: layouts[index] }]));
  return current.map((member) => {
    const { member: before, layout } = planned.get(member.gpu.id) ?? {};
    return before && layout && changes(layout) && areUnchanged([before], [member]) ? layout : undefined;
  });
}

/** Whether a pool serves more of a demand with such layouts, or as much if they are only those of GPUs that the demand does not need. */
export function servesMore(asked: DemandAsked, members: readonly Member[], layouts: Layouts): boolean {
  if (layouts.every((layout) => layout === undefined || layout.entry !== undefined)) return true;
  const after = members.flatMap(({ gpu }, index): readonly { readonly profile: string }[] => {
    const layout = layouts[index];
    return layout ? [...layout.keep, ...layout.create] : gpu.instances;
  });
  const before = members.flatMap(({ gpu }) => gpu.instances);
  return weighUnserved(asked, after) < weighUnserved(asked, before);
}

/** Whether GPUs are still as they were when they were planned. */
export function areUnchanged(planned: readonly Member[], now: readonly Member[]): boolean {
  const byId = new Map(now.map((member) => [member.gpu.id, member]));
  return planned.every(({ gpu, rests, wish }) => {
    const current = byId.get(gpu.id);
    return (
      current !== undefined &&
      current.rests === rests &&
      current.gpu.isResting === gpu.isResting &&
      sameJson(current.gpu.instances, gpu.instances) &&
      sameJson(current.wish, wish)
    );
  });
}

function changes({ destroy, create }: MemberLayout): boolean {
  return destroy.length + create.length > 0;
}

function toWish(uuid: string, { keep, create, entry: chosenFor }: MemberLayout): GpuWish {
  const entry = chosenFor ?? demandEntry;
  if (create.some(({ profile }) => profile === WHOLE)) return { uuid, mig: 'Disabled', entry };
  return { uuid, profiles: Object.fromEntries(countPresent([...keep, ...create])), entry };
}
