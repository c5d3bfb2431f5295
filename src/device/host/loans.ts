import { makeExecute, type Execute, type Tool, findTool } from '../child.ts';
import { describeOutput, isBusId } from '../../core/smi/command.ts';
import { readUse } from '../../core/smi/reader.ts';
import { DeviceError } from '../../core/gpu/device-state.ts';
import { rmSync } from 'node:fs';
import { readIfThere, writeDurably } from './journal.ts';
import type { NvidiaSmi } from '../nvidia-smi.ts';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../process/clock.ts';
import { InvalidArgumentError, type Command } from 'commander';
import { list } from '../../process/options.ts';

interface HostUnitOptions {
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
/** Its words for that; older versions print `unknown`, or nothing, where there is no such unit. A unit that stops has code 3 as well. */
const notRunningWords = ['inactive', 'failed', 'unknown', ''];

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
   * Whether a unit may run: it would hold the GPU, so no answer is not taken for a stopped one, and neither is one that starts, or that
   * systemd starts again after a while.
   * @throws DeviceError if that is not known, or while it stops: somebody may be restarting it
   */
  async #isActive(unit: string): Promise<boolean> {
    const answer = await this.#run('is-active', unit);
    if (answer.rc === 0 || answer.stdout.trim() === 'activating') return true;
    if (notRunning.includes(answer.rc) && notRunningWords.includes(answer.stdout.trim())) return false;
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
function isUnitName(text: string): boolean {
  return /^[A-Za-z0-9][\w@.:-]*\.(?:service|socket|timer|target)$/.test(text);
}

interface LoanNoteOptions {
  /** Path of the note; absent: it is remembered by this process alone. */
  readonly path?: string;
  readonly bootIdPath?: string | undefined;
}

/**
 * Names of what was taken from the host for a while and is still to be given back. They are on disk before anything is taken, so
 * that a program that is killed in between owes it to its successor. A reboot settles everything.
 */
export class LoanNote {
  readonly #path: string | undefined;
  readonly #bootId: string;
  readonly #names: Set<string>;

  constructor({ path, bootIdPath = '/proc/sys/kernel/random/boot_id' }: LoanNoteOptions = {}) {
    this.#path = path;
    this.#bootId = readIfThere(bootIdPath)?.trim() ?? '';
    this.#names = new Set(path === undefined ? [] : this.#read(path));
  }

  list(): readonly string[] {
    return [...this.#names];
  }

  /** @throws DeviceError JournalUnavailable; then nothing may be taken */
  async add(names: readonly string[]): Promise<void> {
    await this.#write([...new Set([...this.#names, ...names])]);
    for (const name of names) this.#names.add(name);
  }

  /** Never throws: what stays on disk is given back once more, which changes nothing. */
  async remove(name: string): Promise<void> {
    this.#names.delete(name);
    try {
      if (this.#names.size > 0) await this.#write([...this.#names]);
      else if (this.#path !== undefined) rmSync(this.#path, { force: true });
    } catch {
      // The folder became read-only; whoever takes something next reports it.
    }
  }

  async #write(names: readonly string[]): Promise<void> {
    if (this.#path === undefined) return;
    await writeDurably(this.#path, `${[this.#bootId, ...names].join('\n')}\n`);
  }

  #read(path: string): readonly string[] {
    const [bootId, ...names] = readIfThere(path)?.trim().split('\n') ?? [];
    return bootId === this.#bootId ? names : [];
  }
}

/** Switches persistence mode of GPUs off for a reset, which it would block, and on again. */
export class PersistenceMode {
  readonly #driver: Pick<NvidiaSmi, 'change' | 'read'>;
  readonly #note: LoanNote;

  constructor(driver: Pick<NvidiaSmi, 'change' | 'read'>, note: LoanNote) {
    this.#driver = driver;
    this.#note = note;
  }

  /** Records that it was on, and is about to be switched off. @throws DeviceError JournalUnavailable */
  async borrow(gpu: string): Promise<void> {
    await this.#note.add([gpu]);
  }

  /** Switches it on where it was, also before an earlier program. @returns a sentence about each GPU where it stays off */
  async giveBack(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const gpu of this.#note.list().filter(isBusId)) {
      const problem = await this.#switchOn(gpu);
      if (problem === undefined) await this.#note.remove(gpu);
      else problems.push(`persistence mode of GPU ${gpu} was switched off for a reset and stays off: ${problem}`);
    }
    return problems;
  }

  /** The exit code proves nothing. @returns why it is not on */
  async #switchOn(gpu: string): Promise<string | undefined> {
    try {
      const execution = await this.#driver.change({ name: 'SetPersistence', gpu, on: true });
      const { isPersistent } = await this.#driver.read(readUse(gpu));
      if (isPersistent === true) return undefined;
      return describeOutput(execution);
    } catch (error) {
      if (error instanceof DeviceError) return error.found;
      throw error;
    }
  }
}

interface HostLoanParts {
  readonly persistence: PersistenceMode;
  /** Host services that may be stopped; absent: none. */
  readonly units?: Pick<HostUnits, 'borrow' | 'giveBack'>;
  /** Rest before what failed is tried again, in ms; systemd itself refuses a service that is started too often. */
  readonly retryMs?: number;
  readonly clock?: Pick<Clock, 'monotonicMs'>;
}

/**
 * What changes take from their host for a while: services, persistence mode. What cannot be given back stays recorded, is told, and
 * is tried again.
 */
export class HostLoans {
  readonly #parts: HostLoanParts;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #unitProblems: readonly string[] = [];
  #persistenceProblems: readonly string[] = [];
  /** The time at which the last attempt ended: a unit may take a minute not to start, and every reading of the GPUs would wait for it. */
  #triedAt = -Infinity;

