import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { resolveNode } from '../policy/resolve-node.ts';
import { specUnder } from '../policy/schedules.ts';
import { countWords } from '../text/cut-text.ts';
import { foreignOn } from '../wish/ownership.ts';
import { planWish } from '../wish/plan-wish.ts';

/** What a switch does, as the GPUs are now. */
export interface SwitchBill {
  readonly nodesChanging: number;
  readonly gpusChanging: number;
  readonly podsToEvict: number;
  /** Nodes on which something is in the way. */
  readonly nodesRefusing: number;
}

/** The schedules of a policy as people see them. */
export interface ScheduleView {
  /** Absent: the policy's own layouts or demand are in force. */
  readonly name: string | undefined;
  readonly since: string;
  readonly next:
    | {
        readonly name: string | undefined;
        readonly time: string;
        /** Undefined for a demand: its layouts are chosen then, from what there is then. */
        readonly bill: SwitchBill | undefined;
      }
    | undefined;
  /** `schedule night since 2026-…; the policy's own layouts follow at 2026-…: 4 GPUs on 2 nodes change, 3 pods have to go` */
  readonly words: string;
}

/** @param partitions of its nodes */
export function viewSchedule(
  policy: GpuPartitionPolicy,
  partitions: readonly GpuNodePartition[],
): ScheduleView | undefined {
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

/** By the object that a watch replaces when it changes: a fleet is planned again only where something is new. */
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

/** As `plan`, and the agent, would plan it. */
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
