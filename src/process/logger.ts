/** Fields of a log line: constant message, varying values beside it. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger interface of the programs; `createLogger` of `log.ts` makes one, and tests pass their own. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

const ignore = (): void => undefined;

/** Logs nothing. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};

/** One line about an error and its causes: `Error: a (caused by Error: b)`. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = `${error.name}: ${error.message}`;
  const isTold = error.cause instanceof Error && text.endsWith(error.cause.message);
  if (error.cause === undefined || isTold) return text;
  return `${text} (caused by ${describeError(error.cause)})`;
}
