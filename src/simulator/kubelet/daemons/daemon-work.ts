import type { MigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { Sharing } from '../../../core/nvidia/plugin-config/sharing.ts';

/** With what a daemon runs, whoever said it. */
export interface WorkSettings {
  readonly strategy: MigStrategy;
  readonly sharing: Sharing | undefined;
}

/** What one run of work came to. */
export interface DaemonRunResult {
  /** Upstream's text with which the program exits; it runs on where absent. */
  readonly failure?: string;
  /** When it works again by itself. */
  readonly againAfterMs?: number;
}

/** What the process of a daemon does. */
export interface DaemonWork {
  /** At the start of the process, and anew at SIGHUP. */
  start(settings: WorkSettings): DaemonRunResult;
  /** As often as anything happens on the node; it knows itself when it is due. */
  continue(): Promise<DaemonRunResult>;
  /** The process is gone. */
  stop(): void;
}
