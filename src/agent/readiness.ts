import type { DeviceReport } from '../api/types.ts';

/**
 * Whether anybody should count on an agent that has just begun: one that cannot read GPUs which the one before it could keeps an update of
 * the DaemonSet from going on. A driver that was not there before either keeps no update from mending it.
 */
export class Readiness {
  #unready: string | undefined = 'the GPUs have not been read yet';
  /** What was reported before this process began. */
  #before: DeviceReport['step'] | 'None' | undefined;

  /** Why it should not be counted on; undefined where it should. */
  get unready(): string | undefined {
    return this.#unready;
  }

  /** Takes the first report that is seen; undefined where there is none. */
  see(step: DeviceReport['step']): void {
    this.#before ??= step ?? 'None';
  }

  judge({ hasFailed, hasReport }: { readonly hasFailed: boolean; readonly hasReport: boolean }): void {
    if (this.#unready === undefined || this.#before === undefined) return;
    if (this.#before === 'None' || this.#before === 'Unknown' || (hasReport && !hasFailed)) this.#unready = undefined;
    else if (hasFailed) this.#unready = 'the GPUs cannot be read, and could be read before this agent started';
  }
}
