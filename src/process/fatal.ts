import type { Logger } from './logger.ts';

/**
 * Ends the process with code 1 on an unhandled error. A program that continues after one may hold a lease and do
 * nothing; a restart is safe.
 */
export function exitOnUnhandled(logger: Logger): void {
  const handle = (error: unknown): void => {
    logger.error('unhandled error, the process ends', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      ...(error instanceof Error && error.cause !== undefined ? { cause: error.cause } : {}),
    });
    process.exit(1);
  };
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
}
