/** 0 good; 1 a finding (does not fit, invalid); 2 usage error or unreadable input; 3 the state could not be determined. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An error that the user can fix: shown as one sentence, without a stack trace. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];

  /** @param message one sentence, or several on one line each */
  constructor(message: string | readonly string[], exitCode: ExitCode = 2, options?: ErrorOptions) {
    const lines = typeof message === 'string' ? [message] : message;
    super(lines.join('\n'), options);
    this.lines = lines;
    this.exitCode = exitCode;
  }
}

/** Carries a command's exit code out of commander, which discards an action's result. */
export class CommandOutcome {
  code: ExitCode = 0;
}
