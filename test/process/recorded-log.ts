import type { LogFields, Logger } from '../../src/process/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps what it is told. */
export class RecordedLog implements Logger {
  readonly lines: LogLine[];
  readonly #fields: LogFields;

  constructor(lines: LogLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#keep('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#keep('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#keep('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#keep('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new RecordedLog(this.lines, { ...this.#fields, ...fields });
  }

  #keep(level: LogLine['level'], message: string, fields: LogFields | undefined): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
