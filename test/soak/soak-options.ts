import type { Sample } from './gauges.ts';

export interface SoakOptions {
  readonly nodes: number;
  readonly minutes: number;
  /** Ends after this many, even if minutes are left. */
  readonly rounds?: number;
  readonly seed: number;
  /** How long people and faults act before all faults end and the fleet has to come to rest. */
  readonly stormSeconds: number;
  /** How long ever fewer things may fail to settle then before it counts as a standstill. */
  readonly standstillSeconds: number;
  /** How long nothing may be written once all has settled. */
  readonly quietSeconds: number;
  readonly sampleSeconds: number;
  /** Between two looks of an agent at its GPUs: what pods do in between is written at the next. */
  readonly readSeconds: number;
  /** Minutes after which the controller's life is not ended any more, so that its memory can be measured. */
  readonly warmUpMinutes: number;
  readonly tell?: (line: string) => void;
  /** Gets the objects, the logs, the states of the devices and the audit log if an invariant was broken. */
  readonly evidenceFolder?: string;
}

export interface SoakResult {
  readonly options: SoakOptions;
  readonly seconds: number;
  readonly rounds: number;
  readonly revisions: number;
  /** Rounds of which every revision was seen, none skipped by a list. */
  readonly completeRounds: number;
  readonly deeds: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  readonly samples: readonly Sample[];
  readonly logBytes: number;
  /** Of it, what was logged while nothing was to be done. */
  readonly quietLogBytes: number;
  readonly quietSeconds: number;
  readonly quietWrites: readonly string[];
  /** Longest time to come to rest after a storm. */
  readonly slowestRestSeconds: number;
  readonly violations: readonly string[];
}
