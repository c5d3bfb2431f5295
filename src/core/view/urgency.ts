import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
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

/** What a list says of a node. */
export interface NodeHead {
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  readonly urgency: Urgency;
}

/** How a node stands, and what is broken on it: a node is Ready with GPUs that do not respond, as far as its others go. */
export function headOf(status: GpuNodePartition['status']): NodeHead {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const degraded = conditions.find(({ type, status: value }) => type === 'Degraded' && value === 'True');
  const phase = status?.phase ?? 'Pending';
  const { reason = 'AgentNotReporting', message = 'nothing is known yet' } = ready ?? {};
  const urgency = urgencyOfNode(phase, reason);
  if (degraded === undefined) return { phase, reason, message, urgency };
  const isWell = urgency === 'ready' || urgency === 'unmanaged';
  return isWell
    ? { phase, reason: degraded.reason, message: degraded.message, urgency: 'blocked' }
    : { phase, reason, message: `${message}; ${degraded.reason}: ${degraded.message}`, urgency };
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
