/** On SIGTERM (systemctl stop) and SIGINT, work in progress is finished and nothing else started; a second one ends the program. */
export async function withSignal<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.once('SIGTERM', stop).once('SIGINT', stop);
  try {
    return await run(controller.signal);
  } finally {
    process.off('SIGTERM', stop).off('SIGINT', stop);
  }
}
