import type { GpuNodePartition, GpuPartitionPolicy, PolicyStatus } from '../../api/types.ts';
import { forecastWaves } from '../plan/change.ts';
import { findCap, hasGpus, countLimit, type NodeRolloutState } from '../rollout/budget.ts';
import { countWords } from '../text/words.ts';
import { describeDuration } from '../text/syntax.ts';
import { resolveNode } from '../policy/resolve-node.ts';
import { specUnder } from '../policy/spec.ts';
import { foreignOn } from '../device/grants.ts';
import { planWish } from '../device/plan.ts';

/** How far a policy has come, and what is ahead of it. */
export interface PolicyProgress {
  /** How many nodes may change at a time, under the policy's budget and the cap over all policies. */
  readonly maxUnavailable: number;
  /** The nodes left in its rollout, and how long they take; undefined if nothing is left to do. */
  readonly rollout: RolloutOutlook | undefined;
  /** Its schedules; undefined for a policy without any. */
  readonly schedule: ScheduleView | undefined;
  /** How much of `spec.demand` is offered, by slice; empty for a policy of layouts. */
  readonly demand: readonly DemandView[];
}

/** How far each policy has come, in their order. */
export function viewProgress(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
): ReadonlyMap<GpuPartitionPolicy, PolicyProgress> {
  const byPolicy = Map.groupBy(partitions, ({ spec }) => spec.policy?.name);
  const cap = findCap(policies, partitions);
  const rollouts = forecastRollouts(policies, byPolicy, cap, now);
  return new Map(
    policies.map((policy) => {
      const { name } = policy.metadata;
      const own = byPolicy.get(name) ?? [];
      const { most } = widthOf(policy, own, cap);
      const [rollout, schedule] = [rollouts.get(name), viewSchedule(policy, own)];
      return [policy, { maxUnavailable: most, rollout, schedule, demand: viewDemand(policy.status) }];
    }),
  );
}

/** The nodes left in a policy's rollout, and how long they take. */
interface RolloutOutlook {
  /** Nodes that do not match the policy yet, and are to. */
  readonly left: number;
  /** Nodes, of those left, that change now. */
  readonly changing: number;
  /** The number of waves in which the nodes that only wait for a slot follow; undefined if something holds them. */
  readonly waves: number | undefined;
  /** The time at which the first of them can start, RFC 3339, if a window or a canary's soak delays it. */
  readonly notBefore: string | undefined;
  /** Seconds until all nodes left match; undefined if unknown. */
  readonly seconds: number | undefined;
  /** How long a change of this generation takes, in seconds, as a mean over how many; undefined if none has ended. */
  readonly pace: { readonly seconds: number; readonly nodes: number } | undefined;
  /** `7 nodes left: 3 change now, 4 follow in 2 waves of at most 3, done in about 4 min (a change took 80 s, mean of 5)` */
  readonly words: string;
}

/** Reasons of nodes that start as soon as they get a slot. */
const inLine: ReadonlySet<string> = new Set(['AwaitingSlot', 'AwaitingPlan', 'Paused']);

/**
 * The rollouts of a fleet, by policy: only of those that have something left to do. The waves are those of `plan`, by the same
 * simulation: all policies share the cap. The time assumes that the rest goes as fast as what is done, and that nothing delays it; if
 * something does, it is unknown.
 */
function forecastRollouts(
  policies: readonly GpuPartitionPolicy[],
  byPolicy: ReadonlyMap<string | undefined, readonly GpuNodePartition[]>,
  cap: number,
  now: number,
): ReadonlyMap<string, RolloutOutlook> {
  const enforcing = policies.filter(({ spec }) => spec.mode !== 'Plan');
  const left = enforcing.filter(({ metadata }) => (byPolicy.get(metadata.name) ?? []).some(isLeft));
  if (left.length === 0) return new Map();
  const rolloutStates = enforcing.flatMap((policy) =>
    (byPolicy.get(policy.metadata.name) ?? []).map((partition) => rolloutStateOf(partition, policy)),
  );
  const waves = { ...forecastWaves({ policies: enforcing, others: [], rolloutStates, cap, now }), cap };
  return new Map(
    left.map((policy) => {
      const { name } = policy.metadata;
      return [name, forecast(policy, byPolicy.get(name) ?? [], waves, now)];
    }),
  );
}

