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
