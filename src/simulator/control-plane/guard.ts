import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Kills processes and removes a folder when this process exits, however it exits. */
export interface Guard {
  /** Kill this process too; a negative number is a process group. */
  watch(pid: number): void;
  /** This process has exited: its id may soon be reused. */
  forget(pid: number): void;
  /** Ends the guard: kills the processes that it still watches, and removes the folder. */
  release(): void;
}

/**
 * The shell reads `+PID` and `-PID` until its input closes, which the kernel ensures even if we die of SIGKILL.
 * It ignores the terminal's signals, so that Ctrl-C cannot kill the guard before the guarded.
 */
const script = `
trap '' INT TERM HUP
pids=' '
while read -r line; do
  pid="\${line#?}"
  case "$line" in
    +*) pids="$pids$pid " ;;
    -*) pids="\${pids%% "$pid" *} \${pids#* "$pid" }" ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
[ -z "$1" ] && exit
# One that is about to die may still make a file.
for try in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$1" 2>/dev/null && exit; sleep 0.2; done
`;

/** @param folder removed at the end; if absent, nothing is removed. */
export function startGuard(folder?: string): Guard {
  const pids = new Set<number>();
  const shell = spawn('/bin/sh', ['-c', script, 'guard', folder ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const input = shell.stdin;
  input.on('error', () => undefined);
  shell.on('error', () => undefined);
  // Neither may keep our event loop alive: a program that forgets to stop its cluster still exits.
  shell.unref();
  if ('unref' in input && typeof input.unref === 'function') input.unref();

  // The shell would do it too, but a moment after us; a check for leftovers right after our exit must find none.
  const onExit = (): void => {
    for (const pid of pids) killNow(pid);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', onExit);
  return {
    watch: (pid) => {
      pids.add(pid);
      input.write(`+${pid}\n`);
    },
    forget: (pid) => {
      pids.delete(pid);
      input.write(`-${pid}\n`);
    },
    release: () => {
      process.removeListener('exit', onExit);
      onExit();
      pids.clear();
      input.end();
    },
  };
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
