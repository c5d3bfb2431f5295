/**
 * On SIGTERM (systemctl stop), SIGINT and SIGHUP (the terminal is gone, as with a lost connection), work in progress is finished and
 * nothing else started; a second SIGTERM or SIGINT ends the program. SIGHUP comes from the shell and from the kernel: never once for sure.
 */
export async function withSignal<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.once('SIGTERM', stop).once('SIGINT', stop).on('SIGHUP', stop);
  try {
    return await run(controller.signal);
  } finally {
    process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', stop);
  }
}