/** The state of a node as the controller last found it, by what it has written. */
function rolloutStateOf({ metadata, spec, status }: GpuNodePartition, policy: GpuPartitionPolicy): NodeRolloutState {
  const { phase, device } = status ?? {};
  const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
  const { destroy = 0, affectedPods = [], morePods = 0 } = device?.plan ?? {};
  const slot = policy.status?.inFlight?.find(({ node }) => node === metadata.name);
  return {
    node: metadata.name,
    nodeUID: spec.nodeUID,
    policy: policy.metadata.name,
    isReady: reason !== 'NodeNotReady',
    isCordoned: reason === 'ForeignCordon',
    hasGpus: hasGpus({ metadata, spec, status } as GpuNodePartition),
    hasFailed: phase === 'Failed',
    isVerified: phase === 'Ready',
    isClosedAnyway: false,
    isUnderWay: phase === 'Updating',
    wishGeneration: spec.policy?.generation ?? 0,
    slot: slot?.startTime,
    ...(inLine.has(reason) && {
      request: {
        kind: 'New',
        isClosedAnyway: false,
        failedDrains: 0,
        evictions: affectedPods.length + morePods,
        destroys: destroy,
      },
    }),
  };
}

function forecast(
  policy: GpuPartitionPolicy,
  partitions: readonly GpuNodePartition[],
  { waves, held, cap }: ReturnType<typeof forecastWaves> & { readonly cap: number },
  now: number,
): RolloutOutlook {
  const { metadata, status } = policy;
  const { most, isCapped } = widthOf(policy, partitions, cap);
  const own = new Set(partitions.map((partition) => partition.metadata.name));
  const ahead = waves.filter(({ nodes }) => nodes.some((node) => own.has(node)));
  const left = partitions.filter(isLeft).length;
  const changing = partitions.filter((partition) => partition.status?.phase === 'Updating').length;
  const following = ahead.flatMap(({ nodes }) => nodes.filter((node) => own.has(node))).length;
  const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  const isHeld = held.has(metadata.name) || reason === 'Frozen' || reason === 'Halted';
  const known = status?.pace?.generation === metadata.generation ? status?.pace : undefined;
  const pace = known && { seconds: Math.round(known.seconds / known.nodes), nodes: known.nodes };
  const notBefore = ahead[0]?.notBefore;
  const isComplete = changing + following === left && notBefore === undefined && !isHeld;
  const isGoingOn = (reason === 'Reconciling' || reason === 'Deleting') && isComplete;
  const begun = (status?.inFlight ?? []).map(({ startTime }) => (now - Date.parse(startTime ?? '')) / 1000);
  const seconds = pace && isGoingOn && most > 0 ? Math.round(playThrough(left, most, pace.seconds, begun)) : undefined;
  const figures = { left, changing, waves: isHeld ? undefined : ahead.length, notBefore, seconds, pace };
  return { ...figures, words: describeRollout({ ...figures, following: isHeld ? 0 : following }, most, isCapped) };
}

/** How many nodes a rollout changes at a time. */
interface RolloutWidth {
  readonly most: number;
  /** The cap over all policies is what limits it. */
  readonly isCapped: boolean;
}

/**
 * What the leader has written; of a policy that none has looked at yet, its own budget.
 *
 * @param partitions of its nodes
 * @param cap over all policies
 */
function widthOf(
  { spec, status }: GpuPartitionPolicy,
  partitions: readonly GpuNodePartition[],
  cap: number,
): RolloutWidth {
  const budget = countLimit(spec.rollout?.maxUnavailable ?? 1, partitions.filter(hasGpus).length);
  const { maxUnavailable = budget, maxConcurrentNodes = cap } = status?.limits ?? {};
  return { most: Math.min(maxUnavailable, maxConcurrentNodes), isCapped: maxConcurrentNodes < maxUnavailable };
}

/** A node that cannot take its policy, or has failed too often, is not waited for. */
function isLeft({ status }: GpuNodePartition): boolean {
  const phase = status?.phase;
  return phase === undefined || phase === 'Pending' || phase === 'Waiting' || phase === 'Updating';
}

