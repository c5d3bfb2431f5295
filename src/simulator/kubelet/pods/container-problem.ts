/** Why one container of a pod is not ready. */
export type ContainerProblem =
  /** It runs and has not got ready. */
  | { readonly kind: 'NotReady'; readonly container: string }
  /** The kubelet waits for something that it needs. */
  | { readonly kind: 'NotCreated'; readonly container: string; readonly message: string }
  /** It exited, and is started again after a while. `message` is what it said. */
  | { readonly kind: 'Crashed'; readonly container: string; readonly message: string; readonly restarts: number };

/** Whether the pod's status says the same of both; the number of restarts is not worth a write. */
export function isSameProblem(a: ContainerProblem | undefined, b: ContainerProblem | undefined): boolean {
  return a?.kind === b?.kind && a?.container === b?.container && messageOf(a) === messageOf(b);
}

function messageOf(problem: ContainerProblem | undefined): string | undefined {
  return problem === undefined || problem.kind === 'NotReady' ? undefined : problem.message;
}

/** The fields of a container's status that the problem changes. */
export function describeProblem(problem: ContainerProblem, runningSince: string): object {
  switch (problem.kind) {
    case 'NotReady':
      return { ready: false, started: true, state: { running: { startedAt: runningSince } } };
    case 'NotCreated':
      return {
        ready: false,
        started: false,
        state: { waiting: { reason: 'ContainerCreating', message: problem.message } },
      };
    case 'Crashed':
      return {
        ready: false,
        started: false,
        restartCount: problem.restarts,
        state: { waiting: { reason: 'CrashLoopBackOff', message: problem.message } },
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      };
  }
}
