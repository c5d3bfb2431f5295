import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { hasGpus, countLimit, type Limit } from './limit.ts';
import type { Slot } from './slot.ts';

/** A node in a ledger. */
export interface SlotHolder {
  readonly policy: string;
  readonly node: string;
  /** When it was admitted, RFC 3339. */
  readonly since: string | undefined;
}

/** What all policies together may have in flight. */
export interface ClusterCap {
  /** How many nodes. */
  readonly most: number;
  /** Those in the ledgers of other policies. */
  readonly others: readonly SlotHolder[];
}

/** @param ledgers of all policies, by name */
export function capBeside(
  policy: string,
  most: number,
  ledgers: Iterable<readonly [policy: string, ledger: readonly Slot[]]>,
): ClusterCap {
  const others = [...ledgers].filter(([name]) => name !== policy);
  return { most, others: others.flatMap(([name, ledger]) => ledger.map((slot) => holderOf(name, slot))) };
}

function holderOf(policy: string, { node, startTime }: Slot): SlotHolder {
  return { policy, node, since: startTime };
}

/** Of a controller that has no such option, or of which nothing is known. */
const usualCap = '10%';

/**
 * How many nodes of all policies may change at a time: as given, else as the leading controller has written it.
 *
 * @param partitions of all nodes
 * @param given the controller's `--max-concurrent-nodes`
 */
export function findCap(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  given?: Limit,
): number {
  const written = findWritten(policies);
  if (given === undefined && written !== undefined) return written;
  return countLimit(given ?? usualCap, partitions.filter(hasGpus).length);
}

/** Whether {@link findCap} assumes the controller's default: no option says otherwise, and no leader has written its own. */
export function isCapAssumed(policies: readonly GpuPartitionPolicy[], given?: Limit): boolean {
  return given === undefined && findWritten(policies) === undefined;
}

function findWritten(policies: readonly GpuPartitionPolicy[]): number | undefined {
  return policies.flatMap(({ status }) => status?.limits?.maxConcurrentNodes ?? [])[0];
}
