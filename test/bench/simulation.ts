/** How much CPU time a year of 64 GPUs takes in `gpu-partition simulate`: the recorded tasks, at loads below and above what the fleet can do. */
import type { PolicyDemand } from '../../src/api/types.ts';
import { startSides } from '../../src/core/plan/simulation/fleet.ts';
import { loadByTrace, Random } from '../../src/core/plan/simulation/trace.ts';
import { simulate } from '../../src/core/plan/simulation/play.ts';
import { loadSolver, planPools } from '../../src/planner/highs.ts';
import { aCluster, aFleetNode, inFile } from '../core/plan/cluster-builder.ts';
import { printMetric, tell } from './metric.ts';
import { DAY, DAYS, readTasks } from './trace/requests.ts';

const GPUS = 64;
const YEAR = 365;
const LOADS = [0.7, 0.85, 1];
/** Of a year, in seconds. */
const LIMIT = 60;
const startMs = Date.UTC(2026, 0, 5);
const slices: PolicyDemand['slices'] = ['1g.5gb', '2g.10gb', '3g.20gb', '7g.40gb'].map((name) => ({
  profiles: [name],
}));

/** Priorities that pods get at random, and how many days are played. */
const PRIORITIES = [0, 100, 1000];
const WEEK = 7;
const SEEDS = [1, 2, 3];

/**
 * The shipped loop with pods of three priorities, `count` and `min` absent: whom `evict: IfNeeded` lets wait less, and what it costs. The
 * scheduler's own preemption, which exists under Never too, is not played.
 */
export async function measurePriorities(): Promise<void> {
  const tasks = (await readTasks()).map((task, index) => ({ ...task, line: index + 2 }));
  const planner = planPools(await loadSolver());
  const names = Array.from({ length: GPUS }, (_, index) => `n${index}`);
  const facts = aCluster(names.map((name) => aFleetNode({ name, slices: ['3g.20gb@0', '3g.20gb@4'] })));
  for (const [mapping, load] of [
    ['memory', 0.85],
    ['memory', 1],
    ['share', 0.85],
  ] as const)
    for (const seed of SEEDS) {
      const played = (['Never', 'IfNeeded'] as const).map((evict) => {
        const { layouts: _layouts, ...spec } = inFile({ demand: { from: 'Pods', slices, evict } }).spec;
        const [side] = startSides(facts, [[{ ...inFile({}), spec }]], { startMs, days: WEEK }).sides;
        if (side === undefined) throw new Error('no side begins');
        const by = mapping === 'memory' ? ({ by: 'memory', cardGb: 24 } as const) : ({ by: 'share' } as const);
        const trace = { name: 'tasks.csv', tasks, seconds: DAYS * DAY, skipped: 0 };
        const { running, arrivals } = loadByTrace(trace, side.nodes, { days: WEEK, seed, mapping: by, load });
        const random = new Random(seed);
        const ranked = arrivals.map((one) => ({ ...one, priority: random.pick(PRIORITIES) ?? 0 }));
        const rules = { running, arrivals: ranked, days: WEEK, seed, startMs };
        const startedMs = performance.now();
        const [figures] = simulate({ sides: [side], ...rules }, planner);
        const seconds = Math.round((performance.now() - startedMs) / 1000);
        tell(
          `priorities by ${mapping}, load ${load}, seed ${seed}, evict ${evict}, ${seconds} s: ${JSON.stringify([figures?.total, figures?.priorities])}`,
        );
        return figures;
      });
      const [never, ifNeeded] = played;
      const name = `priorities by ${mapping}, load ${load}, seed ${seed}`;
      const waits = (of: typeof never): number => (of?.priorities[0]?.meanWaitSeconds ?? 0) / 60;
      printMetric({
        metric: `${name}: mean wait of the highest priority`,
        value: waits(ifNeeded),
        unit: 'min',
        baseline: waits(never),
      });
      printMetric({
        metric: `${name}: slice-time served`,
        value: 100 * (ifNeeded?.total.servedShare ?? 0),
        unit: '%',
        baseline: 100 * (never?.total.servedShare ?? 0),
      });
    }
}

export async function measureSimulation(): Promise<void> {
  const tasks = (await readTasks()).map((task, index) => ({ ...task, line: index + 2 }));
  const planner = planPools(await loadSolver());
  const names = Array.from({ length: GPUS }, (_, index) => `n${index}`);
  const facts = aCluster(names.map((name) => aFleetNode({ name, slices: ['3g.20gb@0', '3g.20gb@4'] })));
  const rules = { days: YEAR, seed: 1 };
  for (const load of LOADS)
    for (const evict of ['Never', 'IfNeeded'] as const) {
      const { layouts: _layouts, ...spec } = inFile({ demand: { from: 'Pods', slices, evict } }).spec;
      const [side] = startSides(facts, [[{ ...inFile({}), spec }]], { startMs, days: YEAR }).sides;
      if (side === undefined) throw new Error('no side begins');
      const mapping = { by: 'memory', cardGb: 24 } as const;
      const trace = { name: 'tasks.csv', tasks, seconds: DAYS * DAY, skipped: 0 };
      const arrivals = loadByTrace(trace, side.nodes, { ...rules, mapping, load });
      const before = process.cpuUsage();
      const [figures] = simulate({ sides: [side], ...arrivals, ...rules, startMs }, planner);
      const { user, system } = process.cpuUsage(before);
      tell(`simulation: load ${load}, evict ${evict}: ${JSON.stringify(figures?.total)}`);
      const metric = `simulation: a year of ${GPUS} GPUs, load ${load}, evict ${evict}, CPU time`;
      printMetric({ metric, value: (user + system) / 1e6, unit: 's', baseline: LIMIT });
    }
}
