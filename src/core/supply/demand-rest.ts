import type { PolicyDemand } from '../../api/types.ts';
import { coverDemand, readDemand } from '../demand/coverage.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { planGpu } from '../gpu/plan/gpu-plan.ts';
import { expandPreset } from '../gpu/plan/preset.ts';
import { restEntry } from '../policy/demand-wish.ts';
import { compareText } from '../text/fingerprint.ts';
import { countPresent } from './count.ts';
import type { MemberLayout } from './demand-answer.ts';
import { type DemandAsked, isServed } from './demand-question.ts';
import type { Member } from './member.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/**
 * What becomes of GPUs that a demand does not need, by its `rest`: only of those that are idle, have rested, and without which the
 * demand is served as it is by GPUs that are not part of the rest. What the rest offers counts for nothing: it would free one GPU after
 * the other of its part in the demand. Those that lose the fewest instances come first.
 *
 * @param members a pool that serves the demand, or will
 * @returns a layout for each member that changes, in their order
 */
export function layRest(
  rest: PolicyDemand['rest'],
  asked: DemandAsked,
  members: readonly Member[],
): readonly (MemberLayout | undefined)[] {
  if (rest === undefined || rest === 'Keep') return [];
  // What is still being made may fail, or a pod may come in its way: then the rest is needed after all.
  if (!isServed(asked, members, ({ present }) => present)) return [];
  const table = readDemand(asked.slices, () => true);
  const here = countPresent(members.flatMap((member) => (isRest(member) ? [] : member.gpu.instances)));
  const offered = table.profiles.map((profile) => here.get(profile));
  const layouts = members.map((): MemberLayout | undefined => undefined);
  for (const { member, index } of listFree(members)) {
    const layout = layOne(rest, member);
    if (layout === undefined || layout.destroy.length + layout.create.length === 0) continue;
    const own = countPresent(isRest(member) ? [] : member.gpu.instances);
    const without = table.profiles.map((profile, at) => (offered[at] ?? 0) - (own.get(profile) ?? 0));
    if (coverDemand(table, without).cost > 0) continue;
    without.forEach((count, at) => (offered[at] = count));
    layouts[index] = layout;
  }
  return layouts;
}

function isRest({ wish }: Member): boolean {
  return wish.entry === restEntry;
}

function listFree(members: readonly Member[]): readonly { readonly member: Member; readonly index: number }[] {
  return members
    .map((member, index) => ({ member, index }))
    .filter(({ member: { gpu, rests } }) => !rests && gpu.isResting !== true && !gpu.instances.some(({ busy }) => busy))
    .toSorted(
      (a, b) =>
        a.member.gpu.instances.length - b.member.gpu.instances.length || compareText(a.member.gpu.id, b.member.gpu.id),
    );
}

/** Undefined if the GPU cannot have such a layout: there is no balanced one, or its MIG mode may not change. */
function layOne(rest: 'Whole' | 'Balanced', { gpu, product }: Member): MemberLayout | undefined {
  const { geometry, instances, keepsMode } = gpu;
  const isWhole = instances.some(({ profile }) => profile === WHOLE);
  if (keepsMode === true && isWhole !== (rest === 'Whole')) return undefined;
  if (rest === 'Whole')
    return isWhole
      ? undefined
      : { entry: 'rest', keep: [], destroy: instances, create: [{ profile: WHOLE, start: 0 }] };
  const preset = expandPreset(geometry, 'all-balanced', findModel(product));
  if (!('layout' in preset)) return undefined;
  const plan = planGpu(geometry, isWhole ? [] : instances, preset.layout);
  if (!plan.fits) return undefined;
  return { entry: 'rest', keep: plan.keep, destroy: isWhole ? instances : plan.destroy, create: plan.create };
}
