import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import { isDra, isPlanned, offerOf, useOf } from '../explain/cluster-facts.ts';
import { type EvictionRule } from '../demand/pool.ts';
import { isWhole } from '../policy/demand-profiles.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { countPresent } from '../supply/count.ts';
import { askFor, type DemandAsked } from '../supply/demand-question.ts';
import type { Member } from '../supply/member.ts';
import { type WantedSlice, wantedSlices } from '../supply/wanted-slices.ts';
import { sameJson } from '../text/fingerprint.ts';
import { advisePolicy } from './advised-policy.ts';
import { adviseSlices, byProfile, type ProfileCounts } from './asked-slices.ts';
import type { AdvicePool } from './pools.ts';
import { geometriesOf, sumRequests } from './pool-pods.ts';
import { readMembers } from './read-members.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** Whole GPUs that pods ask for, as `nvidia.com/gpu`: no slice serves them. */
export interface WholeGpus {
  readonly offered: number;
  readonly held: number;
  readonly waiting: number;
}

/** What is asked of a pool, and what its GPUs have. */
export interface PoolQuestion {
  readonly pool: AdvicePool;
  /** Requested by pods that are on its nodes. */
  readonly running: ProfileCounts;
  readonly members: readonly Member[];
  readonly whole: WholeGpus;
  /** Undefined if no demand can be planned for it. */
  readonly plan:
    | { readonly policy: GpuPartitionPolicy; readonly wanted: readonly WantedSlice[]; readonly asked: DemandAsked }
    | undefined;
  /** Why none can, or why no policy can be written. */
  readonly why: string | undefined;
}

/** A demand of a policy has at most so many slices. */
const mostSlices = 16;

/**
 * @param requested by pods that wait for this pool, by resource
 * @param least by profile, how many were asked for in its history
 */
export function askPool(
  pool: AdvicePool,
  requested: ReadonlyMap<string, number>,
  evict: EvictionRule,
  least?: ProfileCounts,
): PoolQuestion {
  const geometries = geometriesOf(pool);
  const earlier = pool.policy?.spec.demand?.slices ?? [];
  const count = (amounts: ReadonlyMap<string, number>): ProfileCounts => {
    const whole = amounts.get(GPU_RESOURCE) ?? 0;
    return new Map([...byProfile(amounts, geometries), ...(whole > 0 ? [[WHOLE, whole] as const] : [])]);
  };
  const running = count(sumRequests(pool.nodes.flatMap(({ pods = [] }) => pods)));
  const waiting = count(requested);
  const asksWhole = earlier.some(isWhole) || [running, waiting, least].some((counts) => counts?.has(WHOLE) === true);
  const members = pool.nodes.flatMap((one) => readMembers(pool.policy, one, evict, asksWhole));
  const used = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => busy)));
  const asked = addUp(used, waiting);
  const slices = adviseSlices(addUp(asked, running), geometries, {
    earlier,
    least,
    // With DRA pods ask by claims, which no demand follows.
    fixed: pool.nodes.some(isDra),
  });
  const whole = {
    offered: sum(pool.nodes.map((node) => offerOf(node, GPU_RESOURCE))),
    held: sum(pool.nodes.map((node) => useOf(node, GPU_RESOURCE).used)),
    waiting: requested.get(GPU_RESOURCE) ?? 0,
  };
  const known = { pool, running, members, whole };
  const refusal = refuse(pool, members, slices.length);
  if (refusal !== undefined) return { ...known, plan: undefined, why: refusal };
  const policy = advisePolicy(pool, slices, evict);
  const wanted = wantedSlices(policy.spec.demand ?? { slices }, members, {
    waiting: policy.spec.demand?.from === 'Pods' ? requested : undefined,
    steady: (_, count) => count,
  });
  return {
    ...known,
    plan: { policy, wanted, asked: askFor(policy, wanted, members) },
    why: explainNoPolicy(pool, slices),
  };
}

function refuse({ policy }: AdvicePool, members: readonly Member[], slices: number): string | undefined {
  const { strategy = 'mixed', sharing } = policy?.spec ?? {};
  if (strategy !== 'mixed')
    return `strategy ${strategy}: pods ask for nvidia.com/gpu, which does not say how large a slice they need; a demand needs strategy mixed`;
  if (sharing !== undefined)
    return 'its slices are shared by time-slicing, and a demand counts slices that one pod has';
  if (members.length === 0) return 'no agent has reported a GPU with MIG of these nodes';
  if (slices === 0) return 'no pod uses or waits for a slice';
  if (slices > mostSlices) return `pods ask for ${slices} profiles, and a demand has at most ${mostSlices} slices`;
  return undefined;
}

function explainNoPolicy({ selector, policy }: AdvicePool, slices: PolicyDemand['slices']): string | undefined {
  if (selector === undefined)
    return 'no label tells these nodes from others, so that no policy can select them: give them one, and name it with --selector';
  const isSame = policy !== undefined && !isPlanned(policy) && sameJson(policy.spec.demand?.slices, slices);
  return isSame ? `policy ${policy.metadata.name} has this demand already` : undefined;
}

function addUp(a: ProfileCounts, b: ProfileCounts): ProfileCounts {
  const all = new Map(a);
  for (const [profile, count] of b) all.set(profile, (all.get(profile) ?? 0) + count);
  return all;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
