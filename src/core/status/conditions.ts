/** A condition as Kubernetes defines it (`meta/v1.Condition`). */
export interface StatusCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** When the status last changed, RFC 3339. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** A condition without the time since when it holds. */
export type ConditionDraft = Omit<StatusCondition, 'lastTransitionTime'>;

/**
 * The conditions with one of them set; others keep their order, a new one comes last. The transition time changes with the status
 * alone, not with reason or message.
 *
 * @param now RFC 3339.
 * @returns the given array itself if nothing changes, so that the caller can skip the write.
 */
export function setCondition(
  conditions: readonly StatusCondition[],
  draft: ConditionDraft,
  now: string,
): readonly StatusCondition[] {
  const before = conditions.find(({ type }) => type === draft.type);
  if (before === undefined) return [...conditions, { ...draft, lastTransitionTime: now }];
  if (isSame(before, draft)) return conditions;
  const lastTransitionTime = before.status === draft.status ? before.lastTransitionTime : now;
  const after = { ...draft, lastTransitionTime };
  return conditions.map((condition) => (condition === before ? after : condition));
}

/** {@link setCondition} for several, one after the other. */
export function setConditions(
  conditions: readonly StatusCondition[],
  drafts: readonly ConditionDraft[],
  now: string,
): readonly StatusCondition[] {
  return drafts.reduce((result, draft) => setCondition(result, draft, now), conditions);
}

function isSame(a: ConditionDraft, b: ConditionDraft): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}
