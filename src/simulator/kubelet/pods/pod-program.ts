import type { PodObject } from '../node/kube-objects.ts';
import type { ContainerProblem } from './container-problem.ts';

/** A pod's program that really runs, as a process on this machine: the program that started it reports its state. */
export interface PodProgram {
  readonly isRunning: boolean;
  /** How often it has ended. */
  readonly ends: number;
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
