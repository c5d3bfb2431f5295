import { makeExecute, type Execute } from '../command/child.ts';
import type { Tool } from '../command/tool.ts';
import { describeOutput } from '../../core/smi/output.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { LoanNote } from './loan-note.ts';

export interface HostUnitOptions {
  /** systemd units that may be stopped, in this order. */
  readonly units: readonly string[];
  /** The host's systemctl. */
  readonly tool: Tool | (() => Tool);
  /** What was stopped: after a crash, the next program starts it. */
  readonly note: LoanNote;
  /** Whether this program is a unit itself: one that is ordered after it starts once it has ended, and waiting for that would never end. */
  readonly isUnit?: boolean;
}

const commandMs = 60_000;

/** Exit codes of `systemctl is-active`: not active, no such unit (systemctl(1)). */
const notRunning = [3, 4];

/** Host services that keep GPUs open (nvsm, DCGM, Fabric Manager), stopped during a change of MIG mode or a reset. */
export class HostUnits {
  readonly #units: readonly string[];
  readonly #note: LoanNote;
  readonly #execute: Execute;
  readonly #isUnit: boolean;

  constructor({ units, tool, note, isUnit = false }: HostUnitOptions) {
    this.#isUnit = isUnit;
    this.#units = units;
    this.#note = note;
    this.#execute = makeExecute(tool, { program: 'systemctl' });
  }

  /**
   * Stops the units that run or are about to.
   * @returns whether there was any
   * @throws DeviceError if one does not stop, or nothing can be recorded; {@link giveBack} starts the others again
   */
  async borrow(): Promise<boolean> {
    const active: string[] = [];
    for (const unit of this.#units) if (await this.#isActive(unit)) active.push(unit);
    if (active.length === 0) return false;
    await this.#note.add(active);
    for (const unit of active) {
      const answer = await this.#run('stop', unit);
      if (answer.rc !== 0) throw failureOf(`stop ${unit}`, answer);
    }
    return true;
  }

  /**
   * One that may run would hold the GPU: no answer is not taken for a stopped one, and neither is one that starts, or that systemd starts
   * again after a while.
   */
  async #isActive(unit: string): Promise<boolean> {
    const answer = await this.#run('is-active', unit);
    if (answer.rc === 0 || answer.stdout.trim() === 'activating') return true;
    if (notRunning.includes(answer.rc)) return false;
    throw failureOf(`is-active ${unit}`, answer);
  }

  /** Starts what was stopped, also by an earlier program. @returns a sentence about each unit that does not start */
  async giveBack(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const unit of this.#listOwed()) {
      const problem = await this.#start(unit);
      if (problem === undefined) await this.#note.remove(unit);
      else problems.push(`the service ${unit} was stopped for a change and does not start: ${problem}`);
    }
    return problems;
  }

  /** The last one that was stopped first. Whoever wrote the note, only a unit's name goes to systemctl. */
  #listOwed(): readonly string[] {
    return this.#note.list().filter(isUnitName).toReversed();
  }

  async #start(unit: string): Promise<string | undefined> {
    try {
      const answer = await this.#run('start', ...(this.#isUnit ? ['--no-block'] : []), unit);
      return answer.rc === 0 && answer.end === 'Exited' ? undefined : describeOutput(answer);
    } catch (error) {
      if (error instanceof DeviceError) return error.found;
      throw error;
    }
  }

  async #run(...args: readonly string[]): ReturnType<Execute> {
    return this.#execute(args, commandMs);
  }
}

type Answer = Awaited<ReturnType<Execute>>;

function failureOf(command: string, answer: Answer): DeviceError {
  return new DeviceError('Pending', { tried: `systemctl ${command}`, found: describeOutput(answer) });
}

/** True for the name of a systemd unit that may be stopped, with its type, and nothing that systemctl could take for an option. */
export function isUnitName(text: string): boolean {
  return /^[A-Za-z0-9][\w@.:-]*\.(?:service|socket|timer|target)$/.test(text);
}
