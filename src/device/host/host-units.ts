import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeExecute, type Execute } from '../command/child.ts';
import type { Tool } from '../command/tool.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { makeOwnFolder } from './state-folder.ts';

export interface HostUnitOptions {
  /** systemd units that may be stopped, in this order. */
  readonly units: readonly string[];
  /** The host's systemctl. */
  readonly tool: Tool;
  /** File on the host that records what was stopped: after a crash, the next program starts it. */
  readonly noteFile: string;
}

const commandMs = 60_000;

/** Host services that keep GPUs open (nvsm, DCGM, Fabric Manager), stopped during a change of MIG mode or a reset. */
export class HostUnits {
  readonly #options: HostUnitOptions;
  readonly #execute: Execute;

  constructor(options: HostUnitOptions) {
    this.#options = options;
    this.#execute = makeExecute(options.tool, { program: 'systemctl' });
  }

  /**
   * Stops the running units.
   * @returns what restarts them; undefined if none was running
   * @throws DeviceError if one does not stop; then all are started again
   */
  async pause(): Promise<(() => Promise<void>) | undefined> {
    const active: string[] = [];
    for (const unit of this.#options.units)
      if ((await this.#run('is-active', '--quiet', unit)).rc === 0) active.push(unit);
    if (active.length === 0) return undefined;
    this.#note(active);
    for (const unit of active) {
      const { rc, stdout } = await this.#run('stop', unit);
      if (rc === 0) continue;
      await this.#start(active);
      const found = `exit code ${rc}: ${stdout.trim().slice(0, 240)}`;
      throw new DeviceError('Pending', { tried: `systemctl stop ${unit}`, found });
    }
    return () => this.#start(active);
  }

  /** Starts what an earlier program stopped and did not start again before it ended. */
  async resumeCutOff(): Promise<void> {
    const noted = this.#readNote();
    if (noted.length > 0) await this.#start(noted);
  }

  async #start(units: readonly string[]): Promise<void> {
    for (const unit of units.toReversed()) await this.#run('start', unit);
    rmSync(this.#options.noteFile, { force: true });
  }

  async #run(...args: readonly string[]): ReturnType<Execute> {
    return this.#execute(args, commandMs);
  }

  #note(units: readonly string[]): void {
    const { noteFile } = this.#options;
    try {
      makeOwnFolder(dirname(noteFile));
      rmSync(noteFile, { force: true });
      writeFileSync(noteFile, `${units.join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    } catch (cause) {
      const found = cause instanceof Error ? cause.message : String(cause);
      throw new DeviceError('JournalUnavailable', { tried: `to write ${noteFile}`, found, cause });
    }
  }

  /** Only what may be stopped may be started: the file is a hint, whoever wrote it. */
  #readNote(): readonly string[] {
    try {
      const lines = readFileSync(this.#options.noteFile, 'utf8').split('\n');
      return this.#options.units.filter((unit) => lines.includes(unit));
    } catch {
      return [];
    }
  }
}
