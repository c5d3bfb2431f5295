import type { Logger } from './logger.ts';

/**
 * A signal that aborts on the first SIGINT or SIGTERM, so that the program can finish its work. A second one ends the
 * process at once, with the exit code that a shell expects (128 + the signal's number).
 */
export function abortOnSignals(logger: Logger): AbortSignal {
  const controller = new AbortController();
  const handle = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    logger.info('stopping; signal again to stop immediately', { signal });
    controller.abort(new Error(`stopped by ${signal}`));
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return controller.signal;
}