/**
 * Seconds until the nodes left are done: each place takes the next node when it has finished one.
 *
 * @param begun seconds since the admission of nodes in flight
 */
function playThrough(left: number, width: number, seconds: number, begun: readonly number[]): number {
  const rests = begun.map((since) =>
    Number.isFinite(since) ? Math.min(seconds, Math.max(0, seconds - since)) : seconds,
  );
  const places = [...rests, ...Array.from({ length: Math.max(0, width - rests.length) }, () => 0)].toSorted(
    (a, b) => a - b,
  );
  const waiting = Math.max(0, left - rests.length);
  return Math.max(
    0,
    ...places.map((rest, at) => rest + Math.max(0, Math.ceil((waiting - at) / places.length)) * seconds),
  );
}

interface Figures extends Omit<RolloutOutlook, 'words'> {
  /** Nodes in the waves. */
  readonly following: number;
}

function describeRollout(figures: Figures, most: number, isCapped: boolean): string {
  const { left, seconds, pace, notBefore } = figures;
  const delay = notBefore === undefined ? '' : `, not before ${notBefore}`;
  // It takes longer than the others did.
  const soon = seconds === 0 ? ', done any moment' : '';
  const end = seconds === undefined || seconds === 0 ? soon : `, done in about ${describeDuration(seconds)}`;
  const basis = pace === undefined ? '' : ` (a change took ${describeDuration(pace.seconds)}, mean of ${pace.nodes})`;
  return `${countWords(left, 'node')} left${describeTurns(figures, most, isCapped)}${delay}${end}${basis}`;
}

