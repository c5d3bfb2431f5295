import { Worker } from 'node:worker_threads';
import { DemandPlanner, type ClassLayout, type ClassPlan, type DemandQuestion } from '../core/demand/demand-plan.ts';
import { PoolClasses } from '../core/demand/gpu-classes.ts';
import type { DemandSlice, EvictionRule, PoolGpu } from '../core/demand/pool.ts';
import { Turn } from './turn.ts';

declare const GPU_PARTITION_SOLVER: string | undefined;

/** The program of the thread: beside the bundle, or run from source. */
const solver = typeof GPU_PARTITION_SOLVER === 'string' ? GPU_PARTITION_SOLVER : '../solver/main.ts';

/** More classes than this are left to the thread: what their GPUs can become takes too long for this one. */
const fewClasses = 8;

/** What is wanted of a pool, and how long the answer may take. */
export interface PoolDemand {
  readonly slices: readonly DemandSlice[];
  readonly evict: EvictionRule;
  /** Of solving, after which the best plan so far is taken. */
  readonly seconds: number;
}

/** A layout for every GPU of a pool. */
export interface DemandPlan extends Pick<ClassPlan, 'cost' | 'gap' | 'unserved'> {
  /** In the order of the pool. GPUs with the same layout share it. */
  readonly layouts: readonly ClassLayout[];
}

/**
 * Plans a pool without keeping the event loop: small pools here, large ones in a thread that ends with its answer. Where the thread
 * cannot run, pools of medium size are planned here, which may take seconds.
 *
 * @param gpus with unique ids
 * @throws Error if there is no plan: the solver fails, and the pool is too large to do without
 */
export async function planDemand(
  gpus: readonly PoolGpu[],
  { slices, evict, seconds }: PoolDemand,
): Promise<DemandPlan> {
  const turn = new Turn();
  const pool = new PoolClasses();
  for (const gpu of gpus) {
    pool.add(gpu);
    await turn.pause();
  }
  const classes = pool.list();
  const question = { classes, slices, evict };
  const small = classes.length <= fewClasses ? new DemandPlanner(question).planSmall() : undefined;
  const { layouts, ...plan } = small ?? (await planInThread(question, seconds));
  const byId = new Map<string, ClassLayout>();
  const idsLeft = classes.map((one) => [...pool.idsOf(one)]);
  for (const layout of layouts) {
    for (const id of idsLeft[layout.gpuClass]?.splice(0, layout.size) ?? []) byId.set(id, layout);
    await turn.pause();
  }
  return { ...plan, layouts: gpus.map(({ id }) => demandLayout(byId, id)) };
}

function demandLayout(byId: ReadonlyMap<string, ClassLayout>, id: string): ClassLayout {
  const layout = byId.get(id);
  if (layout === undefined) throw new Error(`the plan has no layout for GPU ${id}`);
  return layout;
}

async function planInThread(question: DemandQuestion, seconds: number): Promise<ClassPlan> {
  try {
    return await askThread(question, seconds);
  } catch (error) {
    const plan = new DemandPlanner(question).planSmall(true);
    if (plan !== undefined) return plan;
    throw new Error('the solver failed, and the pool is too large to be planned without it', { cause: error });
  }
}

function askThread(question: DemandQuestion, seconds: number): Promise<ClassPlan> {
  const worker = new Worker(new URL(solver, import.meta.url), { workerData: { question, seconds } });
  return new Promise<ClassPlan>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the solver's thread ended with code ${code}`)));
  });
}
