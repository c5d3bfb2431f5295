import type { ReconcileResult } from '../../../kube/queue.ts';
import type { PodObject } from '../node/kube-objects.ts';
import type { ContainerProblem } from './container-problem.ts';

/** A pod's program that really runs, as a process on this machine: the program that started it reports its state. */
export interface PodProgram {
  readonly isRunning: boolean;
  /** How often it has ended. */
  readonly ends: number;
  /** When it last ended by itself, in ms of the monotonic clock; undefined while it runs, or if it was told to end. */
  readonly crashedAtMs: number | undefined;
  start(): void;
}

/** What the pod's status should show about its program. */
export function problemOf(program: PodProgram, pod: PodObject): ContainerProblem | undefined {
  if (program.isRunning) return undefined;
  const container = pod.spec?.containers?.[0]?.name ?? '';
  return { kind: 'Crashed', container, message: 'the program has ended', restarts: program.ends };
}

/** Whether the pod's status shows the current state of a program that has been started. */
export function isProgramShown(program: PodProgram, { status }: PodObject): boolean {
  const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return isReady === program.isRunning;
}

/** Starts a program again that has ended by itself, after a rest, and when the pod's status shows that it has. @returns when to look again */
export function restartCrashed(program: PodProgram, pod: PodObject, restartMs: number): ReconcileResult {
  if (program.crashedAtMs === undefined) return {};
  const leftMs = program.crashedAtMs + restartMs - performance.now();
  if (leftMs > 0) return { requeueAfterMs: leftMs };
  if (isProgramShown(program, pod)) program.start();
  return {};
}
