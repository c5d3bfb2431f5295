/** What can go wrong with a private control plane: one code per action of the reader. */
export type ControlPlaneErrorCode =
  'AssetsIncomplete' | 'BuildFailed' | 'BuildUnusable' | 'GoMissing' | 'GoTooOld' | 'RequestFailed' | 'StartFailed';

/** The message is one sentence (then, if available, the tail of a log): what was tried, found, and what to do. */
export class ControlPlaneError extends Error {
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ControlPlaneError';
    this.code = code;
  }
}
