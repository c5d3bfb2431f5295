/**
 * What differs between branches of the driver, as far as public transcripts tell. What none shows of a branch is as in the nearest branch of
 * which one does; docs/internal/simulator.md has the sources, and says what is not known.
 */
export function describeTraits(branch: number) {
  return {
    /** Whether `-lgip` and `-lgipp` show a GPU whose MIG mode is off. */
    listsWithMigOff: branch >= 550,
    /** N of `nvsmi_device_vN.dtd`, which `-q -x` names. */
    dtd: branch < 530 ? 11 : branch < 560 ? 12 : 13,
    /** Whether `-q` has the recovery action of a GPU. */
    hasRecoveryAction: branch >= 565,
    /** Whether the fields `reset_required` and `drain_and_reset_recommended` only say that they are deprecated. */
    deprecatesResetStatus: branch >= 570,
    /** Whether a refused `--gpu-reset` names a GPU in a sentence, and not below a heading with NVML's reason. */
    refusesInSentence: branch < 510,
  };
}
