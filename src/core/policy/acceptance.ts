import type { GpuNodePartition, PolicySpec } from '../../api/types.ts';
import { describeRefusal } from './claim.ts';
import type { Contender } from './contest.ts';
import type { PolicyRecord } from './policy-record.ts';
import { byPrecedence } from './precedence.ts';
import { isMistake, type Mistake } from './refusal.ts';
import { resolveNode } from './resolve-node.ts';
import { isRetiring } from './retirement.ts';
import { variantsOf } from './schedules.ts';
import { enforces } from './versions.ts';
import type { WishCache } from './wish-cache.ts';

/** Whether nodes can take generations that are not accepted yet. */
export class Acceptance {
  readonly #wishes: WishCache;

  constructor(wishes: WishCache) {
    this.#wishes = wishes;
  }

  /** @param nodes that the newest version selects */
  begin(record: PolicyRecord, nodes: readonly string[]): void {
    record.unchecked = new Set(record.awaitsAcceptance ? nodes : []);
  }

  /** Takes in that the newest version of a policy selects a node now, or no longer. */
  place(record: PolicyRecord, node: string, isSelected: boolean): void {
    record.refused.delete(node);
    if (isSelected && record.awaitsAcceptance) record.unchecked.add(node);
    else record.unchecked.delete(node);
  }

  /** Asks a node over which the policy would decide. @param contenders of the node */
  check(
    record: PolicyRecord,
    node: string,
    contenders: readonly Contender[],
    partition: GpuNodePartition | undefined,
  ): void {
    record.unchecked.delete(node);
    // A policy that is being deleted asks for whole GPUs, which no node may keep it from.
    const isAsked = !isRetiring(record.newest) && wouldDecide(record, contenders);
    const refusal = isAsked ? this.#judge(record, partition) : undefined;
    // One that says so again keeps its place: all nodes are told the list again when it reads differently.
    if (refusal) record.refused.set(node, refusal);
    else record.refused.delete(node);
  }

  /** A node has to take all that a policy ever makes of it: a mistake shows when it is applied, not at night. */
  #judge({ newest, versions }: PolicyRecord, partition: GpuNodePartition | undefined): Mistake | undefined {
    const now = this.#wishes.wishOf(newest, partition);
    const isScheduled = versions.newest.spec.schedules !== undefined;
    if (!isScheduled) return now && 'refusal' in now ? refusalForAll(newest.spec, partition) : undefined;
    for (const { spec } of variantsOf(versions.newest.spec)) {
      const refusal = refusalForAll(spec, partition);
      if (refusal) return refusal;
    }
    return undefined;
  }

  /** Asks a node again. @returns whether it says something else than before */
  review(
    record: PolicyRecord,
    node: string,
    contenders: readonly Contender[],
    partition: GpuNodePartition | undefined,
  ): boolean {
    if (!record.awaitsAcceptance || record.unchecked.has(node)) return false;
    const before = record.refused.get(node)?.message;
    this.check(record, node, contenders, partition);
    return record.refused.get(node)?.message !== before;
  }
}

/** Whether a policy would decide over a node, or plan for it, with its newest version. */
function wouldDecide({ newest, name }: PolicyRecord, contenders: readonly Contender[]): boolean {
  if (!contenders.some(({ record, byNewest }) => record.name === name && byNewest)) return false;
  if (!enforces(newest)) return true;
  return !contenders.some(({ record, byForce }) => {
    const competes = record.name !== name && byForce && record.inForce !== undefined && !isRetiring(record.newest);
    return competes && byPrecedence(record.rank, newest) < 0;
  });
}

/**
 * Why a generation is a mistake, judged on one node. What rests only on the agent's own report, such as its tables and GPU count,
 * blocks that node alone: otherwise one lying agent would freeze a policy everywhere.
 */
function refusalForAll(spec: PolicySpec, partition: GpuNodePartition | undefined): Mistake | undefined {
  const { models: _ofAgent, ...device } = partition?.status?.device ?? {};
  const judged = resolveNode(spec, device, partition?.spec.wish);
  if (!('refusal' in judged)) return undefined;
  const refusal = describeRefusal(judged);
  return isMistake(refusal) ? refusal : undefined;
}
