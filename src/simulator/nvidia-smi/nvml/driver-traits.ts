/** What differs between branches of the driver, as far as public transcripts tell. */
export interface DriverTraits {
  /** Whether `-lgip` and `-lgipp` show a GPU whose MIG mode is off. */
  readonly listsWithMigOff: boolean;
  /** N of `nvsmi_device_vN.dtd`, which `-q -x` names. */
  readonly dtd: number;
  /** Whether `-q` has the recovery action of a GPU. */
  readonly hasRecoveryAction: boolean;
  /** Whether the fields `reset_required` and `drain_and_reset_recommended` only say that they are deprecated. */
  readonly deprecatesResetStatus: boolean;
  /** How a refused `--gpu-reset` names a GPU: below a heading with NVML's reason, or in a sentence. */
  readonly refusedReset: 'Listed' | 'Sentence';
}

/**
 * The traits of a branch. What no public transcript shows of a branch is as in the nearest branch of which one does;
 * docs/internal/simulator.md has the sources, and says what is not known.
 */
export function describeTraits(branch: number): DriverTraits {
  return {
    listsWithMigOff: branch >= 550,
    dtd: branch < 530 ? 11 : branch < 560 ? 12 : 13,
    hasRecoveryAction: branch >= 565,
    deprecatesResetStatus: branch >= 570,
    refusedReset: branch < 510 ? 'Sentence' : 'Listed',
  };
}
