import { DeviceError, type DeviceErrorCode } from '../../core/gpu/state/device-error.ts';
import { wordsOf, type Execution } from '../../core/smi/output.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** Why the kernel did not start a program, by error number; anything else is `ToolBlocked`. */
const causes: ReadonlyMap<string, readonly [DeviceErrorCode, string]> = new Map([
  ['ENOENT', ['ToolMissing', 'there is no such file, or the interpreter in its first line is missing']],
  ['EAGAIN', ['HostExhausted', 'too many processes']],
  ['ENOMEM', ['HostExhausted', 'no memory']],
  ['EMFILE', ['HostExhausted', 'too many open files of this program']],
  ['ENFILE', ['HostExhausted', 'too many open files of the node']],
]);

/** The error for a program that was not started. */
export function explainSpawnError(tried: string, cause: unknown): DeviceError {
  const message = messageOf(cause);
  const number = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const [code, meaning] = causes.get(number) ?? ['ToolBlocked' as const, undefined];
  const found = meaning === undefined ? `it was not started: ${message}` : `it was not started: ${number}: ${meaning}`;
  return new DeviceError(code, { tried, found, cause });
}

/** What the words of chroot and the shell mean, which have no error number; the first match decides. */
const words: readonly (readonly [RegExp, DeviceErrorCode])[] = [
  [/Cannot allocate memory|Resource temporarily unavailable|Too many open files/i, 'HostExhausted'],
  [/Operation not permitted/i, 'NotPermitted'],
];

/**
 * What kept chroot or the shell around the tool from running it, by their exit codes, which nvidia-smi never has: 125 chroot itself
 * failed, 126 the tool cannot be executed, 127 it is not there. Undefined if it was run.
 */
export function classifyNotRun(execution: Execution): DeviceErrorCode | undefined {
  const { rc, end } = execution;
  if (end !== 'Exited' || rc < 125 || rc > 127) return undefined;
  const said = wordsOf(execution);
  const known = words.find(([pattern]) => pattern.test(said))?.[1];
  return known ?? (rc === 126 ? 'ToolBlocked' : 'ToolMissing');
}
