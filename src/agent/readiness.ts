import type { DeviceReport } from '../api/types.ts';

/**
 * Whether anybody should rely on an agent that has just started: an agent that cannot read GPUs which its predecessor could read
 * stops the rollout of the DaemonSet. If the driver was missing before too, the rollout continues, since it may be the fix.
 */
export class Readiness {
  #unready: string | undefined = 'the GPUs have not been read yet';
  /** What was reported before this process started. */
  #before: DeviceReport['step'] | 'None' | undefined;

  /** Why nobody should rely on it; undefined if anybody may. */
  get unready(): string | undefined {
    return this.#unready;
  }

  /** Takes the first report that is seen; undefined if there is none. */
  see(step: DeviceReport['step']): void {
    this.#before ??= step ?? 'None';
  }

  judge({ hasFailed, hasReport }: { readonly hasFailed: boolean; readonly hasReport: boolean }): void {
    if (this.#unready === undefined || this.#before === undefined) return;
    if (this.#before === 'None' || this.#before === 'Unknown' || (hasReport && !hasFailed)) this.#unready = undefined;
    else if (hasFailed) this.#unready = 'the GPUs cannot be read, and could be read before this agent started';
  }
}
