import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { Tone } from './line.ts';

/** How much a node or a policy needs somebody, most first; every list here is in this order. */
export const urgencies = ['failed', 'blocked', 'changing', 'waiting', 'ready', 'unmanaged'] as const;
export type Urgency = (typeof urgencies)[number];

/** What does not resolve by itself, or only when somebody outside of this operator acts, although the phase is a passing one. */
const blocking: ReadonlySet<string> = new Set([
  'AgentNotReporting',
  'EvictionBlocked',
  'ForeignCordon',
  'NodeNotReady',
  'PodsUseGpus',
  'PolicyInvalid',
  'RefreshBlocked',
]);

const urgencyOfPhase: Readonly<Record<string, Urgency>> = {
  Failed: 'failed',
  Invalid: 'failed',
  Waiting: 'blocked',
  Updating: 'changing',
  Pending: 'waiting',
  Ready: 'ready',
  Unmanaged: 'unmanaged',
};

/** A phase of a later version needs attention. */
export function urgencyOfNode(phase: string, reason: string): Urgency {
  const urgency = urgencyOfPhase[phase] ?? 'failed';
  return blocking.has(reason) && (urgency === 'changing' || urgency === 'waiting') ? 'blocked' : urgency;
}

/** By reason of the condition Ready; what stalls a policy is failed whatever its reason. */
const urgencyOfReason: Readonly<Record<string, Urgency>> = {
  Waiting: 'blocked',
  NodesUnavailable: 'blocked',
  Reconciling: 'changing',
  CanarySoak: 'changing',
  Deleting: 'changing',
};

export function urgencyOfPolicy({ status }: GpuPartitionPolicy): Urgency {
  const conditions = status?.conditions ?? [];
  const isStalled = conditions.some(
    ({ type, status: value }) => (type === 'Stalled' && value === 'True') || (type === 'Valid' && value === 'False'),
  );
  if (isStalled) return 'failed';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? 'ready' : (urgencyOfReason[ready?.reason ?? ''] ?? 'waiting');
}

const tones: Readonly<Record<Urgency, Tone>> = {
  failed: 'bad',
  blocked: 'warn',
  changing: 'warn',
  waiting: 'plain',
  ready: 'good',
  unmanaged: 'plain',
};

export function toneOf(urgency: Urgency): Tone {
  return tones[urgency];
}

/** Most urgent first. */
export function byUrgency(a: Urgency, b: Urgency): number {
  return urgencies.indexOf(a) - urgencies.indexOf(b);
}
