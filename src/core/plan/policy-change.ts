import type { GpuPartitionPolicy } from '../../api/types.ts';
import { fillDefaults } from '../policy/defaults.ts';
import { compareText, sameJson } from '../text/fingerprint.ts';
import { timeText } from '../text/duration.ts';

/** What becomes of a policy in a file. */
export interface PolicyChange {
  readonly policy: string;
  readonly change: 'New' | 'Changed' | 'Unchanged';
}

export interface PolicyOutlook extends PolicyChange {
  /** True if no node matches its selector. Absent otherwise. */
  readonly selectsNothing?: true;
  /** Why nothing of it starts: it is invalid, or a node that it selects cannot take it. */
  readonly refusal?: string;
  /** Why no more nodes start: paused, no window, halted. */
  readonly held?: string;
}

export interface PoliciesAfter {
  readonly policies: readonly GpuPartitionPolicy[];
  /** Of the given policies, by name. */
  readonly changes: readonly PolicyChange[];
}

/** The policies of a cluster once the given ones are applied: they replace those of the same name, the others stay. */
export function applyPolicies(
  present: readonly GpuPartitionPolicy[],
  given: readonly GpuPartitionPolicy[],
  now: number,
): PoliciesAfter {
  const applied = given
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
    .map((policy) =>
      applyPolicy(
        present.find(({ metadata }) => metadata.name === policy.metadata.name),
        policy,
        now,
      ),
    );
  const names = new Set(applied.map(({ policy }) => policy.metadata.name));
  return {
    policies: [...present.filter(({ metadata }) => !names.has(metadata.name)), ...applied.map(({ policy }) => policy)],
    changes: applied.map(({ policy, change }) => ({ policy: policy.metadata.name, change })),
  };
}

interface Applied {
  readonly policy: GpuPartitionPolicy;
  readonly change: PolicyChange['change'];
}

function applyPolicy(before: GpuPartitionPolicy | undefined, given: GpuPartitionPolicy, now: number): Applied {
  const spec = fillDefaults(given.spec);
  if (!before) {
    const { apiVersion, kind, metadata } = given;
    const { name } = metadata;
    const made = { name, uid: `new-${name}`, generation: 1, creationTimestamp: timeText(now) };
    return { policy: { apiVersion, kind, metadata: made, spec }, change: 'New' };
  }
  if (sameJson(fillDefaults(before.spec), spec)) return { policy: before, change: 'Unchanged' };
  const generation = (before.metadata.generation ?? 0) + 1;
  return { policy: { ...before, metadata: { ...before.metadata, generation }, spec }, change: 'Changed' };
}
