import { readdirSync, readFileSync } from 'node:fs';

/** Pids of the `nvidia-smi` processes that work on a node's simulated device, by the state file that they were given. */
export function listDeviceCommands(stateFile: string): readonly number[] {
  const given = `\0NVIDIA_SMI_SIM_STATE=${stateFile}\0`;
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) && `\0${readEnvironment(name)}`.includes(given) ? [Number(name)] : [],
  );
}

/** What hangs in the driver does not survive a reboot, with or without the agent that started it. */
export function endDeviceCommands(stateFile: string): void {
  for (const pid of listDeviceCommands(stateFile)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Empty for a process that has ended, and for those of others. */
function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