  constructor(parts: HostLoanParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** What could not be given back so far, a sentence each. */
  get problems(): readonly string[] {
    return [...this.#unitProblems, ...this.#persistenceProblems];
  }

  /** Stops host services that keep GPUs open and may be stopped. @returns whether any was running @throws DeviceError */
  async stopUnits(): Promise<boolean> {
    return (await this.#parts.units?.borrow()) ?? false;
  }

  async startUnits(): Promise<void> {
    this.#unitProblems = (await this.#parts.units?.giveBack()) ?? [];
    this.#triedAt = this.#clock.monotonicMs();
  }

  /** Borrows persistence mode: to be called before that of a GPU is switched off. @throws DeviceError JournalUnavailable */
  async takePersistence(gpu: string): Promise<void> {
    await this.#parts.persistence.borrow(gpu);
  }

  async restorePersistence(): Promise<void> {
    this.#persistenceProblems = await this.#parts.persistence.giveBack();
    this.#triedAt = this.#clock.monotonicMs();
  }

  /** Gives back what is still owed, also by an earlier program; nothing is run if nothing is. Never throws a DeviceError. */
  async giveBack(): Promise<void> {
    const { retryMs = 30_000 } = this.#parts;
    if (this.problems.length > 0 && this.#clock.monotonicMs() - this.#triedAt < retryMs) return;
    await this.restorePersistence();
    await this.startUnits();
  }
}

interface HostLoanOptions {
  /** State folder. */
  readonly folder: string;
  readonly bootIdPath?: string;
  /** Services that may be stopped. */
  readonly units?: readonly string[];
  /** Roots in which the host's systemctl may be; absent: this program runs on the host. */
  readonly roots?: readonly string[];
}

/** @throws DeviceError ToolMissing if services may be stopped and the host has no systemctl */
export function openHostLoans(
  driver: Pick<NvidiaSmi, 'change' | 'read'>,
  { folder, bootIdPath, units = [], roots }: HostLoanOptions,
): HostLoans {
  const note = (name: string): LoanNote => new LoanNote({ path: join(folder, name), bootIdPath });
  const tool = () => findTool({ path: 'systemctl', driverRoots: roots });
  if (units.length > 0) tool();
  return new HostLoans({
    persistence: new PersistenceMode(driver, note('persistence-off')),
    // Without any that may be stopped there may still be some that an earlier program stopped.
    // systemd sets it for what it starts (systemd.exec(5)).
    units: new HostUnits({
      units,
      tool,
      note: note('stopped-units'),
      isUnit: process.env['INVOCATION_ID'] !== undefined,
    }),
  });
}

/** Option of every program that may change MIG mode. */
export function addHostUnitOption(command: Command): Command {
  return command.option(
    '--host-units <units>',
    'services of the host to stop and start again if they block a MIG mode change or a reset, for example nvsm.service,nvidia-dcgm.service (default: none)',
    unitNames,
  );
}

/** Reads names of units, which go to systemctl unchanged. */
function unitNames(text: string): readonly string[] {
  const units = list(text);
  const wrong = units.find((unit) => !isUnitName(unit));
  if (wrong === undefined) return units;
  throw new InvalidArgumentError(
    `${wrong} is not the name of a unit: write it with its type, as in nvidia-dcgm.service.`,
  );
}
