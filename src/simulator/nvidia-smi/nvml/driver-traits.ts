import { NVML } from './nvml-code.ts';

/**
 * What differs between branches of the driver, as far as recordings (470, 525, 535, 550, 555) and public transcripts tell. What none shows
 * of a branch is as in the nearest branch of which one does; docs/internal/simulator.md has the sources, and says what is not known.
 */
export function describeTraits(branch: number) {
  return {
    /** For the reports, whose entries each branch has more or fewer of. */
    branch,
    /** Whether `-lgip` and `-lgipp` show a GPU whose MIG mode is off. */
    listsWithMigOff: branch >= 550,
    /** With which code `mig` says that no GPU has MIG mode on. Up to 535 it says so too if none supports it. */
    migOffCode: branch >= 550 ? 0 : NVML.notFound,
    /**
     * Whether there is what was new after 470: `-lcipp`, a start for `-cci`, `+me` in names of compute instances, profiles of one slice with
     * twice the memory and of several with the media engines, and that `-mig` takes 0 and 1 only.
     */
    isAfter470: branch > 470,
    hasVersionOption: branch >= 550,
    /** Whether it says which word of the command line it does not understand. */
    namesBadWords: branch >= 530,
    /** Whether it tells the version of a library that does not match the driver; its exit code is NVML's then, else 255. */
    explainsMismatch: branch >= 530,
    /** N of `nvsmi_device_vN.dtd`, which `-q -x` names. */
    dtd: branch < 525 ? 11 : branch < 560 ? 12 : 13,
    /** Whether `-q` has the recovery action of a GPU. */
    hasRecoveryAction: branch >= 565,
    /** Whether the fields `reset_required` and `drain_and_reset_recommended` only say that they are deprecated. */
    deprecatesResetStatus: branch >= 570,
    /** Whether a refused `--gpu-reset` names a GPU in a sentence, and not below a heading with NVML's reason. */
    refusesInSentence: branch < 510,
  };
}