function describeTurns({ left, changing, following, waves = 0 }: Figures, most: number, isCapped: boolean): string {
  const cap = isCapped ? ' (--max-concurrent-nodes of the controller)' : '';
  const inWaves = waves === 0 ? '' : ` in ${countWords(waves, 'wave')}${waves > 1 ? ` of at most ${most}${cap}` : ''}`;
  if (following === left) return waves > 1 ? inWaves : '';
  const rest = left - changing - following;
  const parts = [
    ...(changing > 0 ? [`${changing} change${changing === 1 ? 's' : ''} now`] : []),
    ...(following > 0 ? [`${following} follow${following === 1 ? 's' : ''}${inWaves}`] : []),
    ...(rest > 0 && rest < left ? [`${rest} held up`] : []),
  ];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** The changes that a switch makes to the GPUs as they are now. */
interface SwitchBill {
  readonly nodesChanging: number;
  readonly gpusChanging: number;
  readonly podsToEvict: number;
  /** Nodes on which something is in the way. */
  readonly nodesRefusing: number;
}

/** The schedules of a policy as people see them. */
interface ScheduleView {
  /** The schedule in force; absent: the policy's own layouts or demand are. */
  readonly name: string | undefined;
  readonly since: string;
  readonly next:
    | {
        readonly name: string | undefined;
        readonly time: string;
        /** The cost of the switch; undefined for a demand: its layouts are chosen then, from what there is then. */
        readonly bill: SwitchBill | undefined;
      }
    | undefined;
  /** `schedule night since 2026-…; the policy's own layouts follow at 2026-…: 4 GPUs on 2 nodes change, 3 pods have to go` */
  readonly words: string;
}

/** @param partitions of its nodes */
function viewSchedule(policy: GpuPartitionPolicy, partitions: readonly GpuNodePartition[]): ScheduleView | undefined {
  const { schedule } = policy.status ?? {};
  if (policy.spec.schedules === undefined || schedule === undefined) return undefined;
  const { name, since, next } = schedule;
  const isDemand = next !== undefined && specUnder(policy.spec, next.name).demand !== undefined;
  const bill = next === undefined || isDemand ? undefined : billSwitch(policy, partitions, next.name);
  const now = name === undefined ? "no schedule applies: the policy's own" : `schedule ${name}`;
  const follows = next === undefined ? '' : `; ${nameNext(next.name)} at ${next.time}${describeBill(bill, next.time)}`;
  return {
    name,
    since,
    next: next && { name: next.name, time: next.time, bill },
    words: `${now} since ${since}${follows}`,
  };
}

function nameNext(name: string | undefined): string {
  return name === undefined ? "the policy's own follow" : `${name} follows`;
}

function describeBill(bill: SwitchBill | undefined, time: string): string {
  if (bill === undefined)
    return `; a demand chooses its layouts then: gpu-partition plan --at ${time} shows them as of now`;
  const { nodesChanging, gpusChanging, podsToEvict, nodesRefusing } = bill;
  const refusing = nodesRefusing === 0 ? '' : `; ${countWords(nodesRefusing, 'node')} cannot change now`;
  if (gpusChanging === 0) return `: nothing changes${refusing}`;
  const gpus = `${countWords(gpusChanging, 'GPU')} on ${countWords(nodesChanging, 'node')} ${gpusChanging === 1 ? 'changes' : 'change'}`;
  const pods =
    podsToEvict === 0
      ? 'no pod has to go'
      : `${countWords(podsToEvict, 'pod')} ${podsToEvict === 1 ? 'has' : 'have'} to go`;
  return `: ${gpus}, ${pods}, as of now${refusing}`;
}

/** Bills by partition, which a watch replaces when it changes: a fleet is planned again only where something is new. */
const bills = new WeakMap<GpuNodePartition, { readonly key: string; readonly bill: SwitchBill }>();

function billSwitch(
  policy: GpuPartitionPolicy,
  partitions: readonly GpuNodePartition[],
  name: string | undefined,
): SwitchBill {
  const { uid = '', generation = 0 } = policy.metadata;
  const key = [uid, generation, name ?? ''].join('/');
  const all = partitions.map((partition) => {
    const known = bills.get(partition);
    if (known?.key === key) return known.bill;
    const bill = billNode(policy, partition, name);
    bills.set(partition, { key, bill });
    return bill;
  });
  const sum = (figure: keyof SwitchBill): number => all.reduce((total, bill) => total + bill[figure], 0);
  return {
    nodesChanging: sum('nodesChanging'),
    gpusChanging: sum('gpusChanging'),
    podsToEvict: sum('podsToEvict'),
    nodesRefusing: sum('nodesRefusing'),
  };
}

/** Bills a switch on one node as `plan`, and the agent, would plan it. */
function billNode({ spec }: GpuPartitionPolicy, partition: GpuNodePartition, name: string | undefined): SwitchBill {
  const none = { nodesChanging: 0, gpusChanging: 0, podsToEvict: 0, nodesRefusing: 0 };
  const { device } = partition.status ?? {};
  if (!device?.gpus) return none;
  const resolved = resolveNode(specUnder(spec, name), device, partition.spec.wish);
  if ('refusal' in resolved) return { ...none, nodesRefusing: 1 };
  const foreign = foreignOn(device);
  const { report } = planWish(device, resolved.wish, foreign);
  const { gpusChanging = 0, affectedPods = [], morePods = 0, refusal } = report;
  return {
    nodesChanging: gpusChanging > 0 ? 1 : 0,
    gpusChanging,
    podsToEvict: affectedPods.length + morePods,
    nodesRefusing: refusal === undefined ? 0 : 1,
  };
}

type DemandStatus = NonNullable<PolicyStatus['demand']>[number];

/** A slice of a policy's demand as people see it. */
interface DemandView extends DemandStatus {
  /** `small: 36 of 40 offered, 30 in use, 2 requested by waiting pods; 4 unmet: every GPU is in use` */
  readonly words: string;
}

function viewDemand(status: PolicyStatus | undefined): readonly DemandView[] {
  return (status?.demand ?? []).map((slice) => ({ ...slice, words: describeDemand(slice) }));
}

function describeDemand({ name, wanted, offered, used, waiting = 0, unmet, why }: DemandStatus): string {
  const asked = waiting > 0 ? `, ${waiting} requested by waiting pods` : '';
  const missing = unmet > 0 ? `; ${unmet} unmet${why === undefined ? '' : `: ${why}`}` : '';
  return `${name}: ${offered} of ${wanted} offered, ${used} in use${asked}${missing}`;
}
