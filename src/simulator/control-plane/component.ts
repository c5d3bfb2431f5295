import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ControlPlaneError } from './errors.ts';
import type { Guard } from './guard.ts';
import { Waiting } from './progress.ts';

/** A running program of the control plane. */
export interface Component {
  readonly name: string;
  readonly pid: number;
  /** How it exited, for example `exit status 1`; undefined while it runs. */
  ended(): string | undefined;
  /** The end of its output. */
  logTail(): string;
  /** Kills it with SIGKILL and waits for its exit. */
  kill(): Promise<void>;
}

/** Go's garbage collector took a third of the API server's time; it collects less often as long as the memory is small. */
const memoryForTime = { GOGC: '300', GOMEMLIMIT: '3GiB' };

/**
 * Starts a program that the guard kills when we exit. It gets no signals from our terminal, so that Ctrl-C does not
 * kill the API server before a test has cleaned up.
 *
 * @throws ControlPlaneError `StartFailed` if it cannot be executed.
 */
export async function startComponent(
  program: string,
  args: readonly string[],
  { log, guard }: { readonly log: string; readonly guard: Guard },
): Promise<Component> {
  const name = basename(program);
  const output = openSync(log, 'a', 0o600);
  const env = { ...process.env, ...memoryForTime };
  const child = spawn(program, args, { stdio: ['ignore', output, output], detached: true, env });
  closeSync(output);
  const { pid } = await new Promise<{ pid: number }>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(new ControlPlaneError('StartFailed', `${program} cannot be started: ${cause.message}`, { cause }));
    });
    child.once('spawn', () => resolve({ pid: child.pid ?? 0 }));
  });
  guard.watch(pid);
  child.unref();
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => {
      guard.forget(pid);
      resolve();
    });
  });
  const ended = (): string | undefined => {
    if (child.signalCode !== null) return child.signalCode;
    return child.exitCode === null ? undefined : `exit status ${child.exitCode}`;
  };
  return {
    name,
    pid,
    ended,
    logTail: () => readFileSync(log, 'utf8').slice(-2000).trim(),
    kill: async () => {
      if (ended() !== undefined) return;
      // An unref'd child does not keep us alive until its exit is seen; while we wait for it, it must.
      child.ref();
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/**
 * Waits until `isReady` returns true; a rejection counts as false.
 *
 * @param allowanceMs on a machine that does nothing else
 * @throws ControlPlaneError `StartFailed` with the end of its log, if the component exits or takes too long.
 */
export async function waitUntilReady(
  component: Component,
  isReady: () => Promise<boolean>,
  allowanceMs = 60_000,
): Promise<void> {
  const waiting = new Waiting(allowanceMs);
  while (!(await isReady().catch(() => false))) {
    const ended = component.ended();
    if (ended !== undefined || waiting.isOver()) {
      const what = ended === undefined ? 'does not become ready' : `ended with ${ended}`;
      throw new ControlPlaneError(
        'StartFailed',
        `${component.name} ${what}; the end of its log:\n${component.logTail()}`,
      );
    }
    await sleep(20);
  }
}
