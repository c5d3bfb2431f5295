// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here how a demand stands after a plan, or without one, as the status of its policy tells it.
import type { DemandState, GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import { coverDemand, readDemand } from './solver/pool.ts';
import type { ClassPlan } from './solver/choose.ts';
import type { Planned } from './plan-pool.ts';
import { type DemandReport, nameSlice, type SliceEntry } from '../policy/spec.ts';
import { findStop } from '../rollout/ledger.ts';
import { joinWords, countWords, joinWithin } from '../text/words.ts';
import { countOverflow, type DemandGpu } from './members.ts';
import { countPresent } from '../gpu/geometry.ts';
import { mostKinds, type Uncounted } from './waiting-pods.ts';
import type { WantedSlice } from './wanted.ts';
import type { WaitingReading } from './kueue.ts';

/** What keeps what is lacking from being made for now. */
type Stop = ReturnType<typeof findStop>;

/** Slices that a plan could not provide, by name. */
type Lacking = Planned['shortfall']['lacking'];

/** Whether the time ended before it was known how much a plan serves at most. */
export function ranOutOfTime({ gap }: Pick<ClassPlan, 'gap'>): boolean {
  return gap?.figure === 'unserved';
}

/**
 * How the demand of a policy stands after a plan.
 *
 * @param question what was planned for
 * @param members of the pool now
 * @param now in ms since the epoch
 */
export function reportPool(
  policy: GpuPartitionPolicy,
  { wanted, share }: { readonly wanted: readonly WantedSlice[]; readonly share: WaitingReading | undefined },
  members: readonly DemandGpu[],
  shortfall: Planned['shortfall'],
  now: number,
): DemandReport {
  const report = reportDemand(wanted, members, shortfall, findStop(policy, now));
  const { uncounted = [], trouble } = share ?? {};
  const counted = reportUncounted(report, policy.metadata.name, uncounted);
  return trouble === undefined ? counted : reportUnread(counted, trouble);
}

export function reportDemand(
  wanted: readonly WantedSlice[],
  members: readonly DemandGpu[],
  { lacking, lackingAtLeast, isSpared = true, isUnproven = false }: Planned['shortfall'],
  stop?: Stop,
): DemandReport {
  const missing = countLacking(
    wanted,
    members.flatMap(({ present }) => present),
  );
  const lost = explainLoss(wanted, members);
  const states = wanted.map((one): DemandState => {
    const { name, count, used, waiting, beyond } = one;
    const unmet = sumOf(one, lacking);
    const freed = lackingAtLeast === undefined ? 0 : Math.max(0, unmet - sumOf(one, lackingAtLeast));
    const why =
      unmet > 0
        ? explain(one, { unmet, freed, isSpared, isUnproven, isLoss: lost !== undefined }, members)
        : beyond > 0
          ? explainMax(one)
          : undefined;
    return {
      name,
      wanted: count,
      offered: count - (missing.get(name) ?? 0),
      used,
      ...(waiting !== undefined && { waiting }),
      unmet,
      ...(why !== undefined && { why }),
    };
  });
  const isHeldByUse = lackingAtLeast !== undefined && isLess(lackingAtLeast, lacking);
  const steady = steadyOf(wanted);
  return { states, ...(steady && { steady }), condition: judge(states, isHeldByUse, lost, stop) };
}

/** Says in words that slices out of reach would serve what is missing; undefined if they would not. */
function explainLoss(wanted: readonly WantedSlice[], members: readonly DemandGpu[]): string | undefined {
  const present = members.flatMap((one) => one.present);
  const lost = members.flatMap((one) => one.lost?.instances ?? []);
  const [whole, without] = [[...present, ...lost], present].map((all) => sumUp(countLacking(wanted, all)));
  return lost.length > 0 && whole !== without ? describeLost(members) : undefined;
}

/** `node n1 is cordoned, and node n2 is not ready`: why some slices of a pool are out of reach; undefined if none are. */
function describeLost(members: readonly DemandGpu[]): string | undefined {
  const nodes = new Map(members.flatMap(({ node, lost }) => (lost ? [[node, `node ${node} ${lost.why}`]] : [])));
  const told = [...nodes.values()].slice(0, 3);
  const more = nodes.size > told.length ? [`${nodes.size - told.length} more`] : [];
  return nodes.size === 0 ? undefined : joinWords([...told, ...more]);
}

function sumUp(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, one) => sum + one, 0);
}

