import { join } from 'node:path';
import type { NvidiaSmi } from '../command/nvidia-smi.ts';
import { type Clock, systemClock } from '../../process/clock.ts';
import { findTool } from '../command/tool.ts';
import { HostUnits } from './host-units.ts';
import { LoanNote } from './loan-note.ts';
import { PersistenceMode } from './persistence-mode.ts';

interface HostLoanParts {
  readonly persistence: PersistenceMode;
  /** Absent: no service may be stopped. */
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
  /** When the last attempt ended: a unit may take a minute not to start, and every reading of the GPUs would wait for it. */
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

  /** To be called before persistence mode of a GPU is switched off. @throws DeviceError JournalUnavailable */
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

export interface HostLoanOptions {
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
  driver: Pick<NvidiaSmi, 'change' | 'readUse'>,
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
