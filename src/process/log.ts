import { createLogger as createWinston, format, transports, type Logger as Winston } from 'winston';

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

/** Describes an error and its causes in one line: `Error: a (caused by Error: b)`. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = `${error.name}: ${error.message}`;
  const isTold = error.cause instanceof Error && text.endsWith(error.cause.message);
  if (error.cause === undefined || isTold) return text;
  return `${text} (caused by ${describeError(error.cause)})`;
}

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LogOptions {
  readonly level?: LogLevel;
  /** `auto`, the default, is text on a terminal and JSON lines elsewhere. */
  readonly format?: LogFormat;
  /** Default standard error: standard output is for results. */
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

interface Line {
  readonly level: string;
  readonly message: unknown;
  readonly fields?: unknown;
}

/** Creates the logger of a program. A line holds `time`, `level`, `message`, and the fields next to them. */
export function createLogger(options: LogOptions = {}): Logger {
  const { level = 'info', format: wanted = 'auto', stream = process.stderr } = options;
  const isText = wanted === 'text' || (wanted === 'auto' && stream.isTTY === true);
  const winston = createWinston({
    level,
    format: format.printf(isText ? formatText : formatJson),
    transports: [new transports.Stream({ stream })],
  });
  return new WinstonLogger(winston, {});
}

class WinstonLogger implements Logger {
  readonly #winston: Winston;
  readonly #fields: LogFields;

  constructor(winston: Winston, fields: LogFields) {
    this.#winston = winston;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new WinstonLogger(this.#winston, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    // The fields stay separate: winston would append a field called `message` to the message.
    this.#winston.log({ level, message, fields: { ...this.#fields, ...fields } });
  }
}

function formatJson({ level, message, fields }: Line): string {
  const line = { time: new Date().toISOString(), level, message };
  try {
    return JSON.stringify({ ...line, ...omitTaken(fields) }, replaceError);
  } catch (error) {
    return JSON.stringify({ ...line, fieldsLost: describeError(error) });
  }
}

function formatText({ level, message, fields }: Line): string {
  const time = new Date().toISOString().slice(11, 23);
  const pairs = Object.entries(omitTaken(fields)).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${String(message)}${pairs.join('')}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) ? JSON.stringify(value) : value;
  try {
    return JSON.stringify(value, replaceError) ?? String(value);
  } catch (error) {
    return `<${describeError(error)}>`;
  }
}

/** The fields whose names a line does not already use. */
function omitTaken(fields: unknown): Record<string, unknown> {
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !['time', 'level', 'message'].includes(name)));
}

function replaceError(_name: string, value: unknown): unknown {
  if (value instanceof Error) return describeError(value);
  return typeof value === 'bigint' ? value.toString() : value;
}

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
