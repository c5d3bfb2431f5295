/** State of the search for the programs. */
export interface BuildProgress {
  /** `waiting`: another process builds. `building`: this one does. */
  readonly phase: 'waiting' | 'building';
  readonly elapsedSeconds: number;
  /** Seconds that the whole build takes: as measured here before, else those of a cold build on two cores. */
  readonly expectedSeconds: number;
}

export type OnProgress = (progress: BuildProgress) => void;

/** Reports at once and every few seconds until stopped. The timer keeps no process alive. */
export function reportProgress(
  onProgress: OnProgress | undefined,
  from: { readonly phase: BuildProgress['phase']; readonly startedAt: number; readonly expectedSeconds: number },
): Disposable {
  const report = (): void => {
    const elapsedSeconds = Math.round((Date.now() - from.startedAt) / 1000);
    onProgress?.({ phase: from.phase, elapsedSeconds, expectedSeconds: from.expectedSeconds });
  };
  report();
  const timer = setInterval(report, 5_000).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** One line for people. */
export function describeProgress({ phase, elapsedSeconds, expectedSeconds }: BuildProgress): string {
  const what =
    phase === 'building'
      ? "building Kubernetes' control plane (once, it is kept)"
      : "waiting for another process that builds Kubernetes' control plane";
  return `${what}: ${elapsedSeconds} s of about ${expectedSeconds} s`;
}