/** The largest count that the API keeps. */
const mostCount = 2 ** 31 - 1;

function steadyOf(wanted: readonly WantedSlice[]): DemandReport['steady'] {
  const counts = wanted.flatMap(({ name, lasting }) =>
    lasting === undefined ? [] : [[name, Math.min(mostCount, lasting)] as const],
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

/** The same report, with a message that the pods held back by Kueue are not known. @param why with what to do */
function reportUnread(report: DemandReport, why: string): DemandReport {
  const { condition } = report;
  const message = `${why}. Until then only pods count: ${condition.message}`;
  return { ...report, condition: { ...condition, status: 'False', reason: 'KueueUnavailable', message } };
}

const longestUncounted = 1024;

/**
 * The same report, with a message about the waiting pods that count for nothing: whether the demand is met is decided without them.
 *
 * @param policy its name
 */
function reportUncounted(report: DemandReport, policy: string, left: readonly Uncounted[]): DemandReport {
  const words = left.flatMap(({ namespace, pods, why }) => {
    if (why === 'Kinds')
      return [`${countWords(pods, 'pod')} of namespace ${namespace}, whose pods are of more than ${mostKinds} kinds`];
    const others = pods === 1 ? '' : `, and ${pods - 1} like it`;
    return why.policy === policy
      ? [`pod ${namespace}/${why.pod}${others}, which requests more than a node can hold`]
      : [];
  });
  if (words.length === 0) return report;
  const { condition } = report;
  const message = `${condition.message}; not counted: ${joinWithin(words, longestUncounted)}`;
  return { ...report, condition: { ...condition, message } };
}

/** The slices that follow pods and that a pool with these instances leaves short, and how many of each another pool may have room for. */
export function listOverflow(
  { slices }: PolicyDemand,
  wanted: readonly WantedSlice[],
  instances: readonly { readonly profile: string }[],
): readonly { readonly slice: SliceEntry; readonly count: number }[] {
  const lacking = countLacking(wanted, instances);
  return slices.flatMap((slice) => {
    const one = wanted.find(({ name }) => name === nameSlice(slice));
    if (one === undefined || slice.count !== undefined) return [];
    const { count: all, used, waiting = 0, name } = one;
    const count = countOverflow(slice, { wanted: all, used, waiting, unmet: lacking.get(name) ?? 0 });
    return count === 0 ? [] : [{ slice, count }];
  });
}

/** How many of each wanted slice these instances do not provide, by its name. */
function countLacking(
  wanted: readonly WantedSlice[],
  instances: readonly { readonly profile: string }[],
): ReadonlyMap<string, number> {
  const table = readDemand(
    wanted.flatMap(({ slices }) => slices),
    () => true,
  );
  const here = countPresent(instances);
  const { unserved } = coverDemand(
    table,
    table.profiles.map((profile) => here.get(profile) ?? 0),
  );
  const lacking = Object.fromEntries(table.slices.map(({ name }, index) => [name, unserved[index] ?? 0]));
  return new Map(wanted.map((one) => [one.name, sumOf(one, lacking)]));
}

function sumOf({ slices }: WantedSlice, lacking: Lacking): number {
  return slices.reduce((sum, { name }) => sum + (lacking[name] ?? 0), 0);
}

interface Unmet {
  readonly unmet: number;
  /** How many of the unmet slices evictions would make room for. */
  readonly freed: number;
  readonly isSpared: boolean;
  readonly isUnproven: boolean;
  /** Slices that would serve are out of reach of new pods. */
  readonly isLoss: boolean;
}

function explain(
  { unknown }: WantedSlice,
  { unmet, freed, isSpared, isUnproven, isLoss }: Unmet,
  members: readonly DemandGpu[],
): string {
  const gpus = members.length;
  if (gpus === 0) return 'no selected node has reported a GPU that takes part yet';
  if (unknown !== undefined)
    return `no GPU of the selected nodes has ${unknown} (${describeProfiles(members)}): ask for what they have, or select nodes whose GPUs have it`;
  if (freed === 0 && isUnproven)
    return `no room was found for ${unmet} more in the time for a plan, and there may be some: add GPUs, or want less`;
  if (freed === 0) {
    const who = gpus === 1 ? 'GPU of the selected nodes does' : `${gpus} GPUs of the selected nodes do`;
    return `the ${who} not hold ${unmet} more beside the other slices${explainModes(members)}${explainHeld(members)}: add GPUs, or want less`;
  }
  const rest = unmet - freed;
  const bar = isSpared
    ? `by evicting pods, which ${isLoss ? 'is not done for slices that are out of reach' : 'demand.evict Never forbids'}`
    : 'in place of pods that cannot be evicted';
  const follow = `${freed} could be made only ${bar}: they follow when slices fall idle`;
  return rest === 0 ? follow : `${follow}; for ${rest} more there is no room at all`;
}

const longestProfiles = 800;

/** Lists the profiles of the kinds of GPUs. */
function describeProfiles(members: readonly DemandGpu[]): string {
  const kinds = new Map(members.map(({ product, gpu }) => [product.replace(/^NVIDIA /, ''), gpu.geometry.profiles]));
  const words = [...kinds].map(
    ([product, profiles]) =>
      `${product} has ${profiles.length === 0 ? 'no MIG' : profiles.map(({ name }) => name).join(', ')}`,
  );
  return joinWithin(words, longestProfiles);
}

/** GPUs without MIG cannot be had otherwise, whatever the settings. */
function explainModes(members: readonly DemandGpu[]): string {
  const held = members.filter(({ gpu }) => gpu.keepsMode === true && gpu.geometry.profiles.length > 0).length;
  if (held === 0) return '';
  return ` (${held} of them cannot change MIG mode: allow.gpuReset is false, the driver is too old for MIG, or a process uses the GPU)`;
}

/** Says how many GPUs have changed twice within the cooldown: they may serve the demand once it is over. */
function explainHeld(members: readonly DemandGpu[]): string {
  const held = members.filter(({ isHeld }) => isHeld === true).length;
  return held === 0
    ? ''
    : ` (${held} of them changed twice within demand.cooldown, and are left alone until it is over)`;
}

function explainMax({ used, waiting = 0, beyond }: WantedSlice): string {
  return `${used} are in use and ${waiting} waited for, ${beyond} more than max`;
}

/** @param lost why slices that would serve are out of reach, if so @param stop what keeps the others from being made for now */
function judge(
  states: readonly DemandState[],
  isHeldByUse: boolean,
  lost: string | undefined,
  stop: Stop,
): DemandReport['condition'] {
  const isFalse = { type: 'DemandMet', status: 'False' } as const;
  const unmet = states.filter((one) => one.unmet > 0);
  if (unmet.length > 0) {
    const message = unmet.map((one) => `${one.name}: ${one.unmet} of ${one.wanted} unmet: ${one.why}`).join('; ');
    const beside = lost === undefined ? '' : `. New pods reach no slice where ${lost}, and no pod is evicted for that`;
    return { ...isFalse, reason: isHeldByUse ? 'NothingIdle' : 'NoRoom', message: `${message}${beside}` };
  }
  const short = states.filter(({ offered, wanted }) => offered < wanted);
  if (short.length > 0) {
    const message = short.map(({ name, offered, wanted }) => `${name}: ${offered} of ${wanted} exist`).join('; ');
    if (lost !== undefined) {
      const others = stop ? `; others are not being made: ${stop.message}` : '';
      return { ...isFalse, reason: 'NodesUnavailable', message: `${message} in reach of new pods: ${lost}${others}` };
    }
    return stop
      ? { ...isFalse, reason: stop.reason, message: `${message}; the others are not being made: ${stop.message}` }
      : { ...isFalse, reason: 'Reconciling', message: `${message}; the others are being made` };
  }
  const beyond = states.flatMap(({ name, why }) => (why === undefined ? [] : [`${name}: ${why}`]));
  if (beyond.length > 0) return { ...isFalse, reason: 'MaxReached', message: beyond.join('; ') };
  const message = states.map(({ name, wanted, used }) => `${name}: ${wanted} offered, ${used} in use`).join('; ');
  return { type: 'DemandMet', status: 'True', reason: 'DemandMet', message };
}

function isLess(some: Lacking, other: Lacking): boolean {
  return Object.entries(other).some(([name, count]) => (some[name] ?? 0) < count);
}
