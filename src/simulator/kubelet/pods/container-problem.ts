/** Why one container of a pod is not ready. */
export type ContainerProblem =
  /** It runs and is not ready. */
  | { readonly kind: 'NotReady'; readonly container: string }
  /** The kubelet waits for something that the container needs. */
  | { readonly kind: 'NotCreated'; readonly container: string; readonly message: string }
  /** It exited with exit code 0, and is restarted after a while. */
  | { readonly kind: 'Ended'; readonly container: string; readonly restarts: number }
  /** It exited, and is restarted after a while. `message` is its output. */
  | { readonly kind: 'Crashed'; readonly container: string; readonly message: string; readonly restarts: number };

/** Whether the pod's status would be the same for both; the number of restarts is not worth a write. */
export function isSameProblem(a: ContainerProblem | undefined, b: ContainerProblem | undefined): boolean {
  return a?.kind === b?.kind && a?.container === b?.container && messageOf(a) === messageOf(b);
}

function messageOf(problem: ContainerProblem | undefined): string | undefined {
  return problem !== undefined && 'message' in problem ? problem.message : undefined;
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
    case 'Ended':
      return {
        ready: false,
        started: false,
        restartCount: problem.restarts,
        state: { terminated: { exitCode: 0, reason: 'Completed' } },
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
