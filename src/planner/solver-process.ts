import { fork, type ForkOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { planClasses, type PlannedPool, type PlanQuestion } from '../core/demand/plan-pool.ts';
import type { DemandPlanner } from '../core/demand/solver/choose.ts';
import type { simulate } from '../core/plan/simulation/play.ts';
import { EventLoopYield } from '../process/clock.ts';

declare const GPU_PARTITION_SOLVER: string | undefined;

/** The solver's program: beside the bundle, the executable itself (build/executable.mjs), or run from source. */
const solver = typeof GPU_PARTITION_SOLVER === 'string' ? GPU_PARTITION_SOLVER : './main.ts';

/**
 * V8 compiles HiGHS once, at the first call of each function: optimizing what runs for a second takes longer than it gains, and twice
 * the memory.
 */
const flags = ['--liftoff-only', '--max-semi-space-size=1'];

type DemandQuestion = ConstructorParameters<typeof DemandPlanner>[0];
type ClassPlan = ReturnType<DemandPlanner['planLarge']>;
type Simulation = Parameters<typeof simulate>[0];
type Figures = ReturnType<typeof simulate>;

/** Seconds beyond the limit for what the solver does before and after it looks at its clock. */
const graceSeconds = 60;

/**
 * The most classes that this process plans; more are left to the solver's process: what their GPUs can become takes too long for this one.
 */
const fewClasses = 8;

/** How long the answer may take. */
interface Limits {
  /** Seconds of solving, after which the best plan so far is taken. */
  readonly seconds: number;
  /** Ends the solver: its plan is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Plans a pool without keeping the event loop: small pools here, large ones in a process that ends with its answer and gives all of
 * its memory back. Where that cannot run, pools of medium size are planned here, which may take seconds.
 *
 * @param gpus with unique ids
 * @throws Error if there is no plan: the solver fails, and the pool is too large to do without; the signal's reason when it aborts
 */
export async function planDemand(
  gpus: PlanQuestion['gpus'],
  { seconds, signal, ...asked }: PlanQuestion['asked'] & Limits,
): Promise<PlannedPool> {
  const turn = new EventLoopYield();
  const planning = planClasses({ gpus, asked }, fewClasses);
  let step = planning.next();
  while (step.done !== true) {
    const question = step.value;
    if (question === undefined) {
      await turn.pause();
      step = planning.next();
    } else
      step = await askSolver(question, { seconds, signal }).then(
        (plan) => planning.next(plan),
        (error: unknown) => {
          signal?.throwIfAborted();
          return planning.throw(error);
        },
      );
  }
  return step.value;
}

/**
 * Plays a simulation in the solver's process, which plans many pools one after the other.
 *
 * @throws Error if that process fails
 */
export async function simulateBeside(simulation: Simulation): Promise<Figures> {
  const answer = await ask({ simulation }, { execArgv: ['--max-semi-space-size=16'] });
  if ('figures' in answer) return answer.figures;
  throw new Error('the solver answered something else');
}

/** The answer of the solver's process. */
export type SolverAnswer = { readonly plan: ClassPlan } | { readonly figures: Figures } | { readonly error: string };

/** The order that the solver's process gets. */
export type SolverOrder =
  | { readonly question: DemandQuestion; readonly seconds: number }
  | { readonly simulation: Simulation };

async function askSolver(question: DemandQuestion, { seconds, signal }: Limits): Promise<ClassPlan> {
  const timeout = (seconds + graceSeconds) * 1000;
  const answer = await ask({ question, seconds }, { execArgv: flags, timeout, ...(signal && { signal }) });
  if ('plan' in answer) return answer.plan;
  throw new Error('the solver answered something else');
}

function ask(
  order: SolverOrder,
  options: Pick<ForkOptions, 'execArgv' | 'timeout'>,
): Promise<Exclude<SolverAnswer, { readonly error: string }>> {
  const child = fork(fileURLToPath(new URL(solver, import.meta.url)), {
    ...options,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let words = '';
  child.stderr?.on('data', (part: Buffer) => (words = (words + part.toString()).slice(0, 2000)));
  return new Promise((resolve, reject) => {
    child.once('message', (answer: SolverAnswer) => {
      if ('error' in answer) reject(new Error(answer.error));
      else resolve(answer);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`the solver ended with ${signal ?? code}${findReason(words)}`)),
    );
    // A process that has gone already says so by its exit.
    child.send(order, () => undefined);
  });
}

/** What Node prints as the error, without where it comes from. */
function findReason(words: string): string {
  const reason = /^\w*Error: .*$/m.exec(words)?.[0];
  return reason === undefined ? '' : `: ${reason}`;
}
