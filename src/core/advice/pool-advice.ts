import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { ClassPlan } from '../demand/demand-plan.ts';
import type { CostGap } from '../demand/pool.ts';
import { countLimit } from '../rollout/limit.ts';
import { listChanged } from '../supply/demand-answer.ts';
import { ranOutOfTime, reportDemand } from '../supply/demand-report.ts';
import type { WantedSlice } from '../supply/wanted-slices.ts';
import { compareText } from '../text/fingerprint.ts';
import type { PoolQuestion, WholeGpus } from './pool-question.ts';

/** A layout for each member of a pool, in their order. */
export interface PoolPlan extends Pick<ClassPlan, 'cost' | 'gap' | 'unserved'> {
  readonly layouts: Parameters<typeof listChanged>[1];
}

/** One kind of slices: what is asked for, and how much of it is and could be offered. */
export interface SliceAdvice {
  readonly name: string;
  /** Requested by pods on the pool's nodes. */
  readonly running: number;
  /** Instances in use, as agents report them. */
  readonly inUse: number;
  /** Requested by pods that wait. */
  readonly waiting: number;
  readonly wanted: number;
  /** Of the wanted ones, what the present layouts offer. */
  readonly now: number;
  readonly best: number;
  /** Why the best is not all. */
  readonly why?: string;
}

/** What the way to the best layouts costs. */
export interface Bill {
  /** Busy slices that go. */
  readonly evictions: number;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  readonly nodes: readonly string[];
  /** By the pace of the policy's last changes; absent if it has none. */
  readonly minutes?: number;
}

export interface PoolAdvice {
  readonly name: string;
  /** Decides over it now; absent if none does. */
  readonly policy?: string;
  readonly nodes: number;
  /** Nodes of which no agent has reported GPUs. */
  readonly unread: readonly string[];
  /** By product, those that a demand can use. */
  readonly gpus: Readonly<Record<string, number>>;
  readonly slices: readonly SliceAdvice[];
  readonly wholeGpus: WholeGpus;
  /** Whether the best is proven. */
  readonly optimal?: boolean;
  readonly gap?: CostGap;
  readonly bill?: Bill;
  /** If evictions would serve more, by weight: how many of each slice, and at what cost. */
  readonly withEvictions?: Bill & { readonly best: Readonly<Record<string, number>> };
  /** To be applied; it changes nothing until its mode is Enforce. */
  readonly advised?: GpuPartitionPolicy;
  /** Why there is no advice, or no policy. */
  readonly why?: string;
}

/**
 * @param plan the best; undefined if none could be asked for
 * @param free the best with evictions, where those are not allowed and something is lacking
 */
export function advisePool(question: PoolQuestion, plan?: PoolPlan, free?: PoolPlan): PoolAdvice {
  const { pool, members, whole, why, plan: asked } = question;
  const isUnread = ({ partition }: (typeof pool.nodes)[number]): boolean =>
    partition?.status?.device?.gpus === undefined;
  const known = {
    name: pool.name,
    ...(pool.policy && { policy: pool.policy.metadata.name }),
    nodes: pool.nodes.length,
    unread: pool.nodes.filter(isUnread).map(({ name }) => name),
    gpus: countGpus(question),
    wholeGpus: whole,
    ...(why !== undefined && { why }),
  };
  if (asked === undefined || plan === undefined) return { ...known, slices: [] };
  const shortfall = { lacking: plan.unserved, lackingAtLeast: free?.unserved, isUnproven: ranOutOfTime(plan) };
  const { states } = reportDemand(asked.wanted, members, shortfall);
  const slices = states.map((state, index): SliceAdvice => {
    const { name, wanted, offered, used, waiting = 0, unmet, why: reason } = state;
    const running = runningOf(question, index);
    const best = wanted - unmet;
    return {
      name,
      running,
      inUse: used,
      waiting,
      wanted,
      now: Math.min(offered, wanted),
      best,
      ...(reason !== undefined && { why: reason }),
    };
  });
  const better = free !== undefined && free.cost.unserved < plan.cost.unserved ? free : undefined;
  return {
    ...known,
    slices,
    optimal: plan.gap === undefined,
    ...(plan.gap && { gap: plan.gap }),
    bill: writeBill(question, plan),
    ...(better && { withEvictions: { best: bestOf(asked.wanted, better), ...writeBill(question, better) } }),
    ...(why === undefined && { advised: asked.policy }),
  };
}

function writeBill({ pool, members }: PoolQuestion, { cost, layouts }: PoolPlan): Bill {
  const nodes = [...new Set(listChanged(members, layouts).map(({ node }) => node))].toSorted(compareText);
  const { spec, status } = pool.policy ?? {};
  const slots = countLimit(spec?.rollout?.maxUnavailable ?? 1, pool.nodes.length);
  const pace = status?.pace;
  const seconds =
    pace === undefined || pace.nodes === 0 || slots === 0
      ? undefined
      : Math.ceil(nodes.length / slots) * (pace.seconds / pace.nodes);
  return {
    evictions: layouts.flatMap((one) => one?.destroy.filter(({ busy }) => busy) ?? []).length,
    gpusChanged: cost.gpusChanged,
    instancesDestroyed: cost.instancesDestroyed,
    nodes,
    ...(seconds !== undefined && { minutes: Math.ceil(seconds / 60) }),
  };
}

/** What runs of one slice of the demand: of its profiles that no slice before it counts. */
function runningOf({ plan, running }: PoolQuestion, index: number): number {
  const serving = plan?.wanted.map(({ slices }) => new Set(slices.flatMap(({ profiles }) => profiles))) ?? [];
  return [...running].reduce((sum, [profile, count]) => {
    const isFirst = serving.findIndex((profiles) => profiles.has(profile)) === index;
    return sum + (isFirst ? count : 0);
  }, 0);
}

function countGpus({ members }: PoolQuestion): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { product } of members) {
    const name = product.replace(/^NVIDIA /, '');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function bestOf(wanted: readonly WantedSlice[], { unserved }: PoolPlan): Readonly<Record<string, number>> {
  const lacking = ({ slices }: WantedSlice): number => slices.reduce((sum, { name }) => sum + (unserved[name] ?? 0), 0);
  return Object.fromEntries(wanted.map((one) => [one.name, one.count - lacking(one)]));
}
