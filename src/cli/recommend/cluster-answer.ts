import { stringify } from 'yaml';
import { advisePool, type PoolAdvice, type PoolPlan } from '../../core/advice/pool-advice.ts';
import { type HistoryRule, judgeHistory, type RequestHistory } from '../../core/advice/history.ts';
import { type HomelessPods, placePods } from '../../core/advice/pool-pods.ts';
import { askPool, type PoolQuestion } from '../../core/advice/pool-question.ts';
import { listPools } from '../../core/advice/pools.ts';
import type { EvictionRule } from '../../core/demand/pool.ts';
import type { ClusterFacts } from '../../core/explain/cluster-facts.ts';
import type { LabelSelector } from '../../core/pods/plugin-pods.ts';
import { indexHolders, type PoolHolders, weighGpus } from '../../core/supply/eviction-weight.ts';
import { drawAdvice } from '../../core/view/advice-screen.ts';
import { plainText } from '../../core/view/line.ts';
import { planDemand } from '../../process/demand-solver.ts';
import { CliError } from '../exit.ts';
import { printLines } from '../screen.ts';
import { paint, printLine, type Terminal } from '../terminal.ts';

/** What is advised for a cluster. */
export interface ClusterAnswer {
  readonly pools: readonly PoolAdvice[];
  readonly homeless: readonly HomelessPods[];
  /** Resources, as kube-state-metrics writes them, that pods asked for in the past and no pool has. */
  readonly unknown?: readonly string[];
}

export interface ClusterRules {
  readonly evict: EvictionRule;
  readonly seconds: number;
  readonly selector?: LabelSelector | undefined;
  /** What was asked for in the past. */
  readonly history?: (RequestHistory & HistoryRule) | undefined;
}

/** @throws CliError if there is nothing to advise on, or the solver fails */
export async function answerCluster(
  facts: ClusterFacts,
  { evict, seconds, selector, history }: ClusterRules,
): Promise<ClusterAnswer> {
  const pools = listPools(facts, selector && { matchLabels: selector });
  if (pools.length === 0)
    throw new CliError(
      selector === undefined
        ? 'no node has GPUs: none offers nvidia.com/gpu or a slice, and no agent reports any'
        : 'no node with GPUs has the labels of --selector',
      3,
    );
  const { waitingOf, homeless } = placePods(pools, facts);
  const { partitions, pods = [], budgets = [] } = facts;
  const holders = indexHolders({ partitions, pods, budgets });
  const past = history && judgeHistory(pools, history, history);
  const advised: PoolAdvice[] = [];
  for (const pool of pools) {
    const question = askPool(pool, waitingOf.get(pool) ?? new Map(), evict, past?.leastOf.get(pool));
    const ask = async (rule: EvictionRule): Promise<PoolPlan | undefined> => planPool(question, holders, rule, seconds);
    const plan = await ask(evict);
    const isHeld = plan !== undefined && plan.cost.unserved > 0 && evict === 'Never';
    advised.push(advisePool(question, plan, isHeld ? await ask('IfNeeded') : undefined));
  }
  return { pools: advised, homeless, ...(past && { unknown: past.unknown }) };
}

async function planPool(
  { members, plan }: PoolQuestion,
  holders: PoolHolders,
  evict: EvictionRule,
  seconds: number,
): Promise<PoolPlan | undefined> {
  if (plan === undefined) return undefined;
  const gpus = evict === 'Never' ? members.map(({ gpu }) => gpu) : weighGpus(members, holders, plan.policy.spec.drain);
  return planDemand(gpus, { slices: plan.asked.slices, evict, seconds });
}

/** Whether something is asked for that no layout serves. */
export function hasShortage({ pools, homeless }: ClusterAnswer): boolean {
  return homeless.length > 0 || pools.some(({ slices }) => slices.some(({ best, wanted }) => best < wanted));
}

export function printClusterAnswer({ stdout }: Terminal, { pools, homeless, unknown = [] }: ClusterAnswer): void {
  printLines(stdout, drawAdvice(pools, homeless, stdout.columns));
  for (const resource of unknown)
    printLine(stdout, `in the past pods asked for ${resource}, which no GPU here can offer`);
  if (!pools.some(({ advised }) => advised)) return;
  printLine(stdout, '');
  printLine(stdout, 'to apply it, append to this command: -o yaml | kubectl apply -f -');
  printLine(
    stdout,
    paint(stdout, 'dim', 'mode Plan changes nothing: status.demand and status.plan show what it would do'),
  );
}

/** Policies for `kubectl apply`, and what they are for as comments. */
export function writePolicies({ pools, homeless }: ClusterAnswer): string {
  const documents = pools.flatMap((pool) => {
    if (pool.advised === undefined) return [];
    const policy = stringify(pool.advised, { aliasDuplicateObjects: false });
    return [`${comment(draw([pool], []))}${comment(howToUse(pool))}${policy}`];
  });
  const others = pools.filter(({ advised }) => advised === undefined);
  return `${comment(draw(others, homeless))}${documents.join('---\n')}`;
}

function draw(pools: readonly PoolAdvice[], homeless: readonly HomelessPods[]): readonly string[] {
  return drawAdvice(pools, homeless, 100).map((line) => plainText(line).trimEnd());
}

function howToUse({ policy, advised }: PoolAdvice): readonly string[] {
  const takes =
    policy === undefined || policy === advised?.metadata.name
      ? ''
      : ` It then takes the nodes from policy ${policy}, and gives them back when it is deleted.`;
  return [`mode: Plan changes nothing. Set mode: Enforce to have it.${takes}`];
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '#\n' : `# ${line}\n`)).join('');
}
