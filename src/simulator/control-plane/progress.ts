/** Takes a line for people about the search for the programs. */
export type OnProgress = (line: string) => void;

const phases = {
  waiting: "waiting for another process that builds Kubernetes' control plane",
  building: "building Kubernetes' control plane (once, it is kept)",
} as const;

/**
 * Reports at once and every few seconds until stopped. The timer keeps no process alive.
 *
 * @param expectedSeconds that the whole build takes: as measured here before, else those of a cold build on two cores
 */
export function reportProgress(
  onProgress: OnProgress | undefined,
  phase: keyof typeof phases,
  startedAt: number,
  expectedSeconds: number,
): Disposable {
  const report = (): void => {
    const elapsedSeconds = Math.round((Date.now() - startedAt) / 1000);
    onProgress?.(`${phases[phase]}: ${elapsedSeconds} s of about ${expectedSeconds} s`);
  };
  report();
  const timer = setInterval(report, 5_000).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
