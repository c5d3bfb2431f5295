import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { Sharing } from '../../../core/nvidia/plugin-config/sharing.ts';

/** A daemon's settings, from whatever source. */
export interface WorkSettings {
  readonly strategy: MigStrategy;
  readonly sharing: Sharing | undefined;
}

/** Result of one run of work. */
export interface DaemonRunResult {
  /** Upstream's message on exit; absent if the program keeps running. */
  readonly failure?: string;
  /** When it next works by itself. */
  readonly againAfterMs?: number;
}

/** The work of a daemon's process. */
export interface DaemonWork {
  /** Called when the process starts, and again on SIGHUP. */
  start(settings: WorkSettings): DaemonRunResult;
  /** Called whenever anything happens on the node; the work knows when it is due. */
  continue(): Promise<DaemonRunResult>;
  /** The process is gone. */
  stop(): void;
}
